//! Which directory the tables are in, and of which game those are that are meant.

use std::cell::LazyCell;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::ValueEnum;
use retrograde::chess::material::Material;
use retrograde::game::Game;
use retrograde::metric::Metric;
use retrograde::probe::xiangqi::XiangqiTables;
use retrograde::probe::{ProbeError, ProbeOptions};
use retrograde::tables::{NativeFile, find, list};
use retrograde::xiangqi::{Rules, Xiangqi};
use retrograde::{Error, Tablebase, xiangqi};

use super::advice::in_directory;
use super::names::{Name, Pattern};
use super::print::quoted;

const SAY_WHICH: &str = "add --game chess or --game xiangqi";

/// One or more directories of tables, which need not exist yet. Where two have the same table, that
/// of the first counts.
#[derive(Clone, Debug)]
pub struct TableDirectory {
    paths: Vec<PathBuf>,
    io: Io,
    /// Bytes of decoded blocks that are kept, if not as many as usual.
    cache_bytes: Option<usize>,
    /// Named by the user, not found by the rule: then it is a mistake if it does not exist.
    named: bool,
}

/// How probes get at the bytes of files.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum Io {
    /// Map files into memory: fast
    #[default]
    Map,
    /// Read each block: slower, but a file that is cut short or a disk that fails is an error and
    /// does not end the program
    Read,
}

impl TableDirectory {
    /// The directories named, each maybe as a list like those of the system (`a:b`), else
    /// `./tables` where it exists, else the user's data directory.
    pub fn choose(named: impl IntoIterator<Item = PathBuf>, io: Io) -> TableDirectory {
        let split = |path: PathBuf| match path.exists() {
            true => vec![path],
            false => std::env::split_paths(&path).collect(),
        };
        let named = named.into_iter().flat_map(split);
        // An empty environment variable counts as none.
        let paths: Vec<PathBuf> = named.filter(|path| !path.as_os_str().is_empty()).collect();
        if !paths.is_empty() {
            return TableDirectory {
                paths,
                io,
                cache_bytes: None,
                named: true,
            };
        }
        let local = PathBuf::from("tables");
        let path = if local.is_dir() {
            local
        } else {
            user_data().map_or(local, |data| data.join("retrograde").join("tables"))
        };
        TableDirectory {
            paths: vec![path],
            io,
            cache_bytes: None,
            named: false,
        }
    }

    /// Another one, read in the same way.
    pub fn at(&self, path: &Path) -> TableDirectory {
        TableDirectory {
            paths: vec![path.to_owned()],
            named: true,
            ..self.clone()
        }
    }

    /// The same, of whose tables of chess so many bytes of decoded blocks are kept.
    pub fn keeping(&self, bytes: usize) -> TableDirectory {
        TableDirectory {
            cache_bytes: Some(bytes),
            ..self.clone()
        }
    }

    /// Where they are.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Where they are, in words.
    pub fn display(&self) -> String {
        let paths: Vec<String> = (self.paths.iter())
            .map(|path| path.display().to_string())
            .collect();
        paths.join(" and ")
    }

    /// Where it is, for a command that works in one directory.
    ///
    /// # Errors
    ///
    /// If there are several.
    pub fn only(&self, command: &str) -> Result<&Path> {
        match &self.paths[..] {
            [path] => Ok(path),
            paths => bail!(
                "`retrograde {command}` works in one directory, and there are {}: {}; choose one with --tables DIR",
                paths.len(),
                self.display()
            ),
        }
    }

    /// The tables in it.
    ///
    /// # Errors
    ///
    /// [`NoTables`] if nobody named the directory and it is not there; else if it cannot be read.
    pub fn open(&self) -> Result<Tablebase> {
        self.open_with(&ProbeOptions::default())
    }

    /// The tables in it, opened in some way.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open).
    pub fn open_with(&self, options: &ProbeOptions) -> Result<Tablebase> {
        if !self.named && !self.paths.iter().any(|path| path.exists()) {
            return Err(self.nothing().into());
        }
        let mut options = self.options(options);
        options.cache_bytes = self.cache_bytes.unwrap_or(options.cache_bytes);
        Ok(Tablebase::open_with(&self.paths, &options)?)
    }

