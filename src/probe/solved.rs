//! Positions that were solved by what they reach, kept in a file.
//!
//! [`save`] writes what [`reach::solve`](crate::reach::solve) found; [`SolvedSet`] answers for every position that
//! was explored. Positions that tables knew are not in the file: those tables are asked for them.
//!
//! # Examples
//!
//! ```
//! use retrograde::game::chess::Position;
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

use std::path::{Path, PathBuf};

use super::{RootMove, sort_root_moves};
use crate::Error;
use crate::game::chess::Position;
use crate::metric::{Dtm, Dtz, Wdl};
use crate::reach::{LeafError, Leaves, MAX_BYTES, Packed, Rules, Solved, Value};
use crate::table::WriteError;
use crate::table::records::{
    DESCRIPTION_LEN, RecordSource, Records, RecordsDescription, RecordsError, write_records,
};

/// Chess.
const GAME: u8 = 0;
/// Set if distances to mate are stored.
const HAS_MATES: u8 = 1;
/// Where the key of the position that was solved begins in the description.
const ROOT: usize = 8;

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

struct Source<'a> {
    solved: &'a Solved,
    order: Vec<crate::reach::Id>,
    key_len: usize,
}

impl RecordSource for Source<'_> {
    fn len(&self) -> usize {
        self.order.len()
    }

    fn fill(&self, number: usize, record: &mut [u8]) {
        let (packed, value) = self.solved.entry(self.order[number]);
        let (key, rest) = record.split_at_mut(self.key_len);
        key.copy_from_slice(&packed.to_key()[..self.key_len]);
        // The longest distances that states can hold fit.
        let short = |plies: i32| plies.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
        let values = [value.dtz.0, value.dtm.map_or(0, |dtm| dtm.0)];
        for (bytes, plies) in rest.chunks_exact_mut(2).zip(values) {
            bytes.copy_from_slice(&short(plies).to_le_bytes());
        }
    }
}

/// Writes all positions of a set with their values; how many bytes the file has. It appears under its name when it is complete,
/// and replaces any older one.
///
/// # Errors
///
/// [`Error::Write`] if values are only bounds, or the system cannot write.
pub fn save(solved: &Solved, path: &Path) -> Result<u64, Error> {
    if solved.exact().is_none() {
        return Err(Error::Write {
            name: path.display().to_string(),
            problem: WriteError::Description(
                "only what was explored completely and without restrictions can be saved",
            ),
        });
    }
    let root = Packed::new(solved.root());
    let mut description = [0; DESCRIPTION_LEN];
    description[0] = GAME;
    description[1] = if solved.has_mates() { HAS_MATES } else { 0 };
    description[ROOT..ROOT + MAX_BYTES].copy_from_slice(&root.to_key());
    // No position has more men than the first one.
    let key_len = Packed::bytes(root.occupied().count_ones() as usize);
    let description = RecordsDescription {
        key_len,
        value_len: if solved.has_mates() { 4 } else { 2 },
        description,
    };
    let source = Source {
        solved,
        order: solved.in_order(),
        key_len,
    };
    write_records(path, &description, &source)
}

/// A file of solved positions. Many threads can ask it at once.
#[derive(Debug)]
pub struct SolvedSet {
    path: PathBuf,
    records: Records,
    root: Position,
    has_mates: bool,
}

impl SolvedSet {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// [`SolvedSetError`] if it cannot be read, is something else, or is damaged.
    pub fn open(path: &Path) -> Result<SolvedSet, SolvedSetError> {
        let records = Records::open(path).map_err(error(path))?;
        SolvedSet::new(path, records)
    }

    /// The same from records that are open.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn new(path: &Path, records: Records) -> Result<SolvedSet, SolvedSetError> {
        let impossible = |what: &str| {
            error(path)(RecordsError::Impossible {
                what: what.to_owned(),
            })
        };
        let RecordsDescription {
            key_len,
            value_len,
            description,
        } = *records.description();
        let has_mates = description[1] == HAS_MATES;
        let is_right = description[0] == GAME
            && description[1] <= HAS_MATES
            && description[2..ROOT] == [0; ROOT - 2]
            && description[ROOT + MAX_BYTES..]
                .iter()
                .all(|&byte| byte == 0)
            && value_len == if has_mates { 4 } else { 2 };
        if !is_right {
            return Err(impossible("description"));
        }
        let root = Packed::from_key(&description[ROOT..ROOT + MAX_BYTES]);
        let men = root.occupied().count_ones() as usize;
        let position = root.position();
        let Some(position) = position.filter(|_| key_len == Packed::bytes(men)) else {
            return Err(impossible("first position"));
        };
        Ok(SolvedSet {
            path: path.to_owned(),
            records,
            root: position,
            has_mates,
        })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The position that was solved.
    #[must_use]
    pub fn root(&self) -> &Position {
        &self.root
    }

