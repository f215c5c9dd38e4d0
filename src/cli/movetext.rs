//! Moves with their numbers, as in a book.

use retrograde::game::Color;

/// The moves of a line, each one with its number where one is due: the number of the first and who
/// makes it.
pub fn movetext<'a>(
    mut number: u32,
    mut turn: Color,
    san: impl IntoIterator<Item = &'a String>,
) -> Vec<String> {
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
