//! Lines at the addresses of a frame, by pages, which may wait in a scratch file.
//!
//! What six men have is too much to have it all at hand: a line for each of 167.8 million
//! addresses. But from one address moves lead to few others. Only the white king's move leaves what
//! has his square in common (a band), and all other moves but those of the next man stay in a page.
//! So a [`Window`] loads pages as they are asked for, and whoever goes through a frame opens a new
//! one for each band.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, Weak};

use super::line::{Lane, Line, ROW, Row};
use super::spare::{Spare, Spares};
use crate::parallel;
use crate::reserve;
use crate::store::{Part, Scratch, ScratchDirectory, prefer_large_pages};

/// What all places share where pages wait.
#[derive(Clone, Debug, Default)]
pub(super) struct Shared {
    /// What went wrong first. Lines that do not come back stand for no position.
    trouble: Arc<OnceLock<String>>,
    /// Memory of pages that nobody looks into any more.
    spares: Arc<Spares>,
}

impl Shared {
    /// What went wrong, in words.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.get().map(String::as_str)
    }

    fn take(&self, what: &str, error: &std::io::Error) {
        let _ = self.trouble.set(format!("{what}: {error}"));
    }
}

/// Where pages wait.
#[derive(Debug)]
pub(super) struct Away {
    scratch: Scratch,
    directory: Option<PathBuf>,
    shared: Shared,
}

impl Away {
    /// A file without a name in a directory or, if that cannot be written to, among the temporary
    /// files of the system; memory if no directory is given.
    ///
    /// # Errors
    ///
    /// If there can be no file.
    pub fn new(directory: Option<&Path>, shared: &Shared) -> std::io::Result<Away> {
        let scratch = match directory {
            Some(directory) => Scratch::new(Some(&ScratchDirectory::new(directory)))
                .or_else(|_| Scratch::new(Some(&ScratchDirectory::new(std::env::temp_dir()))))?,
            None => Scratch::new(None)?,
        };
        Ok(Away {
            scratch,
            directory: directory.map(Path::to_owned),
            shared: shared.clone(),
        })
    }

    /// Another one at the same place, whose room is given back earlier; this one if there can be no
    /// other.
    pub fn another(self: &Arc<Away>) -> Arc<Away> {
        match Away::new(self.directory.as_deref(), &self.shared) {
            Ok(another) => Arc::new(another),
            Err(_) => Arc::clone(self),
        }
    }

    /// Gives the memory back that pages have left, before much memory is asked for.
    pub fn clear(&self) {
        self.shared.spares.clear();
    }

    fn put<N: Lane>(&self, lines: &[Line<N>]) -> [Part; 2] {
        let [low, high] = N::bytes(lines);
        let put = |bytes: &[u8]| match self.scratch.put_lines(bytes) {
            Ok(part) => part,
            Err(error) => {
                self.shared.take("cannot put values away", &error);
                Part::default()
            }
        };
        [put(&low), put(&high)]
    }

    /// So many lines that were put away.
    fn get<N: Lane>(&self, halves: [Part; 2], len: usize) -> Vec<Line<N>> {
        let mut lines = N::spare(&self.shared.spares).take();
        lines.resize(len, [N::NONE; 64]);
        let got = N::fill(&mut lines, |plane, room| {
            (self.scratch).get_compressed_into(halves[plane as usize], room)
        });
        if let Err(error) = got {
            self.shared.take("cannot read values back", &error);
            lines.fill([N::NONE; 64]);
        }
        lines
    }
}

/// Where lines are kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    /// Where they wait, in pages of so many lines, a power of two, if not in memory.
    pub away: Option<(Arc<Away>, u32)>,
    /// Where their memory comes from and goes to, while it is of use.
    pub spares: Weak<Spares>,
    /// Whether there are so many that numbers are read for them a piece at a time.
    pub is_large: bool,
}

impl Place {
    /// Memory, or where pages of so many lines wait; without spare memory.
    pub fn new(away: Option<&Arc<Away>>, log_lines: u32) -> Place {
        Place {
            away: away.map(|away| (Arc::clone(away), log_lines)),
            spares: Weak::new(),
            is_large: away.is_some(),
        }
    }
}

