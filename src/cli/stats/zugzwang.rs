//! Finds every mutual zugzwang of a material.
//!
//! Only the tables of results are read, and these from front to back: a number in them is never better than the value
//! of its position unless a capture or promotion wins, and nobody who wins is in zugzwang. So most positions
//! are ruled out by the two numbers of their men, and few have to be probed.

use std::io::Write;

use indicatif::HumanCount;
use rayon::prelude::*;
use retrograde::game::Color;
use retrograde::index::{IndexSpace, Order, Placement};
use retrograde::material::Material;
use retrograde::metric::{Metric, Wdl};
use retrograde::probe::{ProbeError, Tablebase};
use retrograde::symmetry::mirror;
use retrograde::table::{Stream, Table};
use serde_json::{Value, json};

/// What the two sides get who would rather not move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// White to move draws, Black to move loses.
    BlackLoses,
    /// White to move loses, Black to move draws.
    WhiteLoses,
    /// Whoever is to move loses: a full point is lost by it.
    BothLose,
}

impl Kind {
    pub const ALL: [Kind; 3] = [Kind::BlackLoses, Kind::WhiteLoses, Kind::BothLose];

    /// From the results of White to move and of Black to move, each from the mover's point of view; nothing if
    /// one of them does not mind moving. The fifty-move rule is ignored.
    pub fn new(white: Wdl, black: Wdl) -> Option<Kind> {
        match (points(white), points(black)) {
            (0, -1) => Some(Kind::BlackLoses),
            (-1, 0) => Some(Kind::WhiteLoses),
            (-1, -1) => Some(Kind::BothLose),
            _ => None,
        }
    }

    /// In words; `first` is what the side that moves first in a game is called.
    fn name(self, first: &str) -> String {
        match self {
            Kind::BlackLoses => format!("{first} to move draws, black to move loses"),
            Kind::WhiteLoses => format!("{first} to move loses, black to move draws"),
            Kind::BothLose => "whoever is to move loses".to_owned(),
        }
    }

    fn json_name(self, first: &str) -> String {
        match self {
            Kind::BlackLoses => format!("{first}_draws_black_loses"),
            Kind::WhiteLoses => format!("{first}_loses_black_draws"),
            Kind::BothLose => "whoever_moves_loses".to_owned(),
        }
    }
}

/// 1 for a win, 0 for a draw, -1 for a loss, as if there were no fifty-move rule.
fn points(wdl: Wdl) -> i32 {
    wdl.signum2().signum()
}

/// The mutual zugzwangs of one kind.
#[derive(Debug, Default)]
pub struct Zugzwangs {
    /// Over the full board.
    pub count: u64,
    /// Mirror images counted once; where both sides have the same men and lose, so are exchanged colours.
    pub different: u64,
    /// The first of those that are different, in the order of indices, with White to move.
    pub fens: Vec<String>,
}

impl Zugzwangs {
    /// Counts a placement; `is_first` of those that count as the same.
    pub fn add(&mut self, weight: u64, is_first: bool, fen: impl FnOnce() -> String, limit: usize) {
        self.count += weight;
        self.different += u64::from(is_first);
        if is_first && self.fens.len() < limit {
            self.fens.push(fen());
        }
    }
}

/// The mutual zugzwangs of a material.
#[derive(Debug, Default)]
pub struct Found([Zugzwangs; 3]);

impl Found {
    pub fn of_kind(&mut self, kind: Kind) -> &mut Zugzwangs {
        &mut self.0[kind as usize]
    }

    /// How many zugzwangs there are: over the full board, and different ones as published lists count them. Where both
    /// sides have the same men, exchanging the colours does not make a position a different one.
    fn totals(&self, is_symmetric: bool) -> (u64, u64) {
        let different = |kind: &Kind| *kind != Kind::WhiteLoses || !is_symmetric;
        (
            self.0.iter().map(|kind| kind.count).sum(),
            Kind::ALL
                .into_iter()
                .filter(different)
                .map(|kind| self.0[kind as usize].different)
                .sum(),
        )
    }

    pub fn to_json(&self, is_symmetric: bool, first: &str) -> Value {
        let (positions, different) = self.totals(is_symmetric);
        let mut answer = json!({"positions": positions, "different": different});
        for kind in Kind::ALL {
            let Zugzwangs {
                count,
                different,
                fens,
            } = &self.0[kind as usize];
            answer[kind.json_name(first)] =
                json!({"positions": count, "different": different, "fens": fens});
        }
        answer
    }

