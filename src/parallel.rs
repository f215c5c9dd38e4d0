//! Loops that all threads share.
//!
//! rayon compiles some twenty functions for each loop, with what the loop does in several of them:
//! that was a quarter of the library. Here is one loop for all; each task is a call through a
//! pointer, so a task has to be worth some microseconds.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Thread;

use rayon::prelude::*;

/// The one loop.
fn run(tasks: usize, task: &(dyn Fn(usize) + Sync)) {
    let numbers = (0..tasks).into_par_iter();
    numbers.with_max_len(1).for_each(task);
}

/// Does something on one of the threads that share loops: a loop that another thread begins has to
/// wait for one of them to wake up.
pub(crate) fn inside<T: Send>(task: impl FnOnce() -> T + Send) -> T {
    rayon::scope(|_| task())
}

/// Does the tasks with the numbers below `tasks`, in any order.
pub(crate) fn each(tasks: usize, task: impl Fn(usize) + Sync) {
    run(tasks, &task);
}

/// What each task makes, in the order of their numbers.
pub(crate) fn map<T: Send>(tasks: usize, make: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let made: Vec<Place<T>> = (0..tasks).map(|_| Place::default()).collect();
    run(tasks, &|number| made[number].put(make(number)));
    made.into_iter().filter_map(Place::into_inner).collect()
}

/// The same for tasks that may fail; after an error no new ones are begun.
///
/// # Errors
///
/// That of the task with the smallest number, of those that failed.
pub(crate) fn try_map<T: Send, E: Send>(
    tasks: usize,
    make: impl Fn(usize) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let has_failed = AtomicBool::new(false);
    let made = map(tasks, |number| {
        if has_failed.load(Ordering::Relaxed) {
            return None;
        }
        let made = make(number);
        if made.is_err() {
            has_failed.store(true, Ordering::Relaxed);
        }
        Some(made)
    });
    made.into_iter().flatten().collect()
}

/// Does tasks that may fail; after an error no new ones are begun.
///
/// # Errors
///
/// As for [`try_map`].
pub(crate) fn try_each<E: Send>(
    tasks: usize,
    task: impl Fn(usize) -> Result<(), E> + Sync,
) -> Result<(), E> {
    try_map(tasks, task).map(drop)
}

/// Hands each item with its number to a task.
pub(crate) fn each_item<I: Send>(
    items: impl IntoIterator<Item = I>,
    task: impl Fn(usize, I) + Sync,
) {
    map_items(items, task);
}

/// The same for tasks that may fail; after an error no new ones are begun.
///
/// # Errors
///
/// As for [`try_map`].
pub(crate) fn try_each_item<I: Send, E: Send>(
    items: impl IntoIterator<Item = I>,
    task: impl Fn(usize, I) -> Result<(), E> + Sync,
) -> Result<(), E> {
    try_map_items(items, task).map(drop)
}

/// What is made of each item, in their order.
pub(crate) fn map_items<I: Send, T: Send>(
    items: impl IntoIterator<Item = I>,
    make: impl Fn(usize, I) -> T + Sync,
) -> Vec<T> {
    let items: Vec<Place<I>> = items.into_iter().map(Place::with).collect();
    let made = map(items.len(), |number| {
        let item = items[number].take();
        item.map(|item| make(number, item))
    });
    made.into_iter().flatten().collect()
}

/// The same where that may fail; after an error no new items are begun.
///
/// # Errors
///
/// As for [`try_map`].
pub(crate) fn try_map_items<I: Send, T: Send, E: Send>(
    items: impl IntoIterator<Item = I>,
    make: impl Fn(usize, I) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let items: Vec<Place<I>> = items.into_iter().map(Place::with).collect();
    let made = try_map(items.len(), |number| {
        let item = items[number].take();
        item.map(|item| make(number, item)).transpose()
    });
    Ok(made?.into_iter().flatten().collect())
}

/// How many items are prepared before anybody has begun with them.
const AHEAD: usize = 4;

/// The same for items that are begun in their order, while one more thread prepares those that come
/// next, as reading what they need from a disk does. What is begun before it was prepared is not
/// prepared.
///
/// # Errors
///
/// That of one of the tasks that failed.
pub(crate) fn try_map_items_ahead<I: Send, T: Send, E: Send>(
    items: impl IntoIterator<Item = I>,
    prepare: impl Fn(usize) + Sync,
    make: impl Fn(usize, I) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let items: Vec<Place<I>> = items.into_iter().map(Place::with).collect();
    let (begun, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let prepare_all = || {
        for number in 0..items.len() {
            while number >= begun.load(Ordering::Relaxed) + AHEAD {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                std::thread::park();
            }
            if number >= begun.load(Ordering::Relaxed) {
                prepare(number);
            }
        }
    };
    let mut made = std::thread::scope(|scope| {
        // Without such a thread everything takes longer, and that is all.
        let preparing = std::thread::Builder::new().spawn_scoped(scope, prepare_all);
        let preparing = Preparing {
            thread: preparing.ok().map(|thread| thread.thread().clone()),
            is_over: &is_over,
        };
        try_map(items.len(), |_| {
            let number = begun.fetch_add(1, Ordering::Relaxed);
            preparing.go_on();
            let item = items[number].take();
            let made = item.map(|item| make(number, item)).transpose();
            made.map(|made| made.map(|made| (number, made)))
        })
    })?;
    made.sort_by_key(|made| made.as_ref().map(|&(number, _)| number));
    Ok(made.into_iter().flatten().map(|(_, made)| made).collect())
}

/// The thread that prepares items, if there is one. It ends with this, however that comes about.
struct Preparing<'a> {
    thread: Option<Thread>,
    is_over: &'a AtomicBool,
}