    /// The xiangqi tables of some rules in it.
    ///
    /// # Errors
    ///
    /// If there is no memory for a cache.
    pub fn open_xiangqi(&self, rules: Rules) -> Result<XiangqiTables> {
        let options = self.options(&ProbeOptions::default());
        Ok(XiangqiTables::open_with(&self.paths, rules, &options)?)
    }

    /// Some options, and how files are to be read.
    fn options(&self, options: &ProbeOptions) -> ProbeOptions {
        ProbeOptions {
            map_files: matches!(self.io, Io::Map),
            ..options.clone()
        }
    }

    /// All xiangqi tables in it, by rules and number of men.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn xiangqi_files(&self) -> Result<Vec<NativeFile<Xiangqi>>, Error> {
        let mut files: Vec<NativeFile<Xiangqi>> = Vec::new();
        for rules in Rules::ALL {
            let before = files.len();
            for path in &self.paths {
                let listed = list::<Xiangqi>(path, rules).map_err(|source| Error::Directory {
                    directory: path.clone(),
                    source,
                })?;
                let known: Vec<_> = (files[before..].iter())
                    .map(|file| (file.material, file.metric))
                    .collect();
                let is_new = |file: &NativeFile<Xiangqi>| {
                    known.is_empty() || !known.contains(&(file.material, file.metric))
                };
                files.extend(listed.into_iter().filter(is_new));
            }
            if self.paths.len() > 1 {
                files[before..].sort_by_cached_key(|file| {
                    (
                        file.material.men(),
                        file.material.to_string(),
                        file.metric.number(),
                    )
                });
            }
        }
        Ok(files)
    }

    /// The first xiangqi table of a material and metric.
    pub fn xiangqi_file(
        &self,
        rules: Rules,
        material: &xiangqi::Material,
        metric: xiangqi::Metric,
    ) -> Option<NativeFile<Xiangqi>> {
        let mut paths = self.paths.iter();
        paths.find_map(|path| find::<Xiangqi>(path, rules, material, metric))
    }

    /// Tables that are looked for here, for an error that says that there are none, and what to do.
    pub fn looked_for(&self, table: &str) -> String {
        format!(
            "{table} in {}; `retrograde list` shows what is there",
            self.display()
        )
    }

    /// The same of xiangqi tables.
    pub fn looked_for_under(&self, rules: Rules) -> String {
        let others = Rules::ALL.into_iter().filter(|&other| other != rules);
        let others: Vec<&str> = others.map(Rules::name).collect();
        let table = self.looked_for(&format!("xiangqi table under {rules}"));
        format!(
            "{table}, and --rules {} chooses other rules",
            others.join(" or ")
        )
    }

    /// The same as [`game_of_tables`](Self::game_of_tables), for a command about one material.
    pub fn game_of_table(&self, signature: &String, game: Option<Game>) -> Result<Game> {
        if Pattern::is_meant(signature) {
            bail!(
                "`{signature}` may be several materials, and this takes one; `retrograde list {}` shows which there are",
                quoted(Path::new(signature))
            );
        }
        self.game_of_tables(std::slice::from_ref(signature), game)
    }

    /// The game that signatures or patterns of existing tables mean: as said, or that of the only
    /// one that has such a material, or has tables of it here. Chess if neither has.
    ///
    /// # Errors
    ///
    /// If both have, or if one signature means one game and another the other.
    pub fn game_of_tables(&self, signatures: &[String], game: Option<Game>) -> Result<Game> {
        let tables = LazyCell::new(|| self.open().ok());
        let of_xiangqi = LazyCell::new(|| self.xiangqi_files().unwrap_or_default());
        game_of_all(signatures, game, |signature, chess, xiangqi| {
            let mut files = of_xiangqi.iter();
            let has_xiangqi = files.any(|file| xiangqi.means(&file.material));
            let mut files = tables.iter().flat_map(|tables| tables.tables());
            let has_chess = files.any(|file| chess.means(file.material()));
            if has_xiangqi && has_chess {
                bail!(
                    "{signature} may be of chess and of xiangqi, and both have tables in {}; {SAY_WHICH}",
                    self.display()
                );
            }
            Ok(match has_xiangqi {
                true => Game::Xiangqi,
                false => Game::Chess,
            })
        })
    }

    /// The game that signatures of tables to be made mean: as said, or that of the only one that
    /// has such a material. What both have is chess as long as there are no xiangqi tables here.
    ///
    /// # Errors
    ///
    /// If there are, or if one signature means one game and another the other.
    pub fn game_to_generate(&self, signatures: &[String], game: Option<Game>) -> Result<Game> {
        let has_xiangqi =
            LazyCell::new(|| self.xiangqi_files().is_ok_and(|files| !files.is_empty()));
        game_of_all(signatures, game, |signature, _, _| match *has_xiangqi {
            true => bail!(
                "{signature} may be of chess and of xiangqi, and there are xiangqi tables in {}; {SAY_WHICH}",
                self.display()
            ),
            false => Ok(Game::Chess),
        })
    }

    /// A message whose commands make tables here, where somebody named the directory: of several in
    /// that of the file with which the message begins, else in the first.
    pub fn advised(&self, message: String) -> String {
        if !self.named {
            return message;
        }
        let begins = |path: &&PathBuf| message.starts_with(&*path.to_string_lossy());
        let of_file = self
            .paths
            .iter()
            .filter(begins)
            .max_by_key(|path| path.as_os_str().len());
        match of_file.or(self.paths.first()) {
            Some(path) => in_directory(&message, path),
            None => message,
        }
    }

    /// A message that does not say where the directories are: `the tables` stands for one, and
    /// a file has its name.
    pub fn hidden_in(&self, mut message: String) -> String {
        for path in self.paths.iter().filter(|path| path.is_absolute()) {
            let name = path.to_string_lossy();
            let name = name.trim_end_matches('/');
            if !name.is_empty() {
                message = message.replace(&format!("{name}/"), "");
                message = message.replace(name, "the tables");
            }
        }
        message
    }

    /// That there is no table here at all.
    pub fn nothing(&self) -> NoTables {
        NoTables(self.display())
    }

    /// That a material has no table here.
    pub fn missing(&self, material: &Material, metric: Metric) -> ProbeError {
        ProbeError::MissingTable {
            material: material.to_string(),
            metric,
            searched: self.paths.clone().into(),
        }
    }
}

