//! Which directory the tables are in, and of which game those are that are meant.

use std::cell::LazyCell;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use retrograde::chess::material::Material;
use retrograde::game::Game;
use retrograde::metric::Metric;
use retrograde::probe::{ProbeError, ProbeOptions};
use retrograde::tables::{NativeFile, find, list};
use retrograde::xiangqi::{Rules, Xiangqi};
use retrograde::{Error, Tablebase, xiangqi};

const SAY_WHICH: &str = "add --game chess or --game xiangqi";

/// A directory of tables, which need not exist yet.
#[derive(Clone, Debug)]
pub struct TableDirectory {
    path: PathBuf,
    /// Named by the user, not found by the rule: then it is a mistake if it does not exist.
    named: bool,
}

impl TableDirectory {
    /// The directory named, else `./tables` where it exists, else the user's data directory.
    pub fn choose(named: Option<PathBuf>) -> TableDirectory {
        // An empty environment variable counts as none.
        if let Some(path) = named.filter(|path| !path.as_os_str().is_empty()) {
            return TableDirectory { path, named: true };
        }
        let local = PathBuf::from("tables");
        let path = if local.is_dir() {
            local
        } else {
            user_data().map_or(local, |data| data.join("retrograde").join("tables"))
        };
        TableDirectory { path, named: false }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
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
        if !self.named && !self.path.exists() {
            return Err(NoTables(self.path.clone()).into());
        }
        Ok(Tablebase::open_with(&[&self.path], options)?)
    }

    /// All xiangqi tables in it, by rules and number of men.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn xiangqi_files(&self) -> Result<Vec<NativeFile<Xiangqi>>, Error> {
        let files = Rules::ALL.map(|rules| list::<Xiangqi>(&self.path, rules));
        let files: Result<Vec<_>, _> = files.into_iter().collect();
        let files = files.map_err(|source| Error::Directory {
            directory: self.path.clone(),
            source,
        })?;
        Ok(files.concat())
    }

    /// The game that signatures of existing tables mean: as said, or that of the only one that has such a material, or has
    /// tables of it here. Chess if neither has.
    ///
    /// # Errors
    ///
    /// If both have, or if one signature means one game and another the other.
    pub fn game_of_tables(&self, signatures: &[String], game: Option<Game>) -> Result<Game> {
        let tables = LazyCell::new(|| self.open().ok());
        game_of_all(signatures, game, |signature, chess, xiangqi| {
            let has = |rules, metric| find::<Xiangqi>(&self.path, rules, xiangqi, metric).is_some();
            let mut metrics = xiangqi::Metric::ALL.into_iter();
            let has_xiangqi =
                metrics.any(|metric| Rules::ALL.iter().any(|&rules| has(rules, metric)));
            let chess = chess.normal_form();
            let mut files = tables.iter().flat_map(|tables| tables.tables());
            let has_chess = files.any(|file| *file.material() == chess);
            if has_xiangqi && has_chess {
                bail!(
                    "{signature} is a material of chess and of xiangqi, and both have tables in {}; {SAY_WHICH}",
                    self.path.display()
                );
            }
            Ok(match has_xiangqi {
                true => Game::Xiangqi,
                false => Game::Chess,
            })
        })
    }

    /// The game that signatures of tables to be made mean: as said, or that of the only one that has such a material. What both
    /// have is chess as long as there are no xiangqi tables here.
    ///
    /// # Errors
    ///
    /// If there are, or if one signature means one game and another the other.
    pub fn game_to_generate(&self, signatures: &[String], game: Option<Game>) -> Result<Game> {
        let has_xiangqi =
            LazyCell::new(|| self.xiangqi_files().is_ok_and(|files| !files.is_empty()));
        game_of_all(signatures, game, |signature, _, _| match *has_xiangqi {
            true => bail!(
                "{signature} is a material of chess and of xiangqi, and there are xiangqi tables in {}; {SAY_WHICH}",
                self.path.display()
            ),
            false => Ok(Game::Chess),
        })
    }

    /// That there is no table here at all.
    pub fn nothing(&self) -> NoTables {
        NoTables(self.path.clone())
    }

    /// That a material has no table here.
    pub fn missing(&self, material: &Material, metric: Metric) -> ProbeError {
        ProbeError::MissingTable {
            material: material.to_string(),
            metric,
            searched: [self.path.clone()].into(),
        }
    }
}

/// There are no tables where they are looked for.
#[derive(Debug, thiserror::Error)]
#[error(
    "no tables in {}; make some with `retrograde generate --men 4`, or say where they are with \
     --tables DIR",
    .0.display()
)]
pub struct NoTables(PathBuf);

fn game_of_all(
    signatures: &[String],
    game: Option<Game>,
    game_of_both: impl Fn(&str, &Material, &xiangqi::Material) -> Result<Game>,
) -> Result<Game> {
    if let Some(game) = game {
        return Ok(game);
    }
    let mut games: Vec<(&String, Game)> = Vec::new();
    for signature in signatures {
        let (chess, xiangqi) = (
            signature.parse::<Material>(),
            signature.parse::<xiangqi::Material>(),
        );
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
        bail!(
            "{first} is a material of {game} here and {other} is not; {SAY_WHICH}, one game a command"
        );
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
