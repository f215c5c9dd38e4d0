//! Several processes that solve one slice together.
//!
//! Each rank has some of the slice's words and does with them what one process does with all. What
//! ranks have to tell each other is little: after each ply the newest positions from which others
//! may be reached, and whether anything was new at all. All of it goes through [`Ranks`], so that
//! this crate knows nothing of a network.

use std::fmt::Debug;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

/// One of several processes that solve a slice together, and its way to the others.
pub trait Ranks: Debug + Send + Sync {
    /// The number of this process, from 0 on.
    fn rank(&self) -> usize;

    /// How many processes there are.
    fn count(&self) -> usize;

    /// Gives each rank its bytes, and takes those that each has for this one. What a rank has for
    /// itself it gets back. All ranks call this equally often.
    ///
    /// # Errors
    ///
    /// If another rank is gone. What ranks solve together cannot go on then.
    fn swap(&self, outgoing: Vec<Vec<u8>>) -> io::Result<Vec<Vec<u8>>>;

    /// The same, for what was solved of a slice when its plies are done, so that it can be counted
    /// apart: it is as much as the scratch files hold.
    ///
    /// # Errors
    ///
    /// Those of [`swap`](Self::swap).
    fn gather(&self, outgoing: Vec<Vec<u8>>) -> io::Result<Vec<Vec<u8>>> {
        self.swap(outgoing)
    }

    /// What each rank says. All ranks call this equally often.
    ///
    /// # Errors
    ///
    /// Those of [`swap`](Self::swap).
    fn tell(&self, number: u64) -> io::Result<Vec<u64>> {
        let told = self.swap(vec![number.to_le_bytes().to_vec(); self.count()])?;
        let numbers = told
            .into_iter()
            .map(|bytes| match <[u8; 8]>::try_from(bytes) {
                Ok(bytes) => Ok(u64::from_le_bytes(bytes)),
                Err(_) => Err(io::ErrorKind::InvalidData.into()),
            });
        numbers.collect()
    }
}

/// A rank that is a thread of this process.
///
/// # Examples
///
/// ```
/// use retrograde::generate::{Ranks, ThreadRank};
///
/// let ranks = ThreadRank::all(3);
/// std::thread::scope(|scope| {
///     for rank in &ranks {
///         scope.spawn(move || assert_eq!(rank.tell(rank.rank() as u64 * 10).unwrap(), [0, 10, 20]));
///     }
/// });
/// ```
#[derive(Debug)]
pub struct ThreadRank {
    rank: usize,
    /// One for each rank.
    to: Vec<Sender<Vec<u8>>>,
    from: Mutex<Vec<Receiver<Vec<u8>>>>,
}

impl ThreadRank {
    /// So many ranks.
    #[must_use]
    pub fn all(count: usize) -> Vec<ThreadRank> {
        let mut ranks: Vec<ThreadRank> = (0..count)
            .map(|rank| ThreadRank {
                rank,
                to: Vec::new(),
                from: Mutex::default(),
            })
            .collect();
        for from in 0..count {
            for to in 0..count {
                let (sender, receiver) = channel();
                ranks[from].to.push(sender);
                let receivers = ranks[to].from.get_mut();
                receivers
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(receiver);
            }
        }
        ranks
    }
}

impl Ranks for ThreadRank {
    fn rank(&self) -> usize {
        self.rank
    }

    fn count(&self) -> usize {
        self.to.len()
    }

    fn swap(&self, outgoing: Vec<Vec<u8>>) -> io::Result<Vec<Vec<u8>>> {
        let is_gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        for (to, bytes) in self.to.iter().zip(outgoing) {
            to.send(bytes).map_err(|_| is_gone())?;
        }
        let from = self.from.lock().unwrap_or_else(PoisonError::into_inner);
        from.iter()
            .map(|from| from.recv().map_err(|_| is_gone()))
            .collect()
    }
}
