//! Retrograde analysis, 64 positions at a time.
//!
//! Every other generator we know walks positions: take an index, find the squares, make unmoves,
//! touch a byte. Here sets are walked. All positions that differ only in the black king's square
//! are one word, and a piece's moves are applied to all words that differ only in its square
//! ([`sweep`]). The idea is that of Stiller and of Wendroff et al., "Bits and Pieces" (1993);
//! [`fixpoint`] is the iteration, [`slice`](mod@slice) what the game fixes.
//!
//! [`reach`](crate::reach) does walk positions: those that one position can reach, where no table
//! has them.

pub mod board;
mod division;
mod exchange;
mod in_slabs;
pub mod layout;
mod on_card;
pub mod own;
mod restored;
mod seen;
pub mod slice;
pub mod solved;
pub mod space;
pub mod sweep;
pub mod turned;
pub mod view;

use std::collections::HashMap;
use std::fmt::Debug;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::material::Material;
use super::placement::PawnSlices;
use crate::card::Card;
pub use crate::error::SolveError;
use crate::metric::{FIFTY_MOVES, Plies};
use crate::parallel;
use crate::retro::fixpoint;
pub use crate::retro::fixpoint::{Distance, Engine, PlyObserver, Wanted, Watch};
use crate::retro::ranks::Ranks;
use crate::retro::score::LONGEST_IN_BYTES;
use crate::simd::Width;
use crate::store::{Scratch, ScratchDirectory};
use division::Division;
pub use in_slabs::{Seen, SlabValues, SolvedSlice};
use own::OwnSlices;
pub use restored::{FinishedNumbers, FinishedTables};
pub use seen::{SeenSlabs, bytes_read_together, see_slices};
use slice::{Extraction, Promotion, PromotionViews, SliceRules, Targets, Unprepared, ZeroingMoves};
use solved::{SideValues, Solved};
use view::{SideView, View};

/// Bytes of memory for each word of one side to move while a slice is being solved, at the worst
/// moment, which is when distances to mate are begun: what is fixed (112), results and distances to
/// zeroing (112), the new distances and notes of them (88), the sets of the iteration (65), when a
/// score is due and notes of that (7).
pub const SOLVING_BYTES: u64 = 384;
/// More of them with pawns, where conversions are kept apart from other zeroing moves.
pub const CONVERSIONS_BYTES: u64 = 5 * 8 + 64;
/// Bytes of memory for each word of one side to move of a solved slice: distances to zeroing and to
/// mate, and nine sets.
pub const SOLVED_BYTES: u64 = 64 + 64 + 9 * 8;

/// Words of a slab where nothing else is said: with the values of both sides, some megabytes.
pub const SLAB: usize = 1 << 15;

/// Words of a slice whose scratch file is in memory and not compressed, at most: it has some
/// hundred megabytes then.
const UNCOMPRESSED_WORDS: usize = 1 << 18;

/// What to solve and how to stop.
#[derive(Clone, Copy, Debug)]
pub struct SolveOptions<'a> {
    /// Whether distances to mate are wanted; the targets must have them too.
    pub mates: bool,
    /// Whether captures alone count where a prober finds a result without the table, as for Syzygy
    /// tables, and not promotions as well.
    pub captures_alone: bool,
    /// Plies without a capture or a pawn move after which a draw can be claimed: [`FIFTY_MOVES`] in
    /// chess as it is played, fewer to see cursed wins in small materials.
    pub limit: Plies,
    /// The longest mate of which a byte is made, [`LONGEST_IN_BYTES`] at most; slices with
    /// longer ones take two bytes a position. Less only to see that in small materials.
    pub longest_in_bytes: Plies,
    /// How a slice is run. Values do not depend on it.
    pub engine: Engine,
    /// Whether values with Black to move are wanted where each is that of a position with White to
    /// move, with the colours exchanged; if not, only which of these positions are lost is found.
    pub both_sides: bool,
    /// Words that are looked at together where not everything is in memory, a multiple of 64.
    /// Values do not depend on it.
    pub slab: usize,
    /// Where scratch files go; without one, what would be in them is kept in memory.
    pub scratch: Option<&'a ScratchDirectory>,
    /// Scratch files that stay where a program is killed, instead.
    pub checkpoints: Option<&'a dyn Checkpoints>,
    /// The finished tables of the material, from which its values are read back instead of being
    /// solved: with distances to mate, if they are wanted, and without those to zeroing.
    pub finished: Option<&'a dyn FinishedTables>,
    /// How wide the registers are. Values do not depend on it.
    pub width: Width,
    /// How many slices are solved at the same time, at most; more than there are threads never are.
    pub slices_at_a_time: usize,
    /// Other processes that solve each slice together with this one, where the engine is
    /// [`Engine::Chains`].
    pub ranks: Option<&'a dyn Ranks>,
    /// A graphics card that solves slices, where the engine is [`Engine::Chains`] and there are no
    /// ranks. What it cannot do, and what is left when it fails, the processor does.
    pub card: Option<&'a dyn Card>,
    /// Who watches and may stop it.
    pub watch: Watch<'a>,
}

