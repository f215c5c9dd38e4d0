//! Tables as the end of an exploration.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::Result;
use retrograde::Tablebase;
use retrograde::chess::material::Material;
use retrograde::chess::zobrist::MaterialKey;
use retrograde::chess::{Position, Role};
use retrograde::game::Color;
use retrograde::metric::{Dtz, Metric, Wdl};
use retrograde::probe::ProbeOptions;
use retrograde::probe::xiangqi::XiangqiTables;
use retrograde::reach::{LeafError, Leaves, Value};
use retrograde::xiangqi;
use retrograde::xiangqi::{
    Material as XiangqiMaterial, Metric as XiangqiMetric, Rules, XiangqiValue,
};

use crate::cli::xiangqi::listed;
use crate::cli::{NoTables, TableDirectory};

/// The tables of a directory, or none if there are none.
///
/// # Errors
///
/// If there are some that cannot be read.
pub fn tables_if_any(directory: &TableDirectory) -> Result<Tablebase> {
    match directory.open() {
        Err(error) if error.is::<NoTables>() => no_tables(),
        tables => tables,
    }
}

/// No tables.
///
/// # Errors
///
/// None: no table can be damaged.
pub fn no_tables() -> Result<Tablebase> {
    let options = ProbeOptions::default();
    Ok(Tablebase::open_with(&[] as &[PathBuf], &options)?)
}

/// The materials of which a directory has what every probe needs.
pub struct TableLeaves<'a> {
    tables: &'a Tablebase,
    /// In both colours.
    covered: HashSet<MaterialKey>,
    max_men: usize,
    has_mates: bool,
}

impl<'a> TableLeaves<'a> {
    /// Finds out which materials are covered: those whose tables are there, with the tables of all that they lead to.
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
            .flat_map(|material| [key(material), key(material).swapped()])
            .collect();
        TableLeaves {
            tables,
            covered,
            max_men: complete.iter().map(Material::men).max().unwrap_or(0),
            has_mates,
        }
    }

    /// The most men of a material that is covered; 0 if none is.
    pub fn max_men(&self) -> usize {
        self.max_men
    }
}

/// The key of a material.
fn key(material: &Material) -> MaterialKey {
    MaterialKey::of(Color::ALL.into_iter().flat_map(|color| {
        Role::ALL
            .into_iter()
            .flat_map(move |role| std::iter::repeat_n(role.of(color), material.count(color, role)))
    }))
}

impl Leaves for TableLeaves<'_> {
    fn covers(&self, position: &Position) -> bool {
        position.castling_rights().is_empty() && self.covered.contains(&position.material_key())
    }

    fn value(&self, position: &Position, after_zeroing: bool) -> Result<Value, LeafError> {
        let wdl = self.tables.probe_wdl(position)?;
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

/// The materials that a directory has results of, but for that of the position itself.
pub struct XiangqiLeaves<'a> {
    tables: &'a XiangqiTables,
    covered: HashSet<XiangqiMaterial>,
    has_mates: bool,
}

impl<'a> XiangqiLeaves<'a> {
    /// Those of a directory that have results, but for that of the position itself.
    ///
    /// # Errors
    ///
    /// If the directory cannot be read.
    pub fn new(
        tables: &'a XiangqiTables,
        root: Option<&xiangqi::Position>,
        directory: &TableDirectory,
        rules: Rules,
    ) -> Result<XiangqiLeaves<'a>> {
        let of_root = root.map(|root| XiangqiMaterial::of(root).normal_form());
        let files = listed(directory)?;
        let has = |metric: XiangqiMetric| -> HashSet<XiangqiMaterial> {
            let of_metric = (files.iter())
                .filter(|file| file.rules == rules && file.metric == metric)
                .map(|file| file.material.normal_form());
            of_metric
                .filter(|material| Some(*material) != of_root)
                .collect()
        };
        let covered = has(XiangqiMetric::Wdl);
        Ok(XiangqiLeaves {
            tables,
            has_mates: covered.is_subset(&has(XiangqiMetric::Dtm)),
            covered,
        })
    }

    /// None.
    pub fn none(tables: &'a XiangqiTables) -> XiangqiLeaves<'a> {
        XiangqiLeaves {
            tables,
            covered: HashSet::new(),
            has_mates: true,
        }
    }

    /// The most men of a material that is covered; 0 if none is.
    pub fn max_men(&self) -> usize {
        self.covered
            .iter()
            .map(XiangqiMaterial::men)
            .max()
            .unwrap_or(0)
    }
}

impl Leaves<xiangqi::Position> for XiangqiLeaves<'_> {
    fn covers(&self, position: &xiangqi::Position) -> bool {
        !self.covered.is_empty()
            && self
                .covered
                .contains(&XiangqiMaterial::of(position).normal_form())
    }

    fn value(&self, position: &xiangqi::Position, _: bool) -> Result<XiangqiValue, LeafError> {
        Ok(self.tables.probe(position)?)
    }

    fn has_mates(&self) -> bool {
        self.has_mates
    }
}
