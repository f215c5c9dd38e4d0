//! Every attack scheme against the ray walker, and the texts' own tables and examples.

use proptest::prelude::*;
use retrograde::chess::attacks;
use retrograde::chess::attacks::{
    DarkThought, Hyperbola, Magic, RayWalk, RotatedOccupancy, SliderAttacks, Swafford,
};
use retrograde::chess::{Square, squares};

fn square(name: &str) -> Square {
    name.parse().expect("a square")
}

fn set(names: &str) -> u64 {
    names.split_whitespace().fold(0, |s, n| s | square(n).bit())
}

fn agrees<S: SliderAttacks>(occupied: u64) {
    let occupancy = S::occupancy(occupied);
    for s in Square::all() {
        let name = std::any::type_name::<S>();
        assert_eq!(
            S::rook(s, &occupancy),
            RayWalk::rook(s, &occupied),
            "{name} rook {s} {occupied:#x}"
        );
        assert_eq!(
            S::bishop(s, &occupancy),
            RayWalk::bishop(s, &occupied),
            "{name} bishop {s} {occupied:#x}"
        );
        assert_eq!(
            S::queen(s, &occupancy),
            RayWalk::rook(s, &occupied) | RayWalk::bishop(s, &occupied),
            "{name} queen {s} {occupied:#x}"
        );
    }
}

fn all_agree(occupied: u64) {
    agrees::<Swafford>(occupied);
    agrees::<DarkThought>(occupied);
    agrees::<Hyperbola>(occupied);
    agrees::<Magic>(occupied);
}

#[test]
fn schemes_agree_on_plain_boards() {
    all_agree(0);
    all_agree(u64::MAX);
    for s in Square::all() {
        all_agree(s.bit());
    }
}

/// Every occupancy of every line: what a random board may miss.
#[test]
fn schemes_agree_on_every_state_of_every_line() {
    for s in Square::all() {
        let lines = RayWalk::rook(s, &0) | RayWalk::bishop(s, &0);
        for other in squares(lines) {
            let line = attacks::line(s, other);
            let mut occupied = 0u64;
            loop {
                occupied = occupied.wrapping_sub(line) & line;
                let rotated = RotatedOccupancy::new(occupied);
                let expected = RayWalk::queen(s, &occupied);
                assert_eq!(Swafford::queen(s, &rotated), expected);
                assert_eq!(DarkThought::queen(s, &rotated), expected);
                assert_eq!(Hyperbola::queen(s, &occupied), expected);
                assert_eq!(Magic::queen(s, &occupied), expected);
                if occupied == 0 {
                    break;
                }
            }
        }
    }
}

/// A multiplier is right when every occupancy of its own squares is.
#[test]
fn magic_agrees_on_every_relevant_occupancy() {
    for s in Square::all() {
        for (mask, rook) in [
            (RayWalk::rook(s, &0), true),
            (RayWalk::bishop(s, &0), false),
        ] {
            let mut occupied = 0u64;
            loop {
                occupied = occupied.wrapping_sub(mask) & mask;
                if rook {
                    assert_eq!(Magic::rook(s, &occupied), Hyperbola::rook(s, &occupied));
                } else {
                    assert_eq!(Magic::bishop(s, &occupied), Hyperbola::bishop(s, &occupied));
                }
                if occupied == 0 {
                    break;
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn schemes_agree_on_random_boards(a: u64, b: u64) {
        all_agree(a);
        all_agree(a & b);
        all_agree(a | b);
    }

    #[test]
    fn rotated_boards_follow_every_change(changes in prop::collection::vec(0u8..64, 0..200)) {
        let mut occupied = 0;
        let mut rotated = RotatedOccupancy::new(0);
        for number in changes {
            let s = Square::new(number).unwrap();
            occupied ^= s.bit();
            rotated.toggle(s);
            prop_assert_eq!(rotated, RotatedOccupancy::new(occupied));
            prop_assert_eq!(rotated.normal(), occupied);
        }
    }
}

/// Swafford's example: a rook on e6, a bishop on b6, a pawn on g6, kings on e1 and e8.
#[test]
fn swaffords_rook_on_e6() {
    let e6 = square("e6");
    let rotated = RotatedOccupancy::new(set("e1 b6 e6 g6 e8"));
    assert_eq!(Swafford::rank_state(e6, &rotated), 0b0101_0010);
    assert_eq!(Swafford::file_state(e6, &rotated), 0b1010_0001);
    assert_eq!(Swafford::rank(e6, &rotated), set("b6 c6 d6 f6 g6"));
    assert_eq!(Swafford::file(e6, &rotated), set("e1 e2 e3 e4 e5 e7 e8"));
    assert_eq!(
        Swafford::rook(e6, &rotated),
        set("b6 c6 d6 f6 g6 e1 e2 e3 e4 e5 e7 e8")
    );
}

/// His map of the board turned by 90 degrees, with a8 = 0: ours has the same bits, bytes in
/// opposite order.
#[test]
fn swaffords_map_of_the_turned_board() {
    for s in Square::all() {
        let row = s.file();
        let column_from_the_eighth_rank = 7 - s.rank();
        let his = row * 8 + (7 - column_from_the_eighth_rank);
        assert_eq!(RotatedOccupancy::bits_of(s)[1] ^ 56, his);
    }
}

/// The four square-to-bit maps of DarkThought: byte 7 first, and in each byte bit 7 first.
#[test]
fn darkthoughts_square_maps() {
    const MAPS: &str = include_str!("../data/darkthought-maps.txt");
    let mut board = 0;
    let mut byte = 8;
    for row in MAPS
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
    {
        if byte == 0 {
            board += 1;
            byte = 8;
        }
        byte -= 1;
        for (column, name) in row.replace('|', " ").split_whitespace().enumerate() {
            let mut bit = byte * 8 + 7 - column as u8;
            if board == 0 {
                // The normal board keeps this crate's own order: the a-file is bit 0, not bit 7.
                bit ^= 7;
            }
            assert_eq!(
                RotatedOccupancy::bits_of(square(name))[board],
                bit,
                "{name} on board {board}"
            );
        }
    }
    assert_eq!((board, byte), (3, 0), "four boards of eight bytes");
}

#[test]
fn compressed_vectors_are_few() {
    // Uncompressed: 4 * 64 * 256.
    assert_eq!(DarkThought::VECTORS, 2 * 4096 + 2 * 1282);
}

#[test]
fn steps_and_lines() {
    use retrograde::game::Color::{Black, White};
    assert_eq!(attacks::king(square("a1")), set("a2 b1 b2"));
    assert_eq!(attacks::knight(square("b1")), set("a3 c3 d2"));
    assert_eq!(attacks::pawn(White, square("a2")), set("b3"));
    assert_eq!(attacks::pawn(Black, square("e7")), set("d6 f6"));
    assert_eq!(attacks::pawn(White, square("e8")), 0);
    assert_eq!(attacks::between(square("a1"), square("d4")), set("b2 c3"));
    assert_eq!(attacks::between(square("h4"), square("e4")), set("f4 g4"));
    assert_eq!(attacks::between(square("a1"), square("b3")), 0);
    assert_eq!(attacks::between(square("a1"), square("a2")), 0);
    assert_eq!(
        attacks::line(square("b3"), square("c2")),
        set("a4 b3 c2 d1")
    );
    assert_eq!(attacks::line(square("b3"), square("b3")), 0);
    for a in Square::all() {
        for b in Square::all() {
            assert_eq!(attacks::between(a, b), attacks::between(b, a));
            assert_eq!(attacks::line(a, b), attacks::line(b, a));
        }
    }
}
