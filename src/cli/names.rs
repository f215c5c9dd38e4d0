//! Materials as commands name them: by signatures, and several at once by patterns.
//!
//! A pattern is a signature in which `?` stands for any one man and `*` for any number of men, or
//! none. `KRP*vKR*` means KRPvKR, KRPvKRB, KRPPvKR and all others in which one side has a king, a
//! rook and a pawn at least, and the other one a king and a rook. Those are looked for among the
//! materials that a command may mean: all up to a number of men, or those whose tables are there.

use std::collections::HashSet;

use anyhow::{Result, bail};
use retrograde::game::Signature;

/// The most men of what a pattern means, where nobody says how many.
pub const MEN_OF_A_PATTERN: usize = 6;

/// What was wrong with a pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    #[error("pattern `{pattern}`: there is no man `{letter}`; write it like KRP*vKR*")]
    Letter { pattern: String, letter: char },
    #[error("pattern `{pattern}`: a side has at most {most} `{letter}`")]
    TooMany {
        pattern: String,
        letter: char,
        most: usize,
    },
    #[error("pattern `{0}`: each side starts with its one king; write it like KRP*vKR*")]
    Kings(String),
}

/// The men that one side may have besides its king.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Side {
    /// The letters of those that it has in any case.
    men: Vec<char>,
    /// How many others.
    others: usize,
    /// Whether it may have still more.
    may_have_more: bool,
}

impl Side {
    /// Adds one of the men that it has in any case, of which no side has more than `most`.
    fn add(&mut self, man: char, most: usize, pattern: &str) -> Result<(), PatternError> {
        self.men.push(man);
        if self.men.iter().filter(|&&other| other == man).count() > most {
            return Err(PatternError::TooMany {
                pattern: pattern.to_owned(),
                letter: man,
                most,
            });
        }
        Ok(())
    }

    /// Whether the men of a signature are such a side; their order does not count.
    fn fits(&self, signature: &str) -> bool {
        let mut others: Vec<char> = signature.chars().skip(1).collect();
        for man in &self.men {
            match others.iter().position(|other| other == man) {
                Some(at) => others.swap_remove(at),
                None => return false,
            };
        }
        match self.may_have_more {
            true => others.len() >= self.others,
            false => others.len() == self.others,
        }
    }
}

/// A signature with `?` or `*` in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    sides: [Side; 2],
}

impl Pattern {
    /// Whether a name is meant as a pattern.
    pub fn is_meant(name: &str) -> bool {
        name.contains(['*', '?'])
    }

    /// Reads a pattern as signatures are read: in any order and case, with or without the `v`.
    fn read<M: Signature>(text: &str) -> Result<Pattern, PatternError> {
        let kings = || PatternError::Kings(text.to_owned());
        let mut sides: Vec<Side> = Vec::new();
        let mut is_separated = false;
        for letter in text.chars() {
            if letter.eq_ignore_ascii_case(&'v') {
                if sides.len() != 1 || is_separated {
                    return Err(kings());
                }
                is_separated = true;
                continue;
            }
            let man = M::man(letter);
            if let Some(('K', _)) = man {
                sides.push(Side::default());
                continue;
            }
            let awaits_king = is_separated && sides.len() == 1;
            let side = sides.last_mut().filter(|_| !awaits_king);
            let side = side.ok_or_else(kings)?;
            match (letter, man) {
                ('*', _) => side.may_have_more = true,
                ('?', _) => side.others += 1,
                (_, Some((man, most))) => side.add(man, most, text)?,
                (letter, None) => {
                    let pattern = text.to_owned();
                    return Err(PatternError::Letter { pattern, letter });
                }
            }
        }
        Ok(Pattern {
            text: text.to_owned(),
            sides: sides.try_into().map_err(|_| kings())?,
        })
    }

    /// Whether a material is one of those that are meant, whichever side its men are on.
    fn fits<M: Signature>(&self, material: &M) -> bool {
        let signature = material.to_string();
        let Some((white, black)) = signature.split_once('v') else {
            return false;
        };
        let [first, second] = &self.sides;
        (first.fits(white) && second.fits(black)) || (first.fits(black) && second.fits(white))
    }
}

/// What one word names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name<M> {
    /// A material, in the form that has a table.
    One(M),
    /// All that a pattern fits.
    All(Pattern),
}

impl<M: Signature> Name<M> {
    /// Reads a signature or a pattern.
    pub fn read(name: &str) -> Result<Name<M>> {
        Ok(match Pattern::is_meant(name) {
            true => Name::All(Pattern::read::<M>(name)?),
            false => Name::One(name.parse::<M>()?.normal_form()),
        })
    }

    /// Whether a material, in the form that has a table, is meant.
    pub fn means(&self, material: &M) -> bool {
        match self {
            Name::One(one) => one == material,
            Name::All(pattern) => pattern.fits(material),
        }
    }
}

/// What several words name.
#[derive(Clone, Debug)]
pub struct Names<M>(Vec<Name<M>>);

