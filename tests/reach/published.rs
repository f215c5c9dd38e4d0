//! Positions with a published result.

use retrograde::Tablebase;
use retrograde::chess::{Role, san};
use retrograde::metric::{Dtz, Wdl};
use retrograde::reach::{Handicap, NoLeaves, Options, solve};

use super::{Tables, position, solved, wdl};
use crate::probe;

/// The text between an operation of a line of EPD and the next semicolon.
fn operation<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(&format!(" {name} "))?;
    Some(rest.split(';').next()?.trim_matches('"'))
}

#[test]
fn published_positions_of_six_to_twelve_men_have_their_results() {
    let mut count = 0;
    for line in include_str!("../data/reach.epd").lines() {
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

/// As many positions are explored in every run of the tests; more with `RETROGRADE_FULL=1`, which
/// takes some minutes.
const FEW_POSITIONS: usize = 150_000;

#[test]
fn published_wins_have_their_first_moves() {
    let tables = Tablebase::open(probe::directory()).unwrap();
    let leaves = Tables {
        tables: &tables,
        men: 4,
        except: None,
    };
    let full = std::env::var_os("RETROGRADE_FULL").is_some_and(|value| value == "1");
    let lines = include_str!("../data/reach-tables.epd").lines();
    let mut count = 0;
    for line in lines.filter(|line| !line.starts_with('#')) {
        let pieces = operation(line, "pieces").map(|number| number.parse().unwrap());
        let max_positions = operation(line, "max").unwrap().parse().unwrap();
        if max_positions > FEW_POSITIONS && !full {
            continue;
        }
        let fields: Vec<&str> = line.split_whitespace().take(4).collect();
        let root = position(&format!("{} 0 1", fields.join(" ")));
        let handicap = Handicap {
            promotions: vec![Role::Queen],
            pieces,
            loses_to_promotion: true,
            ..Handicap::none(root.turn())
        };
        let options = Options {
            max_positions,
            handicap: pieces.map(|_| &handicap),
            mates: false,
            ..Options::default()
        };
        let solved = solve(&root, &leaves, &options).unwrap();
        assert_eq!(solved.exact().is_some(), pieces.is_none(), "{line}");
        let lower = solved.lower().unwrap();
        assert_eq!(lower.root.dtz.wdl(), Wdl::Win, "{line}");
        let winning: Vec<String> = lower
            .moves
            .iter()
            .filter(|m| m.value.is_some_and(|value| value.dtz.wdl() == Wdl::Loss))
            .map(|m| san(&root, m.played))
            .collect();
        assert_eq!(winning, [operation(line, "bm").unwrap()], "{line}");
        count += 1;
    }
    assert_eq!(count, if full { 7 } else { 2 });
}

#[test]
fn a_wall_of_pawns_is_a_draw_at_once() {
    let solved = solved("4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1", &NoLeaves);
    assert_eq!(wdl(&solved), Wdl::Draw);
    assert_eq!(solved.progress.positions, 1152);
}