/// So many lines of zeros, in memory as the system gives it, in large pages where it has them:
/// whoever looks up moves jumps about in them.
pub(super) fn large_lines<N: Lane>(len: usize) -> Vec<Line<N>> {
    let mut lines = reserve::zeros::<Line<N>>(len).unwrap_or_else(|refused| refused.abort());
    prefer_large_pages(&mut lines);
    lines
}

/// Addresses that are worked on together by one thread.
pub(super) const CHUNK: usize = 256;

/// Chunks of lines; empty ones without end where there are no lines.
pub(super) fn optional_chunks<N>(lines: &mut [Line<N>]) -> impl Iterator<Item = &mut [Line<N>]> {
    let without_lines = lines.is_empty();
    let no_lines = std::iter::repeat_with(Default::default);
    lines
        .chunks_mut(CHUNK)
        .chain(no_lines.take_while(move |_| without_lines))
}

/// Pages that wait.
#[derive(Debug)]
struct Waiting<N> {
    away: Arc<Away>,
    pages: Vec<[Part; 2]>,
    /// Of a page but the last, as a power of two.
    log_lines: u32,
    lines: usize,
    /// What was not put away yet.
    next: Vec<Line<N>>,
    /// Where the memory of pages goes that are not looked into any more.
    spare: Arc<Spare<Line<N>>>,
}

impl<N: Lane> Waiting<N> {
    /// Puts away a multiple of whole pages unless it is the end.
    fn put(&mut self) {
        let pages = self.next.chunks(1 << self.log_lines);
        let pages: Vec<[Part; 2]> = parallel::map_items(pages, |_, page| self.away.put(page));
        self.pages.extend(pages);
        self.lines += self.next.len();
        self.next.clear();
    }

    fn load(&self, page: usize) -> Vec<Line<N>> {
        let lines = (self.lines - (page << self.log_lines)).min(1 << self.log_lines);
        self.away.get(self.pages[page], lines)
    }
}

/// Lines at the first addresses of a frame, usually at all of them: all in memory, or all away.
#[derive(Debug)]
pub(super) struct Pages<N> {
    /// Those in memory, as many as there will be, once there is any.
    here: Vec<Line<N>>,
    /// How many of them are there.
    filled: usize,
    /// How many there will be.
    expected: usize,
    waiting: Option<Waiting<N>>,
    spare: Weak<Spare<Line<N>>>,
}

impl<N> Default for Pages<N> {
    fn default() -> Pages<N> {
        Pages {
            here: Vec::new(),
            filled: 0,
            expected: 0,
            waiting: None,
            spare: Weak::new(),
        }
    }
}

impl<N> Drop for Pages<N> {
    fn drop(&mut self) {
        if let Some(spare) = self.spare.upgrade() {
            spare.put(std::mem::take(&mut self.here));
        }
    }
}

impl<N: Lane> Pages<N> {
    /// No lines so far, of so many.
    pub fn new(expected: usize, place: &Place) -> Pages<N> {
        let waiting = |(away, log_lines): &(Arc<Away>, u32)| Waiting {
            away: Arc::clone(away),
            pages: Vec::new(),
            log_lines: *log_lines,
            lines: 0,
            next: Vec::new(),
            spare: Arc::clone(N::spare(&away.shared.spares)),
        };
        Pages {
            here: Vec::new(),
            filled: 0,
            expected,
            waiting: place.away.as_ref().map(waiting),
            spare: (place.spares.upgrade())
                .map_or_else(Weak::new, |spares| Arc::downgrade(N::spare(&spares))),
        }
    }

    /// Lines that stay in memory.
    pub fn here(lines: Vec<Line<N>>) -> Pages<N> {
        let mut pages = Pages::new(lines.len(), &Place::default());
        pages.filled = lines.len();
        pages.here = lines;
        pages
    }

