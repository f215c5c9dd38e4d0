//! Memory that may be refused, for what users or files choose the size of.

use std::alloc::{Layout, handle_alloc_error};

/// The system has no memory for something; so many bytes were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub bytes: u64,
}

impl Refused {
    /// Ends the process, as Rust does where memory is asked for in a way that cannot be refused.
    pub fn abort(self) -> ! {
        let bytes = usize::try_from(self.bytes).unwrap_or(usize::MAX);
        let layout = Layout::array::<u8>(bytes).unwrap_or(Layout::new::<u8>());
        handle_alloc_error(layout)
    }
}

/// An empty vector with room for some items.
pub(crate) fn reserved<T>(len: usize) -> Result<Vec<T>, Refused> {
    let mut items = Vec::new();
    let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
    match items.try_reserve_exact(len) {
        Ok(()) => Ok(items),
        Err(_) => Err(Refused { bytes }),
    }
}

/// Room for so many items more.
pub(crate) fn room<T>(items: &mut Vec<T>, more: usize) -> Result<(), Refused> {
    let bytes = (more as u64).saturating_mul(size_of::<T>() as u64);
    items.try_reserve(more).map_err(|_| Refused { bytes })
}

/// So many bytes that are zero, in place of those that are there.
pub(crate) fn zeroed(bytes: &mut Vec<u8>, len: usize) -> Result<(), Refused> {
    bytes.clear();
    room(bytes, len)?;
    bytes.resize(len, 0);
    Ok(())
}

/// So many items that are zero. The system clears their memory as they are written to, by whichever
/// thread does that.
#[cfg(feature = "generate")]
pub(crate) fn zeros<T: zerocopy::FromZeros>(len: usize) -> Result<Vec<T>, Refused> {
    let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
    T::new_vec_zeroed(len).map_err(|_| Refused { bytes })
}

/// All items of an iterator, each of which may be an error.
pub(crate) fn collected<T, E: From<Refused>>(
    items: impl IntoIterator<Item = Result<T, E>>,
) -> Result<Vec<T>, E> {
    let items = items.into_iter();
    let mut all = reserved(items.size_hint().0)?;
    for item in items {
        if all.len() == all.capacity() {
            room(&mut all, 1)?;
        }
        all.push(item?);
    }
    Ok(all)
}

/// All items of an iterator.
pub(crate) fn gathered<T>(items: impl IntoIterator<Item = T>) -> Result<Vec<T>, Refused> {
    collected(items.into_iter().map(Ok))
}

/// So many default items.
pub(crate) fn defaults<T: Default>(len: usize) -> Result<Box<[T]>, Refused> {
    let mut items = reserved(len)?;
    items.resize_with(len, T::default);
    Ok(items.into_boxed_slice())
}

/// As many default items as an array has.
pub(crate) fn array<T: Default, const N: usize>() -> Result<Box<[T; N]>, Refused> {
    let bytes = size_of::<[T; N]>() as u64;
    defaults(N)?.try_into().map_err(|_| Refused { bytes })
}

/// Whether the system would give so many bytes at once.
pub(crate) fn would_give(bytes: usize) -> Result<(), Refused> {
    reserved::<u8>(bytes).map(drop)
}
