//! The move generator for xiangqi.

mod attacks;
mod board;
mod fen;
mod history;
mod naive;
mod notation;
mod perft;
mod play;
mod reference;

use proptest::prelude::*;
use retrograde::game::Color;
use retrograde::xiangqi::{Piece, Position, Role, Setup, Square, squares};

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

fn square(name: &str) -> Square {
    name.parse().expect("a square")
}

fn set(names: &str) -> u128 {
    names.split_whitespace().fold(0, |s, n| s | square(n).bit())
}

/// Any position: men on random squares of their domains, as far as they fit.
fn any_position() -> impl Strategy<Value = Position> {
    let man = (
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        any::<bool>(),
    );
    let kings = (0usize..9, 0usize..9);
    (prop::collection::vec(man, 0..24), kings, any::<bool>()).prop_filter_map(
        "an illegal position",
        |(men, (red, black), black_moves)| {
            let mut setup = Setup::empty();
            let mut put = |piece: Piece, pick: &dyn Fn(usize) -> usize| {
                let free = piece.role.domain(piece.color) & !setup.occupied();
                let men = setup.pieces[piece.color.index()][piece.role.index()];
                if free != 0 && men.count_ones() < piece.role.limit() {
                    let place = pick(free.count_ones() as usize);
                    setup.put(piece, squares(free).nth(place).expect("a free square"));
                }
            };
            put(Role::King.of(Color::White), &|_| red);
            put(Role::King.of(Color::Black), &|_| black);
            for (role, place, is_black) in men {
                let role = Role::ALL[role.index(6)];
                let color = if is_black { Color::Black } else { Color::White };
                put(role.of(color), &|free| place.index(free));
            }
            setup.turn = if black_moves {
                Color::Black
            } else {
                Color::White
            };
            Position::from_setup(&setup).ok()
        },
    )
}

/// A random game from the start, or from a random position.
fn any_game() -> impl Strategy<Value = (Position, Vec<prop::sample::Index>)> {
    (
        prop_oneof![Just(Position::start()), any_position()],
        prop::collection::vec(any::<prop::sample::Index>(), 0..120),
    )
}
