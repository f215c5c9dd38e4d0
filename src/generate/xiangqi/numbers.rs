//! Solved values in the order of the index.

use crate::game::Bits;
use crate::game::xiangqi::mirror;
use crate::metric::{MateScore, Wdl};
use crate::solve::xiangqi::SideValues;
use crate::solve::xiangqi::space::Space;
use crate::table::Longest;
use crate::xiangqi::{IndexSpace, Metric};

/// Where the position of each index stands among the solved ones.
#[derive(Debug)]
pub(super) struct Numbers<'a> {
    space: &'a Space,
    /// The camps that count, by color.
    camps: [Vec<u64>; 2],
    /// For each group of attackers and each of its values what it adds to the number of a position: as it stands, and mirrored.
    groups: Vec<Vec<[usize; 2]>>,
    len: usize,
}

/// The values of one side to move.
#[derive(Debug)]
pub(super) struct Stream {
    pub values: Vec<u8>,
    pub longest: Option<Longest>,
}

impl<'a> Numbers<'a> {
    pub fn new(index: &IndexSpace, space: &'a Space) -> Numbers<'a> {
        let groups = (index.groups().iter().enumerate())
            .map(|(number, group)| {
                let values = index.values(2 + number).into_iter();
                values
                    .map(|value| {
                        let men = index.men(group, value);
                        [men, mirror(men)]
                            .map(|men| space.contribution((group.color, group.role), men))
                    })
                    .collect()
            })
            .collect();
        Numbers {
            space,
            camps: [index.values(0), index.values(1)],
            groups,
            len: index.len() as usize,
        }
    }

    /// Calls `visit` with the number of each position, address times 128 plus bit, in the order of the index.
    fn for_each(&self, mut visit: impl FnMut(usize)) {
        for &red in &self.camps[0] {
            for &black in &self.camps[1] {
                let (word, mirrored) = self.space.words_of_camps([red as u32, black as u32]);
                visit_groups(&self.groups, usize::from(mirrored), word * 128, &mut visit);
            }
        }
    }

    /// The numbers of a table. Where there is no position, the number before it is repeated.
    pub fn of(&self, side: &SideValues, metric: Metric) -> Stream {
        let mut values = Vec::with_capacity(self.len);
        let mut last = match metric {
            Metric::Wdl => Wdl::Draw.index() as u8,
            Metric::Dtm => MateScore::DRAW.0,
            Metric::Dtc | Metric::Rounds => 0,
        };
        let mut longest: Option<Longest> = None;
        self.for_each(|at| {
            let (address, bit) = (at / 128, at as u32 % 128);
            if side.legal[address].contains(bit) {
                let is_won = side.won[address].contains(bit);
                let plies = match metric {
                    Metric::Dtc => u32::from(side.dtc[at]),
                    Metric::Dtm => MateScore(side.dtm[at])
                        .dtm()
                        .map_or(0, |dtm| dtm.0.unsigned_abs()),
                    Metric::Wdl | Metric::Rounds => 0,
                };
                if is_won && plies > longest.map_or(0, |longest| longest.plies) {
                    longest = Some(Longest {
                        plies,
                        index: values.len() as u64,
                    });
                }
                // Nobody asks for the distance of a draw.
                let is_free = metric == Metric::Dtc && !is_won && !side.lost[address].contains(bit);
                if !is_free {
                    last = match metric {
                        Metric::Wdl if is_won => Wdl::Win.index() as u8,
                        Metric::Wdl if side.lost[address].contains(bit) => Wdl::Loss.index() as u8,
                        Metric::Wdl => Wdl::Draw.index() as u8,
                        Metric::Dtc => side.dtc[at],
                        Metric::Dtm => side.dtm[at],
                        Metric::Rounds => side.rounds.get(at).copied().unwrap_or(0),
                    };
                }
            }
            values.push(last);
        });
        Stream { values, longest }
    }
}

fn visit_groups(
    groups: &[Vec<[usize; 2]>],
    mirrored: usize,
    number: usize,
    visit: &mut impl FnMut(usize),
) {
    match groups {
        [] => visit(number),
        [group] => {
            for value in group {
                visit(number + value[mirrored]);
            }
        }
        [group, rest @ ..] => {
            for value in group {
                visit_groups(rest, mirrored, number + value[mirrored], visit);
            }
        }
    }
}
