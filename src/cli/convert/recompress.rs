//! Tables of our own, of both games, compressed anew.

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Result, anyhow, bail};
use indicatif::{HumanBytes, ProgressBar};
use retrograde::Error;
use retrograde::chess::{Chess, ChessRules};
use retrograde::game::{Game, Signature};
use retrograde::generate::{Generate, first_difference, recompress, table_path};
use retrograde::tables::{NativeFile, list, remove_leftovers, rules_directory};
use retrograde::xiangqi::Xiangqi;
use serde_json::json;

use super::{Convert, LISTED};
use crate::cli::names::{Names, each_once};
use crate::cli::print::counted;
use crate::cli::{Outcome, TableDirectory, progress};

/// What was done.
#[derive(Default)]
struct Recompressed {
    materials: usize,
    files: usize,
    bytes_before: u64,
    bytes: u64,
    /// Numbers that were compared.
    compared: u64,
    /// The files that differ, and where.
    differences: Vec<String>,
}

impl Convert {
    /// Compresses tables of our own anew, compares and prints.
    pub(super) fn recompress(
        &self,
        directory: &TableDirectory,
        out: &mut dyn Write,
    ) -> Result<Outcome> {
        let place = directory.only("convert")?;
        let start = Instant::now();
        let game = match self.materials.is_empty() {
            true => self.game,
            false => Some(directory.game_of_tables(&self.materials, self.game)?),
        };
        let chess = self.chess_files(game, directory)?;
        let xiangqi = self.xiangqi_files(game, directory)?;
        if chess.is_empty() && xiangqi.is_empty() {
            bail!("{} has no tables of our own to convert", place.display());
        }
        // What was left here by one that was killed.
        remove_leftovers(self.into.as_deref().unwrap_or(place));
        let cancel = progress::cancel_on_interrupt()?;
        let mut done = Recompressed::default();
        self.files(&chess, place, &cancel, &mut done)?;
        self.files(&xiangqi, place, &cancel, &mut done)?;
        let seconds = start.elapsed().as_secs_f64();
        if self.json {
            let answer = json!({
                "materials": done.materials,
                "files": done.files,
                "bytes_before": done.bytes_before,
                "bytes": done.bytes,
                "positions": done.compared,
                "difference_count": done.differences.len(),
                "differences": done.differences.iter().take(LISTED).collect::<Vec<_>>(),
                "seconds": seconds,
            });
            writeln!(out, "{answer}")?;
        } else {
            for difference in done.differences.iter().take(LISTED) {
                writeln!(out, "{difference}")?;
            }
            writeln!(
                out,
                "{}: wrote {}, {} instead of {}, to {} in {seconds:.1} s; {} compared, {} differ",
                counted(done.materials, "material"),
                counted(done.files, "file"),
                HumanBytes(done.bytes),
                HumanBytes(done.bytes_before),
                self.into.as_deref().unwrap_or(place).display(),
                counted(done.compared as usize, "number"),
                counted(done.differences.len(), "file"),
            )?;
        }
        Ok(match done.differences.len() {
            0 => Outcome::Done,
            files => Outcome::No(format!(
                "other numbers in {}; make them again with `retrograde generate`",
                counted(files, "new file")
            )),
        })
    }

    /// The files of chess that are meant; of none if the other game is.
    fn chess_files(
        &self,
        game: Option<Game>,
        directory: &TableDirectory,
    ) -> Result<Vec<NativeFile<Chess>>> {
        if game == Some(Game::Xiangqi) || self.rules.is_some() {
            return Ok(Vec::new());
        }
        let named = Names::read(&self.materials)?;
        let place = directory.only("convert")?;
        let all = list(place, ChessRules::FiftyMoves).map_err(|source| Error::Directory {
            directory: place.to_owned(),
            source,
        })?;
        let what = directory.looked_for("table of our own");
        of_materials(all, &named, &what, place)
    }

