//! Checks tables without solving anything: every value must be the best of those its moves lead to.
//!
//! Nothing here is shared with what makes tables but signatures, indices, attack tables and the
//! file formats, so that a mistake there is found. Both games take the same way through a directory
//! (`drive`) and report alike; what the moves of chess lead to is in the modules below this one,
//! and those of xiangqi in `xiangqi`.
//!
//! First the numbers of a material's files become values, as a prober sees them: a number that is
//! not needed, because a capture or promotion decides, is replaced by what that decides. Then every
//! legal position is compared with its successors in all metrics. Together with the values of mated
//! and stalemated positions, which have none, that leaves one solution for distances, so a wrong
//! value is found where it stands or one move before.
//!
//! A number that no probe ever reads may be anything, and is not a value; all bytes are covered by
//! checksums.
//!
//! Files are read and not mapped, so that a failing disk is something to report.
//!
//! Syzygy tables are verified like our own: only what is left to the prober differs, and distances
//! may be rounded.

mod chess;
mod drive;
mod recount;
mod report;
pub mod solved;
mod visit;
mod xiangqi;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use crate::Error;
use crate::chess::material::Material;
use crate::probe::Format;
use crate::xiangqi::Rules;
use chess::FORMATS;
use drive::{Verifier, drive};

pub use chess::{BothFormats, ComparedFormats};
pub(crate) use chess::{StoredLines, StoredNumbers};
pub use recount::{Recount, RecountError};
pub use report::{Difference, LISTED, Observer, Report, Subject};
pub use visit::{Fens, Visit, Visited, Visitor};

/// The positions that verifying some materials in a directory goes through, in the unit of
/// [`Observer::advanced`].
#[must_use]
pub fn work<S: Copy + Into<Subject>>(directory: &Path, materials: &[S]) -> u64 {
    work_of(directory, &subjects(materials))
}

fn work_of(directory: &Path, subjects: &[Subject]) -> u64 {
    let chess = of_chess(subjects);
    let of_format = |format| -> u64 {
        chess::asked_in(directory, &chess, format)
            .iter()
            .map(chess::work)
            .sum()
    };
    let of_rules = |rules| -> u64 { of_xiangqi(subjects, rules).iter().map(xiangqi::work).sum() };
    let chess: u64 = FORMATS.into_iter().map(of_format).sum();
    chess + Rules::ALL.into_iter().map(of_rules).sum::<u64>()
}

/// How many materials verifying some in a directory goes through, once for each format: how often
/// [`Observer::started`] is told.
#[must_use]
pub fn count<S: Copy + Into<Subject>>(directory: &Path, materials: &[S]) -> usize {
    let subjects = subjects(materials);
    let chess = of_chess(&subjects);
    let of_format = |format| chess::asked_in(directory, &chess, format).len();
    let of_rules = |rules| of_xiangqi(&subjects, rules).len();
    let chess: usize = FORMATS.into_iter().map(of_format).sum();
    chess + Rules::ALL.into_iter().map(of_rules).sum::<usize>()
}

/// What is asked for. Public functions take anything that becomes a subject, and do no more than
/// this: what is generic is compiled again by each of their callers.
fn subjects<S: Copy + Into<Subject>>(materials: &[S]) -> Vec<Subject> {
    materials.iter().map(|&material| material.into()).collect()
}

fn of_chess(subjects: &[Subject]) -> Vec<Material> {
    let chess = subjects.iter().filter_map(|&subject| match subject {
        Subject::Chess(material) => Some(material),
        Subject::Xiangqi(..) => None,
    });
    chess.collect()
}

fn of_xiangqi(subjects: &[Subject], rules: Rules) -> Vec<crate::xiangqi::Material> {
    let xiangqi = subjects.iter().filter_map(|&subject| match subject {
        Subject::Xiangqi(own, material) if own == rules => Some(material.normal_form()),
        _ => None,
    });
    xiangqi.collect()
}

/// Bytes of memory that a material of chess may take in memory as a whole if nobody says otherwise.
pub const AT_HAND: u64 = chess::AT_HAND;

/// Bytes of memory that verifying a material takes, about: its values, those that other slices of
/// it wait for, and those that captures and promotions lead to; of materials that are larger than
/// [`AT_HAND`] the part that is worked on, while the rest waits in a scratch file. [`Recount`] and
/// [`Visit`] take as much.
///
/// # Examples
///
/// ```
/// use retrograde::chess::material::Material;
///
/// let bytes = |material: &str| retrograde::verify::memory(material.parse::<Material>().unwrap());
/// assert!(bytes("KQRvKR") < 3 << 30);
/// assert!(bytes("KQRvKQR") < 8 << 30);
/// ```
#[must_use]
pub fn memory(subject: impl Into<Subject>) -> u64 {
    match subject.into() {
        Subject::Chess(material) => chess::memory_within(&material.normal_form(), AT_HAND),
        Subject::Xiangqi(_, material) => xiangqi::memory(&material.normal_form()),
    }
}

