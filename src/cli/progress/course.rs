//! The course of a long command over many materials: how many are done, what is done now, how fast,
//! how long yet.

use std::fs::File;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use clap::{Args, ValueEnum};
use indicatif::{HumanBytes, HumanCount, HumanDuration, ProgressBar, ProgressStyle};
use retrograde::generate::ScratchInUse;
use serde::Serialize;
use tracing::Dispatch;
use tracing::dispatcher::with_default;

use super::super::memory;
use super::TICK;

/// How often there is a line where no material is finished.
const MINUTE: Duration = Duration::from_secs(60);
/// How often programs are told.
const SECOND: Duration = Duration::from_secs(1);
/// What an estimate weighs against what is measured: as much as this part of its time.
const WEIGHT_OF_ESTIMATE: f64 = 0.02;
/// Materials in work that are named in a line.
const NAMED: usize = 2;

/// Where progress goes, and in which form.
#[derive(Clone, Debug, Default, Args)]
pub struct ProgressOptions {
    /// Show no progress
    #[arg(long, conflicts_with = "progress")]
    quiet: bool,

    /// How to show progress, on stderr [default: a bar on a terminal; elsewhere lines, if it is
    /// likely to take more than half a minute]
    #[arg(long, value_name = "FORM", value_enum)]
    progress: Option<Form>,

    /// Write progress, with the time of day, to the end of this file as well
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// A line that is drawn again and again
    Bar,
    /// A line for each material, and one a minute
    Lines,
    /// A JSON object in a line for each material, and one a second
    Json,
}

/// All that there is to do.
#[derive(Clone, Copy, Debug)]
pub struct Total {
    /// Materials.
    pub materials: usize,
    /// Positions, as they are counted by [`Course::advance`].
    pub positions: u64,
    /// What it costs, in the unit of [`Course::credit`].
    pub costs: f64,
    /// Seconds it is likely to take, where that is known before.
    pub estimate: Option<f64>,
    /// Whether it takes so long that lines are of use.
    pub is_long: bool,
}

/// What is done with a material.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "doing", rename_all = "lowercase")]
pub enum Doing {
    /// Reading what its moves lead to.
    Preparing,
    /// Finding the positions at a number of plies.
    Solving {
        /// The distances that are found.
        metric: &'static str,
        /// Plies that are done.
        plies: u32,
    },
    /// Going on where a program was stopped, after so many plies.
    GoingOn {
        /// The distances that were found.
        metric: &'static str,
        /// Plies that are not done again.
        plies: u32,
    },
    /// Going on where a program was stopped, with some slices done.
    #[serde(rename = "goingon")]
    WithSlices {
        /// Slices that are not done again.
        slices: usize,
        /// Of so many.
        all_slices: usize,
    },
    /// Writing a file.
    Writing {
        /// What the file stores.
        metric: &'static str,
    },
    /// Reading the values that others lead to.
    Reading,
    /// Comparing checksums.
    Checksums,
    /// Comparing values.
    Values,
}

impl std::fmt::Display for Doing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Doing::Preparing => f.write_str("preparing"),
            Doing::Solving { metric, plies } => write!(f, "{metric} ply {plies}"),
            Doing::GoingOn { metric, plies } => write!(f, "goes on after {metric} ply {plies}"),
            Doing::WithSlices { slices, all_slices } => {
                write!(f, "goes on after {slices} of {all_slices} slices")
            }
            Doing::Writing { metric } => write!(f, "writing {metric}"),
            Doing::Reading => f.write_str("reading"),
            Doing::Checksums => f.write_str("checksums"),
            Doing::Values => f.write_str("values"),
        }
    }
}

/// A material in work.
#[derive(Clone, Debug, Serialize)]
struct InWork {
    material: String,
    #[serde(flatten)]
    doing: Doing,
}

impl std::fmt::Display for InWork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.material, self.doing)
    }
}

