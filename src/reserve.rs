//! Memory that may be refused, for what users or files choose the size of.

/// The system has no memory for something; so many bytes were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub bytes: u64,
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

/// So many default items.
pub(crate) fn defaults<T: Default>(len: usize) -> Result<Box<[T]>, Refused> {
    let mut items = reserved(len)?;
    items.resize_with(len, T::default);
    Ok(items.into_boxed_slice())
}

/// Whether the system would give so many bytes at once.
pub(crate) fn would_give(bytes: usize) -> Result<(), Refused> {
    reserved::<u8>(bytes).map(drop)
}
