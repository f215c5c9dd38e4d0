//! An allocator that keeps large pieces of memory, in pages of 2 MiB.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::with_exposed_provenance_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::kept::{Kept, Piece};
use super::system;
use crate::store::prefer_large_pages_under;

/// Whether pages can be had from the system without its allocator.
const HAS_PAGES: bool = cfg!(all(target_os = "linux", target_env = "gnu"));
/// Bytes of a large page.
const PAGE: usize = 2 << 20;
/// Pieces have a multiple of so many bytes.
const UNIT: usize = 64 << 10;
/// Bytes of the smallest pieces that are kept.
const SMALLEST: usize = 8 * UNIT;
/// Bytes of the largest pieces that are kept: of what is larger there are few, and it is cleared
/// sooner by all threads that use it than by the one that asks for it.
const LARGEST: usize = 1 << 30;
/// Bytes of the pages that the system hands out.
const SMALL_PAGE: usize = 4 << 10;
/// Bytes from which on it is counted what the system's allocator has in use: what is smaller is not
/// much together.
const COUNTED: usize = 64 << 10;

/// An allocator for programs that generate tables. Pieces of 512 KiB to 1 GiB lie in pages of 2 MiB
/// and are kept for whoever asks next, as long as less is in use and kept than was in use before;
/// all else is left to the system's allocator.
///
/// ```
/// use retrograde::generate::LargePages;
///
/// #[global_allocator]
/// static ALLOCATOR: LargePages = LargePages::new();
/// ```
///
/// Whether there are such pages is for the system to say; on Linux they must be allowed for who
/// asks, as they are by default (`/sys/kernel/mm/transparent_hugepage/enabled`: `madvise`).
#[derive(Debug)]
pub struct LargePages {
    kept: Mutex<Kept>,
}

