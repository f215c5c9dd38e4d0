//! The way to the other ranks: the solver asks from whichever thread it runs on, and the main
//! thread, which alone calls MPI, answers.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use mpi::request::{Request, Scope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Source};
use retrograde::generate::Ranks;

/// Bytes of a message, at most: MPI counts in C's `int`, and large messages keep small ones
/// waiting.
const PIECE: usize = 64 << 20;

/// How often an answer is looked for before this rank sleeps, how long it sleeps at least and at
/// most, and which part of what it has waited so far.
const TRIES: u64 = 64;
const NAP: Duration = Duration::from_micros(20);
const LONGEST_NAP: Duration = Duration::from_millis(1);
const PART_OF_WAITING: u32 = 8;

/// How a message begins: its length, and its first bytes. Most messages are a number, and end
/// there.
type Head = [u8; 32];

/// Bytes of a message that go with its length.
const IN_HEAD: usize = size_of::<Head>() - size_of::<u64>();

/// This rank, as the solver sees it.
#[derive(Debug)]
pub struct Network {
    rank: usize,
    count: usize,
    link: Mutex<Option<Link>>,
    /// Bytes that this rank has sent to others so far, of plies and of what was solved.
    sent: AtomicU64,
    gathered: AtomicU64,
}

#[derive(Debug)]
struct Link {
    to: Sender<Vec<Vec<u8>>>,
    from: Receiver<Vec<Vec<u8>>>,
}

/// What the main thread answers.
#[derive(Debug)]
pub struct Requests {
    from: Receiver<Vec<Vec<u8>>>,
    to: Sender<Vec<Vec<u8>>>,
}

impl Network {
    /// The rank of that number, of so many.
    pub fn new(rank: usize, count: usize) -> (Network, Requests) {
        let (to_main, from_solver) = channel();
        let (to_solver, from_main) = channel();
        let link = Link {
            to: to_main,
            from: from_main,
        };
        let requests = Requests {
            from: from_solver,
            to: to_solver,
        };
        let network = Network {
            rank,
            count,
            link: Mutex::new(Some(link)),
            sent: AtomicU64::new(0),
            gathered: AtomicU64::new(0),
        };
        (network, requests)
    }

    /// Nothing more is asked.
    pub fn close(&self) {
        *self.link.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Bytes that this rank has sent to others so far, but for what was solved.
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Bytes of what was solved that this rank has sent to others so far.
    pub fn gathered(&self) -> u64 {
        self.gathered.load(Ordering::Relaxed)
    }

    fn swap_counted(&self, outgoing: Vec<Vec<u8>>, sent: &AtomicU64) -> io::Result<Vec<Vec<u8>>> {
        let others = outgoing
            .iter()
            .enumerate()
            .filter(|&(rank, _)| rank != self.rank);
        let bytes: usize = others.map(|(_, bytes)| bytes.len()).sum();
        sent.fetch_add(bytes as u64, Ordering::Relaxed);
        let link = self.link.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        let link = link.as_ref().ok_or_else(gone)?;
        link.to.send(outgoing).map_err(|_| gone())?;
        link.from.recv().map_err(|_| gone())
    }
}

impl Ranks for Network {
    fn rank(&self) -> usize {
        self.rank
    }

    fn count(&self) -> usize {
        self.count
    }

    fn swap(&self, outgoing: Vec<Vec<u8>>) -> io::Result<Vec<Vec<u8>>> {
        self.swap_counted(outgoing, &self.sent)
    }

    fn gather(&self, outgoing: Vec<Vec<u8>>) -> io::Result<Vec<Vec<u8>>> {
        self.swap_counted(outgoing, &self.gathered)
    }
}

impl Requests {
    /// Answers until nothing more is asked.
    pub fn serve(self, world: &SimpleCommunicator) {
        for outgoing in &self.from {
            if self.to.send(swapped(world, outgoing)).is_err() {
                return;
            }
        }
    }
}

/// Sends every rank its bytes and returns theirs.
fn swapped(world: &SimpleCommunicator, mut outgoing: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let own = world.rank() as usize;
    let kept = std::mem::take(&mut outgoing[own]);
    let heads: Vec<Head> = outgoing.iter().map(|bytes| head_of(bytes)).collect();
    let mut answers: Vec<Head> = vec![[0; size_of::<Head>()]; heads.len()];
    mpi::request::scope(|scope| {
        let (heads, answers) = (heads.as_flattened(), answers.as_flattened_mut());
        await_done(world.immediate_all_to_all_into(scope, heads, answers));
    });
    let mut incoming: Vec<Vec<u8>> = answers.iter().map(begun).collect();
    mpi::request::scope(|scope| {
        // Receivers first, so that nothing has to be put aside when it arrives.
        let mut receiving = Vec::new();
        for (rank, bytes) in incoming.iter_mut().enumerate() {
            for piece in after_head_mut(bytes).chunks_mut(PIECE) {
                let from = world.process_at_rank(rank as i32);
                receiving.push(from.immediate_receive_into(scope, piece));
            }
        }
        let mut sending = Vec::new();
        for (rank, bytes) in outgoing.iter().enumerate() {
            for piece in after_head(bytes).chunks(PIECE) {
                let to = world.process_at_rank(rank as i32);
                sending.push(to.immediate_send(scope, piece));
            }
        }
        receiving.into_iter().for_each(await_done);
        sending.into_iter().for_each(await_done);
    });
    incoming[own] = kept;
    incoming
}

fn head_of(bytes: &[u8]) -> Head {
    let mut head = Head::default();
    let (length, first) = head.split_at_mut(size_of::<u64>());
    length.copy_from_slice(&(bytes.len() as u64).to_le_bytes());
    let in_head = bytes.len().min(IN_HEAD);
    first[..in_head].copy_from_slice(&bytes[..in_head]);
    head
}

/// A message of which the head has arrived, with room for the rest.
fn begun(head: &Head) -> Vec<u8> {
    let mut length = [0; size_of::<u64>()];
    length.copy_from_slice(&head[..size_of::<u64>()]);
    let mut bytes = vec![0; u64::from_le_bytes(length) as usize];
    let in_head = bytes.len().min(IN_HEAD);
    bytes[..in_head].copy_from_slice(&head[size_of::<u64>()..][..in_head]);
    bytes
}

fn after_head(bytes: &[u8]) -> &[u8] {
    &bytes[bytes.len().min(IN_HEAD)..]
}

fn after_head_mut(bytes: &mut [u8]) -> &mut [u8] {
    let in_head = bytes.len().min(IN_HEAD);
    &mut bytes[in_head..]
}

/// Waits until all ranks have come this far.
pub fn await_all(world: &SimpleCommunicator) {
    await_done(world.immediate_barrier());
}

/// Waits for what may take long, since other ranks solve or write meanwhile, on processors that
/// this one may share with them. MPI's own ways to wait keep a processor busy.
fn await_done<'a, D: ?Sized, S: Scope<'a>>(mut request: Request<'a, D, S>) {
    let begin = Instant::now();
    for tries in 0u64.. {
        request = match request.test() {
            Ok(_) => return,
            Err(open) => open,
        };
        if tries < TRIES {
            thread::yield_now();
        } else {
            thread::sleep((begin.elapsed() / PART_OF_WAITING).clamp(NAP, LONGEST_NAP));
        }
    }
}