    /// The files of xiangqi that are meant; of none if the other game is.
    fn xiangqi_files(
        &self,
        game: Option<Game>,
        directory: &TableDirectory,
    ) -> Result<Vec<NativeFile<Xiangqi>>> {
        if game == Some(Game::Chess) {
            return Ok(Vec::new());
        }
        let named = Names::read(&self.materials)?;
        let of_named = self.rules.unwrap_or_default();
        let rules = match named.is_empty() {
            true => self.rules,
            false => Some(of_named),
        };
        let mut all = directory.xiangqi_files()?;
        all.retain(|file| rules.is_none_or(|rules| rules == file.rules));
        let what = directory.looked_for_under(of_named);
        of_materials(all, &named, &what, directory.only("convert")?)
    }

    /// Compresses some files of one game anew.
    fn files<G: Generate>(
        &self,
        files: &[NativeFile<G>],
        place: &Path,
        cancel: &AtomicBool,
        done: &mut Recompressed,
    ) -> Result<()> {
        let materials: HashSet<_> = files.iter().map(|file| file.material).collect();
        done.materials += materials.len();
        let bar = progress::bytes(files.iter().map(bytes_of).sum());
        let compressed = files.iter().try_for_each(|file| {
            bar.set_message(file.material.to_string());
            self.file(file, place, (cancel, &bar), done)
        });
        bar.finish_and_clear();
        match compressed {
            Err(error) if matches!(error.downcast_ref(), Some(Error::Cancelled)) => {
                bail!("stopped; files that are done stay, and no other one has changed")
            }
            other => other,
        }
    }

    fn file<G: Generate>(
        &self,
        file: &NativeFile<G>,
        place: &Path,
        (cancel, bar): (&AtomicBool, &ProgressBar),
        done: &mut Recompressed,
    ) -> Result<()> {
        // A mapped file that is cut short meanwhile would end the program.
        let old = file.open(false)?;
        let into = rules_directory::<G>(self.into.as_deref().unwrap_or(place), file.rules);
        std::fs::create_dir_all(&into)
            .map_err(|error| anyhow!("cannot make {}: {error}; check --into", into.display()))?;
        let to = match self.into {
            // Tables of earlier versions may have other names.
            None => file.path.clone(),
            Some(_) => table_path(&into, &file.material, file.metric),
        };
        let bytes = old.file_len();
        let start = bar.position();
        let compression = self.compression.into();
        let written = recompress((file, &old), &to, compression, &|done, total| {
            bar.set_position(start + (bytes as f64 * done as f64 / total as f64) as u64);
            !cancel.load(Ordering::Relaxed)
        })?;
        bar.set_position(start + bytes);
        let new = NativeFile {
            path: to,
            ..file.clone()
        };
        let table = new.open(false)?;
        if let Some((side, index)) = first_difference(&old, &table, self.compare)? {
            let path = new.path.display();
            let difference = format!("{path}: another number at index {index} of side {side}");
            done.differences.push(difference);
        }
        let lens = table.streams().iter().map(|stream| stream.len());
        done.compared += lens.map(|len| len.min(self.compare)).sum::<u64>();
        done.files += 1;
        done.bytes_before += bytes;
        done.bytes += written.file_bytes;
        Ok(())
    }
}

/// Of some tables all, or those of the materials that are named, each of which must have one.
fn of_materials<G: Generate>(
    mut files: Vec<NativeFile<G>>,
    named: &Names<G::Material>,
    what: &str,
    place: &Path,
) -> Result<Vec<NativeFile<G>>> {
    if named.is_empty() {
        return Ok(files);
    }
    let materials = files.iter().map(|file| file.material.normal_form());
    let present = each_once(materials.collect());
    let absent = |material: &G::Material| {
        let place = place.display();
        anyhow!("{place} has no table of {material} of our own to convert")
    };
    let materials = named.present(&present, what, absent)?;
    files.retain(|file| materials.contains(&file.material.normal_form()));
    Ok(files)
}

/// The length of a file; of one that cannot be read nothing, which opening it will say.
fn bytes_of<G: Generate>(file: &NativeFile<G>) -> u64 {
    std::fs::metadata(&file.path).map_or(0, |metadata| metadata.len())
}