impl<'a> SolveOptions<'a> {
    /// Everything about chess as it is played, as fast as this machine can.
    #[must_use]
    pub fn new(cancel: &'a AtomicBool) -> SolveOptions<'a> {
        SolveOptions {
            mates: true,
            captures_alone: false,
            limit: FIFTY_MOVES,
            longest_in_bytes: LONGEST_IN_BYTES,
            engine: Engine::default(),
            both_sides: true,
            slab: SLAB,
            scratch: None,
            checkpoints: None,
            finished: None,
            width: Width::widest(),
            slices_at_a_time: usize::MAX,
            ranks: None,
            card: None,
            watch: Watch::new(cancel),
        }
    }

    fn limits(&self) -> fixpoint::Limits {
        fixpoint::Limits {
            draw: self.limit,
            bytes: self.longest_in_bytes,
        }
    }
}

/// Where what is done of a material is put, so that another program can go on with it.
pub trait Checkpoints: Debug + Sync {
    /// For the material as a whole.
    fn of_material(&self) -> &Arc<Scratch>;

    /// For the plies of one slice. It is finished as soon as the slice is.
    ///
    /// # Errors
    ///
    /// If there can be no file.
    fn of_slice(&self, slice: usize) -> io::Result<Scratch>;
}

/// Every value of a material. `targets` holds what its moves lead to, laid out with its
/// colours ([`gather_targets`]).
///
/// # Errors
///
/// If a target is missing, a distance does not fit, or the caller cancelled.
pub fn solve(
    material: Material,
    targets: &Targets,
    options: SolveOptions<'_>,
) -> Result<Solved, SolveError> {
    let solved = Solved::new(material);
    let finish = |slice: usize, values: SolvedSlice| {
        // Every slice is finished once, so there is nothing to replace.
        let _ = solved.slices[slice].set(values.into_values()?);
        Ok::<(), SolveError>(())
    };
    solve_slices(material, targets, options, &|_| false, &finish)?;
    Ok(solved)
}

/// Solves a material and hands out the values of each slice as soon as they are known.
///
/// Slices of pawn placements that are equally far from promotion are solved in parallel, those
/// nearer to promotion first. Those are left out of which all is recorded that other slices read,
/// and of which `is_done` says that the caller has the values.
///
/// # Errors
///
/// If a target is missing, a distance does not fit, the caller cancelled, or what `finish` says.
pub fn solve_slices<E: From<SolveError> + Send>(
    material: Material,
    targets: &Targets,
    options: SolveOptions<'_>,
    is_done: &(dyn Fn(usize) -> bool + Sync),
    finish: &(dyn Fn(usize, SolvedSlice) -> Result<(), E> + Sync),
) -> Result<(), E> {
    let words = board::words(&material);
    // With all values at hand, addresses have 32 bits.
    let is_addressed = |&words: &usize| match options.engine {
        Engine::Together => u32::try_from(words).is_ok(),
        Engine::Chains => true,
    };
    if words.filter(is_addressed).is_none() {
        return Err(SolveError::too_large(&material).into());
    }
    let told = |error: io::Error| SolveError::scratch(&material, error.kind());
    let division = division(&material, options);
    let scratch = match (options.checkpoints, options.scratch) {
        (Some(checkpoints), _) => Some(Arc::clone(checkpoints.of_material())),
        (None, None) if division.is_none() => None,
        (None, directory) => Some(Arc::new(Scratch::new(directory).map_err(told)?)),
    };
    let slab = division
        .as_ref()
        .map_or(options.slab, |division| division.slab);
    let waiting = scratch.map(|scratch| (scratch, slab));
    let own = OwnSlices::new(material, slice::own_reads, waiting, division);
    // Only a double push past an enemy pawn asks for stalemates.
    let with_stalemates = material.has_pawns_of_both();
    let mut slices: Vec<(u32, usize)> = (0..own.pawns.len())
        .map(|slice| (own.pawns.placement(slice).steps_to_promotion(), slice))
        .collect();
    slices.sort_unstable();
    let at_a_time = match options.slices_at_a_time {
        // All threads work on one slice.
        _ if options.engine == Engine::Chains && options.finished.is_none() => 1,
        few if few < rayon::current_num_threads() => few.max(1),
        _ => usize::MAX,
    };
    for equally_far in slices.chunk_by(|a, b| a.0 == b.0) {
        for side_by_side in equally_far.chunks(at_a_time) {
            parallel::try_each_item(side_by_side, |_, &(_, slice)| -> Result<(), E> {
                let reads = slice::own_reads(&own.pawns, slice);
                if own.recall(slice) && is_done(slice) {
                    own.release(&reads);
                    return Ok(());
                }
                let solved = solve_slice(&own, slice, targets, options)?;
                solved.leave(&own, slice, with_stalemates)?;
                own.record(slice).map_err(told)?;
                own.release(&reads);
                let plies = solved.plies();
                finish(slice, solved)?;
                if let Some(plies) = plies {
                    plies.finish();
                }
                Ok(())
            })?;
        }
    }
    Ok(())
}

/// What this rank has of each slice, where several solve them and they are worth dividing.
fn division<'a>(material: &Material, options: SolveOptions<'a>) -> Option<Division<'a>> {
    let ranks = options
        .ranks
        .filter(|_| options.engine == Engine::Chains && options.finished.is_none())?;
    let placement = PawnSlices::new(material).placement(0);
    Division::new(&board::space(material, placement), ranks, options.slab)
}

