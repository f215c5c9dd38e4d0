//! Bytes of a stream that wait until the file is written.

use std::io;
use std::sync::Arc;

use crate::store::{Part, Scratch};

/// Bytes that are put away at a time.
const PART: usize = 1 << 22;

/// Bytes that are added one after the other and read in this order, in memory or in a scratch file.
#[derive(Debug, Default)]
pub(crate) struct Spool {
    scratch: Option<Arc<Scratch>>,
    parts: Vec<Part>,
    /// What is not in the scratch file.
    rest: Vec<u8>,
    len: u64,
}

impl Spool {
    /// In a scratch file.
    pub fn in_scratch(scratch: Arc<Scratch>) -> Spool {
        Spool {
            scratch: Some(scratch),
            ..Spool::default()
        }
    }

    /// Bytes in it.
    pub fn len(&self) -> u64 {
        self.len
    }

    pub fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.rest.extend_from_slice(bytes);
        self.len += bytes.len() as u64;
        if let Some(scratch) = &self.scratch {
            while self.rest.len() >= PART {
                self.parts.push(scratch.put(&self.rest[..PART])?);
                self.rest.drain(..PART);
            }
        }
        Ok(())
    }

    /// Calls `visit` with all bytes in order, some at a time.
    pub fn read<E: From<io::Error>>(
        &self,
        mut visit: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        for &part in &self.parts {
            // Parts are in the scratch file that they were put into.
            let Some(scratch) = &self.scratch else { break };
            visit(&scratch.get(part)?)?;
        }
        visit(&self.rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_in_their_order() {
        let bytes: Vec<u8> = (0..2 * PART + 5_000)
            .map(|place| (place % 251) as u8)
            .collect();
        let scratch = Arc::new(Scratch::new(None).unwrap());
        for mut spool in [Spool::default(), Spool::in_scratch(scratch)] {
            for some in bytes.chunks(PART / 3) {
                spool.push(some).unwrap();
            }
            assert_eq!(spool.len(), bytes.len() as u64);
            assert_eq!(
                spool.parts.len(),
                if spool.scratch.is_some() { 2 } else { 0 }
            );
            let mut read = Vec::new();
            spool
                .read(|some| {
                    read.extend_from_slice(some);
                    Ok::<(), io::Error>(())
                })
                .unwrap();
            assert!(read == bytes);
        }
    }
}
