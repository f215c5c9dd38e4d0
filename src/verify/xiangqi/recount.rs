//! Counting the values of xiangqi tables, a line at a time.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use rayon::prelude::*;

use super::Run;
use super::line::key;
use super::values::{At, Resolved, Source};
use crate::game::{Bits, Color};
use crate::metric::{MateScore, Wdl};
use crate::statistics::xiangqi::{self, Sets, Word, Words};
use crate::table::Statistics;
use crate::verify::recount::{self, Counting, Recount, RecountError};
use crate::verify::report::{Observer, Subject};
use crate::xiangqi::rules::{Bitboard, Square};
use crate::xiangqi::{Material, Metric, Placement, Rules, Xiangqi};

impl Recount for Xiangqi {
    fn subject(rules: Rules, material: Material) -> Subject {
        Subject::Xiangqi(rules, material)
    }

    fn recount(
        directory: &Path,
        rules: Rules,
        material: Material,
        metrics: &[Metric],
        listed: usize,
        cancel: &AtomicBool,
        observer: &dyn Observer,
    ) -> Result<Vec<(Metric, Statistics)>, RecountError> {
        recount::check_presence::<Xiangqi>(directory, rules, &material, metrics)?;
        let mut run = Run::new(directory, rules, cancel, observer);
        run.counting = Some(Counting::new(metrics, listed));
        recount::count(
            &mut run,
            directory,
            material.normal_form(),
            cancel,
            observer,
        )?;
        Ok(run.counting.map_or(Vec::new(), |counting| counting.found))
    }
}

/// The values of a material, to be counted.
pub(super) struct FileWords<'a> {
    source: &'a Source,
    values: &'a Resolved,
    words: Vec<Word>,
}

impl<'a> FileWords<'a> {
    pub fn new(source: &'a Source, values: &'a Resolved) -> FileWords<'a> {
        let mut words = FileWords {
            source,
            values,
            words: Vec::new(),
        };
        let addresses = (0..values.layout.addresses).into_par_iter();
        words.words = addresses.map(|address| words.find(address)).collect();
        words
    }

    /// The statistics of a metric; `go_on` is told which addresses are done. Nothing if it says no.
    pub fn count(
        &self,
        metric: Metric,
        listed: usize,
        go_on: &(dyn Fn(Range<usize>) -> bool + Sync),
    ) -> Option<Statistics> {
        let words = WordsOfMetric { all: self, metric };
        xiangqi::count(&words, &self.source.space, metric, listed, go_on)
    }

    fn find(&self, address: usize) -> Word {
        let layout = &self.values.layout;
        let Some(at) = At::new(layout, address) else {
            return Word::default();
        };
        let (weight, in_order) = layout.images(&at.men);
        let (color, role) = layout.attackers[0];
        let counted = role.domain(color) & !at.fixed & in_order;
        if counted == 0 {
            return Word::default();
        }
        Word {
            weight,
            counted,
            sides: Color::ALL
                .map(|color| self.sets(address, color, counted & at.legal[color.index()])),
        }
    }

    fn sets(&self, address: usize, side: Color, legal: Bitboard) -> Sets {
        let keys = &self.values.lines[address][side.index()].keys;
        let with_result = |result: Wdl| -> Bitboard {
            let is_it = |&bit: &u32| key::result(keys[bit as usize]) == result;
            legal
                .ones()
                .filter(is_it)
                .fold(0, |set, bit| set | Bitboard::bit(bit))
        };
        let lost = with_result(Wdl::Loss);
        let is_stuck = |&bit: &u32| self.is_stuck(address, side, bit);
        Sets {
            legal,
            won: with_result(Wdl::Win),
            lost,
            stuck: lost
                .ones()
                .filter(is_stuck)
                .fold(0, |set, bit| set | Bitboard::bit(bit)),
        }
    }

    /// Whether a lost position has no move. Distances say so, without them the moves do.
    fn is_stuck(&self, address: usize, side: Color, bit: u32) -> bool {
        let values = &self.values.lines[address][side.index()];
        let (key, score) = values.at(Square::trusted(bit));
        if self.source.has(Metric::Dtc) {
            return key::plies(key) == 0;
        }
        if self.source.has(Metric::Dtm) {
            return MateScore(score) == MateScore::MATED;
        }
        let position = self.placement(address, bit).position(side);
        position.is_some_and(|position| position.legal_moves().is_empty())
    }

    fn placement(&self, address: usize, bit: u32) -> Placement {
        let layout = &self.values.layout;
        let mut men = layout.men(address);
        men.squares[0] = Square::trusted(bit);
        layout.placement(&men, true)
    }
}

struct WordsOfMetric<'a> {
    all: &'a FileWords<'a>,
    metric: Metric,
}

impl Words for WordsOfMetric<'_> {
    fn len(&self) -> usize {
        self.all.words.len()
    }

    fn word(&self, address: usize) -> Word {
        self.all.words[address]
    }

    fn number(&self, side: usize, address: usize, bit: u32) -> u8 {
        let values = &self.all.values.lines[address][side];
        let (key, score) = values.at(Square::trusted(bit));
        match self.metric {
            Metric::Wdl => 0,
            Metric::Dtc => key::plies(key) as u8,
            Metric::Dtm => score,
            Metric::Rounds => key::round(key) as u8,
        }
    }

    fn placement(&self, address: usize, bit: u32) -> Placement {
        self.all.placement(address, bit)
    }
}
