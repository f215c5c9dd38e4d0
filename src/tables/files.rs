//! Which tables of ours a directory has, and whether a file is what its name says.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

use super::names::{generate_arguments, parse_file_name, rules_directory, table_path};
use crate::Error;
use crate::game::{Game, Numbered, Signature, TableGame};
use crate::reserve::{gathered, room};
use crate::table::{Plane, Progress, Table};

/// A file that has the name of a table of ours. Nothing of it was read yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeFile<G: TableGame> {
    /// Where it is.
    pub path: PathBuf,
    /// The material as it stands in the name. Tables of earlier versions may have the other side as
    /// White.
    pub material: G::Material,
    /// What it stores.
    pub metric: G::Metric,
    /// On which rules its values rest.
    pub rules: G::Rules,
}

/// The files of a directory whose names mean something. Names that are no text mean nothing.
///
/// # Errors
///
/// If the directory cannot be read.
pub(crate) fn list_by_name<T>(
    directory: &Path,
    meaning: impl Fn(&str) -> Option<T>,
) -> io::Result<Vec<(PathBuf, T)>> {
    let mut found = Vec::new();
    for file in std::fs::read_dir(directory)? {
        let file = file?;
        if let Some(meaning) = file.file_name().to_str().and_then(&meaning) {
            room(&mut found, 1).map_err(|_| io::ErrorKind::OutOfMemory)?;
            found.push((file.path(), meaning));
        }
    }
    Ok(found)
}

/// The tables of a game and rules below a directory, those of fewer men first; of a table that is
/// there under its name and that of an earlier version the former. A directory that is not there
/// has none.
///
/// # Errors
///
/// If the directory cannot be read.
pub fn list<G: TableGame>(directory: &Path, rules: G::Rules) -> io::Result<Vec<NativeFile<G>>> {
    let found = match list_by_name(
        &rules_directory::<G>(directory, rules),
        parse_file_name::<G>,
    ) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        found => found?,
    };
    let no_memory = |_| io::Error::from(io::ErrorKind::OutOfMemory);
    let files = found.into_iter().map(|(path, (material, metric))| {
        let normal = material.normal_form();
        let file = NativeFile {
            path,
            material,
            metric,
            rules,
        };
        ((normal.men(), normal.to_string(), metric), file)
    });
    let mut files = gathered(files).map_err(no_memory)?;
    files.sort_unstable_by(|(one, file), (other, another)| {
        let former = [file, another].map(NativeFile::colors_exchanged);
        one.cmp(other).then(former[0].cmp(&former[1]))
    });
    files.dedup_by(|later, first| later.0 == first.0);
    gathered(files.into_iter().map(|(_, file)| file)).map_err(no_memory)
}

/// The file of a table of a material in either colours, below a directory: under its name, or that
/// of earlier versions.
#[must_use]
pub fn find<G: TableGame>(
    directory: &Path,
    rules: G::Rules,
    material: &G::Material,
    metric: G::Metric,
) -> Option<NativeFile<G>> {
    let directory = rules_directory::<G>(directory, rules);
    let normal = material.normal_form();
    let forms = [normal, normal.with_colors_exchanged()];
    let files = forms.into_iter().filter(Signature::may_be_stored);
    files
        .map(|material| NativeFile {
            path: table_path(&directory, &material, metric),
            material,
            metric,
            rules,
        })
        .find(|file| file.path.exists())
}

impl<G: TableGame> NativeFile<G> {
    /// Whether White of the table is Black in the normal form of the material, as tables of earlier
    /// versions have it.
    #[must_use]
    pub fn colors_exchanged(&self) -> bool {
        !self.material.is_normal()
    }

    /// Opens the table and checks header and length.
    ///
    /// # Errors
    ///
    /// [`Error::Table`] if it is damaged, [`Error::Foreign`] if it is not what its name says.
    pub fn open(&self, is_mapped: bool) -> Result<Table, Error> {
        let space = || G::space(self.material);
        self.open_of(is_mapped, || space().map(|space| G::positions(&space)))
    }

    /// Opens the table as [`open`](Self::open) does, of a material whose number of positions is
    /// known.
    pub(crate) fn open_of(
        &self,
        is_mapped: bool,
        positions: impl FnOnce() -> Option<u64>,
    ) -> Result<Table, Error> {
        let arguments = generate_arguments::<G>(&self.material, self.rules);
        let table = match is_mapped {
            true => Table::open(&self.path),
            false => Table::open_unmapped(&self.path),
        };
        let table = match table {
            Err(Error::Table { name, problem, .. }) => {
                return Err(Error::Table {
                    name,
                    arguments,
                    problem,
                });
            }
            table => table?.made_with(arguments),
        };
        let check = || {
            check_header::<G>(&table, &self.material, self.metric, self.rules)?;
            // Only now: the numbers of a large material are worth some memory.
            let positions = positions().ok_or("too many positions")?;
            check_streams::<G>(&table, &self.material, self.metric, positions)
        };
        check().map_err(|difference| self.foreign(difference))?;
        Ok(table)
    }

    /// That the file is not what its name says.
    pub(crate) fn foreign(&self, difference: String) -> Error {
        Error::Foreign {
            path: self.path.clone(),
            arguments: generate_arguments::<G>(&self.material, self.rules),
            difference,
        }
    }

    /// Opens the table and compares all its checksums: whether it may be used. It is read without
    /// mapping, as whole files that are read once would seem to be memory that is used. `progress`
    /// is told how many bytes of how many are done and says whether to go on.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open), and if a checksum is wrong or `progress` said so.
    #[cfg(feature = "generate")]
    pub fn verify_checksums(&self, progress: &Progress<'_>) -> Result<(), Error> {
        self.open(false)?.verify_checksums(progress)
    }
}

fn expect(what: &str, found: &dyn Display, is_right: bool) -> Result<(), String> {
    match is_right {
        true => Ok(()),
        false => Err(format!("the header says {what} {found}")),
    }
}

/// Whether the header says what the name does; else what does not agree.
pub(crate) fn check_header<G: TableGame>(
    table: &Table,
    material: &G::Material,
    metric: G::Metric,
    rules: G::Rules,
) -> Result<(), String> {
    let found = table.description();
    expect("game", &found.game, found.game == G::GAME.number())?;
    expect("rules", &found.rules, found.rules == rules.number())?;
    let is_right = found.material == material.to_string();
    expect("material", &found.material, is_right)?;
    expect("metric", &found.metric, found.metric == metric.number())
}

/// Whether the streams are those of a material with so many positions; else what does not fit.
pub(crate) fn check_streams<G: TableGame>(
    table: &Table,
    material: &G::Material,
    metric: G::Metric,
    positions: u64,
) -> Result<(), String> {
    for stream in table.streams() {
        expect("indices", &stream.len(), stream.len() == positions)?;
        expect("side", &stream.side(), stream.side() < 2)?;
        if G::GAME == Game::Xiangqi && stream.plane() == Plane::High {
            return Err("the header says high bytes, which no distance of xiangqi has".to_owned());
        }
    }
    let counts = &table.description().counts;
    let is_there = [0, 1].map(|side| table.stream(side).is_some());
    for (side, name) in ["white", "black"].into_iter().enumerate() {
        let is_needed = is_there == [false; 2] || {
            let has_cursed = counts[side].has_cursed();
            G::needs_side(material, metric, side, has_cursed)
        };
        if is_needed && !is_there[side] {
            return Err(format!("values for {name} to move are not there"));
        }
    }
    Ok(())
}