/// What is known of the course.
#[derive(Debug)]
struct State {
    total: Total,
    start: Instant,
    finished: usize,
    positions: u64,
    /// Costs of what is done, and when that was.
    costs: f64,
    credited: Instant,
    in_work: Vec<InWork>,
}

impl State {
    /// Seconds for all that is left. Between two parts whose costs are known the clock runs.
    fn seconds_left(&self) -> Option<f64> {
        let measured = (self.credited - self.start).as_secs_f64();
        let open = (self.total.costs - self.costs).max(0.0);
        let a_cost = match self.total.estimate {
            Some(estimate) if estimate > 0.0 => {
                let weight = estimate * WEIGHT_OF_ESTIMATE;
                let of_estimate = self.total.costs / estimate;
                (measured + weight) / (self.costs + weight * of_estimate)
            }
            _ if self.costs > 0.0 => measured / self.costs,
            _ => return None,
        };
        Some((a_cost * open - self.credited.elapsed().as_secs_f64()).max(0.0))
    }

    /// What is to be told now.
    fn report<'a>(
        &'a self,
        event: Event,
        done: Option<Done<'a>>,
        scratch: Option<u64>,
    ) -> Report<'a> {
        let seconds = self.start.elapsed().as_secs_f64();
        Report {
            event,
            done,
            finished: self.finished.min(self.total.materials),
            materials: self.total.materials,
            in_work: &self.in_work,
            positions: self.positions,
            all_positions: self.total.positions,
            positions_per_second: (self.positions as f64 / seconds.max(1e-3)) as u64,
            seconds,
            seconds_left: match event {
                Event::Ended => Some(0.0),
                _ => self.seconds_left(),
            },
            memory: memory::in_use(),
            scratch,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Event {
    Begun,
    Running,
    Finished,
    Ended,
    Stopped,
}

/// A material that was finished.
#[derive(Clone, Copy, Debug, Serialize)]
struct Done<'a> {
    material: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
}

/// One line for programs; as text, for people.
#[derive(Debug, Serialize)]
struct Report<'a> {
    event: Event,
    #[serde(flatten)]
    done: Option<Done<'a>>,
    finished: usize,
    materials: usize,
    in_work: &'a [InWork],
    positions: u64,
    all_positions: u64,
    positions_per_second: u64,
    seconds: f64,
    seconds_left: Option<f64>,
    memory: Option<u64>,
    scratch: Option<u64>,
}

impl std::fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {}", self.finished, self.materials)?;
        match self.done {
            Some(Done { material, bytes }) => {
                write!(f, ": {material} finished")?;
                if let Some(bytes) = bytes {
                    write!(f, ", {}", HumanBytes(bytes))?;
                }
            }
            None => {
                for (number, material) in self.in_work.iter().take(NAMED).enumerate() {
                    write!(f, "{} {material}", if number == 0 { ":" } else { "," })?;
                }
                let more = self.in_work.len().saturating_sub(NAMED);
                if more > 0 {
                    write!(f, " and {more} more")?;
                }
            }
        }
        write!(f, "; {}/s", HumanCount(self.positions_per_second))?;
        if let Some(memory) = self.memory {
            write!(f, ", {}", HumanBytes(memory))?;
        }
        if let Some(scratch) = self.scratch.filter(|&bytes| bytes > 0) {
            write!(f, ", {} of scratch and work files", HumanBytes(scratch))?;
        }
        match (self.event, self.seconds_left) {
            (Event::Ended | Event::Stopped, _) => {
                let seconds = Duration::from_secs_f64(self.seconds);
                write!(f, ", done after {}", HumanDuration(seconds))
            }
            (_, Some(seconds)) => {
                let seconds = Duration::from_secs_f64(seconds.max(1.0));
                write!(f, ", {} left", HumanDuration(seconds))
            }
            (_, None) => Ok(()),
        }
    }
}

