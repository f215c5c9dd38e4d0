//! The number of move paths, against another program's counts.

use retrograde::xiangqi::{Position, divide, perft};

use super::position;

#[test]
fn counts_of_fairy_stockfish() {
    let data = include_str!("../../data/xiangqi.perft");
    let (mut positions, mut counts) = (0, 0);
    for line in data
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
    {
        let mut fields = line.split(';');
        let fen = fields.next().unwrap();
        let position = position(fen);
        positions += 1;
        for field in fields {
            let (depth, nodes) = field.trim()[1..].split_once(' ').unwrap();
            let (depth, nodes): (u32, u64) = (depth.parse().unwrap(), nodes.parse().unwrap());
            assert_eq!(perft(&position, depth), nodes, "{fen} depth {depth}");
            counts += 1;
        }
    }
    assert_eq!((positions, counts), (20, 82));
}

#[test]
fn published_counts_from_the_start() {
    let published = [1, 44, 1_920, 79_666, 3_290_240, 133_312_995];
    let full = std::env::var_os("RETROGRADE_FULL").is_some_and(|value| value == "1");
    let depths = if full { 6 } else { 5 };
    for (depth, nodes) in (0..).zip(published).take(depths) {
        assert_eq!(perft(&Position::start(), depth), nodes);
    }
}

#[test]
fn divide_adds_up() {
    assert!(divide(&Position::start(), 0).is_empty());
    let parts = divide(&Position::start(), 3);
    assert_eq!(parts.len(), 44);
    assert_eq!(parts.iter().map(|(_, n)| n).sum::<u64>(), 79_666);
    let cannon = parts.iter().find(|(m, _)| m.to_iccs() == "h2h6").unwrap();
    assert_eq!(cannon.1, 1_637);
}
