//! Progress on stderr, and the wish to stop.

mod course;

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::{Result, anyhow};
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::FAILED;
pub use course::{Course, Doing, ProgressOptions, Total};

/// How often the bar is drawn where nothing moves, so that the clock goes on.
const TICK: Duration = Duration::from_millis(250);

/// A bar with rate and time left. Nothing is drawn unless stderr is a terminal.
pub fn bar(total: u64, unit: &str) -> ProgressBar {
    let template =
        format!("{{msg:10}} [{{bar:28}}] {{percent:>3}} %  {{rate}} {unit}/s, {{eta}} left");
    // The template is ours; should it ever be wrong, the default is drawn.
    let style = ProgressStyle::with_template(&template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .with_key("rate", |state: &ProgressState, out: &mut dyn Write| {
            // The bar has nobody to tell of a failure.
            let _ = write!(out, "{}", HumanCount(state.per_sec() as u64));
        })
        .progress_chars("=> ");
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    bar.set_style(style);
    bar.enable_steady_tick(TICK);
    bar
}

/// A bar for bytes that are read.
pub fn bytes(total: u64) -> ProgressBar {
    let bar = bar(total, "");
    let template =
        "{msg:10} [{bar:28}] {bytes} of {total_bytes}, {binary_bytes_per_sec}, {eta} left";
    // The template is ours; should it ever be wrong, that of `bar` is drawn.
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar
}

/// A line for work whose end nobody knows: what is set as its message, and the time. Nothing is
/// drawn unless stderr is a terminal.
pub fn spinner() -> ProgressBar {
    // The template is ours; should it ever be wrong, the default is drawn.
    let style = ProgressStyle::with_template("{spinner} {elapsed} {msg}")
        .unwrap_or_else(|_| ProgressStyle::default_spinner());
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    bar.set_style(style);
    bar.enable_steady_tick(TICK);
    bar
}

/// A flag that Ctrl-C and a kill set. The second time, the program ends at once; files are whole
/// even so.
///
/// # Errors
///
/// If the system refuses.
pub fn cancel_on_interrupt() -> Result<Arc<AtomicBool>> {
    let cancel = Arc::new(AtomicBool::new(false));
    on_interrupt(Arc::clone(&cancel), || ())?;
    Ok(cancel)
}

/// Such a flag for work that may be done several times.
///
/// # Errors
///
/// If the system refuses.
pub fn cancel_once() -> Result<Arc<AtomicBool>> {
    static CANCEL: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    if let Some(cancel) = CANCEL.get() {
        return Ok(Arc::clone(cancel));
    }
    let cancel = cancel_on_interrupt()?;
    Ok(Arc::clone(CANCEL.get_or_init(|| cancel)))
}

/// The same for work that has something to say of what it has done: a flag that is set at once, and
/// one that is set when the time for that is over.
///
/// # Errors
///
/// If the system refuses.
pub fn stop_on_interrupt(time: Duration) -> Result<[Arc<AtomicBool>; 2]> {
    let stop = Arc::new(AtomicBool::new(false));
    let cancel = Arc::new(AtomicBool::new(false));
    let later = Arc::clone(&cancel);
    on_interrupt(Arc::clone(&stop), move || {
        let later = Arc::clone(&later);
        // The handler has to be free for the next signal.
        std::thread::spawn(move || {
            std::thread::sleep(time);
            later.store(true, Ordering::Relaxed);
        });
    })?;
    Ok([stop, cancel])
}

fn on_interrupt(flag: Arc<AtomicBool>, first: impl Fn() + Send + 'static) -> Result<()> {
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(FAILED.into());
        }
        first();
    })
    .map_err(|error| {
        anyhow!("cannot watch for Ctrl-C: {error}; run the command from an ordinary shell")
    })
}

/// Makes all parallel work use so many threads; all the machine has if nothing is said.
///
/// # Errors
///
/// If the threads cannot be started.
pub fn use_threads(threads: Option<usize>) -> Result<()> {
    if let Some(threads) = threads {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global()
            .map_err(|error| {
                anyhow!("cannot start the threads: {error}; choose fewer with --threads")
            })?;
    }
    Ok(())
}