fn solve_slice(
    own: &OwnSlices<'_>,
    slice: usize,
    targets: &Targets,
    options: SolveOptions<'_>,
) -> Result<SolvedSlice, SolveError> {
    let material = own.material;
    if options.watch.is_cancelled() {
        return Err(SolveError::cancelled(&material));
    }
    let space = board::space(&material, own.pawns.placement(slice));
    let rules = |addresses: Range<usize>| {
        let moves = ZeroingMoves::All;
        SliceRules::new(&space, own, slice, targets, &options, addresses, moves)
            .map_err(|reason| unprepared(&material, reason))
    };
    if options.engine == Engine::Chains && options.finished.is_none() {
        let scratch = match options.checkpoints {
            Some(checkpoints) => checkpoints.of_slice(slice),
            None => match space.words {
                0..=UNCOMPRESSED_WORDS => Scratch::new(None).map(Scratch::uncompressed),
                _ => Scratch::new(options.scratch),
            },
        };
        let scratch = scratch.map_err(|error| SolveError::scratch(&material, error.kind()))?;
        let slabs = SlabValues::solve(
            material,
            &space,
            Arc::new(scratch),
            own.division(),
            rules,
            options,
        )?;
        return Ok(SolvedSlice::Slabs(Box::new(slabs)));
    }
    let rules = rules(0..space.words)?;
    if let Some(tables) = options.finished {
        return restored::restore(&space, &material, slice, tables, rules, options);
    }
    let width = options.width;
    let (mut fixed, conversions) = rules.collect(width, 0..space.words);
    drop(rules);
    let lines = sweep::LineTable::new(&space);
    let moves = sweep::SliceMoves::new(&space, &lines);
    let values = fixpoint::solve(moves, &mut fixed, options.limits(), width, options.watch)
        .map_err(|reason| reason.of(&material))?;
    let [white, black] = fixed;
    let [white_conversions, black_conversions] = conversions;
    let [white_values, black_values] = values;
    Ok(SolvedSlice::Whole(Box::new([
        SideValues::new(white, white_conversions, white_values, width),
        SideValues::new(black, black_conversions, black_values, width),
    ])))
}

/// The most processes that can solve a material together: each has some squares of the white king.
///
/// # Examples
///
/// ```
/// use retrograde::generate::most_ranks;
///
/// assert_eq!(most_ranks(&"KQRvKQR".parse().unwrap()), 10);
/// assert_eq!(most_ranks(&"KRPvKR".parse().unwrap()), 64);
/// ```
#[must_use]
pub fn most_ranks(material: &Material) -> usize {
    board::king_squares(material)
}

