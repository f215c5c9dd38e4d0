//! Many positions at once.
//!
//! Python gives and takes `bytes`: nobody changes them while the interpreter goes on. What they
//! mean as numpy arrays is for `retrograde/_tablebase.py` to say.

use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use rayon::prelude::*;
use retrograde::chess::{Position, Setup, Square};
use retrograde::game::Color;
use retrograde::{ProbeError, Tablebase};

use crate::interruptible::{interruptible, threads};
use crate::position::{ROLES, Reading, parse, position_of_setup, setup_of_board};

/// Results, status, and distances to zeroing and to mate if they were asked for; numbers of two
/// bytes are little-endian.
pub type Batch<'py> = (
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Option<Bound<'py, PyBytes>>,
    Option<Bound<'py, PyBytes>>,
);

/// Numbers of `retrograde.Status`.
const OK: u8 = 0;
const MISSING_TABLE: u8 = 1;
const NOT_COVERED: u8 = 2;
const INVALID: u8 = 3;
const DAMAGED: u8 = 4;

/// What stands where nothing is known.
const NO_RESULT: i8 = i8::MIN;
const NO_DISTANCE: i16 = i16::MIN;

/// Positions that are looked at between two looks at whether to go on.
const SHARE: usize = 64;

/// Fewer positions than this are not worth a thread.
const FEW: usize = 64;

/// Where positions come from.
pub trait Source: Sync {
    /// How many there are.
    fn len(&self) -> usize;
    /// One of them; nothing if that is none.
    fn position(&self, number: usize) -> Option<Position>;
}

/// A position in the form in which it was given.
#[derive(Debug)]
pub enum Given {
    /// A FEN.
    Fen(String),
    /// A board.
    Board(Box<Setup>),
}

/// Reads FENs and boards.
///
/// # Errors
///
/// `TypeError` if one of them is neither.
pub fn read(positions: Vec<Bound<'_, PyAny>>) -> PyResult<Vec<Given>> {
    let read = |position: Bound<'_, PyAny>| match position.cast::<PyString>() {
        Ok(fen) => Ok(Given::Fen(fen.to_str()?.to_owned())),
        Err(_) => setup_of_board(&position, Reading::Everything).map(|it| Given::Board(it.into())),
    };
    positions.into_iter().map(read).collect()
}

impl Source for Vec<Given> {
    fn len(&self) -> usize {
        self.as_slice().len()
    }

    fn position(&self, number: usize) -> Option<Position> {
        match &self[number] {
            Given::Fen(fen) => parse(fen).ok(),
            Given::Board(setup) => position_of_setup(**setup).ok(),
        }
    }
}

/// Rows of eight bitboards: six of the roles, White's and Black's.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    rows: &'a [[[u8; 8]; 8]],
    /// Not 0 where White is to move.
    turns: &'a [u8],
    /// The square behind a pawn that just made a double step, any other number if there is none.
    en_passant: Option<&'a [u8]>,
}

impl<'a> Rows<'a> {
    /// Rows with a byte each for the side to move and en passant.
    pub fn new(
        rows: &'a [u8],
        turns: &'a [u8],
        en_passant: Option<&'a [u8]>,
    ) -> PyResult<Rows<'a>> {
        let (words, rest) = rows.as_chunks();
        let (rows, more) = words.as_chunks();
        let is_as_long = en_passant.is_none_or(|squares| squares.len() == rows.len());
        if !rest.is_empty() || !more.is_empty() || turns.len() != rows.len() || !is_as_long {
            return Err(PyValueError::new_err(
                "rows, turns and en_passant differ in length",
            ));
        }
        Ok(Rows {
            rows,
            turns,
            en_passant,
        })
    }
}

impl Source for Rows<'_> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn position(&self, number: usize) -> Option<Position> {
        let row = self.rows[number].map(u64::from_le_bytes);
        let (roles, [white, black]) = row
            .split_first_chunk::<6>()
            .map(|(roles, sides)| (roles, [sides[0], sides[1]]))?;
        let mut setup = Setup::empty();
        for (role, men) in ROLES.into_iter().zip(roles) {
            setup.pieces[Color::White.index()][role.index()] = men & white;
            setup.pieces[Color::Black.index()][role.index()] = men & black;
        }
        if roles.iter().fold(0, |all, men| all | men) != white | black {
            return None;
        }
        setup.turn = match self.turns[number] {
            0 => Color::Black,
            _ => Color::White,
        };
        setup.en_passant = self
            .en_passant
            .and_then(|it| Square::from_index(it[number].into()));
        position_of_setup(setup).ok()
    }
}

