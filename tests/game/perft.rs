//! The number of move paths, against published counts.

use retrograde::chess::{Position, divide, perft};

#[test]
fn published_counts() {
    let data = include_str!("../data/chess.perft");
    let mut checked = 0;
    for line in data
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
    {
        let mut fields = line.split(';');
        let fen = fields.next().unwrap();
        let position = Position::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
        for field in fields {
            let (depth, nodes) = field.trim()[1..].split_once(' ').unwrap();
            let (depth, nodes): (u32, u64) = (depth.parse().unwrap(), nodes.parse().unwrap());
            assert_eq!(perft(&position, depth), nodes, "{fen} depth {depth}");
            checked += 1;
        }
    }
    assert_eq!(checked, 57);
}

#[test]
fn divide_adds_up() {
    let position = Position::start();
    assert!(divide(&position, 0).is_empty());
    let parts = divide(&position, 4);
    assert_eq!(parts.len(), 20);
    assert_eq!(parts.iter().map(|(_, n)| n).sum::<u64>(), 197_281);
    let e2e4 = parts.iter().find(|(m, _)| m.to_uci() == "e2e4").unwrap();
    assert_eq!(e2e4.1, 13_160);
}