/// Solves a material without pawns that is too large for all of its values to be in memory.
/// `targets` are gone when what they say has been collected. Of several ranks the first one gets
/// the values, and the others nothing.
///
/// # Errors
///
/// If the material has pawns, a target is missing, the scratch file cannot be used, or the caller
/// cancelled.
pub fn solve_in_slabs(
    material: Material,
    targets: Targets,
    options: SolveOptions<'_>,
) -> Result<Option<SlabValues>, SolveError> {
    if board::words(&material).is_none() || material.has_pawns() {
        return Err(SolveError::too_large(&material));
    }
    let division = division(&material, options);
    let own = OwnSlices::new(material, |_, _| Vec::new(), None, division);
    let space = board::space(&material, own.pawns.placement(0));
    let rules = |addresses: Range<usize>| {
        let moves = ZeroingMoves::All;
        SliceRules::new(&space, &own, 0, &targets, &options, addresses, moves)
            .map_err(|reason| unprepared(&material, reason))
    };
    let scratch = match options.checkpoints {
        Some(checkpoints) => Arc::clone(checkpoints.of_material()),
        None => {
            let scratch = Scratch::new(options.scratch);
            Arc::new(scratch.map_err(|error| SolveError::scratch(&material, error.kind()))?)
        }
    };
    let slabs = SlabValues::solve(material, &space, scratch, own.division(), rules, options)?;
    let has_all = own.division().is_none_or(Division::has_all);
    Ok(has_all.then_some(slabs))
}

fn unprepared(material: &Material, reason: Unprepared) -> SolveError {
    match reason {
        Unprepared::MissingTarget(target) => SolveError::missing_target(material, &target),
        Unprepared::Scratch(kind) => SolveError::scratch(material, kind),
    }
}