    /// Prints how many there are of each kind, and those listed.
    ///
    /// # Errors
    ///
    /// If nothing can be written.
    pub fn print(
        &self,
        material: &str,
        is_symmetric: bool,
        first: &str,
        limit: usize,
        out: &mut dyn Write,
    ) -> anyhow::Result<()> {
        let (positions, different) = self.totals(is_symmetric);
        writeln!(
            out,
            "{material} mutual zugzwangs: {} positions, {} different",
            HumanCount(positions),
            HumanCount(different)
        )?;
        for kind in Kind::ALL {
            let of_kind = &self.0[kind as usize];
            if of_kind.count == 0 {
                continue;
            }
            writeln!(
                out,
                "{}: {} positions, {} different",
                kind.name(first),
                HumanCount(of_kind.count),
                HumanCount(of_kind.different)
            )?;
            for fen in &of_kind.fens {
                writeln!(out, "  {fen}")?;
            }
            if of_kind.different > of_kind.fens.len() as u64 {
                writeln!(out, "  and more: --limit lists more than {limit}")?;
            }
        }
        Ok(())
    }
}

/// How many indices [`find`] goes through.
pub fn work(material: &Material) -> u64 {
    IndexSpace::new(*material).len()
}

/// Counts the mutual zugzwangs of each [`Kind`] and lists the first `limit`.
///
/// # Errors
///
/// If a table of results is missing or damaged.
pub fn find(
    tables: &Tablebase,
    material: &Material,
    limit: usize,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Found, ProbeError> {
    let search = Search::new(tables, material)?;
    let mut found = (0..search.white.block_count())
        .into_par_iter()
        .map_init(Buffers::default, |buffers, block| {
            let found = search.find_in_block(block, buffers)?;
            progress(search.white.values_in_block(block) as u64);
            Ok(found)
        })
        .try_reduce(Vec::new, |mut found, more| {
            found.extend(more);
            Ok::<_, ProbeError>(found)
        })?;
    // Blocks are in the order that their file happens to have.
    found.sort_unstable();
    let mut zugzwangs = Found::default();
    for (index, kind) in found {
        let Some((placement, position)) = search.space.position(index, Color::White) else {
            continue;
        };
        let weight = search.space.weight(&placement);
        let is_first = is_first(&search.space, index, kind, &placement);
        (zugzwangs.of_kind(kind)).add(weight, is_first, || position.to_fen(), limit);
    }
    Ok(zugzwangs)
}

struct Search<'a> {
    tables: &'a Tablebase,
    space: IndexSpace,
    natural: Order,
    table: &'a Table,
    white: &'a Stream,
    white_order: Order,
    /// All numbers of Black to move; of White to move where both sides have the same men.
    black: Vec<u8>,
    black_order: Order,
}

#[derive(Default)]
struct Buffers {
    packed: Vec<u8>,
    numbers: Vec<u8>,
}

