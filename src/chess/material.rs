//! Which men stand on the board: the signature of a table, such as `KRPvKR`.
//!
//! A signature is read in any order and any case, with or without the `v`: `KQvKR`, `KRvKQ`,
//! `kqkr`. Its *normal form*, by which the world knows the table, puts the side with more men first
//! and, where both have as many, the one with the stronger men, comparing man by man in the order
//! king, queen, rook, bishop, knight, pawn: `KPPvKQ`, not `KQvKPP`, and `KQvKR`, not `KRvKQ`.
//! Tables exist for normal forms only; the mirror image is answered by exchanging the colours.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::rules::Role;
use crate::game::Color;

/// The largest number of men this version can index, kings included.
pub const MAX_MEN: usize = 7;

/// From strongest to weakest: the order of letters in a signature.
pub const ROLES_BY_STRENGTH: [Role; 6] = [
    Role::King,
    Role::Queen,
    Role::Rook,
    Role::Bishop,
    Role::Knight,
    Role::Pawn,
];

/// What was wrong with a signature.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum MaterialError {
    /// A letter that is no chessman.
    #[error("material `{signature}`: `{letter}` is not one of K Q R B N P; write it like KRPvKR")]
    Letter {
        /// What was given.
        signature: String,
        /// The letter that is not understood.
        letter: char,
    },
    /// Not two kings, each first on its side.
    #[error("material `{signature}`: each side starts with its one king; write it like KRPvKR")]
    Kings {
        /// What was given.
        signature: String,
    },
    /// More men than any table holds.
    #[error("material `{signature}` has {men} men; tables are limited to {MAX_MEN}")]
    TooManyMen {
        /// What was given.
        signature: String,
        /// How many men it has.
        men: usize,
    },
    /// Two bare kings.
    #[error("material `{signature}`: two bare kings are always a draw, there is no table for them")]
    BareKings {
        /// What was given.
        signature: String,
    },
}

/// The men of both sides.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Material {
    counts: [[u8; 6]; 2],
}

impl Material {
    /// Two kings and nothing else.
    pub const BARE_KINGS: Material = Material {
        counts: [[0, 0, 0, 0, 0, 1]; 2],
    };

    /// The material with `counts[color][role]` men; each side must have one king.
    ///
    /// Nothing if it does not.
    #[must_use]
    pub fn from_counts(counts: [[u8; 6]; 2]) -> Option<Material> {
        let king = Role::King as usize;
        (counts[0][king] == 1 && counts[1][king] == 1).then_some(Material { counts })
    }

    /// How many men of a kind a side has.
    #[must_use]
    pub fn count(&self, color: Color, role: Role) -> usize {
        self.counts[color as usize][role as usize].into()
    }

    /// The men of one side, strongest first, the king included.
    #[must_use]
    pub fn side(&self, color: Color) -> Vec<Role> {
        ROLES_BY_STRENGTH
            .into_iter()
            .flat_map(|role| std::iter::repeat_n(role, self.count(color, role)))
            .collect()
    }

    /// All men without the kings, White's first, each side strongest first.
    #[must_use]
    pub fn men_without_kings(&self) -> Vec<(Color, Role)> {
        [Color::White, Color::Black]
            .into_iter()
            .flat_map(|color| {
                self.side(color)
                    .into_iter()
                    .skip(1)
                    .map(move |role| (color, role))
            })
            .collect()
    }

    /// The number of men, kings included.
    #[must_use]
    pub fn men(&self) -> usize {
        self.counts.iter().flatten().map(|&n| usize::from(n)).sum()
    }

    /// Whether either side has a pawn.
    #[must_use]
    pub fn has_pawns(&self) -> bool {
        self.pawns() > 0
    }

    /// Whether both sides have pawns, so that one may take another en passant.
    #[must_use]
    pub(crate) fn has_pawns_of_both(&self) -> bool {
        let mut sides = Color::ALL.into_iter();
        sides.all(|color| self.count(color, Role::Pawn) > 0)
    }

    /// The number of pawns of both sides.
    #[must_use]
    pub fn pawns(&self) -> usize {
        self.count(Color::White, Role::Pawn) + self.count(Color::Black, Role::Pawn)
    }

    /// Whether both sides have the same men.
    #[must_use]
    pub fn is_symmetric(&self) -> bool {
        self.counts[0] == self.counts[1]
    }

