//! A graphics card as the solver sees it: memory of its own, and kernels that a thread runs for
//! each word.
//!
//! [`Card`] is all that anybody asks of one, so that the solver does not know whose it is.
//! `CudaCard` (feature `cuda`) is one of NVIDIA's. Tests run the same kernels on the processor.

#[cfg(feature = "cuda")]
#[allow(unsafe_code)]
mod cuda;

use std::fmt::Debug;
use std::io;

#[cfg(feature = "cuda")]
pub use cuda::CudaCard;

/// The kernels, as they are in `kernels.cu`; what their arguments are is said there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// The positions among some with a move into a set.
    Reach,
    /// Those without.
    Stay,
    /// Adds the positions among some with a move into a set of which most words are empty.
    Push,
    /// Takes a set away from another.
    TakeAway,
    /// Adds what two sets have in common to a third.
    AddSet,
    /// Adds a set that is encoded.
    AddEncoded,
    /// Which words are not empty.
    Mask,
    /// How many bytes words take when they are encoded.
    Measure,
    /// Where they begin, and how many there are.
    Sum,
    /// Encodes a set.
    Encode,
}

impl Kernel {
    /// All of them, each at its number.
    pub const ALL: [Kernel; 10] = [
        Kernel::Reach,
        Kernel::Stay,
        Kernel::Push,
        Kernel::TakeAway,
        Kernel::AddSet,
        Kernel::AddEncoded,
        Kernel::Mask,
        Kernel::Measure,
        Kernel::Sum,
        Kernel::Encode,
    ];

    /// Its name in `kernels.cu`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Kernel::Reach => "reach",
            Kernel::Stay => "stay",
            Kernel::Push => "push",
            Kernel::TakeAway => "take_away",
            Kernel::AddSet => "add_set",
            Kernel::AddEncoded => "add_encoded",
            Kernel::Mask => "mask",
            Kernel::Measure => "measure",
            Kernel::Sum => "sum",
            Kernel::Encode => "encode",
        }
    }

    /// What it does, in the words of an error.
    #[must_use]
    pub const fn doing(self) -> &'static str {
        match self {
            Kernel::Reach | Kernel::Stay | Kernel::Push => "looking for moves",
            Kernel::TakeAway | Kernel::AddSet | Kernel::AddEncoded => "changing a set",
            Kernel::Mask | Kernel::Measure | Kernel::Sum | Kernel::Encode => "encoding a set",
        }
    }
}

/// Threads of a card that do the same at the same time.
pub const WARP: usize = 32;

/// The most arguments of a kernel.
pub const ARGUMENTS: usize = 7;

/// Why a card did not do what was asked of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CardError {
    /// There is no driver.
    #[error("there is no driver for a graphics card (libcuda)")]
    NoDriver,
    /// There is a driver, and no card.
    #[error("the driver knows of no graphics card")]
    NoCard,
    /// What is to be done does not fit into the memory of the card.
    #[error("it takes {needed} bytes of the graphics card's memory, of which {free} are free")]
    TooLittleMemory {
        /// Bytes that are needed.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
    /// The kernels do not know boards of this kind.
    #[error("a graphics card does not know boards of this kind")]
    UnknownBoard,
    /// The driver said no.
    #[error("the graphics card failed while {doing} (CUDA error {code})")]
    Failed {
        /// What was being done.
        doing: &'static str,
        /// The driver's number of the error.
        code: u32,
    },
    /// Somebody reads or writes outside what is theirs on the card: an error of this program.
    #[error("{bytes} bytes at {offset} are outside a buffer on the graphics card")]
    Outside {
        /// Bytes from the beginning of the buffer.
        offset: u64,
        /// How many bytes.
        bytes: u64,
    },
}

impl From<CardError> for io::Error {
    fn from(error: CardError) -> io::Error {
        io::Error::other(error)
    }
}

