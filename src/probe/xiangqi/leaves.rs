//! Tables as the end of an exploration.

use std::collections::HashSet;
use std::io;

use super::XiangqiTables;
use crate::reach::{LeafError, Leaves};
use crate::xiangqi::rules::Position;
use crate::xiangqi::{Material, Metric, XiangqiValue};

/// The materials that a directory has results of, but for that of what is solved.
#[derive(Debug)]
pub struct XiangqiLeaves<'a> {
    tables: &'a XiangqiTables,
    covered: HashSet<Material>,
    has_mates: bool,
}

impl<'a> XiangqiLeaves<'a> {
    /// Finds out which materials have results, but for that of `root`, which is to be solved.
    ///
    /// # Errors
    ///
    /// If the directory cannot be read.
    pub fn new(
        tables: &'a XiangqiTables,
        root: Option<&Position>,
    ) -> io::Result<XiangqiLeaves<'a>> {
        let of_root = root.map(|root| Material::of(root).normal_form());
        if let Some((_, problem)) = &tables.problem {
            return Err(io::Error::new(problem.kind(), problem.to_string()));
        }
        let has = |metric: Metric| -> HashSet<Material> {
            let number = usize::from(metric.number());
            let entries = tables.entries.iter();
            entries
                .filter(|entry| entry.files[number].is_some())
                .map(|entry| entry.material.normal_form())
                .filter(|material| Some(*material) != of_root)
                .collect()
        };
        let covered = has(Metric::Wdl);
        Ok(XiangqiLeaves {
            tables,
            has_mates: covered.is_subset(&has(Metric::Dtm)),
            covered,
        })
    }

    /// None.
    #[must_use]
    pub fn none(tables: &'a XiangqiTables) -> XiangqiLeaves<'a> {
        XiangqiLeaves {
            tables,
            covered: HashSet::new(),
            has_mates: true,
        }
    }

    /// The most men of a material that is covered; 0 if none is.
    #[must_use]
    pub fn max_men(&self) -> usize {
        let men = self.covered.iter().map(Material::men);
        men.max().unwrap_or(0)
    }
}

impl Leaves<Position> for XiangqiLeaves<'_> {
    fn covers(&self, position: &Position) -> bool {
        !self.covered.is_empty() && self.covered.contains(&Material::of(position).normal_form())
    }

    fn value(&self, position: &Position, _: bool) -> Result<XiangqiValue, LeafError> {
        Ok(self.tables.probe(position)?)
    }

    fn has_mates(&self) -> bool {
        self.has_mates
    }
}