/// Collects what the moves of `material` lead to, laid out as its solver wants it, from solved
/// normal forms.
///
/// # Errors
///
/// If one of them is not there.
pub fn gather_targets(
    material: &Material,
    stored: &HashMap<Material, Arc<Solved>>,
    width: Width,
) -> Result<Targets, SolveError> {
    let find = |target: Material| {
        stored
            .get(&target.normal_form())
            .ok_or_else(|| SolveError::missing_target(material, &target))
    };
    let mut targets = Targets::default();
    for target in board::captures(material) {
        let view = View::of(find(target)?);
        targets
            .captures
            .insert(target, Arc::new(view.in_colors_of(&target, width)));
    }
    for promotion in Promotion::all_of(material) {
        let solved = find(promotion.target())?;
        let extraction = Extraction::new(promotion);
        let turn = extraction.source_turn().index();
        let views = parallel::try_map(extraction.parts(), |part| {
            let source = solved.slices[extraction.source(part)].get();
            let source =
                source.ok_or_else(|| SolveError::missing_target(material, &promotion.target()))?;
            let source = SideView::of(&source[turn], false);
            Ok(Arc::new(extraction.view(part, &source, width)))
        })?;
        targets.promotions.insert(
            (promotion.color, promotion.role),
            PromotionViews::new(&promotion, Arc::new(views)),
        );
    }
    Ok(targets)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::path::Path;

    use super::*;
    use crate::retro::ranks::ThreadRank;
    use crate::store::RecordKind;

    /// Materials, each after what its moves lead to.
    pub(crate) fn solved(
        names: &[&str],
        options: SolveOptions<'_>,
    ) -> HashMap<Material, Arc<Solved>> {
        let mut stored = HashMap::new();
        for name in names {
            let material = name.parse().unwrap();
            let targets = gather_targets(&material, &stored, options.width).unwrap();
            let solved = solve(material, &targets, options).unwrap();
            stored.insert(material, Arc::new(solved));
        }
        stored
    }

    pub(super) fn is_same(a: &SideValues, b: &SideValues) -> bool {
        a.legal == b.legal
            && a.decided == b.decided
            && a.stalemate == b.stalemate
            && a.longest == b.longest
            && a.dtm.clone().widened() == b.dtm.clone().widened()
            && a.own.dtz == b.own.dtz
            && a.own.dtz_high == b.own.dtz_high
            && a.own.wdl_by_conversion == b.own.wdl_by_conversion
            && a.own.won_by_zeroing == b.own.won_by_zeroing
            && a.own.dtm_by_conversion == b.own.dtm_by_conversion
    }

    /// Scratch files of which nobody else wants anything.
    #[derive(Debug)]
    struct Kept(Arc<Scratch>);

    impl Kept {
        fn new(directory: &Path) -> Kept {
            let path = directory.join("journal");
            let mut options = std::fs::File::options();
            options.read(true).write(true).create(true).truncate(false);
            let journal = options.open(&path).unwrap();
            let scratch = Scratch::resumable(&path, &directory.join("data"), journal, b"");
            Kept(Arc::new(scratch.unwrap().unwrap()))
        }
    }

    impl Checkpoints for Kept {
        fn of_material(&self) -> &Arc<Scratch> {
            &self.0
        }

        fn of_slice(&self, _: usize) -> io::Result<Scratch> {
            Err(io::ErrorKind::Unsupported.into())
        }
    }

    /// Counts plies.
    #[derive(Debug, Default)]
    struct Told(std::sync::atomic::AtomicUsize);

    impl PlyObserver for Told {
        fn ply(&self, _: Distance, _: u32) {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    }

    /// Solves a material as far as the scratch files of a directory do not know it: its values, and
    /// the plies that were done.
    pub(super) fn gone_on(
        material: Material,
        stored: &HashMap<Material, Arc<Solved>>,
        directory: &Path,
        options: SolveOptions<'_>,
    ) -> (solved::SliceValues, usize) {
        let kept = Kept::new(directory);
        let told = Told::default();
        let options = SolveOptions {
            checkpoints: Some(&kept),
            watch: Watch {
                cancel: options.watch.cancel,
                observer: Some(&told),
            },
            ..options
        };
        let targets = gather_targets(&material, stored, options.width).unwrap();
        let solved = solve_in_slabs(material, targets, options).unwrap().unwrap();
        let values = solved.whole().unwrap();
        (values, told.0.into_inner())
    }

    /// Where records begin, and the kind of each; the end of the last at the end.
    pub(super) fn records(journal: &[u8]) -> Vec<(usize, u8)> {
        let number = |at: usize| u32::from_le_bytes(*journal[at..].first_chunk().unwrap()) as usize;
        let mut at = 8 + 4 + number(8) + 4;
        let mut records = Vec::new();
        while at < journal.len() {
            records.push((at, journal[at + 4]));
            at += 4 + number(at) + 4;
        }
        records.push((at, 0));
        records
    }

    #[test]
    fn what_was_recorded_is_not_solved_again_wherever_it_ends() {
        let cancel = AtomicBool::new(false);
        let plain = SolveOptions {
            engine: Engine::Chains,
            // Cursed wins as well.
            limit: Plies(20),
            ..SolveOptions::new(&cancel)
        };
        let three = ["KQvK", "KRvK", "KBvK", "KNvK"];
        for (name, slab, step) in [("KRvK", 192, 1), ("KNvKN", SLAB, 3), ("KRvKN", SLAB, 11)] {
            let stored = solved(&three, plain);
            let material: Material = name.parse().unwrap();
            let options = SolveOptions { slab, ..plain };
            let directory = tempfile::tempdir().unwrap();
            let (expected, all) = gone_on(material, &stored, directory.path(), options);
            let names = ["journal", "data"].map(|name| directory.path().join(name));
            let [journal, data] = names.each_ref().map(|path| std::fs::read(path).unwrap());
            let records = records(&journal);
            let is_ply =
                |kind: u8| [RecordKind::Zeroing as u8, RecordKind::Mates as u8].contains(&kind);
            for (number, &(end, _)) in records.iter().enumerate().step_by(step) {
                let plies = records[..number].iter().filter(|&&(_, kind)| is_ply(kind));
                let plies = plies.count();
                // A record that is torn counts as little as one that was never begun.
                for more in [0, 7] {
                    let end = journal.len().min(end + more);
                    std::fs::write(&names[0], &journal[..end]).unwrap();
                    std::fs::write(&names[1], &data).unwrap();
                    let context = format!("{name}, {number} records and {more} bytes");
                    let (values, told) = gone_on(material, &stored, directory.path(), options);
                    assert_eq!(told, all - plies, "{context}");
                    for (ours, expected) in values.iter().zip(&expected) {
                        assert!(is_same(ours, expected), "{context}");
                    }
                    let again = std::fs::read(&names[0]).unwrap();
                    assert_eq!(self::records(&again).len(), records.len(), "{context}");
                }
            }
        }
    }

    #[test]
    fn values_depend_neither_on_the_engine_nor_on_the_width_of_scores() {
        let names = [
            "KQvK", "KRvK", "KBvK", "KNvK", "KPvK", "KQvKR", "KRvKR", "KRvKB", "KRvKN", "KRvKP",
        ];
        let cancel = AtomicBool::new(false);
        for limit in [100, 20, 6].map(Plies) {
            let plain = SolveOptions {
                limit,
                ..SolveOptions::new(&cancel)
            };
            let expected = solved(&names, plain);
            let scratch = ScratchDirectory::new(std::env::temp_dir());
            for (engine, longest_in_bytes, slab, is_in_files) in [
                (Engine::Together, Plies(13), SLAB, false),
                (Engine::Together, Plies(13), 192, true),
                (Engine::Chains, LONGEST_IN_BYTES, SLAB, true),
                (Engine::Chains, Plies(13), 192, false),
                (Engine::Chains, Plies(13), 192, true),
            ] {
                let options = SolveOptions {
                    engine,
                    longest_in_bytes,
                    slab,
                    scratch: is_in_files.then_some(&scratch),
                    ..plain
                };
                let mut wide = 0;
                for (material, solved) in solved(&names, options) {
                    let slices = solved.slices.iter().zip(&expected[&material].slices);
                    for (ours, expected) in slices {
                        let sides = ours.get().unwrap().iter().zip(expected.get().unwrap());
                        for (ours, expected) in sides {
                            assert!(is_same(ours, expected), "{material}: {options:?}");
                            wide += usize::from(ours.dtm.are_wide());
                        }
                    }
                }
                assert_eq!(wide > 0, longest_in_bytes < LONGEST_IN_BYTES);
            }
        }
    }

    /// Zeroing moves are looked at by rows where only results are wanted, and else one address at a
    /// time.
    #[test]
    fn results_are_the_same_without_distances_to_mate() {
        let names = [
            "KQvK", "KRvK", "KBvK", "KNvK", "KPvK", "KQvKR", "KRvKR", "KRvKB", "KRvKN", "KRvKP",
            "KRNvK", "KBNvK", "KBvKN", "KNvKN",
        ];
        let cancel = AtomicBool::new(false);
        for limit in [100, 6].map(Plies) {
            let plain = SolveOptions {
                limit,
                ..SolveOptions::new(&cancel)
            };
            let expected = solved(&names, plain);
            for engine in [Engine::Together, Engine::Chains] {
                let options = SolveOptions {
                    engine,
                    mates: false,
                    ..plain
                };
                for (material, solved) in solved(&names, options) {
                    let slices = solved.slices.iter().zip(&expected[&material].slices);
                    for (ours, expected) in slices {
                        let sides = ours.get().unwrap().iter().zip(expected.get().unwrap());
                        for (ours, expected) in sides {
                            assert!(
                                ours.legal == expected.legal
                                    && ours.decided == expected.decided
                                    && ours.stalemate == expected.stalemate
                                    && ours.own.dtz == expected.own.dtz
                                    && ours.own.wdl_by_conversion == expected.own.wdl_by_conversion
                                    && ours.own.won_by_zeroing == expected.own.won_by_zeroing,
                                "{material}: {options:?}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn ranks_find_together_what_one_does() {
        let three = ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"];
        let four = ["KQvKR", "KRvKR", "KRvKB", "KRvKN", "KNNvK", "KRvKP"];
        let names = &[&three[..], &four].concat();
        let cancel = AtomicBool::new(false);
        let plain = SolveOptions {
            engine: Engine::Chains,
            limit: Plies(20),
            ..SolveOptions::new(&cancel)
        };
        let expected = solved(names, plain);
        let found = |material: Material, options: SolveOptions<'_>| {
            let targets = gather_targets(&material, &expected, options.width).unwrap();
            solve(material, &targets, options).unwrap()
        };
        // With ten ranks, each has one square of a king without pawns.
        for count in [2, 3, 10] {
            let ranks = ThreadRank::all(count);
            std::thread::scope(|scope| {
                for rank in &ranks {
                    let (expected, found, cancel) = (&expected, &found, &cancel);
                    scope.spawn(move || {
                        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
                        let options = SolveOptions {
                            ranks: Some(rank),
                            slab: 192,
                            ..SolveOptions {
                                watch: Watch::new(cancel),
                                ..plain
                            }
                        };
                        let pool = pool.unwrap();
                        for name in names {
                            let material = name.parse().unwrap();
                            let ours = pool.install(|| found(material, options));
                            // The first rank alone has everything.
                            for (ours, expected) in
                                ours.slices.iter().zip(&expected[&material].slices)
                            {
                                let sides = ours.get().unwrap().iter().zip(expected.get().unwrap());
                                for (ours, expected) in sides {
                                    assert!(
                                        rank.rank() > 0 || is_same(ours, expected),
                                        "{material}, {count} ranks"
                                    );
                                }
                            }
                        }
                    });
                }
            });
        }
    }
}