/// There are no tables where they are looked for.
#[derive(Debug, thiserror::Error)]
#[error(
    "no tables in {0}; make some with `retrograde generate --men 4`, or say where they are with --tables DIR"
)]
pub struct NoTables(String);

fn game_of_all(
    signatures: &[String],
    game: Option<Game>,
    game_of_both: impl Fn(&str, &Name<Material>, &Name<xiangqi::Material>) -> Result<Game>,
) -> Result<Game> {
    if let Some(game) = game {
        return Ok(game);
    }
    let mut games: Vec<(&String, Game)> = Vec::new();
    for signature in signatures {
        let (chess, xiangqi) = (Name::read(signature), Name::read(signature));
        let game = match (&chess, &xiangqi) {
            (Ok(chess), Ok(xiangqi)) => game_of_both(signature, chess, xiangqi)?,
            (Err(_), Ok(_)) => Game::Xiangqi,
            // What neither has is told by the parser of chess.
            _ => Game::Chess,
        };
        games.push((signature, game));
    }
    let Some(&(first, game)) = games.first() else {
        return Ok(Game::Chess);
    };
    if let Some((other, _)) = games.iter().find(|(_, other)| *other != game) {
        bail!("{first} is of {game} here and {other} is not; {SAY_WHICH}, one game a command");
    }
    Ok(game)
}

/// Where this user's programs keep their data.
fn user_data() -> Option<PathBuf> {
    let directory = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    if cfg!(windows) {
        directory("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        directory("HOME").map(|home| home.join("Library").join("Application Support"))
    } else {
        directory("XDG_DATA_HOME")
            .or_else(|| directory("HOME").map(|home| home.join(".local").join("share")))
    }
}
