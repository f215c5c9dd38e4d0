//! Materials whose solution another program can go on with: where, under which names, and about
//! what.

use std::io;
use std::sync::Arc;

use crate::chess::solve::Checkpoints;
use crate::store::{Scratch, ScratchDirectory};
use crate::tables::go_on;

/// To be raised when what the solver puts into scratch files, or what it means, is not what it was.
const REVISION: u32 = 4;
/// What follows the name of a material in the names of its files.
const SUFFIX: &str = ".solve";

/// The material that work of a name is about, as it is written there.
pub(super) fn material_of(name: &str) -> Option<&str> {
    let (material, rest) = name.split_once(SUFFIX)?;
    (rest.is_empty() || rest.starts_with('.')).then_some(material)
}

/// What the solution of a material depends on, so that nobody goes on with another: this version of
/// the program, and what is given here.
#[derive(Clone, Debug)]
pub(super) struct About(Vec<u8>);

impl About {
    pub fn new() -> About {
        let mut about = About(Vec::new());
        about.add(env!("CARGO_PKG_VERSION").as_bytes());
        about.add(&REVISION.to_le_bytes());
        about
    }

    /// Adds bytes, whose length counts as well.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.extend((bytes.len() as u64).to_le_bytes());
        self.0.extend(bytes);
    }

    /// All together with one thing more.
    pub fn with(&self, bytes: &[u8]) -> Vec<u8> {
        let mut all = self.clone();
        all.add(bytes);
        all.0
    }
}

/// The scratch files of a material.
#[derive(Debug)]
pub(super) struct Begun {
    directory: ScratchDirectory,
    /// Of the files of the material as a whole.
    name: String,
    about: About,
    material: Arc<Scratch>,
}

impl Begun {
    /// Begins a material, or goes on with it.
    pub fn new(directory: ScratchDirectory, material: &str, about: About) -> io::Result<Begun> {
        let name = format!("{material}{SUFFIX}");
        let scratch = go_on(&directory, &name, &about.with(name.as_bytes()))?;
        Ok(Begun {
            directory,
            name,
            about,
            material: Arc::new(scratch),
        })
    }

    /// What the solution depends on.
    pub fn about(&self) -> &About {
        &self.about
    }
}

impl Checkpoints for Begun {
    fn of_material(&self) -> &Arc<Scratch> {
        &self.material
    }

    fn of_slice(&self, slice: usize) -> io::Result<Scratch> {
        let name = format!("{}.{slice}", self.name);
        go_on(&self.directory, &name, &self.about.with(name.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_of_their_materials() {
        for name in ["KRPvKP.solve", "KRPvKP.solve.17"] {
            assert_eq!(material_of(name), Some("KRPvKP"));
        }
        for name in ["KRPvKP", "KRPvKP.solved", "KRPvKP.wQueen.mates.view"] {
            assert_eq!(material_of(name), None);
        }
    }

    #[test]
    fn what_it_is_about_cannot_be_taken_for_something_else() {
        let about = |parts: [&[u8]; 2]| {
            let mut about = About::new();
            about.add(parts[0]);
            about.with(parts[1])
        };
        assert_eq!(about([b"ab", b"c"]), about([b"ab", b"c"]));
        assert_ne!(about([b"ab", b"c"]), about([b"a", b"bc"]));
        assert_ne!(about([b"ab", b""]), about([b"", b"ab"]));
    }
}
