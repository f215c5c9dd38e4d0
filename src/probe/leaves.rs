//! Tables as the end of an exploration.

use std::collections::HashSet;

use super::Tablebase;
use super::catalog::key_of;
use crate::chess::Position;
use crate::chess::material::Material;
use crate::chess::zobrist::MaterialKey;
use crate::metric::{Dtz, Metric, Wdl};
use crate::reach::{LeafError, Leaves, Value};

/// The materials of which a directory has what every probe needs.
#[derive(Debug)]
pub struct TableLeaves<'a> {
    tables: &'a Tablebase,
    /// In both colours.
    covered: HashSet<MaterialKey>,
    max_men: usize,
    has_mates: bool,
}

impl<'a> TableLeaves<'a> {
    /// Finds out which materials are covered: those whose tables are there, with the tables of all
    /// that they lead to.
    #[must_use]
    pub fn new(tables: &'a Tablebase) -> TableLeaves<'a> {
        let has = |material: &Material, metric| tables.table(material, metric).is_some();
        let mut materials: Vec<Material> = tables
            .tables()
            .iter()
            .filter(|file| file.metric() == Metric::Wdl)
            .map(|file| *file.material())
            .collect();
        // Captures and promotions lead to fewer men or fewer pawns.
        materials.sort_by_key(|material| (material.men(), material.pawns()));
        let mut complete: HashSet<Material> = HashSet::new();
        for material in materials {
            let mut leads_to = material.dependencies().into_iter();
            if has(&material, Metric::Dtz) && leads_to.all(|other| complete.contains(&other)) {
                complete.insert(material);
            }
        }
        let has_mates = complete.iter().all(|material| has(material, Metric::Dtm));
        let covered = complete
            .iter()
            .flat_map(|material| [key_of(material), key_of(material).swapped()])
            .collect();
        TableLeaves {
            tables,
            covered,
            max_men: complete.iter().map(Material::men).max().unwrap_or(0),
            has_mates,
        }
    }

    /// The most men of a material that is covered; 0 if none is.
    #[must_use]
    pub fn max_men(&self) -> usize {
        self.max_men
    }
}

impl Leaves for TableLeaves<'_> {
    fn covers(&self, position: &Position) -> bool {
        position.castling_rights().is_empty() && self.covered.contains(&position.material_key())
    }

    fn value(&self, position: &Position, after_zeroing: bool) -> Result<Value, LeafError> {
        let wdl = self.tables.probe_wdl_after_zeroing(position)?;
        if wdl == Wdl::Draw {
            return Ok(Value {
                dtz: Dtz(0),
                dtm: None,
            });
        }
        Ok(Value {
            dtz: match after_zeroing {
                true => wdl.dtz_of_zeroing_move(),
                false => self.tables.probe_dtz(position)?,
            },
            dtm: match self.has_mates {
                true => self.tables.probe_dtm(position)?,
                false => None,
            },
        })
    }

    fn has_mates(&self) -> bool {
        self.has_mates
    }
}