impl LargePages {
    /// An allocator that keeps nothing yet.
    #[must_use]
    pub const fn new() -> LargePages {
        LargePages {
            kept: Mutex::new(Kept::new(PAGE)),
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A piece, and whether it was in use before; null if there is no memory.
    fn piece(&self, bytes: usize) -> (*mut u8, bool) {
        let mut kept = self.kept();
        if let Some(start) = kept.take(bytes) {
            return (with_exposed_provenance_mut(start), true);
        }
        let mapped = bytes.next_multiple_of(PAGE);
        use_more(&mut kept, mapped);
        let mut memory = map(mapped);
        if memory.is_null() {
            while let Some(piece) = kept.pop() {
                unmap_piece(piece);
            }
            memory = map(mapped);
        }
        if memory.is_null() {
            kept.subtract(mapped);
        } else {
            drop(kept);
            self.keep(memory.addr() + bytes, mapped - bytes);
        }
        (memory, false)
    }

    /// Counts what the allocator of the system hands out as in use, and asks for large pages under
    /// it; nothing if there is none.
    #[inline]
    fn of_system(&self, memory: *mut u8, size: usize) -> *mut u8 {
        if size >= COUNTED && !memory.is_null() {
            use_more(&mut self.kept(), size);
        }
        if size >= PAGE && !memory.is_null() {
            prefer_large_pages_under(memory, size);
        }
        memory
    }

    /// Counts what it takes back.
    #[inline]
    fn count_freed(&self, size: usize) {
        if size >= COUNTED {
            self.kept().subtract(size);
        }
    }

    /// Keeps a piece.
    fn keep(&self, start: usize, bytes: usize) {
        if bytes > 0 {
            let left_over = self.kept().put(Piece { start, bytes });
            left_over.into_iter().for_each(unmap_piece);
        }
    }

    /// Makes a piece longer, without a copy; null if the system cannot do that.
    #[allow(unsafe_code)]
    fn lengthen(&self, memory: *mut u8, old: usize, new: usize) -> *mut u8 {
        let mut kept = self.kept();
        use_more(&mut kept, new - old);
        // SAFETY: it belongs to the caller of `realloc`. The system refuses if it was put together
        // of several mappings.
        let longer = unsafe { system::lengthen(memory, old, new) };
        if longer.is_null() {
            kept.subtract(new - old);
        } else {
            longer.expose_provenance();
            prefer_large_pages_under(longer, new);
        }
        longer
    }
}

impl Default for LargePages {
    fn default() -> LargePages {
        LargePages::new()
    }
}

/// Bytes of the piece for what has some size, if it is one of those that are kept.
#[inline]
fn units(size: usize, align: usize) -> Option<usize> {
    let is_kept = HAS_PAGES && (SMALLEST..=LARGEST).contains(&size) && align <= SMALL_PAGE;
    is_kept.then(|| size.next_multiple_of(UNIT))
}

/// New pages, all zero, of which the first is at a multiple of a large page; null if the system has
/// none.
fn map(bytes: usize) -> *mut u8 {
    let room = bytes + PAGE - SMALL_PAGE;
    let memory = system::map(room);
    if memory.is_null() {
        return memory;
    }
    let before = memory.addr().next_multiple_of(PAGE) - memory.addr();
    let start = memory.wrapping_add(before);
    unmap(memory, before);
    unmap(start.wrapping_add(bytes), room - before - bytes);
    start.expose_provenance();
    prefer_large_pages_under(start, bytes);
    start
}

/// Gives memory that belongs to nobody any more back to the system.
#[allow(unsafe_code)]
fn unmap(memory: *mut u8, bytes: usize) {
    if bytes > 0 {
        // SAFETY: only what `map` has cut off and what `Kept` has given away comes here.
        unsafe { system::unmap(memory, bytes) };
    }
}

/// Counts what comes from the system, and gives back what is more than was in use before then.
fn use_more(kept: &mut Kept, bytes: usize) {
    kept.add(bytes);
    while let Some(surplus) = kept.surplus() {
        unmap_piece(surplus);
    }
}

fn unmap_piece(piece: Piece) {
    unmap(with_exposed_provenance_mut(piece.start), piece.bytes);
}

// SAFETY: a piece is the system's, or lies in pages from `map` where no other piece is until it is
// given back: `Kept` hands out every byte once. Which of both it is follows from its layout alone.
// Gain: eight materials of five men without pawns take 66 instead of 71 s of processor time.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for LargePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match units(layout.size(), layout.align()) {
            Some(bytes) => self.piece(bytes).0,
            // SAFETY: the caller promises of `layout` what the system's allocator asks for.
            None => self.of_system(unsafe { System.alloc(layout) }, layout.size()),
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let Some(bytes) = units(layout.size(), layout.align()) else {
            // SAFETY: as above.
            return self.of_system(unsafe { System.alloc_zeroed(layout) }, layout.size());
        };
        let (memory, was_in_use) = self.piece(bytes);
        if was_in_use {
            // SAFETY: the piece has as many bytes at least, and nobody else has it.
            unsafe { memory.write_bytes(0, layout.size()) };
        }
        memory
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let old = units(layout.size(), layout.align());
        let new = units(size, layout.align());
        match (old, new) {
            (None, None) => {
                // SAFETY: as above, and `memory` is the system's.
                let moved = unsafe { System.realloc(memory, layout, size) };
                if !moved.is_null() {
                    self.count_freed(layout.size());
                }
                return self.of_system(moved, size);
            }
            (Some(old), Some(new)) if new <= old => {
                self.keep(memory.expose_provenance() + new, old - new);
                return memory;
            }
            (Some(old), Some(new)) => {
                let longer = self.lengthen(memory, old, new);
                if !longer.is_null() {
                    return longer;
                }
            }
            _ => {}
        }
        // SAFETY: the caller promises that `size` is not zero and does not overflow with this
        // alignment; the two pieces are not the same and have so many bytes.
        unsafe {
            let moved = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !moved.is_null() {
                memory.copy_to_nonoverlapping(moved, size.min(layout.size()));
                self.dealloc(memory, layout);
            }
            moved
        }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        match units(layout.size(), layout.align()) {
            Some(bytes) => self.keep(memory.expose_provenance(), bytes),
            None => {
                // SAFETY: as above.
                unsafe { System.dealloc(memory, layout) };
                self.count_freed(layout.size());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A piece of memory with a pattern in it.
    struct Marked {
        memory: *mut u8,
        layout: Layout,
        mark: u8,
    }

    #[allow(unsafe_code)]
    impl Marked {
        fn new(pages: &LargePages, size: usize, mark: u8, is_zeroed: bool) -> Marked {
            let layout = Layout::from_size_align(size, 8).unwrap();
            // SAFETY: the size is not zero, and what is zeroed may be looked at.
            let memory = unsafe {
                match is_zeroed {
                    false => pages.alloc(layout),
                    true => {
                        let memory = pages.alloc_zeroed(layout);
                        let bytes = std::slice::from_raw_parts(memory, size);
                        assert!(bytes.iter().all(|&byte| byte == 0));
                        memory
                    }
                }
            };
            let mut marked = Marked {
                memory,
                layout,
                mark,
            };
            marked.bytes().fill(mark);
            marked
        }

        fn bytes(&mut self) -> &mut [u8] {
            // SAFETY: the piece is as long, and belongs to this one alone.
            unsafe { std::slice::from_raw_parts_mut(self.memory, self.layout.size()) }
        }

        fn check(&mut self) {
            let mark = self.mark;
            assert!(self.bytes().iter().all(|&byte| byte == mark));
        }

        fn resize(&mut self, pages: &LargePages, size: usize) {
            let left = size.min(self.layout.size());
            // SAFETY: it came from there with this layout, and the size is not zero.
            self.memory = unsafe { pages.realloc(self.memory, self.layout, size) };
            self.layout = Layout::from_size_align(size, 8).unwrap();
            let mark = self.mark;
            assert!(self.bytes()[..left].iter().all(|&byte| byte == mark));
            self.bytes().fill(mark);
        }

        fn free(mut self, pages: &LargePages) {
            self.check();
            // SAFETY: it came from there with this layout.
            unsafe { pages.dealloc(self.memory, self.layout) };
        }
    }

    /// Whatever is asked for and given back, nobody else writes there, and zeros are zeros.
    #[test]
    fn pieces_keep_what_is_in_them() {
        const SIZES: [usize; 8] = [
            1 << 10,
            UNIT,
            SMALLEST,
            SMALLEST + 1,
            PAGE,
            PAGE + 1,
            2 * PAGE - 8,
            8 * PAGE,
        ];
        let pages = LargePages::new();
        let mut random = fastrand::Rng::with_seed(17);
        let mut all: Vec<Marked> = Vec::new();
        for round in 0..600 {
            let size = SIZES[random.usize(..SIZES.len())];
            match random.u32(..4) {
                0 | 1 if all.len() < 12 => {
                    all.push(Marked::new(&pages, size, round as u8, random.bool()));
                }
                2 if !all.is_empty() => {
                    let place = random.usize(..all.len());
                    all[place].resize(&pages, size);
                }
                _ if !all.is_empty() => {
                    let place = random.usize(..all.len());
                    all.swap_remove(place).free(&pages);
                }
                _ => {}
            }
        }
        all.iter_mut().for_each(Marked::check);
        for marked in all {
            marked.free(&pages);
        }
        assert!(!HAS_PAGES || pages.piece(PAGE).1);
    }

    #[test]
    fn only_some_sizes_are_kept() {
        for (size, align) in [(SMALLEST - 1, 8), (LARGEST + 1, 8), (PAGE, 2 * SMALL_PAGE)] {
            assert_eq!(units(size, align), None);
        }
        if HAS_PAGES {
            assert_eq!(units(PAGE, 8), Some(PAGE));
            assert_eq!(units(SMALLEST + 1, SMALL_PAGE), Some(SMALLEST + UNIT));
        }
    }
}
