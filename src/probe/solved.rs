//! Positions that were solved by what they reach, kept in a file.
//!
//! [`save`] writes what [`reach::solve`](crate::reach::solve) found; [`SolvedSet`] answers for
//! every position that was explored. Positions that tables knew are not in the file: those tables
//! are asked for them.
//!
//! # Examples
//!
//! ```
//! use retrograde::chess::rules::Position;
//! use retrograde::metric::Wdl;
//! use retrograde::probe::solved::{SolvedSet, save};
//! use retrograde::reach::{NoLeaves, Options, solve};
//!
//! # let directory = tempfile::tempdir()?;
//! let file = directory.path().join("wall.solved");
//! let position = Position::from_fen("4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1")?;
//! save(&solve(&position, &NoLeaves, &Options::default())?, &file)?;
//!
//! let set = SolvedSet::open(&file)?;
//! let other = Position::from_fen("8/3k4/8/p1p1p1p1/P1P1P1P1/8/4K3/8 b - - 0 1")?;
//! assert_eq!(set.probe_wdl(&other)?, Some(Wdl::Draw));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::{RootMove, sort_root_moves};
use crate::Error;
use crate::game::Game;
use crate::metric::{Dtm, Dtz, Wdl};
use crate::reach::{
    Compact, Id, LeafError, Leaves, MoveValue, Outcome, Rules, Solve, Solved, Value,
};
use crate::xiangqi::{Rules as XiangqiRules, XiangqiValue};
use crate::{chess, xiangqi};

use crate::table::WriteError;
use crate::table::records::{
    DESCRIPTION_LEN, MAX_VALUE_LEN, RecordSource, Records, RecordsDescription, RecordsError,
    write_records,
};
use crate::tables::remove_leftovers_of;

/// Where in the description are the number of the game, whether distances to mate are stored, what
/// an endless game is worth, and the key of the position that was solved.
const GAME: usize = 0;
const MATES: usize = 1;
const RULES: usize = 2;
const ROOT: usize = 8;

/// A game whose solved positions are kept in files: how values are written.
pub trait Recorded: Solve {
    /// Bytes of a value.
    fn value_len(mates: bool) -> usize;

    /// Writes a value into as many bytes.
    fn encode(value: Self::Value, bytes: &mut [u8]);

    /// Reads it again.
    fn decode(bytes: &[u8], mates: bool) -> Self::Value;

    /// The value without distance to mate unless it is wanted.
    fn with_mates(value: Self::Value, mates: bool) -> Self::Value;

    /// The number of the rules in files, if they matter.
    fn number_of(rules: XiangqiRules) -> u8;
}

impl Recorded for chess::Position {
    fn value_len(mates: bool) -> usize {
        if mates { 4 } else { 2 }
    }

    fn encode(value: Value, bytes: &mut [u8]) {
        // The longest distances that states can hold fit.
        let short = |plies: i32| plies.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
        let plies = [value.dtz.0, value.dtm.map_or(0, |dtm| dtm.0)];
        for (bytes, plies) in bytes.as_chunks_mut().0.iter_mut().zip(plies) {
            *bytes = short(plies).to_le_bytes();
        }
    }

    fn decode(bytes: &[u8], mates: bool) -> Value {
        let plies = |at: usize| i32::from(i16::from_le_bytes([bytes[at], bytes[at + 1]]));
        let dtz = Dtz(plies(0));
        Value {
            dtz,
            dtm: (mates && dtz != Dtz(0)).then(|| Dtm(plies(2))),
        }
    }

    fn with_mates(value: Value, mates: bool) -> Value {
        Value {
            dtm: value.dtm.filter(|_| mates),
            ..value
        }
    }

    fn number_of(_: XiangqiRules) -> u8 {
        0
    }
}

impl Recorded for xiangqi::Position {
    fn value_len(mates: bool) -> usize {
        if mates { 6 } else { 4 }
    }

    fn encode(value: XiangqiValue, bytes: &mut [u8]) {
        let plies = |plies: i32| u16::try_from(plies.unsigned_abs()).unwrap_or(u16::MAX);
        bytes[0] = value.wdl.signum2() as i8 as u8;
        bytes[1] = value.round;
        let plies = [value.dtc, value.dtm.map(|dtm| dtm.0)].map(|it| it.map_or(0, plies));
        for (bytes, plies) in bytes[2..].as_chunks_mut().0.iter_mut().zip(plies) {
            *bytes = plies.to_le_bytes();
        }
    }

