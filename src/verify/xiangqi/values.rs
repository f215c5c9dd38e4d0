//! The files of a material, and the values in them brought into lines.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::attack::{kings_face, takers, takes};
use super::layout::{Layout, Men};
use super::line::{Values, key};
use crate::Error;
use crate::game::Color;
use crate::metric::Wdl;
use crate::table::Table;
use crate::tables::{NativeFile, generate_arguments, rules_directory, table_path};
use crate::xiangqi::rules::{Bitboard, Role, squares};
use crate::xiangqi::{IndexSpace, Material, Metric, Order, Rules, Xiangqi, needs_rounds};

/// A file, and what is wrong with it.
pub(super) type Problem = (PathBuf, String);

/// The opened tables of one material.
#[derive(Debug)]
pub(super) struct Source {
    pub space: IndexSpace,
    tables: [Option<(NativeFile<Xiangqi>, Table)>; Metric::ALL.len()],
}

impl Source {
    pub fn open(directory: &Path, rules: Rules, material: Material) -> Result<Source, Problem> {
        let space =
            IndexSpace::new(material).ok_or_else(|| too_large(directory, rules, material))?;
        let mut tables: [Option<(_, Table)>; Metric::ALL.len()] = Default::default();
        for metric in Metric::ALL {
            let file = native_file(directory, rules, material, metric);
            if !file.path.exists() {
                let results = &tables[usize::from(Metric::Wdl.number())];
                let is_needed = match metric {
                    Metric::Wdl => true,
                    Metric::Rounds => (results.as_ref())
                        .is_some_and(|(_, results)| needs_rounds(results.description().flags)),
                    Metric::Dtc | Metric::Dtm => false,
                };
                if !is_needed {
                    continue;
                }
                let problem = format!(
                    "{}: no such table; generate it with `retrograde generate {}`",
                    file.path.display(),
                    generate_arguments::<Xiangqi>(&material, rules)
                );
                return Err((file.path, problem));
            }
            let table = file.open(false);
            let table = table.map_err(|error| (file.path.clone(), error.to_string()))?;
            tables[usize::from(metric.number())] = Some((file, table));
        }
        Ok(Source { space, tables })
    }

    /// The table of a metric, if there is one.
    pub fn table(&self, metric: Metric) -> Option<&Table> {
        let found = self.tables[usize::from(metric.number())].as_ref();
        found.map(|(_, table)| table)
    }

    pub fn has(&self, metric: Metric) -> bool {
        self.table(metric).is_some()
    }

    /// The numbers of both sides to move, none where there is no such table.
    fn numbers(&self, metric: Metric) -> Result<[Vec<u8>; 2], Problem> {
        let Some((file, table)) = &self.tables[usize::from(metric.number())] else {
            return Ok(Default::default());
        };
        let read = |side| -> Result<Vec<u8>, Error> {
            // Opening has seen that both sides are there.
            let Some(stream) = table.stream(side) else {
                return Ok(Vec::new());
            };
            let order = Order::new(&self.space, &stream.order());
            let order = order.map_err(|error| file.foreign(error.to_string()))?;
            Ok(order.by_index(table.read_stream(stream)?))
        };
        let both = || Ok([read(0)?, read(1)?]);
        both().map_err(|error: Error| (file.path.clone(), error.to_string()))
    }
}

/// The file that has the name of a table.
pub(super) fn native_file(
    directory: &Path,
    rules: Rules,
    material: Material,
    metric: Metric,
) -> NativeFile<Xiangqi> {
    NativeFile {
        path: table_path(
            &rules_directory::<Xiangqi>(directory, rules),
            &material,
            metric,
        ),
        material,
        metric,
        rules,
    }
}

/// Why a material cannot be verified that has too many positions.
pub(super) fn too_large(directory: &Path, rules: Rules, material: Material) -> Problem {
    let path = table_path(
        &rules_directory::<Xiangqi>(directory, rules),
        &material,
        Metric::Wdl,
    );
    let problem = format!(
        "{}: {material} has too many positions to be verified in memory",
        path.display()
    );
    (path, problem)
}

