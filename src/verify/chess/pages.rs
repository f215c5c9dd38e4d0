//! Lines at the addresses of a frame, by pages, which may wait in a scratch file.
//!
//! What six men have is too much to have it all at hand: a line for each of 167.8 million addresses. But from one address
//! moves lead to few others. Only the white king's move leaves what has his square in common (a band), and all other moves
//! but those of the next man stay in a page. So a [`Window`] loads pages as they are asked for, and whoever goes through a
//! frame opens a new one for each band.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::line::{Lane, Line};
use crate::store::{Part, Scratch};

/// What went wrong first where pages wait. Lines that do not come back stand for no position.
#[derive(Clone, Debug, Default)]
pub(super) struct Trouble(Arc<OnceLock<String>>);

impl Trouble {
    /// In words, if there is any.
    pub fn told(&self) -> Option<&str> {
        self.0.get().map(String::as_str)
    }

    fn take(&self, what: &str, error: &std::io::Error) {
        let _ = self.0.set(format!("{what}: {error}"));
    }
}

/// Where pages wait.
#[derive(Debug)]
pub(super) struct Away {
    scratch: Scratch,
    directory: Option<PathBuf>,
    trouble: Trouble,
}

impl Away {
    /// A file without a name in a directory or, if that cannot be written to, among the temporary files of the system; memory if
    /// no directory is given.
    ///
    /// # Errors
    ///
    /// If there can be no file.
    pub fn new(directory: Option<&Path>, trouble: &Trouble) -> std::io::Result<Away> {
        let scratch = match directory {
            Some(directory) => Scratch::new(Some(directory))
                .or_else(|_| Scratch::new(Some(&std::env::temp_dir())))?,
            None => Scratch::new(None)?,
        };
        Ok(Away {
            scratch,
            directory: directory.map(Path::to_owned),
            trouble: trouble.clone(),
        })
    }

    /// Another one at the same place, whose room is given back earlier; this one if there can be no other.
    pub fn another(self: &Arc<Away>) -> Arc<Away> {
        match Away::new(self.directory.as_deref(), &self.trouble) {
            Ok(another) => Arc::new(another),
            Err(_) => Arc::clone(self),
        }
    }

    fn put<N: Lane>(&self, lines: &[Line<N>]) -> [Part; 2] {
        let [low, high] = N::bytes(lines);
        let put = |bytes: &[u8]| match self.scratch.put_compressed(bytes) {
            Ok(part) => part,
            Err(error) => {
                self.trouble.take("cannot put values away", &error);
                Part::default()
            }
        };
        [put(&low), put(&high)]
    }

    fn get<N: Lane>(&self, [low, high]: [Part; 2], lines: usize) -> Box<[Line<N>]> {
        let get = |part| self.scratch.get_compressed(part, lines * 64);
        let bytes = get(low).and_then(|low| {
            let high = match size_of::<N>() {
                1 => Vec::new(),
                _ => get(high)?,
            };
            Ok([low, high])
        });
        match bytes {
            Ok([low, high]) => N::from_bytes(&low, &high).into(),
            Err(error) => {
                self.trouble.take("cannot read values back", &error);
                vec![[N::NONE; 64]; lines].into()
            }
        }
    }
}

#[derive(Debug)]
enum Page<N> {
    Here(Loaded<N>),
    Away([Part; 2]),
}

/// Lines at the first addresses of a frame, usually at all of them.
#[derive(Debug)]
pub(super) struct Pages<N> {
    pages: Vec<Page<N>>,
    /// Of a page but the last, as a power of two.
    log_lines: u32,
    lines: usize,
    away: Option<Arc<Away>>,
}

/// Of a page that holds everything.
const ALL: u32 = usize::BITS - 1;

impl<N> Default for Pages<N> {
    fn default() -> Pages<N> {
        Pages {
            pages: Vec::new(),
            log_lines: ALL,
            lines: 0,
            away: None,
        }
    }
}

impl<N: Lane> Pages<N> {
    /// No lines so far. They are put away in pages of so many lines, a power of two, or stay in memory.
    pub fn new(away: Option<(&Arc<Away>, u32)>) -> Pages<N> {
        Pages {
            log_lines: away.map_or(ALL, |(_, log_lines)| log_lines),
            away: away.map(|(away, _)| Arc::clone(away)),
            ..Pages::default()
        }
    }

    /// Lines that stay in memory.
    pub fn here(lines: Vec<Line<N>>) -> Pages<N> {
        let mut pages = Pages::new(None);
        pages.push(lines);
        pages
    }

    /// Adds what comes next: all there is, or a multiple of whole pages unless it is the end. In memory the first lines are a
    /// page, and all that come later as many, unless it is the end.
    pub fn push(&mut self, lines: Vec<Line<N>>) {
        if lines.is_empty() {
            return;
        }
        if self.away.is_none() && self.pages.len() == 1 {
            debug_assert!(self.lines.is_power_of_two() && lines.len() <= self.lines);
            self.log_lines = self.lines.ilog2();
        }
        self.lines += lines.len();
        match &self.away {
            None => self.pages.push(Page::Here(lines.into())),
            Some(away) => {
                let pages = lines.par_chunks(1 << self.log_lines);
                let pages: Vec<Page<N>> = pages.map(|page| Page::Away(away.put(page))).collect();
                self.pages.extend(pages);
            }
        }
    }

