//! Showing the values of chess tables.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use rayon::prelude::*;

use super::layout::Layout;
use super::line::{Score, key};
use super::pages::CHUNK;
use super::slice::SliceValues;
use super::source::Source;
use super::steps::SideValues;
use super::{AT_HAND, Run, fits_bytes, sides};
use crate::chess::material::Material;
use crate::chess::rules::Role;
use crate::chess::{Chess, ChessRules};
use crate::game::{Bits, Color};
use crate::metric::{Metric, Wdl};
use crate::probe::Format;
use crate::tables::find;
use crate::verify::recount::{self, Counting, RecountError};
use crate::verify::report::Observer;
use crate::verify::visit::{Fens, Visit, Visited, Visitor, is_zugzwang};

impl Visit for Chess {
    fn visit(
        directory: &Path,
        rules: ChessRules,
        material: Material,
        metrics: &[Metric],
        visitor: &dyn Visitor,
        cancel: &AtomicBool,
        observer: &dyn Observer,
    ) -> Result<(), RecountError> {
        let material = material.normal_form();
        let format = format_shown(directory, rules, &material);
        let shown = Shown {
            directory,
            format,
            material,
            metrics,
        };
        match fits_bytes(directory, format, &[material]) {
            true => shown.show::<u8>(visitor, cancel, observer),
            false => shown.show::<u16>(visitor, cancel, observer),
        }
    }

    fn fens(material: Material) -> Option<Fens> {
        let layout = Layout::new(material.normal_form());
        Some(Box::new(move |number| {
            let (rest, turn) = (number / 2, Color::ALL[(number & 1) as usize]);
            let (rest, king) = (rest / 64, rest % 64);
            let addresses = layout.addresses() as u64;
            let slice = usize::try_from(rest / addresses).ok()?;
            let frame = (slice < layout.slices()).then(|| layout.frame(slice))?;
            let squares = frame.squares((rest % addresses) as usize);
            let mut placement = frame.placement(&squares);
            placement.men[1][Role::King.index()] = 1 << king;
            Some(placement.position(turn)?.to_fen())
        }))
    }
}

/// The tables whose positions are shown.
struct Shown<'a> {
    directory: &'a Path,
    format: Format,
    material: Material,
    metrics: &'a [Metric],
}

impl Shown<'_> {
    /// Shows positions, with distances to mate of one or two bytes in memory.
    fn show<S: Score>(
        &self,
        visitor: &dyn Visitor,
        cancel: &AtomicBool,
        observer: &dyn Observer,
    ) -> Result<(), RecountError> {
        let asked = (&[self.material][..], AT_HAND);
        let mut run: Run<'_, S> = Run::new(self.directory, self.format, asked, cancel, observer);
        run.counting = Some(Counting::new(self.metrics, 0));
        run.visitor = Some(visitor);
        recount::count(&mut run, self.directory, self.material, cancel, observer)
    }
}

/// The format of the tables whose positions are shown: ours, unless there are only others.
pub(in crate::verify) fn format_shown(
    directory: &Path,
    rules: ChessRules,
    material: &Material,
) -> Format {
    let is_native = find::<Chess>(directory, rules, material, Metric::Wdl).is_some();
    let syzygy = super::path_of(directory, material, Metric::Wdl, Format::Syzygy);
    match is_native || !syzygy.is_some_and(|path| path.exists()) {
        true => Format::Native,
        false => Format::Syzygy,
    }
}

/// Shows the positions of a slice.
pub(super) fn visit<S: Score>(
    source: &Source,
    values: &SliceValues<'_, S>,
    slice: usize,
    visitor: &dyn Visitor,
) {
    let frame = values.frame();
    if !visitor.wants_pawns(frame.pawns.white, frame.pawns.black) {
        return;
    }
    let first = slice as u64 * frame.addresses as u64;
    let is_away = values.places().own.is_some();
    for step in frame.steps(&(0..frame.addresses), is_away) {
        let windows = values.sides.each_ref().map(SideValues::open);
        let addresses = step.into_par_iter().with_min_len(CHUNK);
        addresses.for_each_init(Vec::new, |positions, address| {
            let squares = frame.squares(address);
            let Some(canonical) = frame.canonical(address, &squares) else {
                return;
            };
            let men = values.men_on(address, squares);
            positions.clear();
            let [white, black] = men.legality.legal;
            let results = |king: u32| {
                [0, 1].map(|side: usize| {
                    let results = windows[side].results.line(address);
                    Wdl::from_index(results[king as usize].into()).unwrap_or(Wdl::Draw)
                })
            };
            for side in 0..sides(source.material()) {
                let own = &windows[side];
                let keys = source.has(Metric::Dtz).then(|| own.keys.get(address));
                let (keys, scores) = (keys.flatten(), own.scores.get(address));
                for king in (men.legality.legal[side] & canonical.positions).ones() {
                    let both = results(king);
                    let is_drawn = both[side] == Wdl::Draw;
                    // A mated side has no ply to go, and tables 0; as probes have it, that counts
                    // as one.
                    let zeroing = keys.map(|keys| key::shortest(keys[king as usize]).max(1));
                    let mate = scores.and_then(|scores| S::dtm(scores[king as usize]));
                    positions.push(Visited {
                        number: ((first + address as u64) * 64 + u64::from(king)) * 2 + side as u64,
                        turn: Color::ALL[side],
                        wdl: both[side],
                        zeroing: zeroing.filter(|_| !is_drawn),
                        mate: mate.map(|dtm| dtm.0.unsigned_abs() as u16),
                        is_zugzwang: (white & black) >> king & 1 != 0 && is_zugzwang(both),
                    });
                }
            }
            if !positions.is_empty() {
                visitor.visit(positions);
            }
        });
    }
}
