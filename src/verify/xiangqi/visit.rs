//! Showing the values of xiangqi tables.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use rayon::prelude::*;

use super::Run;
use super::layout::Layout;
use super::line::key;
use super::values::{At, Resolved, Source};
use crate::game::{Bits, Color};
use crate::metric::{MateScore, Wdl};
use crate::verify::recount::{self, Counting, RecountError};
use crate::verify::report::Observer;
use crate::verify::visit::{Fens, Visit, Visited, Visitor, is_zugzwang};
use crate::xiangqi::rules::Square;
use crate::xiangqi::{Material, Metric, Rules, Xiangqi};

/// Places in a line, of which 90 are squares.
const LINE: u64 = 128;

impl Visit for Xiangqi {
    fn visit(
        directory: &Path,
        rules: Rules,
        material: Material,
        metrics: &[Metric],
        visitor: &dyn Visitor,
        cancel: &AtomicBool,
        observer: &dyn Observer,
    ) -> Result<(), RecountError> {
        recount::check_presence::<Xiangqi>(directory, rules, &material, &[Metric::Wdl])?;
        let mut run = Run::new(directory, rules, cancel, observer);
        run.counting = Some(Counting::new(metrics, 0));
        run.visitor = Some(visitor);
        recount::count(
            &mut run,
            directory,
            material.normal_form(),
            cancel,
            observer,
        )
    }

    fn fens(material: Material) -> Option<Fens> {
        let layout = Layout::new(material.normal_form())?;
        Some(Box::new(move |number| {
            let (rest, turn) = (number / 2, Color::ALL[(number & 1) as usize]);
            let address = usize::try_from(rest / LINE).ok()?;
            if address >= layout.addresses {
                return None;
            }
            let mut men = layout.men(address);
            men.squares[0] = Square::trusted((rest % LINE) as u32);
            Some(layout.placement(&men, true).position(turn)?.to_fen())
        }))
    }
}

/// Shows all positions.
pub(super) fn visit(source: &Source, values: &Resolved, visitor: &dyn Visitor) {
    let layout = &values.layout;
    let addresses = (0..layout.addresses).into_par_iter();
    addresses.for_each_init(Vec::new, |positions, address| {
        let Some(at) = At::new(layout, address) else {
            return;
        };
        positions.clear();
        let [white, black] = at.legal;
        let canonical = layout.canonical(&at.men, white | black).positions;
        let lines = &values.lines[address];
        for side in 0..2 {
            for bit in (at.legal[side] & canonical).ones() {
                let square = Square::trusted(bit);
                let both = [0, 1].map(|side: usize| key::result(lines[side].at(square).0));
                let (number, score) = lines[side].at(square);
                let is_decided = both[side] != Wdl::Draw;
                let dtm = || {
                    MateScore(score)
                        .dtm()
                        .map(|dtm| dtm.0.unsigned_abs() as u16)
                };
                positions.push(Visited {
                    number: (address as u64 * LINE + u64::from(bit)) * 2 + side as u64,
                    turn: Color::ALL[side],
                    wdl: both[side],
                    zeroing: (is_decided && source.has(Metric::Dtc))
                        .then(|| key::plies(number) as u16),
                    mate: (is_decided && source.has(Metric::Dtm)).then(dtm).flatten(),
                    is_zugzwang: (white & black) >> bit & 1 != 0 && is_zugzwang(both),
                });
            }
        }
        if !positions.is_empty() {
            visitor.visit(positions);
        }
    });
}
