//! Which men stand on a xiangqi board: the signature of a table, such as `KRvKAABB`.
//!
//! A signature is read in any order and any case, with or without the `v`. Its *normal form* puts
//! the side with the stronger men first, comparing man by man in the order king, rook, knight,
//! cannon, pawn, advisor, elephant. So a side that has attackers comes before one that has none.

use std::fmt;
use std::str::FromStr;

use super::rules::{Position, Role};
use crate::game::Color;

/// What was wrong with a signature.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MaterialError {
    /// A letter that is no man.
    #[error(
        "material `{signature}`: `{letter}` is not one of K R N C P A B; write it like KRvKAABB"
    )]
    Letter {
        /// What was given.
        signature: String,
        /// The letter that is not understood.
        letter: char,
    },
    /// Not two kings, each first on its side.
    #[error("material `{signature}`: each side starts with its one king; write it like KRvKAABB")]
    Kings {
        /// What was given.
        signature: String,
    },
    /// More men of a kind than a side has.
    #[error("material `{signature}`: a side has at most {} `{}`", .role.limit(), .role.letter())]
    TooMany {
        /// What was given.
        signature: String,
        /// Which men.
        role: Role,
    },
    /// Nobody can attack.
    #[error(
        "material `{signature}`: without a rook, knight, cannon or pawn it is a draw, there is no table for it"
    )]
    NoAttacker {
        /// What was given.
        signature: String,
    },
}

/// The men of both sides.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Material {
    counts: [[u8; 7]; 2],
}

/// From strongest to weakest: the order of letters in a signature.
fn roles_by_strength() -> impl Iterator<Item = Role> {
    Role::ALL.into_iter().rev()
}

impl Material {
    /// Two kings and nothing else.
    pub const BARE_KINGS: Material = Material {
        counts: [[0, 0, 0, 0, 0, 0, 1]; 2],
    };

    /// The men of a position.
    #[must_use]
    pub fn of(position: &Position) -> Material {
        Material::from_counts(position.all_men().1)
    }

    /// So many men by color and role.
    pub(super) const fn from_counts(counts: [[u8; 7]; 2]) -> Material {
        Material { counts }
    }

    /// How many men of a kind a side has.
    #[must_use]
    pub fn count(&self, color: Color, role: Role) -> usize {
        self.counts[color.index()][role.index()].into()
    }

    /// A number that no other material has, and that is not zero: four bits for each kind of men.
    #[must_use]
    #[inline]
    pub(crate) fn key(&self) -> u64 {
        let counts = self.counts.as_flattened().iter();
        counts.fold(0, |key, &count| key << 4 | u64::from(count))
    }

    /// The number of men, kings included.
    #[must_use]
    pub fn men(&self) -> usize {
        self.counts.iter().flatten().map(|&n| usize::from(n)).sum()
    }

