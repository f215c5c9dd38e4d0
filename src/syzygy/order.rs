//! The orders of men that a stream may have.

use super::index::{Encoder, NO_RANK};
use super::numbering::PAWN_FILES;
use crate::chess::material::Material;
use crate::chess::rules::{Piece, Role};
use crate::game::Color;

/// The men of a stream in their order, and which groups have the small factors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MenOrder {
    pub pieces: Vec<Piece>,
    /// Of the leading group, and of the second group of pawns or [`NO_RANK`].
    pub ranks: [u8; 2],
}

/// Men that are equal.
type Kind = (Piece, usize);

impl MenOrder {
    /// All orders that the men of a material can have, the material in the colours of the file.
    ///
    /// Probers take it that the side with fewer pawns leads, White if both have as many.
    pub fn all(material: &Material) -> Vec<MenOrder> {
        let kinds = kinds(material);
        let is_pawn = |kind: &Kind| kind.0.role == Role::Pawn;
        let mut pawns: Vec<Kind> = kinds.iter().copied().filter(is_pawn).collect();
        pawns.sort_by_key(|&(piece, count)| (count, piece.color != Color::White));
        let others: Vec<Kind> = kinds.into_iter().filter(|kind| !is_pawn(kind)).collect();
        let mut orders = Vec::new();
        for others in permutations(&others) {
            let kinds: Vec<Kind> = pawns.iter().copied().chain(others).collect();
            let pieces = || {
                kinds
                    .iter()
                    .flat_map(|&(piece, count)| std::iter::repeat_n(piece, count))
            };
            let ranks = 0..kinds.len() as u8;
            for leading in ranks.clone() {
                let seconds: Vec<u8> = match pawns.len() {
                    2 => ranks.clone().filter(|&second| second != leading).collect(),
                    _ => vec![NO_RANK],
                };
                orders.extend(seconds.into_iter().map(|second| MenOrder {
                    pieces: pieces().collect(),
                    ranks: [leading, second],
                }));
            }
        }
        orders.retain(|order| order.encoder(0).is_some());
        orders
    }

    /// Whether both sides have pawns.
    pub fn has_second_pawns(&self) -> bool {
        self.ranks[1] != NO_RANK
    }

    /// The encoder of a stream with this order, if there is one; `file` is that of the leading
    /// pawn.
    pub fn encoder(&self, file: usize) -> Option<Encoder> {
        Encoder::new(&self.pieces, self.ranks, file).ok()
    }
}

/// How many files of the leading pawn have streams of their own.
pub(crate) fn files(material: &Material) -> usize {
    if material.has_pawns() { PAWN_FILES } else { 1 }
}

fn kinds(material: &Material) -> Vec<Kind> {
    let kinds = Color::ALL.iter().flat_map(|&color| {
        Role::ALL
            .iter()
            .map(move |&role| (role.of(color), material.count(color, role)))
    });
    kinds.filter(|&(_, count)| count > 0).collect()
}

fn permutations(kinds: &[Kind]) -> Vec<Vec<Kind>> {
    if kinds.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for first in 0..kinds.len() {
        let mut rest = kinds.to_vec();
        let kind = rest.remove(first);
        for mut order in permutations(&rest) {
            order.insert(0, kind);
            all.push(order);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_counted() {
        let count = |material: &str| MenOrder::all(&material.parse().unwrap()).len();
        // Three of three, and one rank.
        assert_eq!(count("KQvK"), 6);
        // 4! orders, and two ranks.
        assert_eq!(count("KQvKR"), 48);
        // The kings lead in either order.
        assert_eq!(count("KNNvK"), 4);
        // Three leading ones of K, k and N, and where they are in the factors.
        assert_eq!(count("KQQvKN"), 12);
        assert_eq!(count("KPvKP"), 24);
        assert_eq!(count("KRPvK"), 24);
    }

    #[test]
    fn the_side_with_fewer_pawns_leads() {
        let leading = |material: &str| {
            let orders = MenOrder::all(&material.parse().unwrap());
            orders[0].encoder(0).unwrap().leading_color()
        };
        assert_eq!(leading("KPPvKP"), Some(Color::Black));
        assert_eq!(leading("KPvKP"), Some(Color::White));
        assert_eq!(leading("KQvKP"), Some(Color::Black));
        assert_eq!(leading("KQvKR"), None);
    }
}