impl Preparing<'_> {
    fn go_on(&self) {
        if let Some(thread) = &self.thread {
            thread.unpark();
        }
    }
}

impl Drop for Preparing<'_> {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.go_on();
    }
}

/// Where one thread puts something and another finds it.
struct Place<T>(Mutex<Option<T>>);

impl<T> Default for Place<T> {
    fn default() -> Place<T> {
        Place(Mutex::new(None))
    }
}

impl<T> Place<T> {
    fn with(item: T) -> Place<T> {
        Place(Mutex::new(Some(item)))
    }

    fn put(&self, item: T) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(item);
    }

    fn take(&self) -> Option<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn into_inner(self) -> Option<T> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Things that are made for a task and used again by later ones: no more than there were tasks at
/// the same time.
#[derive(Debug)]
pub(crate) struct Pool<T>(Mutex<Vec<T>>);

impl<T> Default for Pool<T> {
    fn default() -> Pool<T> {
        Pool(Mutex::new(Vec::new()))
    }
}

impl<T> Pool<T> {
    /// Puts one in, for whoever is next.
    pub fn put(&self, item: T) {
        self.items().push(item);
    }

    /// Takes one out, if one is there.
    pub fn take(&self) -> Option<T> {
        self.items().pop()
    }

    /// Lends one to a task, made if none is there.
    pub fn lend<O>(&self, make: impl FnOnce() -> T, task: impl FnOnce(&mut T) -> O) -> O {
        let mut lent = self.take().unwrap_or_else(make);
        let done = task(&mut lent);
        self.put(lent);
        done
    }

    fn items(&self) -> MutexGuard<'_, Vec<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_begun_in_order_and_prepared_at_most_once() {
        let prepared: Vec<AtomicUsize> = (0..100).map(|_| AtomicUsize::new(0)).collect();
        let made = try_map_items_ahead(
            10..110,
            |number| {
                prepared[number].fetch_add(1, Ordering::Relaxed);
            },
            |number, item| Ok::<_, ()>((number, item)),
        );
        let expected: Vec<(usize, usize)> = (0..100).map(|number| (number, number + 10)).collect();
        assert_eq!(made.unwrap(), expected);
        let counts = prepared.into_iter().map(AtomicUsize::into_inner);
        assert!(counts.max() <= Some(1));
        let failed = try_map_items_ahead(
            0..100,
            |_| {},
            |number, _| match number {
                50 => Err(number),
                _ => Ok(()),
            },
        );
        assert_eq!(failed, Err(50));
    }

    #[test]
    fn what_is_made_is_in_order() {
        assert_eq!(
            map(1000, |number| 3 * number),
            Vec::from_iter((0..3000).step_by(3))
        );
        assert!(map(0, |number| number).is_empty());
        let mut words = [0_u64; 1001];
        each_item(words.chunks_mut(100), |number, words| {
            words.fill(number as u64)
        });
        assert!((0..1001).all(|at| words[at] == at as u64 / 100));
        let boxes = (0..50).map(Box::new);
        let sums = map_items(boxes, |number, item: Box<usize>| number + *item);
        assert_eq!(sums, Vec::from_iter((0..100).step_by(2)));
    }

    #[test]
    fn an_error_ends_the_loop() {
        let begun = Mutex::new(0);
        let failed = try_map(100_000, |number| {
            *begun.lock().unwrap() += 1;
            if number % 100 == 99 {
                Err(number)
            } else {
                Ok(number)
            }
        });
        assert_eq!(failed.unwrap_err() % 100, 99);
        assert!(*begun.lock().unwrap() < 100_000);
        assert_eq!(try_map(10, Ok::<usize, ()>), Ok(Vec::from_iter(0..10)));
        let mut taken = [false; 20];
        let all = try_each_item(taken.iter_mut(), |number, taken| {
            *taken = true;
            if number < 20 { Ok(()) } else { Err(()) }
        });
        assert_eq!((all, taken), (Ok(()), [true; 20]));
    }

    #[test]
    fn what_is_lent_is_used_again() {
        let pool = Pool::default();
        let made = Mutex::new(0);
        let make = || *made.lock().unwrap() += 1;
        each(1000, |_| pool.lend(make, |()| ()));
        assert!((1..=rayon::current_num_threads()).contains(&*made.lock().unwrap()));
    }
}