/// Shows the course of a command, from any thread.
pub struct Course {
    shared: Arc<Shared>,
    /// Tells the clock that it is over, by being dropped.
    over: Option<Sender<()>>,
    clock: Option<JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
    bar: Option<ProgressBar>,
    form: Option<Form>,
    log: Option<Dispatch>,
    /// Nothing where scratch files do not count.
    scratch: Option<ScratchInUse>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes of scratch and work files, which takes a while: not to be asked for by whoever holds
    /// the state.
    fn scratch(&self) -> Option<u64> {
        self.scratch.as_ref().map(ScratchInUse::bytes)
    }

    /// Tells everyone what is known now.
    fn tell_now(&self, event: Event) {
        let scratch = self.scratch();
        self.tell(&self.state().report(event, None, scratch));
    }

    /// Tells everyone.
    fn tell(&self, report: &Report<'_>) {
        // The clock of a bar ticks often.
        let is_event = report.event != Event::Running || self.bar.is_none();
        if let (Some(log), true) = (&self.log, is_event) {
            with_default(log, || tracing::info!("{report}"));
        }
        match (&self.bar, self.form) {
            (Some(bar), _) => {
                let left = report.seconds_left.unwrap_or(f64::INFINITY);
                let part = report.seconds / (report.seconds + left).max(1e-3);
                bar.set_position((part * 1000.0) as u64);
                bar.set_message(report.to_string());
            }
            // Whoever does not listen has nothing to lose.
            (None, Some(Form::Json)) => {
                let line = serde_json::to_string(report).unwrap_or_default();
                let _ = writeln!(std::io::stderr(), "{line}");
            }
            (None, Some(Form::Lines)) => {
                let _ = writeln!(std::io::stderr(), "{report}");
            }
            (None, _) => {}
        }
    }

    /// How often something is told.
    fn interval(&self) -> Duration {
        match self.form {
            Some(Form::Bar) => TICK,
            Some(Form::Json) => SECOND,
            Some(Form::Lines) | None => MINUTE,
        }
    }
}

