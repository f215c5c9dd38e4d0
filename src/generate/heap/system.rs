//! What is asked of the system: whole pages on Linux, and nothing elsewhere.

pub(in crate::generate) use own::give_back;
pub(super) use own::{lengthen, map, unmap};

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod own {
    use std::ptr::null_mut;

    /// New pages, all zero; null if the system has none.
    #[allow(unsafe_code)]
    pub fn map(bytes: usize) -> *mut u8 {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping wherever the system has room takes nothing from anybody.
        let memory = unsafe { libc::mmap(null_mut(), bytes, access, kind, -1, 0) };
        if memory == libc::MAP_FAILED {
            null_mut()
        } else {
            memory.cast()
        }
    }

    /// Gives pages that came from [`map`] back.
    ///
    /// # Safety
    ///
    /// Nobody may use them any more.
    #[allow(unsafe_code)]
    pub unsafe fn unmap(memory: *mut u8, bytes: usize) {
        // SAFETY: the caller promises what it asks for.
        unsafe {
            libc::munmap(memory.cast(), bytes);
        }
    }

    /// Moves pages that came from [`map`] to where there is room for more, without a copy; null,
    /// and nothing has changed, if the system cannot do that.
    ///
    /// # Safety
    ///
    /// They must belong to the caller, who does not use them where they were afterwards.
    #[allow(unsafe_code)]
    pub unsafe fn lengthen(memory: *mut u8, old: usize, new: usize) -> *mut u8 {
        // SAFETY: the caller promises what it asks for.
        let longer = unsafe { libc::mremap(memory.cast(), old, new, libc::MREMAP_MAYMOVE) };
        if longer == libc::MAP_FAILED {
            null_mut()
        } else {
            longer.cast()
        }
    }

    /// Returns what nobody uses, of all threads, as far as the allocator of the system can say so.
    /// Takes some milliseconds.
    #[allow(unsafe_code)]
    pub fn give_back() {
        // SAFETY: it takes no pointer, may be called from any thread at any time, and leaves alone
        // what is in use.
        unsafe {
            libc::malloc_trim(0);
        }
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod own {
    use std::ptr::null_mut;

    /// There are no pages to be had: the allocator of the system has all memory.
    pub fn map(_: usize) -> *mut u8 {
        null_mut()
    }

    /// Nothing came from [`map`].
    ///
    /// # Safety
    ///
    /// As it does nothing, nothing can go wrong.
    #[allow(unsafe_code)]
    pub unsafe fn unmap(_: *mut u8, _: usize) {}

    /// Nothing came from [`map`].
    ///
    /// # Safety
    ///
    /// As it does nothing, nothing can go wrong.
    #[allow(unsafe_code)]
    pub unsafe fn lengthen(_: *mut u8, _: usize, _: usize) -> *mut u8 {
        null_mut()
    }

    /// Other allocators do it without being asked, or cannot be asked.
    pub fn give_back() {}
}