impl<M: Signature> Names<M> {
    /// Reads signatures and patterns.
    ///
    /// # Errors
    ///
    /// If one is neither.
    pub fn read<N: AsRef<str>>(names: &[N]) -> Result<Names<M>> {
        let names = names.iter().map(|name| Name::read(name.as_ref()));
        Ok(Names(names.collect::<Result<_>>()?))
    }

    /// Whether nothing was named.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether there is a pattern among them.
    pub fn has_patterns(&self) -> bool {
        self.0.iter().any(|name| matches!(name, Name::All(_)))
    }

    /// The materials that are meant, each once, in the order of their names: what is named by its
    /// signature in any case, and those of `candidates` that patterns fit.
    ///
    /// # Errors
    ///
    /// If a pattern fits none of them; `what` says what they are, and what to do about it: "material
    /// of up to 4 men; allow more with --men 5".
    pub fn among(&self, candidates: &[M], what: &str) -> Result<Vec<M>> {
        let mut materials = Vec::new();
        for name in &self.0 {
            match name {
                Name::One(material) => materials.push(*material),
                Name::All(pattern) => {
                    let before = materials.len();
                    materials.extend(candidates.iter().filter(|material| pattern.fits(*material)));
                    if materials.len() == before {
                        bail!("`{}` fits no {what}", pattern.text);
                    }
                }
            }
        }
        Ok(each_once(materials))
    }

    /// The materials that are meant, each of which has to be among those that are there.
    ///
    /// # Errors
    ///
    /// Those of [`among`](Self::among), and that of `absent` for a material that is not there.
    pub fn present<E: Into<anyhow::Error>>(
        &self,
        present: &[M],
        what: &str,
        absent: impl FnOnce(&M) -> E,
    ) -> Result<Vec<M>> {
        let materials = self.among(present, what)?;
        match materials.iter().find(|named| !present.contains(named)) {
            Some(named) => Err(absent(named).into()),
            None => Ok(materials),
        }
    }
}

/// The same materials without repeats, the first of each where it was.
pub fn each_once<M: Signature>(mut materials: Vec<M>) -> Vec<M> {
    let mut known = HashSet::new();
    materials.retain(|material| known.insert(*material));
    materials
}

#[cfg(test)]
mod tests {
    use retrograde::chess::material::Material;
    use retrograde::xiangqi;

    use super::*;

    fn named<M: Signature>(names: &[&str], candidates: &[M]) -> Vec<String> {
        let names = Names::<M>::read(names).unwrap();
        let materials = names.among(candidates, "material").unwrap();
        materials.iter().map(ToString::to_string).collect()
    }

    fn of_men(men: usize) -> Vec<Material> {
        (3..=men).flat_map(Material::all_with_men).collect()
    }

    #[test]
    fn a_pattern_means_all_that_it_fits() {
        let six = of_men(6);
        // Of five kinds of men, one more on either side, or none.
        assert_eq!(named(&["KRP*vKR*"], &six).len(), 1 + 5 + 5);
        assert_eq!(named(&["krp?kr"], &six), named(&["KRvKPR?"], &six));
        assert_eq!(
            named(&["KRP?vKR"], &six),
            ["KRPPvKR", "KRNPvKR", "KRBPvKR", "KRRPvKR", "KQRPvKR"]
        );
        assert_eq!(named(&["K*vK"], &of_men(4)).len(), 5 + 15);
        assert_eq!(named(&["K*vK*"], &six).len(), six.len());
        assert_eq!(named(&["K??vK??"], &six).len(), 15 * 16 / 2);
    }

    #[test]
    fn what_is_named_twice_is_there_once_and_first() {
        let four = of_men(4);
        assert_eq!(
            named(&["krk", "KR*vK", "KRvK"], &four),
            ["KRvK", "KRPvK", "KRNvK", "KRBvK", "KRRvK", "KQRvK"]
        );
        // A signature is taken at its word.
        assert_eq!(named(&["KRPvKRP"], &four), ["KRPvKRP"]);
    }

    #[test]
    fn both_games_have_patterns() {
        let candidates: Vec<xiangqi::Material> = (["KRvKAABB", "KNvK", "KNvKAB", "KNCvKB"].iter())
            .map(|name| name.parse().unwrap())
            .collect();
        assert_eq!(named(&["KH*vK?*"], &candidates), ["KNvKAB", "KNCvKB"]);
    }

    #[test]
    fn a_wrong_pattern_says_what_is_wrong() {
        let error = |name: &str| Names::<Material>::read(&[name]).unwrap_err().to_string();
        assert!(error("KX*vK").contains("no man `X`"));
        assert!(Names::<Material>::read(&["KRRR*vK"]).is_ok());
        let error_of_xiangqi = Names::<xiangqi::Material>::read(&["KRRR*vK"]).unwrap_err();
        assert!(error_of_xiangqi.to_string().contains("at most 2 `R`"));
        for kings in ["*", "K*", "*vK", "K*v?K", "K*vKvK", "KvKvK*", "K*KK"] {
            assert!(
                error(kings).contains("each side starts with its one king"),
                "{kings}"
            );
        }
        let names = Names::<Material>::read(&["KR?vKQ"]).unwrap();
        let error = names
            .among(&of_men(4), "material of up to 4 men")
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "`KR?vKQ` fits no material of up to 4 men"
        );
    }
}
