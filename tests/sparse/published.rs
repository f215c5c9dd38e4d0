//! Positions with a published result.

use retrograde::game::chess::san;
use retrograde::metric::{Dtz, Wdl};
use retrograde::solve::sparse::NoLeaves;

use super::{solved, wdl};

/// The text between an operation of a line of EPD and the next semicolon.
fn operation<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(&format!(" {name} "))?;
    Some(rest.split(';').next()?.trim_matches('"'))
}

#[test]
fn published_positions_of_six_to_twelve_men_have_their_results() {
    let mut count = 0;
    for line in include_str!("../data/sparse.epd").lines() {
        if line.starts_with('#') {
            continue;
        }
        let fields: Vec<&str> = line.split_whitespace().take(4).collect();
        let fen = format!("{} 0 1", fields.join(" "));
        let solved = solved(&fen, &NoLeaves);
        let expected = operation(line, "c0").unwrap();
        assert_eq!(wdl(&solved).category(), expected, "{fen}");
        let position = super::position(&fen);
        assert!(
            (6..=12).contains(&position.occupied().count_ones()),
            "{fen}"
        );
        let keeps = |dtz: Dtz| -dtz.wdl() == wdl(&solved);
        let keeping: Vec<String> = solved.analysed[0]
            .moves
            .iter()
            .filter(|m| m.value.is_some_and(|value| keeps(value.dtz)))
            .map(|m| san(&position, m.played))
            .collect();
        match operation(line, "bm") {
            Some(moves) => assert_eq!(keeping, moves.split(' ').collect::<Vec<_>>(), "{fen}"),
            None => assert_eq!(keeping.len(), position.legal_moves().len(), "{fen}"),
        }
        count += 1;
    }
    assert!(count >= 10);
}

#[test]
fn a_wall_of_pawns_is_a_draw_at_once() {
    let solved = solved("4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1", &NoLeaves);
    assert_eq!(wdl(&solved), Wdl::Draw);
    assert_eq!(solved.progress.positions, 1152);
}