    /// Room for so many lines that come next, to be filled; afterwards they are to be
    /// [`settle`](Self::settle)d. If they are put away, they are zero before, and a multiple of
    /// whole pages unless it is the end; in memory they may be anything, or what they were before
    /// if they are [used again](Self::used_again).
    pub fn room(&mut self, lines: usize) -> &mut [Line<N>] {
        if lines == 0 {
            return &mut [];
        }
        if let Some(waiting) = &mut self.waiting {
            if waiting.next.capacity() < lines {
                waiting.next = large_lines(lines);
            }
            waiting.next.resize(lines, [N::default(); 64]);
            return &mut waiting.next;
        }
        if self.here.is_empty() {
            if let Some(spare) = self.spare.upgrade() {
                self.here = spare.take();
            }
            if self.here.is_empty() {
                self.here = large_lines(self.expected);
            }
            self.here.resize(self.expected, [N::default(); 64]);
        }
        let start = self.filled;
        self.filled += lines;
        &mut self.here[start..self.filled]
    }

    /// The same lines, to be changed as they come: those in memory.
    pub fn used_again(mut self) -> Pages<N> {
        self.filled = 0;
        self
    }

    /// Keeps what was filled.
    pub fn settle(&mut self) {
        if let Some(waiting) = &mut self.waiting {
            waiting.put();
            if waiting.lines >= self.expected {
                // Nothing comes after the last.
                waiting.next = Vec::new();
            }
        }
    }

    /// Puts away what is in memory.
    pub fn put_away(&mut self, away: &Arc<Away>, log_lines: u32) {
        if self.waiting.is_some() || self.here.is_empty() {
            return;
        }
        let here = std::mem::take(&mut self.here);
        let lines = here[..self.filled].chunks(1 << log_lines);
        let pages = parallel::map_items(lines, |_, page| away.put(page));
        if let Some(spare) = self.spare.upgrade() {
            spare.put(here);
        }
        let mut put = Pages::new(self.filled, &Place::new(Some(away), log_lines));
        if let Some(waiting) = &mut put.waiting {
            (waiting.pages, waiting.lines) = (pages, self.filled);
        }
        *self = put;
    }

    /// How many lines there are.
    fn len(&self) -> usize {
        match &self.waiting {
            Some(waiting) => waiting.lines,
            None => self.filled,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The line at an address, if there is one and it is in memory.
    #[inline(always)]
    pub fn line_here(&self, address: usize) -> Option<&Line<N>> {
        self.here.get(address)
    }

    /// Changes each of these lines by that of others at the same address. All of both are in
    /// memory.
    pub fn merge(&mut self, others: &Pages<N>, merge: impl Fn(&mut Line<N>, &Line<N>) + Sync) {
        let chunks = self.here.chunks_mut(CHUNK).zip(others.here.chunks(CHUNK));
        parallel::each_item(chunks, |_, (lines, others)| {
            for (line, other) in lines.iter_mut().zip(others) {
                merge(line, other);
            }
        });
    }

    /// Whether the lines wait in a file.
    pub fn is_away(&self) -> bool {
        self.waiting.is_some()
    }

    /// The lines through a new window.
    pub fn open(&self) -> Window<'_, N> {
        let pages = (self.waiting.as_ref()).map_or(0, |waiting| waiting.pages.len());
        Window {
            pages: self,
            loaded: (0..pages).map(|_| OnceLock::new()).collect(),
        }
    }
}

/// Lines of which those pages are in memory that were asked for.
#[derive(Debug)]
pub(super) struct Window<'a, N> {
    pages: &'a Pages<N>,
    loaded: Box<[OnceLock<Vec<Line<N>>>]>,
}

impl<N> Drop for Window<'_, N> {
    fn drop(&mut self) {
        self.forget_before(usize::MAX);
    }
}

impl<N> Window<'_, N> {
    /// Gives the memory of pages back that end before an address.
    pub fn forget_before(&mut self, address: usize) {
        let Some(waiting) = &self.pages.waiting else {
            return;
        };
        let pages = (address >> waiting.log_lines).min(self.loaded.len());
        let loaded = self.loaded[..pages].iter_mut();
        for lines in loaded.filter_map(OnceLock::take) {
            waiting.spare.put(lines);
        }
    }
}