/// As [`memory`], for the tables that a directory has of a material, if of chess only materials are
/// in memory as a whole that take no more than `at_hand` bytes. Syzygy tables are not verified by
/// parts.
#[must_use]
pub fn memory_in(directory: &Path, subject: impl Into<Subject>, at_hand: u64) -> u64 {
    match subject.into() {
        Subject::Chess(material) => {
            let material = material.normal_form();
            let has_syzygy = !chess::asked_in(directory, &[material], Format::Syzygy).is_empty();
            let at_hand = if has_syzygy { u64::MAX } else { at_hand };
            chess::memory_within(&material, at_hand)
        }
        Subject::Xiangqi(_, material) => xiangqi::memory(&material.normal_form()),
    }
}

/// As [`memory`], for what [`Visit`] reads in a directory.
#[must_use]
pub fn memory_to_visit(directory: &Path, subject: impl Into<Subject>) -> u64 {
    match subject.into() {
        Subject::Chess(material) => {
            let material = material.normal_form();
            let rules = crate::chess::ChessRules::FiftyMoves;
            match chess::format_shown(directory, rules, &material) {
                Format::Native => memory(material),
                Format::Syzygy => memory_in(directory, material, AT_HAND),
            }
        }
        subject => memory(subject),
    }
}

/// Compares the checksums of the tables of some materials, and no values: what there is too little
/// [`memory`] for.
///
/// # Errors
///
/// If the caller cancelled. What is wrong with a table is part of the report.
pub fn verify_checksums<S: Copy + Into<Subject>>(
    directory: &Path,
    materials: &[S],
    cancel: &AtomicBool,
    observer: &dyn Observer,
) -> Result<Report, Error> {
    verify_checksums_of(directory, &subjects(materials), cancel, observer)
}

fn verify_checksums_of(
    directory: &Path,
    subjects: &[Subject],
    cancel: &AtomicBool,
    observer: &dyn Observer,
) -> Result<Report, Error> {
    let mut report = Report::default();
    let chess = of_chess(subjects);
    for format in FORMATS {
        let asked = chess::asked_in(directory, &chess, format);
        let run: chess::Run<'_, u8> =
            chess::Run::new(directory, format, (&[], AT_HAND), cancel, observer);
        for material in asked {
            observer.started(material.into());
            report.unreadable.extend(run.verify_checksums(&material)?);
            observer.advanced(chess::work(&material));
            observer.finished(material.into());
        }
    }
    for rules in Rules::ALL {
        let run = xiangqi::Run::new(directory, rules, cancel, observer);
        for material in of_xiangqi(subjects, rules) {
            let subject = Subject::Xiangqi(rules, material);
            observer.started(subject);
            report.unreadable.extend(run.verify_checksums(&material)?);
            observer.advanced(xiangqi::work(&material));
            observer.finished(subject);
        }
    }
    Ok(report)
}

/// Verifies the tables of some materials in a directory, of both games, all rules and formats: all
/// checksums, then all values, then what headers say of them.
///
/// The tables that their moves lead to are read as well, of chess those of the other format where
/// there are no others, and are trusted unless they are among `materials`.
///
/// # Errors
///
/// If the caller cancelled. What is wrong with a table is part of the report.
pub fn verify<S: Copy + Into<Subject>>(
    directory: &Path,
    materials: &[S],
    cancel: &AtomicBool,
    observer: &dyn Observer,
) -> Result<Report, Error> {
    verify_within(directory, materials, AT_HAND, cancel, observer)
}

/// As [`verify`], with another limit than [`AT_HAND`]. The report does not depend on it.
///
/// What does not fit waits in a file without a name, in the directory or, if that cannot be written
/// to, among the temporary files of the system.
///
/// # Errors
///
/// If the caller cancelled. What is wrong with a table is part of the report.
pub fn verify_within<S: Copy + Into<Subject>>(
    directory: &Path,
    materials: &[S],
    at_hand: u64,
    cancel: &AtomicBool,
    observer: &dyn Observer,
) -> Result<Report, Error> {
    verify_subjects(directory, &subjects(materials), at_hand, cancel, observer)
}

fn verify_subjects(
    directory: &Path,
    subjects: &[Subject],
    at_hand: u64,
    cancel: &AtomicBool,
    observer: &dyn Observer,
) -> Result<Report, Error> {
    let mut report = Report::default();
    let chess = of_chess(subjects);
    for format in FORMATS {
        let asked = chess::asked_in(directory, &chess, format);
        let verify = match chess::fits_bytes(directory, format, &asked) {
            true => verify_chess::<u8>,
            false => verify_chess::<u16>,
        };
        verify(
            directory,
            format,
            (&asked, at_hand),
            cancel,
            observer,
            &mut report,
        )?;
    }
    for rules in Rules::ALL {
        let asked = of_xiangqi(subjects, rules);
        let mut run = xiangqi::Run::new(directory, rules, cancel, observer);
        drive(&mut run, &asked, cancel, observer, &mut report)?;
    }
    Ok(report)
}

/// Verifies tables of chess, with distances to mate of one or two bytes in memory.
fn verify_chess<S: chess::Score>(
    directory: &Path,
    format: Format,
    (materials, at_hand): (&[Material], u64),
    cancel: &AtomicBool,
    observer: &dyn Observer,
    report: &mut Report,
) -> Result<(), Error> {
    let asked = (materials, at_hand);
    let mut run: chess::Run<'_, S> = chess::Run::new(directory, format, asked, cancel, observer);
    drive(&mut run, materials, cancel, observer, report)
}
