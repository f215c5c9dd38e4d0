//! Memory from the system and back to it.
//!
//! The allocator of glibc keeps what lies between pieces that are still in use, and from material
//! to material more of it: with a limit of 2 GiB, 0.7 GiB were held by nothing after some thirty of
//! them, and the process was larger than was planned.
//!
//! What it does give back it asks for again with the next slice, 200 GB for all of five men, in
//! pages of 4 KiB each of which costs an interrupt: [`LargePages`].

use std::alloc::{GlobalAlloc, Layout, System};

use crate::store::prefer_large_pages_under;

/// Bytes of a piece of memory from which on large pages are asked for: those of one of them.
const LARGE: usize = 2 << 20;

/// The allocator of the system, with pages of 2 MiB under pieces of memory that have room for one.
///
/// For programs that generate tables:
///
/// ```
/// use retrograde::generate::LargePages;
///
/// #[global_allocator]
/// static ALLOCATOR: LargePages = LargePages;
/// ```
///
/// Whether there are such pages is for the system to say; on Linux they must be allowed for who
/// asks, as they are by default (`/sys/kernel/mm/transparent_hugepage/enabled`: `madvise`).
#[derive(Clone, Copy, Debug, Default)]
pub struct LargePages;

// SAFETY: all memory is the system's. What is asked for beside that changes no byte and no address.
// Gain: `generate KRPvKR` beside finished tables takes 75 instead of 81 s of processor time.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for LargePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller promises of `layout` what the system's allocator asks for.
        in_large_pages(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        in_large_pages(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above, and `memory` is the system's.
        in_large_pages(unsafe { System.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Asks for large pages under new memory, unless it is small or there is none.
#[inline]
fn in_large_pages(memory: *mut u8, size: usize) -> *mut u8 {
    if size >= LARGE && !memory.is_null() {
        prefer_large_pages_under(memory, size);
    }
    memory
}

/// Returns what nobody uses, of all threads, as far as the allocator can say so. Takes some
/// milliseconds.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code)]
pub(super) fn give_back() {
    // SAFETY: it takes no pointer, may be called from any thread at any time, and leaves alone what
    // is in use.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Other allocators do it without being asked, or cannot be asked.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn give_back() {}
