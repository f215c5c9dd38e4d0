//! Moves with their numbers, as in a book.

use retrograde::game::Color;
use retrograde::game::chess::Position;

/// The moves of a line from a position, each one with its number where one is due.
pub fn movetext<'a>(position: &Position, san: impl IntoIterator<Item = &'a String>) -> Vec<String> {
    let mut number = position.fullmoves();
    let mut turn = position.turn();
    let mut words = Vec::new();
    for (ply, san) in san.into_iter().enumerate() {
        words.push(match (turn, ply) {
            (Color::White, _) => format!("{number}. {san}"),
            (Color::Black, 0) => format!("{number}... {san}"),
            (Color::Black, _) => san.clone(),
        });
        number += u32::from(turn == Color::Black);
        turn = !turn;
    }
    words
}
