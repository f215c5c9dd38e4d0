//! Reading and writing some atomic words as a whole, without a lock.
//!
//! ```text
//! writer                                reader
//! version: even -> odd, or give up      a = version, even, else nothing can be read
//! words                                 words
//! version: odd -> next even             b = version; what was read counts if a == b
//! ```
//!
//! If the reader sees a later word, it sees by the fences that the version is a later one too.
//! Versions have 64 bits and do not come round. A writer that finds another at work writes nothing.

use std::sync::atomic::{AtomicU64, Ordering, fence};

/// The version of some words, which are read and written with [`Ordering::Relaxed`]; odd while they
/// are being written.
#[derive(Debug, Default)]
pub struct Version(AtomicU64);

impl Version {
    /// The version, to be compared after reading; nothing if the words are being written.
    #[inline]
    pub fn begin(&self) -> Option<u64> {
        let before = self.0.load(Ordering::Acquire);
        (before & 1 == 0).then_some(before)
    }

    /// Whether nothing was written since [`begin`](Self::begin), so that what was read belongs
    /// together.
    #[inline]
    pub fn is_still(&self, before: u64) -> bool {
        fence(Ordering::Acquire);
        self.0.load(Ordering::Relaxed) == before
    }

    /// Writes, unless another thread is at it.
    pub fn write(&self, write: impl FnOnce()) {
        let version = self.0.load(Ordering::Relaxed);
        let odd = version | 1;
        let is_mine = version != odd
            && self
                .0
                .compare_exchange(version, odd, Ordering::Acquire, Ordering::Relaxed)
                .is_ok();
        if !is_mine {
            return;
        }
        // Whoever reads a word written below reads this version as well, or a later one.
        fence(Ordering::Release);
        write();
        self.0.store(odd + 1, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_while_it_is_written_does_not_count() {
        let version = Version::default();
        let before = version.begin().unwrap();
        assert!(version.is_still(before));
        version.write(|| {
            assert_eq!(version.begin(), None);
            assert!(!version.is_still(before));
            version.write(|| unreachable!("another one is at it"));
        });
        assert!(!version.is_still(before));
        assert!(version.begin().is_some_and(|after| after > before));
    }
}
