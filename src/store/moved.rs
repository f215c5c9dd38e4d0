//! What a record says, for the scratch file of another process.
//!
//! ```text
//! u32                  how many numbers
//! u32                  how many parts
//! u32 each             numbers
//! u32 each             lengths of the parts
//! bytes                the parts, one after the other
//! ```

use std::io;

use super::{Part, Record, Scratch};

/// Takes a number off the front.
fn number(rest: &mut &[u8]) -> io::Result<u32> {
    let (number, others) = rest.split_first_chunk().ok_or(io::ErrorKind::InvalidData)?;
    *rest = others;
    Ok(u32::from_le_bytes(*number))
}

impl Scratch {
    /// A record, and what it says where it is, for [`import`](Self::import).
    ///
    /// # Errors
    ///
    /// Those of [`get`](Self::get).
    pub fn export(&self, record: &Record) -> io::Result<Vec<u8>> {
        let Record { numbers, parts } = record;
        let count = |len: usize| u32::try_from(len).map_err(|_| io::ErrorKind::FileTooLarge);
        let lens = parts.iter().map(|part| part.len() as u32);
        let head = [count(numbers.len())?, count(parts.len())?].into_iter();
        let head = head.chain(numbers.iter().copied()).chain(lens);
        let mut bytes: Vec<u8> = head.flat_map(u32::to_le_bytes).collect();
        for &part in parts {
            bytes.extend(self.get(part)?);
        }
        Ok(bytes)
    }

    /// Puts away here what another has exported: the same record, with other places.
    ///
    /// # Errors
    ///
    /// Those of [`put`](Self::put); [`io::ErrorKind::InvalidData`] if it is no such thing.
    pub fn import(&self, exported: &[u8]) -> io::Result<Record> {
        let mut rest = exported;
        let [numbers, parts] = [number(&mut rest)?, number(&mut rest)?];
        let mut take = |count: u32| (0..count).map(|_| number(&mut rest)).collect();
        let numbers: io::Result<Vec<u32>> = take(numbers);
        let lens: io::Result<Vec<u32>> = take(parts);
        let put = |len: u32| {
            let part = rest.split_at_checked(len as usize);
            let (part, others) = part.ok_or(io::ErrorKind::InvalidData)?;
            rest = others;
            match part {
                [] => Ok(Part::default()),
                part => self.put(part),
            }
        };
        let parts: io::Result<Vec<Part>> = lens?.into_iter().map(put).collect();
        let (numbers, parts) = (numbers?, parts?);
        match rest {
            [] => Ok(Record { numbers, parts }),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_arrive_with_their_parts_and_nothing_else_does() {
        let [here, there] = [(), ()].map(|()| Scratch::new(None).unwrap());
        there.put(b"what stands there before").unwrap();
        let parts = [&b"one"[..], b"", b"three"].map(|bytes| match bytes {
            [] => Part::default(),
            bytes => here.put(bytes).unwrap(),
        });
        let record = Record {
            numbers: vec![7, u32::MAX],
            parts: parts.to_vec(),
        };
        let exported = here.export(&record).unwrap();
        let imported = there.import(&exported).unwrap();
        assert_eq!(imported.numbers, record.numbers);
        assert_ne!(imported.parts, record.parts);
        let read = |scratch: &Scratch, record: &Record| -> Vec<Vec<u8>> {
            let parts = record.parts.iter();
            parts.map(|&part| scratch.get(part).unwrap()).collect()
        };
        assert_eq!(read(&there, &imported), read(&here, &record));
        for len in 0..exported.len() {
            assert!(there.import(&exported[..len]).is_err(), "{len}");
        }
        assert!(there.import(&[&exported[..], &[0]].concat()).is_err());
    }
}