impl<'a> Search<'a> {
    fn new(tables: &'a Tablebase, material: &Material) -> Result<Search<'a>, ProbeError> {
        let contradiction = || ProbeError::Contradiction {
            material: material.to_string(),
            metric: Metric::Wdl,
        };
        let file = tables
            .table(material, Metric::Wdl)
            .ok_or_else(contradiction)?;
        let table = file.table()?;
        let space = IndexSpace::new(*material);
        let stream = |side: u8| -> Result<(&Stream, Order), ProbeError> {
            let stream = table.stream(side).ok_or_else(contradiction)?;
            let order = space.order(&stream.order()).ok();
            let order = order.filter(|_| stream.len() == space.len());
            Ok((stream, order.ok_or_else(contradiction)?))
        };
        let (white, white_order) = stream(0)?;
        let (black, black_order) = stream(if material.is_symmetric() { 0 } else { 1 })?;
        Ok(Search {
            tables,
            natural: space.natural_order(),
            table,
            white,
            white_order,
            black: table.read_stream(black)?,
            black_order,
            space,
        })
    }

    /// The indices, in natural order, and kinds of the mutual zugzwangs in a block of White's numbers.
    fn find_in_block(
        &self,
        block: u64,
        buffers: &mut Buffers,
    ) -> Result<Vec<(u64, Kind)>, ProbeError> {
        let Buffers { packed, numbers } = buffers;
        numbers.resize(self.white.values_in_block(block), 0);
        self.table.decode_block(self.white, block, packed)?;
        self.white.unpack_block(packed, numbers);
        let first = block * u64::from(self.white.block_values());
        let mut found = Vec::new();
        for (index, &white) in (first..).zip(numbers.iter()) {
            if !may_be_zugzwang(white, Wdl::Loss.index() as u8) {
                continue;
            }
            let digits = self.white_order.digits(index);
            let mut placement = None;
            let black_index = if self.space.material().is_symmetric() {
                placement = self.space.placement(&digits);
                let Some(placement) = placement else { continue };
                let exchanged = placement.with_colors_exchanged();
                self.black_order.index(&self.space.digits(&exchanged))
            } else {
                self.black_order.index(&digits)
            };
            if !may_be_zugzwang(white, self.black[black_index as usize]) {
                continue;
            }
            let Some(placement) = placement.or_else(|| self.space.placement(&digits)) else {
                continue;
            };
            if let Some(kind) = self.kind(&placement)? {
                found.push((self.natural.index(&digits), kind));
            }
        }
        Ok(found)
    }

    /// The kind of zugzwang that men are in; nothing unless they may stand so with either side to move.
    fn kind(&self, placement: &Placement) -> Result<Option<Kind>, ProbeError> {
        let [Some(white), Some(black)] = Color::ALL.map(|color| placement.position(color)) else {
            return Ok(None);
        };
        let white = self.tables.probe_wdl(&white)?;
        if points(white) == 1 {
            return Ok(None);
        }
        Ok(Kind::new(white, self.tables.probe_wdl(&black)?))
    }
}

/// Whether no placement that counts as the same has a smaller index, in natural order. Where pawns are their own mirror
/// image, two placements that are each other's have an index each.
fn is_first(space: &IndexSpace, index: u64, kind: Kind, placement: &Placement) -> bool {
    let natural = space.natural_order();
    let is_not_before = |same: &Placement| {
        let mirrored = Placement {
            men: same.men.map(|side| side.map(mirror)),
        };
        [*same, mirrored]
            .iter()
            .all(|image| natural.index(&space.digits(image)) >= index)
    };
    let are_colors_alike = kind == Kind::BothLose && space.material().is_symmetric();
    is_not_before(placement)
        && (!are_colors_alike || is_not_before(&placement.with_colors_exchanged()))
}

/// Whether these numbers leave it open that both sides would rather not move. What is no result is looked at.
fn may_be_zugzwang(white: u8, black: u8) -> bool {
    match [white, black].map(|number| Wdl::from_index(number.into())) {
        [Some(white), Some(black)] => points(white) + points(black) < 0,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zugzwang_costs_something_and_a_win_is_none() {
        for white in Wdl::ALL {
            for black in Wdl::ALL {
                // What White gets from either side's move.
                let costs = points(white) < -points(black);
                assert_eq!(Kind::new(white, black).is_some(), costs);
                assert_eq!(
                    may_be_zugzwang(white.index() as u8, black.index() as u8),
                    costs
                );
            }
        }
        assert_eq!(
            Kind::new(Wdl::BlessedLoss, Wdl::Loss),
            Some(Kind::BothLose),
            "the fifty-move rule is ignored"
        );
    }

    #[test]
    fn of_images_one_comes_first() {
        // Pawns that are their own mirror image, and sides with the same men.
        for (signature, kind, images) in [
            ("KPPvK", Kind::BlackLoses, 1),
            ("KPvKP", Kind::BothLose, 2),
            ("KPvKP", Kind::BlackLoses, 1),
        ] {
            let space = IndexSpace::new(signature.parse().unwrap());
            let natural = space.natural_order();
            for index in (0..space.len()).step_by(61) {
                let Some(placement) = space.placement(&natural.digits(index)) else {
                    continue;
                };
                let exchanged = placement.with_colors_exchanged();
                let mut indices: Vec<u64> = [placement, exchanged][..images]
                    .iter()
                    .flat_map(|same| {
                        let men = same.men.map(|side| side.map(mirror));
                        [*same, Placement { men }]
                    })
                    .map(|image| natural.index(&space.digits(&image)))
                    .collect();
                indices.sort_unstable();
                indices.dedup();
                let first: Vec<u64> = indices
                    .iter()
                    .copied()
                    .filter(|&index| {
                        let placement = space.placement(&natural.digits(index)).unwrap();
                        is_first(&space, index, kind, &placement)
                    })
                    .collect();
                assert_eq!(first, indices[..1], "{signature}");
            }
        }
    }
}