/// One address.
#[derive(Debug)]
pub(super) struct At {
    pub men: Men,
    /// The squares of all men but the one in the line.
    pub fixed: Bitboard,
    /// By side to move, the legal positions.
    pub legal: [Bitboard; 2],
    /// By side, where it is in check.
    pub in_check: [Bitboard; 2],
}

impl At {
    /// What is known of an address without any table; `None` if no position is there.
    pub fn new(layout: &Layout, address: usize) -> Option<At> {
        let men = layout.men(address);
        let fixed = layout.fixed(&men)?;
        let (color, role) = layout.attackers[0];
        let possible = role.domain(color) & !fixed;
        let in_check = Color::ALL.map(|side| in_check(layout, &men, fixed, side));
        Some(At {
            men,
            fixed,
            legal: [possible & !in_check[1], possible & !in_check[0]],
            in_check,
        })
    }
}

/// The squares of the man in the line for which the king of a side is attacked.
fn in_check(layout: &Layout, men: &Men, fixed: Bitboard, side: Color) -> Bitboard {
    let kings = Color::ALL.map(|color| layout.camp(men, color).king);
    let king = kings[side.index()];
    let mut checks = kings_face(kings, fixed);
    for (place, (&(color, role), &square)) in layout.attackers.iter().zip(&men.squares).enumerate()
    {
        if color != side {
            checks |= match place {
                0 => takers(color, role, king, fixed),
                _ => takes(color, role, square, king, fixed),
            };
        }
    }
    checks
}

/// Where a file has a number that is no result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meaningless {
    pub address: usize,
    pub side: Color,
    pub place: u8,
    pub number: u8,
}

/// All values of a material.
#[derive(Debug)]
pub(super) struct Resolved {
    pub layout: Layout,
    /// By address and side to move.
    pub lines: Vec<[Values; 2]>,
    pub has_scores: bool,
    pub meaningless: Vec<Meaningless>,
}

impl Resolved {
    /// Reads the tables of a material.
    pub fn load(source: &Source, layout: Layout) -> Result<Resolved, Problem> {
        let results = source.numbers(Metric::Wdl)?;
        let plies = source.numbers(Metric::Dtc)?;
        let scores = source.numbers(Metric::Dtm)?;
        let rounds = source.numbers(Metric::Rounds)?;
        let lines = (0..layout.addresses).into_par_iter().map(|address| {
            let mut lines = [Values::NONE, Values::NONE];
            let mut meaningless = Vec::new();
            let Some(at) = At::new(&layout, address) else {
                return (lines, meaningless);
            };
            let mut placement = layout.placement(&at.men, false);
            let (color, role) = layout.attackers[0];
            let others = placement.pieces[color.index()][role.index()];
            for square in squares(at.legal[0] | at.legal[1]) {
                placement.pieces[color.index()][role.index()] = others | square.bit();
                let Some((index, _)) = source.space.index(&placement) else {
                    continue;
                };
                for side in Color::ALL {
                    if at.legal[side.index()] & square.bit() == 0 {
                        continue;
                    }
                    let number = |numbers: &[Vec<u8>; 2]| {
                        let number = numbers[side.index()].get(index as usize).copied();
                        number.unwrap_or(0)
                    };
                    let result = Wdl::from_index(number(&results).into());
                    let is_result =
                        |result: &Wdl| matches!(result, Wdl::Win | Wdl::Draw | Wdl::Loss);
                    let result = result.filter(is_result).unwrap_or_else(|| {
                        meaningless.push(Meaningless {
                            address,
                            side,
                            place: square.index() as u8,
                            number: number(&results),
                        });
                        Wdl::Draw
                    });
                    let line = &mut lines[side.index()];
                    line.keys[square.index()] = key::of(result, number(&rounds), number(&plies));
                    line.scores[square.index()] = number(&scores);
                }
            }
            (lines, meaningless)
        });
        let (lines, meaningless): (Vec<_>, Vec<_>) = lines.unzip();
        Ok(Resolved {
            lines,
            has_scores: source.has(Metric::Dtm),
            meaningless: meaningless.into_iter().flatten().collect(),
            layout,
        })
    }
}

/// Whether a man is one that others at home guard: it is taken by attackers only.
pub(super) const GUARDS: [Role; 2] = [Role::Advisor, Role::Elephant];
