//! Loops that all threads share.
//!
//! rayon compiles some twenty functions for each loop, with what the loop does in several of them:
//! that was a quarter of the library. Here is one loop for all; each task is a call through a
//! pointer, so a task has to be worth some microseconds.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

/// The one loop.
fn run(tasks: usize, task: &(dyn Fn(usize) + Sync)) {
    let numbers = (0..tasks).into_par_iter();
    numbers.with_max_len(1).for_each(task);
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
