//! The schemes against each other, and what the texts claim.

use proptest::prelude::*;
use retrograde::game::Color::{Black, White};
use retrograde::xiangqi::attacks;
use retrograde::xiangqi::attacks::{
    BitLines, Folded, LegMoves, LineMoves, Lines, Steps, Walk, checksum, unfold,
};
use retrograde::xiangqi::{Role, Square, flip, mirror, squares};

use super::{set, square};

const ALL: u128 = (1 << 90) - 1;

fn legs_agree<S: LegMoves>(occupied: u128) {
    for s in Square::all() {
        let name = std::any::type_name::<S>();
        assert_eq!(
            S::knight(s, occupied),
            Walk::knight(s, occupied),
            "{name} {s} {occupied:#x}"
        );
        assert_eq!(
            S::elephant(s, occupied),
            Walk::elephant(s, occupied),
            "{name} {s} {occupied:#x}"
        );
        assert_eq!(
            S::knight_attackers(s, occupied),
            Walk::knight_attackers(s, occupied),
            "{name} {s} {occupied:#x}"
        );
    }
}

fn lines_agree(occupied: u128) {
    let lines = Lines::occupancy(occupied);
    for s in Square::all() {
        assert_eq!(Lines::quiet(s, &lines), Walk::quiet(s, &occupied), "{s}");
        assert_eq!(
            attacks::quiet(s, occupied),
            Walk::quiet(s, &occupied),
            "{s}"
        );
        let rook = Walk::rook_captures(s, &occupied);
        assert_eq!(Lines::rook_captures(s, &lines), rook, "{s}");
        assert_eq!(attacks::rook_captures(s, occupied), rook, "{s}");
        assert_eq!(
            attacks::rook(s, occupied),
            rook | Walk::quiet(s, &occupied),
            "{s}"
        );
        let cannon = Walk::cannon_captures(s, &occupied);
        assert_eq!(Lines::cannon_captures(s, &lines), cannon, "{s}");
        assert_eq!(attacks::cannon_captures(s, occupied), cannon, "{s}");
    }
}

/// Every set of legs or eyes of every square.
#[test]
fn leg_schemes_agree_on_every_state() {
    for s in Square::all() {
        for around in [attacks::beside(s), attacks::diagonal(s)] {
            let mut occupied = 0u128;
            loop {
                occupied = occupied.wrapping_sub(around) & around;
                for (knight, elephant, attackers) in [
                    (
                        Steps::knight as fn(_, _) -> _,
                        Steps::elephant as fn(_, _) -> _,
                        Steps::knight_attackers as fn(_, _) -> _,
                    ),
                    (Folded::knight, Folded::elephant, Folded::knight_attackers),
                ] {
                    let knight: u128 = knight(s, occupied);
                    let elephant: u128 = elephant(s, occupied);
                    let attackers: u128 = attackers(s, occupied);
                    assert_eq!(knight, Walk::knight(s, occupied), "{s} {occupied:#x}");
                    assert_eq!(elephant, Walk::elephant(s, occupied), "{s} {occupied:#x}");
                    assert_eq!(
                        attackers,
                        Walk::knight_attackers(s, occupied),
                        "{s} {occupied:#x}"
                    );
                }
                if occupied == 0 {
                    break;
                }
            }
        }
    }
}

