//! Every chess material of three and four men, solved once for all tests.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use retrograde::chess::index::{IndexSpace, Placement};
use retrograde::chess::material::Material;
use retrograde::chess::placement::PawnPlacement;
use retrograde::chess::solve::board::addressed_men;
use retrograde::chess::solve::solved::Solved;
use retrograde::chess::solve::{SolveOptions, gather_targets, solve};
use retrograde::chess::{Role, Setup};
use retrograde::game::Color;
use retrograde::generate::{Summary, table_path};
use retrograde::metric::{Dtm, FIFTY_MOVES, Metric, Plies, Wdl};
use retrograde::simd::Width;
use retrograde::table::{Compression, Description, StreamSource, write_table};

/// What the solver says about one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    pub wdl: Wdl,
    /// Plies without sign; 0 for a draw and for a mated position.
    pub dtz: u8,
    pub dtm: Option<Dtm>,
}

/// The 35 materials in an order in which each comes after what its moves lead to.
pub fn materials() -> Vec<Material> {
    let mut order: Vec<Material> = (3..=4).flat_map(Material::all_with_men).collect();
    order.sort_by_key(|material| (material.men(), material.pawns()));
    order
}

/// All values of all 35 materials.
pub fn all() -> &'static HashMap<Material, Arc<Solved>> {
    static ALL: OnceLock<HashMap<Material, Arc<Solved>>> = OnceLock::new();
    ALL.get_or_init(|| with_limit(&materials(), FIFTY_MOVES))
}

/// All values of the given materials, each of which comes after what its moves lead to, when a draw
/// can be claimed after `limit` plies.
pub fn with_limit(materials: &[Material], limit: Plies) -> HashMap<Material, Arc<Solved>> {
    with_width(materials, limit, Width::widest())
}

/// The same with registers of some width.
pub fn with_width(
    materials: &[Material],
    limit: Plies,
    width: Width,
) -> HashMap<Material, Arc<Solved>> {
    with_options(materials, |options| SolveOptions {
        limit,
        width,
        ..options
    })
}

/// The same with options that are changed.
pub fn with_options(
    materials: &[Material],
    change: impl Fn(SolveOptions<'_>) -> SolveOptions<'_>,
) -> HashMap<Material, Arc<Solved>> {
    let cancel = AtomicBool::new(false);
    let options = change(SolveOptions::new(&cancel));
    let mut stored = HashMap::new();
    for &material in materials {
        let targets = gather_targets(&material, &stored, options.width).unwrap();
        stored.insert(
            material,
            Arc::new(solve(material, &targets, options).unwrap()),
        );
    }
    stored
}

/// The value of a placement, or nothing if it is not legal.
pub fn value(solved: &Solved, turn: Color, placement: &Placement) -> Option<Value> {
    let mut men = placement.men;
    let mut squares = [0; 8];
    let order = addressed_men(&solved.material);
    for (square, &(color, role)) in squares.iter_mut().zip(&order) {
        let set = &mut men[color.index()][role.index()];
        *square = set.trailing_zeros() as u8;
        *set &= set.wrapping_sub(1);
    }
    let (slice, mirrored) = solved.slice(PawnPlacement {
        white: placement.of(Color::White, Role::Pawn),
        black: placement.of(Color::Black, Role::Pawn),
    });
    let place = solved.place(slice, mirrored, &squares[..order.len()]);
    let king = placement.of(Color::Black, Role::King).trailing_zeros() as u8;
    let bit = place.symmetry.map(king);
    let values = &solved.slices[slice].get().expect("solved")[turn.index()];
    let position = place.address * 64 + usize::from(bit);
    Some(Value {
        wdl: values.wdl(place.address, bit.into())?,
        dtz: values.own.dtz[position],
        dtm: values.dtm.plies(position).map(Dtm),
    })
}

/// Writes a table with the values of some sides to move, 0 or 1, as the solver found them: none is
/// left out because a prober could find it elsewhere.
pub fn write_sides(directory: &Path, solved: &Solved, metric: Metric, sides: &[u8]) {
    let space = IndexSpace::new(solved.material);
    let natural = space.natural_order();
    let number = |index: usize, side: u8| {
        let placement = space.placement(&natural.digits(index as u64))?;
        let value = value(solved, Color::ALL[usize::from(side)], &placement)?;
        Some(match metric {
            Metric::Wdl => value.wdl.index() as u8,
            Metric::Dtz => value.dtz,
            Metric::Dtm => value.dtm.map_or(0, |dtm| dtm.0.unsigned_abs() as u8 / 2),
        })
    };
    let numbers: Vec<Vec<u8>> = sides
        .iter()
        .map(|&side| {
            let indices = (0..space.len() as usize).into_par_iter();
            let numbers = indices.map(|index| number(index, side).unwrap_or(0));
            numbers.collect()
        })
        .collect();
    let mut order = [u8::MAX; 12];
    order[..space.dimensions()].copy_from_slice(natural.dimensions());
    let streams: Vec<StreamSource<'_>> = sides
        .iter()
        .zip(&numbers)
        .map(|(&side, numbers)| StreamSource {
            order,
            ..StreamSource::new(side, space.len(), numbers)
        })
        .collect();
    let summary = Summary::new(solved, &space);
    let description = Description {
        material: solved.material.to_string(),
        metric: metric.number(),
        counts: summary.counts(),
        longest: summary.longest(metric),
        ..Description::default()
    };
    let path = table_path(directory, &solved.material, metric);
    let options = Compression::Fast.into();
    write_table(&path, &description, &streams, &options, &|_, _| true).unwrap();
}

/// The position for messages, legal or not.
pub fn fen(turn: Color, placement: &Placement) -> String {
    Setup {
        pieces: placement.men,
        turn,
        ..Setup::empty()
    }
    .to_fen()
}