    /// Puts away what is in memory.
    pub fn put_away(&mut self, away: &Arc<Away>, log_lines: u32) {
        if self.away.is_some() || self.lines == 0 {
            return;
        }
        let mut put = Pages::new(Some((away, log_lines)));
        for page in std::mem::take(&mut self.pages) {
            if let Page::Here(lines) = page {
                put.push(lines.into_vec());
            }
        }
        *self = put;
    }

    pub fn is_empty(&self) -> bool {
        self.lines == 0
    }

    /// The line at an address, if there is one and it is in memory.
    #[inline(always)]
    pub fn line_here(&self, address: usize) -> Option<&Line<N>> {
        match self.pages.get(address >> self.log_lines)? {
            Page::Here(lines) => lines.get(address & ((1 << self.log_lines) - 1)),
            Page::Away(_) => None,
        }
    }

    /// Changes each of these lines by that of others at the same address. All of both are in memory.
    pub fn merge(&mut self, others: &Pages<N>, merge: impl Fn(&mut Line<N>, &Line<N>) + Sync) {
        let mut start = 0;
        for page in &mut self.pages {
            if let Page::Here(lines) = page {
                lines.par_iter_mut().enumerate().for_each(|(place, line)| {
                    if let Some(other) = others.line_here(start + place) {
                        merge(line, other);
                    }
                });
                start += lines.len();
            }
        }
    }

    /// The lines, if they are in memory.
    pub fn into_lines(self) -> Vec<Line<N>> {
        let mut pages = self.pages.into_iter().filter_map(|page| match page {
            Page::Here(lines) => Some(lines.into_vec()),
            Page::Away(_) => None,
        });
        let mut all = pages.next().unwrap_or_default();
        pages.for_each(|lines| all.extend(lines));
        all
    }

    /// Whether the lines wait in a file.
    pub fn is_away(&self) -> bool {
        self.away.is_some()
    }

    /// The lines through a new window.
    pub fn open(&self) -> Window<'_, N> {
        let pages = self.away.as_ref().map_or(0, |_| self.pages.len());
        Window {
            pages: self,
            loaded: (0..pages).map(|_| OnceLock::new()).collect(),
        }
    }

    fn load(&self, page: usize, parts: [Part; 2]) -> Box<[Line<N>]> {
        let lines = (self.lines - (page << self.log_lines)).min(1 << self.log_lines);
        match &self.away {
            Some(away) => away.get(parts, lines),
            None => vec![[N::NONE; 64]; lines].into(),
        }
    }
}

/// The lines of a page.
type Loaded<N> = Box<[Line<N>]>;

/// Lines of which those pages are in memory that were asked for.
#[derive(Debug)]
pub(super) struct Window<'a, N> {
    pages: &'a Pages<N>,
    loaded: Box<[OnceLock<Loaded<N>>]>,
}

impl<N: Lane> Window<'_, N> {
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// The line at an address, which has to be one.
    #[inline(always)]
    pub fn line(&self, address: usize) -> &Line<N> {
        let page = address >> self.pages.log_lines;
        let lines = match &self.pages.pages[page] {
            Page::Here(lines) => lines,
            Page::Away(parts) => self.loaded[page].get_or_init(|| self.pages.load(page, *parts)),
        };
        &lines[address & ((1 << self.pages.log_lines) - 1)]
    }

    /// The line at an address, if there are lines.
    #[inline(always)]
    pub fn get(&self, address: usize) -> Option<&Line<N>> {
        (address < self.pages.lines).then(|| self.line(address))
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

    pub fn is_empty(&self) -> bool {
        self.near.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<N: Lane + std::fmt::Debug>(line: impl Fn(usize) -> Line<N>) {
        let lines: Vec<Line<N>> = (0..37).map(line).collect();
        for directory in [None, Some(std::env::temp_dir())] {
            let trouble = Trouble::default();
            let away = Arc::new(Away::new(directory.as_deref(), &trouble).unwrap());
            let mut pages = Pages::new(Some((&away, 3)));
            pages.push(lines[..16].to_vec());
            pages.push(lines[16..].to_vec());
            let mut here = Pages::here(lines.clone());
            assert!((0..37).all(|address| here.line_here(address) == Some(&lines[address])));
            let mut stepwise = Pages::new(None);
            lines
                .chunks(16)
                .for_each(|step| stepwise.push(step.to_vec()));
            for pages in [&pages, &here, &stepwise] {
                let window = pages.open();
                for (address, line) in lines.iter().enumerate() {
                    assert_eq!(window.get(address), Some(line));
                }
                assert_eq!(window.get(37), None);
            }
            here.put_away(&away, 4);
            assert!(here.line_here(36).is_none() && here.open().line(36) == &lines[36]);
            assert_eq!(stepwise.into_lines(), lines);
            assert_eq!(trouble.told(), None);
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
        let trouble = Trouble::default();
        let away = || Arc::new(Away::new(None, &trouble).unwrap());
        let mut pages = Pages::<u8>::new(Some((&away(), 3)));
        pages.push(vec![[7; 64]; 8]);
        assert!(pages.open().line(3) == &[7; 64] && trouble.told().is_none());
        pages.away = Some(pages.away.unwrap().another());
        assert_eq!(pages.open().line(3), &[u8::NONE; 64]);
        assert!(trouble.told().unwrap().contains("read"));
    }
}
