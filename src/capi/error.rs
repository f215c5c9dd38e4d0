//! Status codes, the last error of a thread, and the border that no panic crosses.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int};
use std::fmt::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use retrograde::ProbeError;
use retrograde::chess::rules::{FenError, SetupError};
use retrograde::probe::xiangqi::XiangqiProbeError;
use retrograde::xiangqi;

/// What functions return; `enum retrograde_status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Status {
    Ok = 0,
    NoTable = 1,
    Clock = 2,
    Castling = 3,
    BadPosition = 4,
    BadTable = 5,
    BadDirectory = 6,
    BadArgument = 7,
    Internal = 8,
}

/// Why a function did not do what it should.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error(transparent)]
    Probe(#[from] ProbeError),
    #[error(transparent)]
    Fen(#[from] FenError),
    #[error(transparent)]
    XiangqiProbe(#[from] XiangqiProbeError),
    #[error(transparent)]
    XiangqiFen(#[from] xiangqi::FenError),
    #[error("not a legal position: {0}")]
    Setup(#[from] SetupError),
    #[error("not a legal position: {0}")]
    Bitboards(&'static str),
    #[error("{0}")]
    Argument(&'static str),
    #[error("a fault of this library, please report it: {0}")]
    Internal(String),
}

impl Failure {
    fn status(&self) -> Status {
        match self {
            Failure::Probe(error) => match error {
                error if error.is_missing_table() => Status::NoTable,
                ProbeError::Clock { .. } => Status::Clock,
                ProbeError::CastlingRights => Status::Castling,
                ProbeError::Directory { .. } => Status::BadDirectory,
                ProbeError::OutOfMemory { .. } | ProbeError::LittleMemory { .. } => {
                    Status::BadArgument
                }
                ProbeError::Placement(_) => Status::BadPosition,
                _ => Status::BadTable,
            },
            Failure::XiangqiProbe(error) => match error {
                XiangqiProbeError::Missing { .. } => Status::NoTable,
                XiangqiProbeError::OutOfMemory { .. } | XiangqiProbeError::LittleMemory { .. } => {
                    Status::BadArgument
                }
                _ => Status::BadTable,
            },
            Failure::Fen(_)
            | Failure::XiangqiFen(_)
            | Failure::Setup(_)
            | Failure::Bitboards(_) => Status::BadPosition,
            Failure::Argument(_) => Status::BadArgument,
            Failure::Internal(_) => Status::Internal,
        }
    }
}

/// The last failure of a thread. Its text is made when it is asked for, since a search may meet
/// many missing tables.
struct Last {
    failure: Option<Failure>,
    text: Option<Text>,
}

/// A line for C: as much of it as there was memory for.
#[derive(Default)]
struct Text(Vec<u8>);

impl Text {
    /// The line, which ends with a zero.
    fn of(failure: &Failure) -> Text {
        let mut text = Text::default();
        // Where memory is refused the line ends.
        let _ = write!(text, "{failure}");
        if !text.0.is_empty() {
            text.0.push(0);
        }
        text
    }

    fn as_c(&self) -> &CStr {
        let text = CStr::from_bytes_with_nul(&self.0);
        text.unwrap_or(c"an error, and not enough memory to tell it")
    }
}

impl Write for Text {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        // With room for the zero.
        let more = piece.len() + 1;
        self.0.try_reserve(more).map_err(|_| fmt::Error)?;
        // A path or a FEN may have any character; C takes a zero for the end.
        let line = piece.bytes().map(|byte| match byte {
            b'\0' | b'\n' => b' ',
            byte => byte,
        });
        self.0.extend(line);
        Ok(())
    }
}

thread_local! {
    static LAST: RefCell<Last> = const {
        RefCell::new(Last { failure: None, text: None })
    };
}

/// Runs the body of a function. What it returns wrong, or panics with, becomes a status and the
/// thread's last error.
#[inline]
pub fn guarded(body: impl FnOnce() -> Result<(), Failure>) -> c_int {
    // What a panic leaves behind is its thread's own, or behind locks that can be taken again.
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => Status::Ok as c_int,
        Ok(Err(failure)) => remember(failure),
        Err(panic) => remember(Failure::Internal(text_of(&*panic))),
    }
}

#[cold]
fn remember(failure: Failure) -> c_int {
    let status = failure.status();
    let last = Last {
        failure: Some(failure),
        text: None,
    };
    // A thread that ends may already have given up its variables; then nobody asks for the text.
    let _ = LAST.try_with(|place| place.replace(last));
    status as c_int
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned())
}

/// One line on the last call of this thread that failed.
#[unsafe(no_mangle)]
pub extern "C" fn retrograde_last_error() -> *const c_char {
    let text = LAST.try_with(|last| {
        let last = &mut *last.borrow_mut();
        let failure = last.failure.as_ref()?;
        let text = last.text.get_or_insert_with(|| Text::of(failure));
        Some(text.as_c().as_ptr())
    });
    text.ok().flatten().unwrap_or(c"".as_ptr())
}