    /// The same men with the colours exchanged.
    #[must_use]
    pub fn with_colors_exchanged(&self) -> Material {
        Material {
            counts: [self.counts[1], self.counts[0]],
        }
    }

    fn compare_sides(&self) -> Ordering {
        let strength = |side: [u8; 6]| {
            let mut letters = [0; 5];
            for (letter, role) in letters.iter_mut().zip(&ROLES_BY_STRENGTH[1..]) {
                *letter = side[*role as usize];
            }
            letters
        };
        strength(self.counts[0]).cmp(&strength(self.counts[1]))
    }

    /// Whether White has more men or, where both have as many, the stronger ones.
    #[must_use]
    pub fn is_normal(&self) -> bool {
        let men = |side: [u8; 6]| -> u8 { side.iter().sum() };
        let by_men = men(self.counts[0]).cmp(&men(self.counts[1]));
        by_men.then_with(|| self.compare_sides()) != Ordering::Less
    }

    /// Whether the form was the normal one in earlier versions, where strength came before the
    /// number of men: `KQvKPP`, `KBvKNP`. Tables of such names are still read.
    #[must_use]
    pub(crate) fn was_normal(&self) -> bool {
        self.compare_sides() != Ordering::Less
    }

    /// The form under which a table is stored.
    #[must_use]
    pub fn normal_form(&self) -> Material {
        if self.is_normal() {
            *self
        } else {
            self.with_colors_exchanged()
        }
    }

    /// The material after one man (not a king) has left the board.
    ///
    /// # Panics
    ///
    /// If there is no such man.
    #[must_use]
    pub fn without(&self, color: Color, role: Role) -> Material {
        let mut counts = self.counts;
        counts[color as usize][role as usize] -= 1;
        Material { counts }
    }

    /// The material after one man was added.
    #[must_use]
    pub fn with(&self, color: Color, role: Role) -> Material {
        let mut counts = self.counts;
        counts[color as usize][role as usize] += 1;
        Material { counts }
    }

    /// Every other material that one move can lead to, in the colours of this one, without repeats;
    /// bare kings are left out.
    ///
    /// Captures take a man away, promotions exchange a pawn, some moves do both.
    #[must_use]
    pub fn conversions(&self) -> Vec<Material> {
        let mut targets = Vec::new();
        for color in Color::ALL {
            let victims: Vec<Role> = self.side(!color).into_iter().skip(1).collect();
            let take = |from: Material, victim: Role| from.without(!color, victim);
            targets.extend(victims.iter().map(|&victim| take(*self, victim)));
            if self.count(color, Role::Pawn) > 0 {
                for promotion in Role::PROMOTIONS {
                    let promoted = self.without(color, Role::Pawn).with(color, promotion);
                    targets.push(promoted);
                    // A pawn never stands where a promotion takes place, so only pieces are taken
                    // there.
                    let pieces = victims.iter().filter(|&&role| role != Role::Pawn);
                    targets.extend(pieces.map(|&victim| take(promoted, victim)));
                }
            }
        }
        targets.retain(|&target| target != Material::BARE_KINGS);
        targets.sort_unstable_by_key(|target| target.counts);
        targets.dedup();
        targets
    }

    /// The tables that moves of this material lead to: the normal forms of its
    /// [`conversions`](Self::conversions).
    #[must_use]
    pub fn dependencies(&self) -> Vec<Material> {
        let mut tables: Vec<Material> = self
            .conversions()
            .iter()
            .map(Material::normal_form)
            .collect();
        tables.sort_unstable_by_key(|table| table.counts);
        tables.dedup();
        tables
    }

    /// Every material with exactly `men` men in normal form, in the order of their signatures'
    /// strength.
    #[must_use]
    pub fn all_with_men(men: usize) -> Vec<Material> {
        let mut found = Vec::new();
        let extra = men.saturating_sub(2);
        for white in 0..=extra {
            for white_men in multisets(white) {
                for black_men in multisets(extra - white) {
                    let mut material = Material::BARE_KINGS;
                    for &role in &white_men {
                        material = material.with(Color::White, role);
                    }
                    for &role in &black_men {
                        material = material.with(Color::Black, role);
                    }
                    if material.is_normal() && material != Material::BARE_KINGS {
                        found.push(material);
                    }
                }
            }
        }
        found.sort_by_key(|material: &Material| {
            (
                material.side(Color::Black).len(),
                material.counts.map(std::cmp::Reverse),
            )
        });
        found
    }
}

