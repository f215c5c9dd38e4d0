//! Memory of frames that are not needed any more, for those that come next: what the system gives
//! it clears first, which takes as long as to fill it.

use std::sync::Arc;

use crate::parallel::Pool;

/// Memory for items of one kind.
#[derive(Debug)]
pub(in crate::verify) struct Spare<T>(Pool<Vec<T>>);

impl<T> Default for Spare<T> {
    fn default() -> Spare<T> {
        Spare(Pool::default())
    }
}

impl<T> Spare<T> {
    /// Memory for the next owner.
    pub fn put(&self, items: Vec<T>) {
        if items.capacity() > 0 {
            self.0.put(items);
        }
    }

    /// An owner's memory, with what it left there; an empty one if there is none.
    pub fn take(&self) -> Vec<T> {
        self.0.take().unwrap_or_default()
    }

    /// Gives all of it back.
    fn clear(&self) {
        while self.0.take().is_some() {}
    }
}

/// Spare memory of each kind, for frames of one size.
#[derive(Debug, Default)]
pub(in crate::verify) struct Spares {
    addresses: usize,
    /// For numbers in the order of a file.
    pub numbers: Arc<Spare<u8>>,
    /// For lines of results, and of mate scores of one byte.
    pub bytes: Arc<Spare<[u8; 64]>>,
    /// For lines of keys.
    pub keys: Arc<Spare<[i16; 64]>>,
    /// For lines of mate scores of two bytes.
    pub words: Arc<Spare<[u16; 64]>>,
}

impl Spares {
    /// Those for frames of so many addresses. What other frames left is given back.
    pub fn of(spares: &mut Arc<Spares>, addresses: usize) -> &Arc<Spares> {
        if spares.addresses != addresses {
            *spares = Arc::new(Spares {
                addresses,
                ..Spares::default()
            });
        }
        spares
    }

    /// Gives all of it back.
    pub fn clear(&self) {
        self.numbers.clear();
        self.bytes.clear();
        self.keys.clear();
        self.words.clear();
    }
}