    /// Whether a side has a man that can cross the river.
    #[must_use]
    pub fn has_attacker(&self, color: Color) -> bool {
        roles_by_strength().any(|role| role.is_attacker() && self.count(color, role) > 0)
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

    /// A side's counts, strongest man first, for comparing.
    fn strength(&self, color: Color) -> [u8; 7] {
        let mut counts = self.counts[color.index()];
        counts.reverse();
        counts
    }

    /// Whether the stronger side is red.
    #[must_use]
    pub fn is_normal(&self) -> bool {
        self.strength(Color::White) >= self.strength(Color::Black)
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

    /// The material with one man more, or `None` where a side has no more of that kind.
    #[must_use]
    pub fn with(&self, color: Color, role: Role) -> Option<Material> {
        let mut more = *self;
        let count = &mut more.counts[color.index()][role.index()];
        *count += 1;
        (u32::from(*count) <= role.limit()).then_some(more)
    }

    /// All materials with one man more.
    #[must_use]
    pub fn with_one_more(&self) -> Vec<Material> {
        Color::ALL
            .into_iter()
            .flat_map(|color| Role::ALL.map(|role| (color, role)))
            .filter_map(|(color, role)| self.with(color, role))
            .collect()
    }

    /// The material with one man less, or `None` if there is no such man or it is a king.
    #[must_use]
    pub fn without(&self, color: Color, role: Role) -> Option<Material> {
        if role == Role::King {
            return None;
        }
        let mut fewer = *self;
        let count = &mut fewer.counts[color.index()][role.index()];
        *count = count.checked_sub(1)?;
        Some(fewer)
    }

    /// Every material that a capture can lead to, in the colours of this one. Only attackers
    /// capture across the river, and at home every man captures; those in which nobody can attack
    /// any more are left out.
    #[must_use]
    pub fn captures(&self) -> Vec<Material> {
        let mut targets = Vec::new();
        for color in Color::ALL {
            for role in roles_by_strength() {
                // A side without attackers can only take what comes to it: attackers. The other can
                // take guards too.
                let can_be_taken = role.is_attacker() || self.has_attacker(!color);
                if let Some(target) = self.without(color, role).filter(|_| can_be_taken)
                    && target.is_armed()
                {
                    targets.push(target);
                }
            }
        }
        targets
    }

    /// The tables that captures lead to, in normal form, each once.
    #[must_use]
    pub fn dependencies(&self) -> Vec<Material> {
        let mut tables: Vec<Material> = Vec::new();
        for target in self.captures() {
            let table = target.normal_form();
            if !tables.contains(&table) {
                tables.push(table);
            }
        }
        tables
    }

    fn is_armed(&self) -> bool {
        Color::ALL.into_iter().any(|color| self.has_attacker(color))
    }

    /// The 36 materials of one bare attacker against every defence of advisors and elephants.
    #[must_use]
    pub fn one_attacker() -> Vec<Material> {
        one_attacker_with_guards(&[[0, 0]])
    }

    /// The 324 materials of one attacker with every guard of advisors and elephants against every
    /// defence of them.
    #[must_use]
    pub fn one_attacker_guarded() -> Vec<Material> {
        one_attacker_with_guards(&guards())
    }
}

/// Numbers of elephants and advisors.
fn guards() -> Vec<[u8; 2]> {
    (0..3)
        .flat_map(|advisors| (0..3).map(move |elephants| [elephants, advisors]))
        .collect()
}

fn one_attacker_with_guards(own: &[[u8; 2]]) -> Vec<Material> {
    let mut materials = Vec::new();
    for attacker in roles_by_strength().filter(|role| role.is_attacker()) {
        for &guard in own {
            for defence in guards() {
                let mut material = Material::BARE_KINGS;
                material.counts[0][attacker.index()] = 1;
                material.counts[0][..2].copy_from_slice(&guard);
                material.counts[1][..2].copy_from_slice(&defence);
                materials.push(material);
            }
        }
    }
    materials
}

impl FromStr for Material {
    type Err = MaterialError;

    fn from_str(signature: &str) -> Result<Material, MaterialError> {
        let kings = || MaterialError::Kings {
            signature: signature.to_owned(),
        };
        let mut material = Material {
            counts: [[0; 7]; 2],
        };
        let mut side = None;
        let mut separated = false;
        for letter in signature.chars() {
            if letter.eq_ignore_ascii_case(&'v') {
                if side != Some(Color::White) || separated {
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
                    None => Some(Color::White),
                    Some(Color::White) => Some(Color::Black),
                    Some(Color::Black) => return Err(kings()),
                };
            } else if separated && side == Some(Color::White) {
                return Err(kings());
            }
            let side = side.ok_or_else(kings)?;
            material = material
                .with(side, role)
                .ok_or_else(|| MaterialError::TooMany {
                    signature: signature.to_owned(),
                    role,
                })?;
        }
        if side != Some(Color::Black) {
            return Err(kings());
        }
        if !material.is_armed() {
            return Err(MaterialError::NoAttacker {
                signature: signature.to_owned(),
            });
        }
        Ok(material)
    }
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |color| -> String {
            roles_by_strength()
                .flat_map(|role| std::iter::repeat_n(role.letter(), self.count(color, role)))
                .collect()
        };
        f.pad(&format!("{}v{}", side(Color::White), side(Color::Black)))
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

    fn material(signature: &str) -> Material {
        signature.parse().unwrap()
    }

    #[test]
    fn signatures_read_and_print() {
        for (text, normal) in [
            ("KRvKAABB", "KRvKAABB"),
            ("krkbbaa", "KRvKAABB"),
            ("KAABBvKR", "KRvKAABB"),
            ("KCAvKN", "KNvKCA"),
            ("KRvKRC", "KRCvKR"),
            ("KHvKEE", "KNvKBB"),
            ("KPPPPPvK", "KPPPPPvK"),
        ] {
            assert_eq!(material(text).normal_form().to_string(), normal);
        }
        assert_eq!(material("KCAvKN").to_string(), "KCAvKN");
        assert!(material("KRvKR").is_symmetric() && !material("KRvKN").is_symmetric());
        assert_eq!(material("KNPvKAABB").men(), 8);
    }

    #[test]
    fn errors_say_what_is_wrong() {
        for (text, message) in [
            ("", "each side starts with its one king"),
            ("KR", "each side starts with its one king"),
            ("RKvK", "each side starts with its one king"),
            ("KRvRK", "each side starts with its one king"),
            ("KRvKvK", "each side starts with its one king"),
            ("KKK", "each side starts with its one king"),
            ("KQvK", "`Q` is not one of"),
            ("KRRRvK", "at most 2 `R`"),
            ("KPPPPPPvK", "at most 5 `P`"),
            ("KAvKB", "it is a draw"),
        ] {
            let error = text.parse::<Material>().unwrap_err().to_string();
            assert!(error.contains(message), "{text}: {error}");
        }
    }

    #[test]
    fn captures_lead_to_smaller_tables() {
        let names = |text: &str| -> Vec<String> {
            let mut names: Vec<String> = (material(text).dependencies().iter())
                .map(Material::to_string)
                .collect();
            names.sort();
            names
        };
        assert!(names("KRvK").is_empty());
        assert_eq!(names("KRvKAAB"), ["KRvKAA", "KRvKAB"]);
        // Black cannot take the advisor: none of its men reaches it.
        assert_eq!(names("KRAvKB"), ["KRAvK"]);
        assert_eq!(names("KRAvKP"), ["KPvKA", "KRAvK", "KRvKP"]);
        assert_eq!(names("KRvKR"), ["KRvK"]);
    }

    #[test]
    fn sets_of_one_attacker() {
        let sets = [Material::one_attacker(), Material::one_attacker_guarded()];
        for (set, size) in sets.into_iter().zip([36, 324]) {
            assert_eq!(set.len(), size);
            for (i, material) in set.iter().enumerate() {
                assert!(material.is_normal() && !set[..i].contains(material));
            }
        }
    }
}