impl CardError {
    /// What an error of reading or writing was made from.
    #[must_use]
    pub fn within(error: &io::Error) -> Option<CardError> {
        error.get_ref()?.downcast_ref().copied()
    }
}

/// A graphics card.
///
/// Addresses are those of the card. Kernels run one after the other, in the order in which they
/// were begun, and are done before anything is read. A card may be asked from several threads.
pub trait Card: Debug + Send + Sync {
    /// Bytes of memory that are free.
    ///
    /// # Errors
    ///
    /// If the card fails.
    fn free_bytes(&self) -> Result<u64, CardError>;

    /// The address of so many bytes, in which anything may stand.
    ///
    /// # Errors
    ///
    /// If there are not so many, or the card fails.
    fn allocate(&self, bytes: usize) -> Result<u64, CardError>;

    /// Gives back what was allocated.
    fn free(&self, address: u64);

    /// Makes bytes zero.
    ///
    /// # Errors
    ///
    /// If the card fails.
    fn clear(&self, address: u64, bytes: usize) -> Result<(), CardError>;

    /// Writes bytes to the card.
    ///
    /// # Errors
    ///
    /// If the card fails.
    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), CardError>;

    /// Reads bytes from the card, as many as there is room for.
    ///
    /// # Errors
    ///
    /// If the card fails, also in a kernel before.
    fn read(&self, address: u64, room: &mut [u8]) -> Result<(), CardError>;

    /// Runs a kernel in so many threads.
    ///
    /// # Errors
    ///
    /// If the card fails.
    fn run(
        &self,
        kernel: Kernel,
        threads: usize,
        arguments: [u64; ARGUMENTS],
    ) -> Result<(), CardError>;
}

/// Memory of a card, which is given back at the end.
#[derive(Debug)]
pub struct Buffer<'a> {
    card: &'a dyn Card,
    address: u64,
    bytes: usize,
}

impl<'a> Buffer<'a> {
    /// So many zeros.
    ///
    /// # Errors
    ///
    /// If there is no room, or the card fails.
    pub fn zeros(card: &'a dyn Card, bytes: usize) -> Result<Buffer<'a>, CardError> {
        let buffer = Buffer {
            card,
            address: card.allocate(bytes)?,
            bytes,
        };
        buffer.clear()?;
        Ok(buffer)
    }

    /// Its address on the card, for kernels.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Its length.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Where some of its bytes are on the card.
    fn part(&self, offset: usize, bytes: usize) -> Result<u64, CardError> {
        match offset.checked_add(bytes) {
            Some(end) if end <= self.bytes => Ok(self.address + offset as u64),
            _ => Err(CardError::Outside {
                offset: offset as u64,
                bytes: bytes as u64,
            }),
        }
    }

    /// Makes all of it zero.
    ///
    /// # Errors
    ///
    /// If the card fails.
    pub fn clear(&self) -> Result<(), CardError> {
        self.card.clear(self.address, self.bytes)
    }

    /// Writes bytes from an offset on.
    ///
    /// # Errors
    ///
    /// If they are too many, or the card fails.
    pub fn write(&self, offset: usize, bytes: &[u8]) -> Result<(), CardError> {
        self.card.write(self.part(offset, bytes.len())?, bytes)
    }

    /// Reads so many bytes from an offset on.
    ///
    /// # Errors
    ///
    /// If they are too many, or the card fails.
    pub fn read(&self, offset: usize, bytes: usize) -> Result<Vec<u8>, CardError> {
        let mut room = vec![0; bytes];
        self.read_into(offset, &mut room)?;
        Ok(room)
    }

    /// Reads bytes from an offset on, as many as there is room for.
    ///
    /// # Errors
    ///
    /// If they are too many, or the card fails.
    pub fn read_into(&self, offset: usize, room: &mut [u8]) -> Result<(), CardError> {
        self.card.read(self.part(offset, room.len())?, room)
    }
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        self.card.free(self.address);
    }
}