/// Every state of every file and of every rank.
#[test]
fn line_schemes_agree_on_every_state() {
    for state in 0..1024u128 {
        let file: u128 = (0..9).fold(0, |set, file| set | state << (10 * file));
        lines_agree(file);
        let rank: u128 = (0..9).fold(0, |set, file| {
            set | ((state >> file & 1) * (0x3ff << (10 * file)))
        });
        lines_agree(rank);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn schemes_agree_on_random_boards(a: u128, b: u128) {
        for occupied in [a, a & b, a | b] {
            legs_agree::<Steps>(occupied & ALL);
            legs_agree::<Folded>(occupied & ALL);
            lines_agree(occupied & ALL);
        }
    }

    #[test]
    fn bit_lines_follow_every_change(changes in prop::collection::vec(0u8..90, 0..200)) {
        let mut occupied = 0;
        let mut lines = BitLines::default();
        for number in changes {
            let s = Square::new(number).unwrap();
            occupied ^= s.bit();
            lines.toggle(s);
            prop_assert_eq!(lines, BitLines::new(occupied));
            prop_assert_eq!(lines.occupied(), occupied);
            for file in 0..9 {
                prop_assert_eq!(lines.file(file), attacks::bit_file(occupied, file));
            }
            for rank in 0..10 {
                prop_assert_eq!(lines.rank(rank), attacks::bit_rank(occupied, rank));
            }
        }
    }

    #[test]
    fn sets_turn_like_their_squares(set: u128) {
        let set = set & ALL;
        let turned = |turn: fn(Square) -> Square| squares(set).fold(0, |all, s| all | turn(s).bit());
        prop_assert_eq!(mirror(set), turned(Square::mirrored));
        prop_assert_eq!(flip(set), turned(Square::flipped));
    }
}

/// The eight squares around, by number, if the board is numbered by `number`.
fn residues(s: Square, steps: [(i8, i8); 4], number: fn(Square) -> usize) -> Vec<usize> {
    let mut residues: Vec<usize> = steps
        .into_iter()
        .filter_map(|(files, ranks)| {
            Square::from_coords(
                s.file().wrapping_add_signed(files),
                s.rank().wrapping_add_signed(ranks),
            )
        })
        .map(|s| number(s) % 8)
        .collect();
    residues.sort_unstable();
    residues.dedup();
    residues
}

const BESIDE: [(i8, i8); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const DIAGONAL: [(i8, i8); 4] = [(1, 1), (-1, 1), (1, -1), (-1, -1)];

/// The text's proof: numbered by file, the legs of a knight and the eyes of an elephant are
/// different modulo 8.
#[test]
fn legs_and_eyes_never_collide_when_numbered_by_file() {
    for s in Square::all() {
        let by_file: fn(Square) -> usize = Square::index;
        assert_eq!(
            residues(s, BESIDE, by_file).len(),
            attacks::beside(s).count_ones() as usize
        );
        assert_eq!(
            residues(s, DIAGONAL, by_file).len(),
            attacks::diagonal(s).count_ones() as usize
        );
    }
}

/// And numbered by rank, they do collide: for every square that has all four.
#[test]
fn legs_and_eyes_collide_when_numbered_by_rank() {
    let by_rank: fn(Square) -> usize = |s| usize::from(s.rank()) * 9 + usize::from(s.file());
    for s in Square::all() {
        if attacks::diagonal(s).count_ones() == 4 {
            assert_eq!(residues(s, BESIDE, by_rank).len(), 2, "{s}");
            assert_eq!(residues(s, DIAGONAL, by_rank).len(), 3, "{s}");
        }
    }
}

/// The two small boards of the text: the numbers modulo 8, highest rank first.
#[test]
fn the_texts_residues() {
    let by_file = [
        "135713571",
        "024602460",
        "713571357",
        "602460246",
        "571357135",
    ];
    let by_rank = [
        "123456701",
        "012345670",
        "701234567",
        "670123456",
        "567012345",
    ];
    for (row, (by_file, by_rank)) in by_file.into_iter().zip(by_rank).enumerate() {
        for file in 0..9 {
            let s = Square::from_coords(file, 9 - row as u8).unwrap();
            let digit = |text: &str| usize::from(text.as_bytes()[usize::from(file)] - b'0');
            assert_eq!(s.index() % 8, digit(by_file), "{s}");
            let number = usize::from(s.rank()) * 9 + usize::from(s.file());
            assert_eq!(number % 8, digit(by_rank), "{s}");
        }
    }
}

#[test]
fn a_checksum_unfolds() {
    for s in Square::all() {
        for around in [attacks::beside(s), attacks::diagonal(s)] {
            let mut occupied = 0u128;
            loop {
                occupied = occupied.wrapping_sub(around) & around;
                assert_eq!(unfold(checksum(occupied)) & around, occupied);
                if occupied == 0 {
                    break;
                }
            }
        }
    }
}

#[test]
fn steps() {
    assert_eq!(attacks::king(square("e0")), set("d0 f0 e1"));
    assert_eq!(attacks::king(square("d9")), set("e9 d8"));
    assert_eq!(attacks::king(square("e5")), 0);
    assert_eq!(attacks::advisor(square("e1")), set("d0 f0 d2 f2"));
    assert_eq!(attacks::advisor(square("f9")), set("e8"));
    assert_eq!(attacks::elephant(square("e2"), set("d1")), set("g0 c4 g4"));
    assert_eq!(attacks::elephant(square("c4"), 0), set("a2 e2"));
    assert_eq!(attacks::elephant(square("c5"), 0), set("a7 e7"));
    assert_eq!(
        attacks::knight(square("e4"), set("e5 d4")),
        set("g5 g3 d2 f2")
    );
    // d3 is the leg of the knights on d2 and c3 that look at e4.
    assert_eq!(
        attacks::knight_attackers(square("e4"), set("d3")) & set("d2 c3"),
        0
    );
    assert_eq!(attacks::pawn(White, square("e3")), set("e4"));
    assert_eq!(attacks::pawn(White, square("e5")), set("e6 d5 f5"));
    assert_eq!(attacks::pawn(White, square("a9")), set("b9"));
    assert_eq!(attacks::pawn(Black, square("e5")), set("e4"));
    assert_eq!(attacks::pawn(Black, square("i4")), set("i3 h4"));
    assert_eq!(attacks::between(square("e0"), square("e3")), set("e1 e2"));
    assert_eq!(attacks::between(square("h4"), square("e4")), set("f4 g4"));
    assert_eq!(attacks::between(square("a0"), square("b1")), 0);
    for s in Square::all() {
        for other in Square::all() {
            for color in [White, Black] {
                assert_eq!(
                    attacks::pawn(color, s) & other.bit() != 0,
                    attacks::pawn_attackers(color, other) & s.bit() != 0
                );
            }
        }
    }
}

#[test]
fn domains() {
    for color in [White, Black] {
        for (role, size) in [
            (Role::King, 9),
            (Role::Advisor, 5),
            (Role::Elephant, 7),
            (Role::Pawn, 55),
            (Role::Rook, 90),
            (Role::Knight, 90),
            (Role::Cannon, 90),
        ] {
            let domain = role.domain(color);
            assert_eq!(domain.count_ones(), size);
            assert_eq!(mirror(domain), domain);
            assert_eq!(flip(domain), role.domain(!color));
        }
    }
}
