//! Work that takes long: the interpreter goes on meanwhile, and Ctrl-C ends it.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{panic, thread};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// How often signals are looked at.
const INTERVAL: Duration = Duration::from_millis(50);

/// More threads than any machine has use for.
const MAX_THREADS: usize = 1024;

/// How many threads, one for each processor if nothing is said.
///
/// # Errors
///
/// `ValueError` if the number makes no sense.
pub fn threads(wanted: Option<i64>) -> PyResult<usize> {
    match wanted {
        None => Ok(thread::available_parallelism()
            .map_or(1, NonZero::get)
            .min(MAX_THREADS)),
        Some(wanted) => match usize::try_from(wanted) {
            Ok(threads @ 1..=MAX_THREADS) => Ok(threads),
            _ => Err(PyValueError::new_err(format!(
                "threads is {wanted}; give a number from 1 to {MAX_THREADS}"
            ))),
        },
    }
}

/// Whether the work is done.
#[derive(Default)]
struct Done {
    is_done: Mutex<bool>,
    changed: Condvar,
}

impl Done {
    fn lock(&self) -> MutexGuard<'_, bool> {
        self.is_done.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_a_little(&self) -> bool {
        let waited = (self.changed).wait_timeout_while(self.lock(), INTERVAL, |is_done| !*is_done);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Says that the work is done, also where it ended by a panic.
struct SaysSo<'a>(&'a Done);

impl Drop for SaysSo<'_> {
    fn drop(&mut self) {
        *self.0.lock() = true;
        self.0.changed.notify_all();
    }
}

/// Does `work` on threads of its own, without the lock of the interpreter. This thread looks at
/// signals and calls `tell` meanwhile; if either is an exception, the flag that `work` is given is
/// set, and when `work` has returned the exception is raised.
///
/// The threads are there for this one call. So nothing is left that a forked process would lack.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce(&AtomicBool) -> T + Send,
    mut tell: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    let no_threads = |error: &dyn std::fmt::Display| {
        PyRuntimeError::new_err(format!("no threads to work on: {error}; ask for fewer"))
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| no_threads(&error))?;
    let (cancel, done) = (AtomicBool::new(false), Done::default());
    thread::scope(|scope| {
        let worker = thread::Builder::new().spawn_scoped(scope, || {
            let _says_so = SaysSo(&done);
            pool.install(|| work(&cancel))
        });
        let worker = worker.map_err(|error| no_threads(&error))?;
        let mut problem = None;
        while !py.detach(|| done.wait_a_little()) {
            if problem.is_none()
                && let Err(error) = py.check_signals().and_then(|()| tell(py))
            {
                problem = Some(error);
                cancel.store(true, Ordering::Relaxed);
            }
        }
        match py.detach(|| worker.join()) {
            Err(payload) => panic::resume_unwind(payload),
            Ok(_) if problem.is_some() => Err(problem.unwrap_or_else(|| no_threads(&"none"))),
            Ok(result) => Ok(result),
        }
    })
}
