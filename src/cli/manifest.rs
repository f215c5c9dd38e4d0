//! Manifests: what a directory of tables should hold, for whoever copies it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, anyhow, bail};
use indicatif::{HumanBytes, ProgressBar};
use rayon::prelude::*;
use retrograde::chess::Chess;
use retrograde::store::{FileStore, Store};
use retrograde::syzygy;
use retrograde::table::{Counts, Table};
use retrograde::tables::{parse_file_name, rules_directory};
use retrograde::xiangqi::{Rules, Xiangqi};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The only version so far.
const VERSION: u32 = 1;

/// Bytes that are read at once.
const PIECE: usize = 1 << 20;

/// The table files of a directory.
#[derive(Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of this kind of file.
    manifest: u32,
    files: Vec<Entry>,
}

/// One file.
#[derive(Debug, Serialize, Deserialize)]
pub struct Entry {
    /// The path from the directory on, with `/` between names.
    name: String,
    bytes: u64,
    /// In hexadecimal digits.
    sha256: String,
    /// Of our own tables, positions by result, for White and for Black to move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    positions: Option<[Positions; 2]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Positions {
    win: u64,
    cursed_win: u64,
    draw: u64,
    blessed_loss: u64,
    loss: u64,
}

impl From<Counts> for Positions {
    fn from(counts: Counts) -> Positions {
        Positions {
            win: counts.win,
            cursed_win: counts.cursed_win,
            draw: counts.draw,
            blessed_loss: counts.blessed_loss,
            loss: counts.loss,
        }
    }
}

/// How a directory differs from its manifest.
#[derive(Debug, Serialize)]
pub struct Comparison {
    /// Files that the manifest names.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// What is wrong, a file each.
    pub differences: Vec<Difference>,
    /// Tables that are there and that the manifest does not name.
    pub unnamed: Vec<String>,
}

/// What is wrong with a file.
#[derive(Debug, Serialize)]
pub struct Difference {
    /// The file, as the manifest names it.
    pub name: String,
    /// In a few words.
    pub problem: String,
}

/// The names of the table files of both games in a directory, sorted.
fn table_names(directory: &Path) -> Result<Vec<String>> {
    let rules = Rules::ALL.map(|rules| rules_directory::<Xiangqi>(directory, rules));
    let mut names = Vec::new();
    for place in std::iter::once(directory).chain(rules.iter().map(PathBuf::as_path)) {
        let entries = match std::fs::read_dir(place) {
            Ok(entries) => entries,
            // Not every directory has the tables of both games.
            Err(_) if place != directory => continue,
            Err(error) => bail!("cannot read the directory {}: {error}", place.display()),
        };
        for entry in entries {
            let name = entry?.file_name();
            // No table has a name that is not UTF-8.
            let Some(name) = name.to_str() else { continue };
            let is_table = match place == directory {
                true => {
                    parse_file_name::<Chess>(name).is_some()
                        || syzygy::parse_file_name(name).is_some()
                }
                false => parse_file_name::<Xiangqi>(name).is_some(),
            };
            if is_table {
                let below = place.strip_prefix(directory).unwrap_or(Path::new(""));
                let parts = below.iter().map(|part| part.to_string_lossy());
                let path: Vec<_> = parts.chain([name.into()]).collect();
                names.push(path.join("/"));
            }
        }
    }
    names.sort();
    Ok(names)
}

/// The bytes of all table files of a directory.
pub fn bytes(directory: &Path) -> Result<u64> {
    let names = table_names(directory)?;
    let lengths = names
        .iter()
        .filter_map(|name| std::fs::metadata(directory.join(name)).ok());
    Ok(lengths.map(|metadata| metadata.len()).sum())
}

/// Length and SHA-256 of a file, or why it cannot be read.
///
/// # Errors
///
/// If it was told to stop.
fn digest(
    path: &Path,
    cancel: &AtomicBool,
    bar: &ProgressBar,
) -> Result<io::Result<(u64, String)>> {
    let file = match FileStore::open(path) {
        Ok(file) => file,
        Err(error) => return Ok(Err(error)),
    };
    let mut digest = Sha256::new();
    let mut piece = vec![0; PIECE];
    let mut bytes = 0;
    loop {
        if cancel.load(Ordering::Relaxed) {
            bail!("stopped before all files were read");
        }
        let read = match file.read_at(bytes, &mut piece) {
            Ok(0) => return Ok(Ok((bytes, format!("{:x}", digest.finalize())))),
            Ok(read) => read,
            Err(error) => return Ok(Err(error)),
        };
        digest.update(&piece[..read]);
        bytes += read as u64;
        bar.inc(read as u64);
    }
}