    /// How many positions there are; of those that are the same but for a symmetry of the board, one counts.
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

    /// The value of a position, clock at zero; nothing if it is not in the set.
    ///
    /// # Errors
    ///
    /// [`SolvedSetError`] if the part of the file where it belongs is damaged.
    pub fn value(&self, position: &Position) -> Result<Option<Value>, SolvedSetError> {
        let key_len = self.records.description().key_len;
        let packed = Packed::new(position).normal_form();
        if Packed::bytes(packed.occupied().count_ones() as usize) > key_len {
            return Ok(None);
        }
        let mut value = [0; 4];
        let is_found = self
            .records
            .find(&packed.to_key()[..key_len], &mut value)
            .map_err(error(&self.path))?;
        Ok(is_found.then(|| self.read(&value)))
    }

    fn read(&self, value: &[u8]) -> Value {
        let plies = |at: usize| i32::from(i16::from_le_bytes([value[at], value[at + 1]]));
        let dtz = Dtz(plies(0));
        Value {
            dtz,
            dtm: (self.has_mates && dtz != Dtz(0)).then(|| Dtm(plies(2))),
        }
    }

    /// Who wins, clock at zero; nothing if the position is not in the set.
    ///
    /// # Errors
    ///
    /// As [`value`](Self::value).
    pub fn probe_wdl(&self, position: &Position) -> Result<Option<Wdl>, SolvedSetError> {
        Ok(self.value(position)?.map(|value| value.dtz.wdl()))
    }

    /// Plies to the next zeroing move, clock at zero; nothing if the position is not in the set.
    ///
    /// # Errors
    ///
    /// As [`value`](Self::value).
    pub fn probe_dtz(&self, position: &Position) -> Result<Option<Dtz>, SolvedSetError> {
        Ok(self.value(position)?.map(|value| value.dtz))
    }

    /// Plies to mate; nothing if the position is drawn or not in the set, or mates are not known.
    ///
    /// # Errors
    ///
    /// As [`value`](Self::value).
    pub fn probe_dtm(&self, position: &Position) -> Result<Option<Dtm>, SolvedSetError> {
        Ok(self.value(position)?.and_then(|value| value.dtm))
    }

    /// All legal moves with what the set and `leaves` know of the positions after them, best first, as
    /// [`Tablebase::root_moves`](crate::Tablebase::root_moves) has them.
    ///
    /// # Errors
    ///
    /// If the file or a table is damaged.
    pub fn root_moves(
        &self,
        position: &Position,
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

    /// The value of a position that is in the set, that nobody can win, or that `leaves` know.
    ///
    /// # Errors
    ///
    /// If the file or a table is damaged.
    pub fn value_or_leaf(
        &self,
        position: &Position,
        leaves: &dyn Leaves,
    ) -> Result<Option<Value>, LeafError> {
        if let Some(value) = self.value(position)? {
            return Ok(Some(value));
        }
        let rules = Rules::new(leaves, None);
        if !rules.covers(position) {
            return Ok(None);
        }
        let known = rules.value(position, false)?;
        Ok(Some(Value {
            dtm: known.dtm.filter(|_| self.has_mates),
            ..known
        }))
    }

    /// How many parts [`for_each_in`](Self::for_each_in) knows.
    pub(crate) fn parts(&self) -> usize {
        self.records.blocks()
    }

    /// Calls `visit` with the positions of a part and their values; nothing stands for what is no position.
    pub(crate) fn for_each_in(
        &self,
        part: usize,
        mut visit: impl FnMut(Option<Position>, Value),
    ) -> Result<(), SolvedSetError> {
        let visit = |key: &[u8], value: &[u8]| {
            let packed = Packed::from_key(key);
            // What is written in another form is never looked up.
            let position = packed.position().filter(|_| packed.normal_form() == packed);
            visit(position, self.read(value));
        };
        self.records
            .for_each_in(part, visit)
            .map_err(error(&self.path))
    }
}

fn error(path: &Path) -> impl Fn(RecordsError) -> SolvedSetError {
    let path = path.to_owned();
    move |problem| SolvedSetError {
        path: path.clone(),
        problem,
    }
}