impl Course {
    /// Begins; `scratch` knows of scratch files, where they count.
    ///
    /// # Errors
    ///
    /// If the log cannot be written.
    pub fn begin(
        options: &ProgressOptions,
        total: Total,
        scratch: Option<ScratchInUse>,
    ) -> Result<Course> {
        let form = match options.progress {
            _ if options.quiet => None,
            Some(form) => Some(form),
            None if std::io::stderr().is_terminal() => Some(Form::Bar),
            None => total.is_long.then_some(Form::Lines),
        };
        let log = options.log.as_ref().map(|path| -> Result<Dispatch> {
            let file = File::options().create(true).append(true).open(path);
            let file = file.map_err(|error| {
                let path = path.display();
                anyhow!("cannot write {path}: {error}; name another file with --log")
            })?;
            let log = tracing_subscriber::fmt()
                .with_writer(Mutex::new(file))
                .with_ansi(false)
                .with_target(false);
            Ok(log.finish().into())
        });
        let now = Instant::now();
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                total,
                start: now,
                finished: 0,
                positions: 0,
                costs: 0.0,
                credited: now,
                in_work: Vec::new(),
            }),
            bar: (form == Some(Form::Bar)).then(bar),
            form,
            log: log.transpose()?,
            scratch,
        });
        shared.tell_now(Event::Begun);
        let (over, is_over) = mpsc::channel::<()>();
        let of_clock = Arc::clone(&shared);
        let clock = std::thread::spawn(move || {
            let interval = of_clock.interval();
            while is_over.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                of_clock.tell_now(Event::Running);
            }
        });
        Ok(Course {
            shared,
            over: Some(over),
            clock: Some(clock),
        })
    }

    /// Something else is done with a material.
    pub fn is_at(&self, material: &str, doing: Doing) {
        let mut state = self.shared.state();
        let mut in_work = state.in_work.iter_mut();
        match in_work.find(|in_work| in_work.material == material) {
            Some(in_work) => in_work.doing = doing,
            None => state.in_work.push(InWork {
                material: material.to_owned(),
                doing,
            }),
        }
    }

    /// Nothing is done with a material any more, which was only needed.
    pub fn leave(&self, material: &str) {
        let mut state = self.shared.state();
        (state.in_work).retain(|in_work| in_work.material != material);
    }

    /// Work on a material goes on where a program was stopped. Everyone is told at once.
    pub fn goes_on(&self, material: &str, doing: Doing) {
        self.is_at(material, doing);
        self.shared.tell_now(Event::Running);
    }

    /// Says what is neither an error nor an answer.
    pub fn say(&self, sentence: &str) {
        if let Some(log) = &self.shared.log {
            with_default(log, || tracing::warn!("{sentence}"));
        }
        let say = || eprintln!("retrograde: {sentence}");
        match &self.shared.bar {
            Some(bar) => bar.suspend(say),
            None => say(),
        }
    }

    /// So many more positions are done.
    pub fn advance(&self, positions: u64) {
        self.shared.state().positions += positions;
    }

    /// A part is done whose costs were among all costs.
    pub fn credit(&self, costs: f64) {
        let mut state = self.shared.state();
        state.costs += costs;
        state.credited = Instant::now();
    }

    /// A material is finished; its files have so many bytes, where it has some.
    pub fn finish(&self, material: &str, bytes: Option<u64>) {
        let scratch = self.shared.scratch();
        let mut state = self.shared.state();
        state.finished += 1;
        (state.in_work).retain(|in_work| in_work.material != material);
        let done = Done { material, bytes };
        self.shared
            .tell(&state.report(Event::Finished, Some(done), scratch));
    }

    /// Ends, well or not.
    pub fn end(mut self, is_well: bool) {
        self.stop_clock();
        let event = if is_well {
            Event::Ended
        } else {
            Event::Stopped
        };
        self.shared.tell_now(event);
        if let Some(bar) = &self.shared.bar {
            bar.finish_and_clear();
        }
    }

    fn stop_clock(&mut self) {
        drop(self.over.take());
        if let Some(clock) = self.clock.take() {
            // It has nothing to panic of, and nothing to say.
            let _ = clock.join();
        }
    }
}

impl Drop for Course {
    fn drop(&mut self) {
        self.stop_clock();
    }
}

/// A bar in thousandths, with all that is known behind it.
fn bar() -> ProgressBar {
    let bar = ProgressBar::new(1000);
    // The template is ours; should it ever be wrong, the default is drawn.
    if let Ok(style) = ProgressStyle::with_template("[{bar:20}] {wide_msg}") {
        bar.set_style(style.progress_chars("=> "));
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(total: Total, seconds: f64, costs: f64) -> State {
        let credited = Instant::now();
        State {
            total,
            start: credited - Duration::from_secs_f64(seconds),
            finished: 0,
            positions: 0,
            costs,
            credited,
            in_work: Vec::new(),
        }
    }

    #[test]
    fn time_left_follows_from_costs() {
        let total = Total {
            materials: 3,
            positions: 100,
            costs: 200.0,
            estimate: Some(100.0),
            is_long: true,
        };
        let left = |state: State| state.seconds_left().unwrap().round();
        // Nothing is measured: what was estimated.
        assert_eq!(left(state(total, 0.0, 0.0)), 100.0);
        // A machine as fast as was estimated, and one half as fast.
        assert_eq!(left(state(total, 50.0, 100.0)), 50.0);
        assert_eq!(left(state(total, 100.0, 100.0)), 98.0);
        // Without an estimate, nothing is known before something is done.
        let unknown = Total {
            estimate: None,
            ..total
        };
        assert_eq!(state(unknown, 3.0, 0.0).seconds_left(), None);
        assert_eq!(left(state(unknown, 30.0, 50.0)), 90.0);
    }
}