impl<N: Lane> Window<'_, N> {
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// The line at an address, which has to be one.
    #[inline(always)]
    pub fn line(&self, address: usize) -> &Line<N> {
        match &self.pages.waiting {
            None => &self.pages.here[address],
            Some(waiting) => {
                let page = address >> waiting.log_lines;
                let lines = self.loaded[page].get_or_init(|| waiting.load(page));
                &lines[address & ((1 << waiting.log_lines) - 1)]
            }
        }
    }

    /// The lines of the row that begins at an address, which has to be one.
    #[inline(always)]
    fn row(&self, address: usize) -> &Row<N> {
        let (lines, first) = match &self.pages.waiting {
            None => (&self.pages.here, address),
            Some(waiting) => {
                let page = address >> waiting.log_lines;
                let lines = self.loaded[page].get_or_init(|| waiting.load(page));
                (lines, address & ((1 << waiting.log_lines) - 1))
            }
        };
        &lines.as_chunks::<ROW>().0[first / ROW]
    }

    /// The line at an address, if there are lines.
    #[inline(always)]
    pub fn get(&self, address: usize) -> Option<&Line<N>> {
        (address < self.pages.len()).then(|| self.line(address))
    }
}

/// A line of one frame that is near at hand or far off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around<'a, N> {
    /// For the addresses of a band.
    pub near: &'a Window<'a, N>,
    /// For all others.
    pub far: &'a Window<'a, N>,
    pub band: (usize, usize),
}

impl<'a, N: Lane> Around<'a, N> {
    #[inline(always)]
    pub fn line(&self, address: usize) -> &'a Line<N> {
        match self.band.0 <= address && address < self.band.1 {
            true => self.near.line(address),
            false => self.far.line(address),
        }
    }

    /// The lines of the row that begins at an address.
    #[inline(always)]
    pub fn row(&self, address: usize) -> &'a Row<N> {
        match self.band.0 <= address && address < self.band.1 {
            true => self.near.row(address),
            false => self.far.row(address),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.near.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push<N: Lane>(pages: &mut Pages<N>, lines: &[Line<N>]) {
        pages.room(lines.len()).copy_from_slice(lines);
        pages.settle();
    }

    fn check<N: Lane + std::fmt::Debug>(line: impl Fn(usize) -> Line<N>) {
        let lines: Vec<Line<N>> = (0..37).map(line).collect();
        for directory in [None, Some(std::env::temp_dir())] {
            let shared = Shared::default();
            let away = Arc::new(Away::new(directory.as_deref(), &shared).unwrap());
            let mut pages = Pages::new(lines.len(), &Place::new(Some(&away), 3));
            push(&mut pages, &lines[..16]);
            push(&mut pages, &lines[16..]);
            let mut here = Pages::here(lines.clone());
            assert!((0..37).all(|address| here.line_here(address) == Some(&lines[address])));
            let spares = Arc::new(Spares::default());
            N::spare(&spares).put(vec![[N::NONE; 64]; 3]);
            let place = Place {
                spares: Arc::downgrade(&spares),
                ..Place::default()
            };
            let mut stepwise = Pages::new(lines.len(), &place);
            lines.chunks(16).for_each(|step| push(&mut stepwise, step));
            for pages in [&pages, &here, &stepwise] {
                let window = pages.open();
                for (address, line) in lines.iter().enumerate() {
                    assert_eq!(window.get(address), Some(line));
                }
                assert_eq!(window.get(37), None);
            }
            here.put_away(&away, 4);
            assert!(here.line_here(36).is_none() && here.open().line(36) == &lines[36]);
            drop(stepwise);
            assert_eq!(N::spare(&spares).take(), lines);
            assert_eq!(shared.trouble(), None);
        }
    }

    #[test]
    fn lines_come_back_as_they_were() {
        check(|address| [address as u8; 64]);
        check(|address| std::array::from_fn(|place| (address * 1000 + place) as u16));
        check(|address| std::array::from_fn(|place| 100 - (address * 300 + place) as i16));
    }

    #[test]
    fn what_does_not_come_back_is_an_error() {
        let shared = Shared::default();
        let away = || Arc::new(Away::new(None, &shared).unwrap());
        let mut pages = Pages::<u8>::new(8, &Place::new(Some(&away()), 3));
        push(&mut pages, &[[7; 64]; 8]);
        assert!(pages.open().line(3) == &[7; 64] && shared.trouble().is_none());
        let waiting = pages.waiting.as_mut().unwrap();
        waiting.away = waiting.away.another();
        assert_eq!(pages.open().line(3), &[u8::NONE; 64]);
        assert!(shared.trouble().unwrap().contains("read"));
    }
}