/// Reads a table file of a directory.
pub fn entry(
    directory: &Path,
    name: String,
    cancel: &AtomicBool,
    bar: &ProgressBar,
) -> Result<Entry> {
    let path = directory.join(&name);
    let (bytes, sha256) = match digest(&path, cancel, bar)? {
        Ok(digest) => digest,
        Err(error) => bail!(
            "cannot read {}: {error}; check the file and the disk",
            path.display()
        ),
    };
    // A damaged table belongs into no manifest, and Syzygy tables do not tell.
    let positions = match syzygy::parse_file_name(&name) {
        Some(_) => None,
        None => Some(
            Table::open_unmapped(&path)?
                .description()
                .counts
                .map(Into::into),
        ),
    };
    Ok(Entry {
        name,
        bytes,
        sha256,
        positions,
    })
}

impl Manifest {
    /// Reads all tables of a directory, on all threads of rayon's pool.
    pub fn of(directory: &Path, cancel: &AtomicBool, bar: &ProgressBar) -> Result<Manifest> {
        let names = table_names(directory)?;
        let files = names
            .into_par_iter()
            .map(|name| entry(directory, name, cancel, bar))
            .collect::<Result<_>>()?;
        let manifest = VERSION;
        Ok(Manifest { manifest, files })
    }

    /// Reads a manifest.
    pub fn read(path: &Path) -> Result<Manifest> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            anyhow!(
                "cannot read the manifest {}: {error}; check --manifest",
                path.display()
            )
        })?;
        let manifest: Manifest = serde_json::from_str(&text).map_err(|error| {
            anyhow!(
                "{} is no manifest: {error}; make one with `retrograde list --manifest`",
                path.display()
            )
        })?;
        if manifest.manifest != VERSION {
            bail!(
                "{} is a manifest of version {}, and this program knows version {VERSION}; use a newer program",
                path.display(),
                manifest.manifest
            );
        }
        Ok(manifest)
    }

    /// Prints the manifest: JSON, with a line for each file.
    pub fn print(&self, out: &mut dyn Write) -> Result<()> {
        writeln!(out, "{{\"manifest\":{},\"files\":[", self.manifest)?;
        for (number, entry) in self.files.iter().enumerate() {
            let comma = if number + 1 < self.files.len() {
                ","
            } else {
                ""
            };
            writeln!(out, "{}{comma}", serde_json::to_string(entry)?)?;
        }
        writeln!(out, "]}}")?;
        Ok(())
    }

    /// Whether it names no file.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// Compares the files of a directory with what is written here, in the time of reading them.
    pub fn compare(
        &self,
        directory: &Path,
        cancel: &AtomicBool,
        bar: &ProgressBar,
    ) -> Result<Comparison> {
        let problem = |entry: &Entry| -> Result<Option<String>> {
            // A name that leads out of the directory is none that was written here.
            let is_plain = !Path::new(&entry.name).is_absolute() && !entry.name.contains("..");
            if !is_plain {
                return Ok(Some("not a name of a table".to_owned()));
            }
            let path = directory.join(&entry.name);
            let length = match std::fs::metadata(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Ok(Some("not there".to_owned()));
                }
                other => other.map(|metadata| metadata.len()),
            };
            match length {
                Ok(bytes) if bytes != entry.bytes => {
                    bar.inc(entry.bytes);
                    let [there, expected] = [bytes, entry.bytes].map(HumanBytes);
                    return Ok(Some(format!("has {there} instead of {expected}")));
                }
                _ => {}
            }
            Ok(match digest(&path, cancel, bar)? {
                Err(error) => Some(format!("cannot be read: {error}")),
                Ok((_, sha256)) if sha256 != entry.sha256 => Some("other bytes".to_owned()),
                Ok(_) => None,
            })
        };
        let found = |entry: &Entry| {
            let name = entry.name.clone();
            let problem = problem(entry)?;
            Ok(problem.map(|problem| Difference { name, problem }))
        };
        let differences: Vec<Option<Difference>> =
            self.files.par_iter().map(found).collect::<Result<_>>()?;
        let mut unnamed = table_names(directory)?;
        unnamed.retain(|name| self.files.iter().all(|entry| entry.name != *name));
        Ok(Comparison {
            files: self.files.len(),
            bytes: self.bytes(),
            differences: differences.into_iter().flatten().collect(),
            unnamed,
        })
    }
}