fn multisets(size: usize) -> Vec<Vec<Role>> {
    fn extend(size: usize, first: usize, chosen: &mut Vec<Role>, all: &mut Vec<Vec<Role>>) {
        if chosen.len() == size {
            all.push(chosen.clone());
            return;
        }
        for (next, &role) in ROLES_BY_STRENGTH.iter().enumerate().skip(first) {
            chosen.push(role);
            extend(size, next, chosen, all);
            chosen.pop();
        }
    }
    let mut all = Vec::new();
    extend(size, 1, &mut Vec::new(), &mut all);
    all
}

impl FromStr for Material {
    type Err = MaterialError;

    fn from_str(signature: &str) -> Result<Material, MaterialError> {
        let mut counts = [[0u8; 6]; 2];
        let kings = || MaterialError::Kings {
            signature: signature.to_owned(),
        };
        let mut side = None;
        let mut separated = false;
        for letter in signature.chars() {
            if letter == 'v' || letter == 'V' {
                if side != Some(0) || separated {
                    return Err(kings());
                }
                separated = true;
                continue;
            }
            let role = Role::from_letter(letter).ok_or_else(|| MaterialError::Letter {
                signature: signature.to_owned(),
                letter,
            })?;
            if role == Role::King {
                side = match side {
                    None => Some(0),
                    Some(0) => Some(1),
                    Some(_) => return Err(kings()),
                };
            } else if separated && side == Some(0) {
                return Err(kings());
            }
            let count = &mut counts[side.ok_or_else(kings)?][role as usize];
            *count = count.saturating_add(1);
        }
        let material = Material::from_counts(counts).ok_or_else(kings)?;
        if material.men() > MAX_MEN {
            return Err(MaterialError::TooManyMen {
                signature: signature.to_owned(),
                men: material.men(),
            });
        }
        if material == Material::BARE_KINGS {
            return Err(MaterialError::BareKings {
                signature: signature.to_owned(),
            });
        }
        Ok(material)
    }
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut signature = String::with_capacity(MAX_MEN + 1);
        for color in [Color::White, Color::Black] {
            if color == Color::Black {
                signature.push('v');
            }
            let men = self.side(color).into_iter();
            signature.extend(men.map(Role::letter));
        }
        f.pad(&signature)
    }
}

impl fmt::Debug for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(signature: &str) -> String {
        signature
            .parse::<Material>()
            .unwrap()
            .normal_form()
            .to_string()
    }

    #[test]
    fn signatures_are_read_in_any_order_and_case() {
        for signature in ["KQvKR", "kqkr", "KRvKQ", "KRKQ", "KqVkR"] {
            assert_eq!(normal(signature), "KQvKR");
        }
        assert_eq!(normal("kqkpp"), "KPPvKQ");
        assert_eq!(normal("KBvKNP"), "KNPvKB");
        assert_eq!(normal("KNvKB"), "KBvKN");
        assert_eq!(normal("KPRvKR"), "KRPvKR");
        assert_eq!(normal("KNNvKP"), "KNNvKP");
    }

    #[test]
    fn bad_signatures_say_what_is_wrong() {
        let error = |signature: &str| signature.parse::<Material>().unwrap_err().to_string();
        assert!(error("KXvK").contains("`X`"));
        assert!(error("QvK").contains("king"));
        assert!(error("KQvR").contains("king"));
        assert!(error("KvKvK").contains("king"));
        assert!(error("KKK").contains("king"));
        assert!(error("").contains("king"));
        assert!(error("KvK").contains("draw"));
        assert!(error("KQRBNPvKQ").contains("8 men"));
    }

    #[test]
    fn every_material_is_counted_once() {
        let counts: Vec<usize> = (3..=6)
            .map(|men| Material::all_with_men(men).len())
            .collect();
        assert_eq!(counts, [5, 30, 110, 365]);
    }

    #[test]
    fn conversions_of_a_pawn_ending() {
        let names: Vec<String> = "KPvKR"
            .parse::<Material>()
            .unwrap()
            .dependencies()
            .iter()
            .map(Material::to_string)
            .collect();
        for expected in [
            "KPvK", "KRvK", "KQvKR", "KRvKR", "KRvKB", "KRvKN", "KQvK", "KBvK", "KNvK",
        ] {
            assert!(names.iter().any(|name| name == expected), "{expected}");
        }
        assert_eq!(names.len(), 9);
    }
}
