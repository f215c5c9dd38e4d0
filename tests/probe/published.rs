//! Against values that others have published.

use retrograde::chess::Position;
use retrograde::metric::Dtm;

use super::tables;

/// The positions of an EPD file with their operations, comments left out.
fn lines(text: &str) -> impl Iterator<Item = (Position, Vec<(&str, i32)>)> {
    text.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let fields: Vec<&str> = line.splitn(5, ' ').collect();
            let operations = fields[4]
                .split(';')
                .filter_map(|operation| operation.trim().split_once(' '))
                .map(|(name, value)| (name, value.parse().unwrap()))
                .collect();
            let fen = fields[..4].join(" ") + " 0 1";
            (Position::from_fen(&fen).unwrap(), operations)
        })
}

#[test]
fn results_and_distances_to_zeroing_of_up_to_four_men() {
    let mut compared = 0;
    let mut exact = 0;
    for (position, operations) in lines(include_str!("../data/chess-wdl-dtz.epd")) {
        if position.occupied().count_ones() > 4 {
            continue;
        }
        let fen = position.to_fen();
        for (name, value) in operations {
            match name {
                "wdl" => assert_eq!(
                    tables().probe_wdl(&position).unwrap().signum2(),
                    value,
                    "{fen}"
                ),
                "dtz" => {
                    // Syzygy files may count full moves, so theirs may be one ply short.
                    let found = tables().probe_dtz(&position).unwrap().0;
                    let allowed = [value, value + value.signum()];
                    assert!(allowed.contains(&found), "{fen}: {found} for {value}");
                    exact += usize::from(found == value);
                }
                // What stands in the Syzygy file, which is another program's affair.
                "wdl_table" => continue,
                other => panic!("unknown operation {other}"),
            }
            compared += 1;
        }
    }
    assert!(compared >= 100, "{compared}");
    assert!(
        exact * 4 > compared,
        "{exact} distances of {compared} values"
    );
}

#[test]
fn distances_to_mate() {
    let mut compared = 0;
    for (position, operations) in lines(include_str!("../data/chess-dtm-4men.epd")) {
        let [("dm", moves)] = operations[..] else {
            panic!("one operation `dm` expected")
        };
        // `dm` counts the moves of the side that mates; 0 is a draw.
        let expected = match moves {
            0 => None,
            wins if wins > 0 => Some(Dtm(2 * wins - 1)),
            loses => Some(Dtm(2 * loses)),
        };
        let found = tables().probe_dtm(&position).unwrap();
        assert_eq!(found, expected, "{}", position.to_fen());
        compared += 1;
    }
    assert_eq!(compared, 48);
}