    fn decode(bytes: &[u8], mates: bool) -> XiangqiValue {
        let plies = |at: usize| i32::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
        let (wdl, sign) = match bytes[0] as i8 {
            2 => (Wdl::Win, 1),
            -2 => (Wdl::Loss, -1),
            _ => (Wdl::Draw, 1),
        };
        XiangqiValue {
            wdl,
            dtc: Some(sign * plies(2)),
            dtm: (mates && wdl != Wdl::Draw).then(|| Dtm(sign * plies(4))),
            round: bytes[1],
        }
    }

    fn with_mates(value: XiangqiValue, mates: bool) -> XiangqiValue {
        XiangqiValue {
            dtm: value.dtm.filter(|_| mates),
            ..value
        }
    }

    fn number_of(rules: XiangqiRules) -> u8 {
        rules.number()
    }
}

/// Why a file of solved positions does not answer.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}; choose another file, or make it again with `retrograde solve FEN --save`", path.display())]
pub struct SolvedSetError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    #[source]
    pub problem: RecordsError,
}

struct Source<'a, P: Recorded> {
    solved: &'a Solved<P>,
    order: Vec<Id>,
    key_len: usize,
}

impl<P: Recorded> RecordSource for Source<'_, P> {
    fn len(&self) -> usize {
        self.order.len()
    }

    fn fill(&self, number: usize, record: &mut [u8]) {
        let (packed, value) = self.solved.entry(self.order[number]);
        let (key, rest) = record.split_at_mut(self.key_len);
        key.copy_from_slice(&packed.to_key()[..self.key_len]);
        P::encode(value, rest);
    }
}

/// Writes all positions of a set with their values; how many bytes the file has. It appears under
/// its name when it is complete, and replaces any older one.
///
/// # Errors
///
/// [`Error::Write`] if values are only bounds, if something other than a file has that name, or if
/// the system cannot write.
pub fn save<P: Recorded>(solved: &Solved<P>, path: &Path) -> Result<u64, Error> {
    if solved.exact().is_none() {
        return Err(Error::Write {
            name: path.display().to_string(),
            problem: WriteError::Description(
                "only what was explored completely and without restrictions can be saved",
            ),
        });
    }
    check_target(path)?;
    let root = P::Packed::new(solved.root());
    // No position has more men than the first one.
    let key_len = P::Packed::bytes(root.men() as usize);
    let mut description = [0; DESCRIPTION_LEN];
    description[GAME] = P::GAME.number();
    description[MATES] = u8::from(solved.has_mates());
    description[RULES] = P::number_of(solved.rules());
    description[ROOT..ROOT + key_len].copy_from_slice(&root.to_key()[..key_len]);
    let description = RecordsDescription {
        key_len,
        value_len: P::value_len(solved.has_mates()),
        description,
    };
    let source = Source {
        solved,
        order: solved.in_order(),
        key_len,
    };
    write_records(path, &description, &source)
}