/// What is known of a position.
#[derive(Clone, Copy, Debug)]
struct Values {
    wdl: i8,
    status: u8,
    dtz: i16,
    dtm: i16,
}

impl Values {
    const UNKNOWN: Values = Values {
        wdl: NO_RESULT,
        status: INVALID,
        dtz: NO_DISTANCE,
        dtm: NO_DISTANCE,
    };

    fn new(tables: &Tablebase, position: &Position, metrics: (bool, bool)) -> Values {
        let mut values = Values {
            status: OK,
            ..Values::UNKNOWN
        };
        match tables.probe_wdl_after_zeroing(position) {
            Ok(wdl) => values.wdl = wdl.signum2() as i8,
            // Without a result there is no distance either.
            Err(error) => {
                values.status = status(&error);
                return values;
            }
        }
        let short = |plies: i32| i16::try_from(plies).unwrap_or(NO_DISTANCE);
        if metrics.0 {
            match tables.probe_dtz(position) {
                Ok(dtz) => values.dtz = short(dtz.0),
                Err(error) => values.status = status(&error),
            }
        }
        if metrics.1 {
            match tables.probe_dtm(position) {
                Ok(dtm) => values.dtm = dtm.map_or(0, |dtm| short(dtm.0)),
                Err(error) => values.status = status(&error),
            }
        }
        values
    }
}

fn status(error: &ProbeError) -> u8 {
    match error {
        error if error.is_missing_table() => MISSING_TABLE,
        ProbeError::CastlingRights => NOT_COVERED,
        ProbeError::Placement(_) => INVALID,
        _ => DAMAGED,
    }
}

/// Asks for all positions, with distances to zeroing and to mate if `metrics` says so.
pub fn probe<'py>(
    py: Python<'py>,
    tables: &Tablebase,
    source: &dyn Source,
    metrics: (bool, bool),
    wanted: Option<i64>,
) -> PyResult<Batch<'py>> {
    let threads = threads(wanted)?;
    let len = source.len();
    let mut all: Vec<Values> = Vec::new();
    all.try_reserve_exact(len).map_err(|error| {
        pyo3::exceptions::PyMemoryError::new_err(format!("{len} positions: {error}; ask in parts"))
    })?;
    all.resize(len, Values::UNKNOWN);
    let one = |number: usize, values: &mut Values| {
        if let Some(position) = source.position(number) {
            *values = Values::new(tables, &position, metrics);
        }
    };
    let share = |(number, values): (usize, &mut [Values]), cancel: &AtomicBool| {
        if !cancel.load(Ordering::Relaxed) {
            for (i, values) in values.iter_mut().enumerate() {
                one(number * SHARE + i, values);
            }
        }
    };
    if len < FEW {
        py.detach(|| share((0, &mut all), &AtomicBool::new(false)));
    } else {
        let work = |cancel: &AtomicBool| match threads {
            1 => all
                .chunks_mut(SHARE)
                .enumerate()
                .for_each(|it| share(it, cancel)),
            _ => all
                .par_chunks_mut(SHARE)
                .enumerate()
                .for_each(|it| share(it, cancel)),
        };
        interruptible(py, threads, work, |_| Ok(()))?;
    }
    let bytes =
        |of: &dyn Fn(&Values) -> u8| PyBytes::new(py, &all.iter().map(of).collect::<Vec<u8>>());
    let words = |of: &dyn Fn(&Values) -> i16| {
        PyBytes::new(
            py,
            &all.iter()
                .flat_map(|it| of(it).to_le_bytes())
                .collect::<Vec<u8>>(),
        )
    };
    Ok((
        bytes(&|it| it.wdl as u8),
        bytes(&|it| it.status),
        metrics.0.then(|| words(&|it| it.dtz)),
        metrics.1.then(|| words(&|it| it.dtm)),
    ))
}
