//! Solved materials as the captures of another one find them.

use std::sync::Arc;

use super::space::{Attacker, Space, word_man};
use super::{SideValues, Solved};
use crate::game::Color;
use crate::xiangqi::Material;
use crate::xiangqi::rules::{Role, flip};

/// A solved material laid out for a capture: in the colours of the material captured from and with
/// the same man in the word, as far as it is still there.
pub(super) fn laid_out(
    solved: &Arc<Solved>,
    target: Material,
    word: Attacker,
) -> Option<Arc<Solved>> {
    let remains = target.count(word.0, word.1) > 0;
    let word = if remains { word } else { word_man(&target)? };
    if solved.space.material == target && solved.space.word_man == word {
        return Some(Arc::clone(solved));
    }
    let exchanged = solved.space.material != target;
    let space = Space::new(target, word)?;
    let with_scores = !solved.sides[0].dtm.is_empty();
    let mut sides = [0, 1].map(|_| SideValues::empty(space.words, with_scores));
    let domain = Role::domain(word.1, word.0);
    for address in 0..space.words {
        for square in crate::xiangqi::rules::squares(domain) {
            let bit = square.index() as u32;
            let mut pieces = space.pieces(address, bit);
            let men: u32 = pieces
                .as_flattened()
                .iter()
                .map(|set| set.count_ones())
                .sum();
            if men as usize != target.men() {
                continue;
            }
            if exchanged {
                let [red, black] = pieces.map(|side| side.map(flip));
                pieces = [black, red];
            }
            let Some((from, from_bit)) = solved.space.find(&pieces) else {
                continue;
            };
            for color in Color::ALL {
                let source_turn = if exchanged { !color } else { color };
                sides[color.index()].copy(
                    address,
                    bit,
                    &solved.sides[source_turn.index()],
                    from,
                    from_bit,
                );
            }
        }
    }
    Some(Arc::new(Solved { space, sides }))
}