/// Makes sure that a set can be written to a file, before it takes hours to find what is to be
/// written: its directory is there and lets files be made, and nothing but a file has its name.
/// What killed programs left of a file of that name is cleared away.
///
/// # Errors
///
/// [`Error::Write`] says what prevents it.
pub fn check_target(path: &Path) -> Result<(), Error> {
    let check = || -> Result<(), WriteError> {
        let parent = path.parent().filter(|it| !it.as_os_str().is_empty());
        let directory = parent.unwrap_or(Path::new("."));
        let Some(name) = path.file_name() else {
            return Err(WriteError::Description("it does not end with a file name"));
        };
        match fs::symlink_metadata(path) {
            Ok(metadata) if !metadata.is_file() => {
                return Err(WriteError::Description(
                    "what has that name is not a regular file; choose another name",
                ));
            }
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        // Gone again when it is dropped.
        tempfile::tempfile_in(directory)?;
        remove_leftovers_of(directory, &name.to_string_lossy());
        Ok(())
    };
    check().map_err(|problem| Error::Write {
        name: path.display().to_string(),
        problem,
    })
}

/// The game of a file of solved positions.
///
/// # Errors
///
/// [`SolvedSetError`] if it cannot be read, is something else, or is damaged.
pub fn game_of(path: &Path) -> Result<Game, SolvedSetError> {
    let records = Records::open(path).map_err(error(path))?;
    let number = records.description().description[GAME];
    let mut games = Game::ALL.into_iter();
    // Whatever else it says is told by whoever opens it.
    Ok(games
        .find(|game| game.number() == number)
        .unwrap_or_default())
}

/// A file of solved positions. Many threads can ask it at once.
#[derive(Debug)]
pub struct SolvedSet<P: Recorded = chess::Position> {
    path: PathBuf,
    records: Records,
    root: P,
    has_mates: bool,
    rules: XiangqiRules,
}

impl<P: Recorded> SolvedSet<P> {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// [`SolvedSetError`] if it cannot be read, is something else or of another game, or is
    /// damaged.
    pub fn open(path: &Path) -> Result<SolvedSet<P>, SolvedSetError> {
        let records = Records::open(path).map_err(error(path))?;
        SolvedSet::new(path, records)
    }

    /// A set of records that are open.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn new(path: &Path, records: Records) -> Result<SolvedSet<P>, SolvedSetError> {
        let impossible = |what: String| error(path)(RecordsError::Impossible { what });
        let RecordsDescription {
            key_len,
            value_len,
            description,
        } = *records.description();
        if description[GAME] != P::GAME.number() {
            return Err(impossible(format!("game: it is not {}", P::GAME)));
        }
        let has_mates = description[MATES] == 1;
        let mut all_rules = XiangqiRules::ALL.into_iter();
        let rules = all_rules.find(|&rules| P::number_of(rules) == description[RULES]);
        let is_right = description[MATES] <= 1
            && description[RULES + 1..ROOT] == [0; ROOT - RULES - 1]
            && ROOT + key_len <= DESCRIPTION_LEN
            && value_len == P::value_len(has_mates);
        let (Some(rules), true) = (rules, is_right) else {
            return Err(impossible("description".to_owned()));
        };
        let (root, rest) = description[ROOT..].split_at(key_len);
        let root = P::Packed::from_key(root);
        let is_whole =
            key_len == P::Packed::bytes(root.men() as usize) && rest.iter().all(|&byte| byte == 0);
        let Some(root) = root.position().filter(|_| is_whole) else {
            return Err(impossible("first position".to_owned()));
        };
        Ok(SolvedSet {
            path: path.to_owned(),
            records,
            root,
            has_mates,
            rules,
        })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The position that was solved.
    #[must_use]
    pub fn root(&self) -> &P {
        &self.root
    }

    /// How many positions there are; of those that are the same but for a symmetry of the board,
    /// one counts.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.records.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Whether distances to mate are known.
    #[must_use]
    pub fn has_mates(&self) -> bool {
        self.has_mates
    }

    /// Xiangqi: what an endless game is worth.
    #[must_use]
    pub fn rules(&self) -> XiangqiRules {
        self.rules
    }

    /// The value of a position, clock at zero; `None` if it is not in the set.
    ///
    /// # Errors
    ///
    /// [`SolvedSetError`] if the part of the file where it belongs is damaged.
    pub fn value(&self, position: &P) -> Result<Option<P::Value>, SolvedSetError> {
        let RecordsDescription {
            key_len, value_len, ..
        } = *self.records.description();
        let packed = P::Packed::new(position).normal_form();
        if P::Packed::bytes(packed.men() as usize) > key_len {
            return Ok(None);
        }
        let mut value = [0; MAX_VALUE_LEN];
        let value = &mut value[..value_len];
        let is_found = self
            .records
            .find(&packed.to_key()[..key_len], value)
            .map_err(error(&self.path))?;
        Ok(is_found.then(|| P::decode(value, self.has_mates)))
    }

    /// Who wins, clock at zero; `None` if the position is not in the set.
    ///
    /// # Errors
    ///
    /// As [`value`](Self::value).
    pub fn probe_wdl(&self, position: &P) -> Result<Option<Wdl>, SolvedSetError> {
        Ok(self.value(position)?.map(|value| value.wdl()))
    }

    /// All legal moves with what the set and `leaves` know of the positions after them, best first.
    ///
    /// # Errors
    ///
    /// If the file or a table is damaged.
    pub fn moves(
        &self,
        position: &P,
        leaves: &dyn Leaves<P>,
    ) -> Result<Vec<MoveValue<P>>, LeafError> {
        let here = self.value_or_leaf(position, leaves)?;
        let here = position.state_of(here.unwrap_or(P::Value::DRAW));
        let mut moves = Vec::new();
        for played in position.moves() {
            let next = position.after(played);
            let value = self.value_or_leaf(&next, leaves)?;
            let state = value.map(|value| next.state_of(value));
            let ends = next.moves().is_empty();
            let preference = P::preference(here, played, state, ends, self.has_mates);
            moves.push((preference, MoveValue { played, value }));
        }
        moves.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(moves.into_iter().map(|(_, m)| m).collect())
    }

    /// The value of a position that is in the set, that nobody can win, or that `leaves` know.
    ///
    /// # Errors
    ///
    /// If the file or a table is damaged.
    pub fn value_or_leaf(
        &self,
        position: &P,
        leaves: &dyn Leaves<P>,
    ) -> Result<Option<P::Value>, LeafError> {
        if let Some(value) = self.value(position)? {
            return Ok(Some(value));
        }
        let rules = Rules::new(leaves, None);
        if !rules.covers(position) {
            return Ok(None);
        }
        let known = rules.value(position, false)?;
        Ok(Some(P::with_mates(known, self.has_mates)))
    }

    /// How many parts [`for_each_in`](Self::for_each_in) knows.
    pub(crate) fn parts(&self) -> usize {
        self.records.blocks()
    }

    /// Calls `visit` with the positions of a part and their values; `None` stands for what is no
    /// position.
    pub(crate) fn for_each_in(
        &self,
        part: usize,
        mut visit: impl FnMut(Option<P>, P::Value),
    ) -> Result<(), SolvedSetError> {
        let visit = |key: &[u8], value: &[u8]| {
            let packed = P::Packed::from_key(key);
            // What is written in another form is never looked up.
            let position = packed.position().filter(|_| packed.normal_form() == packed);
            visit(position, P::decode(value, self.has_mates));
        };
        self.records
            .for_each_in(part, visit)
            .map_err(error(&self.path))
    }
}

impl SolvedSet {
    /// Plies to the next zeroing move, clock at zero; `None` if the position is not in the set.
    ///
    /// # Errors
    ///
    /// As [`value`](Self::value).
    pub fn probe_dtz(&self, position: &chess::Position) -> Result<Option<Dtz>, SolvedSetError> {
        Ok(self.value(position)?.map(|value| value.dtz))
    }

    /// Plies to mate; `None` if the position is drawn or not in the set, or mates are not known.
    ///
    /// # Errors
    ///
    /// As [`value`](Self::value).
    pub fn probe_dtm(&self, position: &chess::Position) -> Result<Option<Dtm>, SolvedSetError> {
        Ok(self.value(position)?.and_then(|value| value.dtm))
    }

    /// All legal moves with what the set and `leaves` know of the positions after them, best first,
    /// as [`Tablebase::root_moves`](crate::Tablebase::root_moves) has them.
    ///
    /// # Errors
    ///
    /// If the file or a table is damaged.
    pub fn root_moves(
        &self,
        position: &chess::Position,
        leaves: &dyn Leaves,
    ) -> Result<Vec<RootMove>, LeafError> {
        let mut moves = Vec::new();
        for played in &position.legal_moves() {
            let next = position.play(played);
            let value = self.value_or_leaf(&next, leaves)?;
            moves.push(RootMove {
                wdl: value.map(|value| value.dtz.wdl()),
                dtz: value.map(|value| value.dtz.into()),
                dtm: value.and_then(|value| value.dtm),
                ..RootMove::new(played, &next)
            });
        }
        sort_root_moves(&mut moves, position.halfmoves().into());
        Ok(moves)
    }
}

fn error(path: &Path) -> impl Fn(RecordsError) -> SolvedSetError {
    let path = path.to_owned();
    move |problem| SolvedSetError {
        path: path.clone(),
        problem,
    }
}
