//! What tables say of themselves, for the commands that print it for either game.

use std::path::PathBuf;

use anyhow::{Error, Result};
use retrograde::chess::{Chess, ChessRules, material};
use retrograde::game::{Color, TableGame};
use retrograde::metric::Metric;
use retrograde::probe::Format;
use retrograde::probe::xiangqi::XiangqiProbeError;
use retrograde::statistics::Counting;
use retrograde::table::{Count, Description, Statistics};
use retrograde::verify::Recount;
use retrograde::xiangqi::{self, Rules, Xiangqi};

use super::TableDirectory;

/// A table that is there.
pub struct Described<G: TableGame> {
    pub metric: G::Metric,
    pub format: Format,
    pub path: PathBuf,
    pub bytes: u64,
    /// What its header says, if it is of our own format, in the colours of the normal form.
    pub description: Option<Description>,
    /// What it keeps; nothing in those of earlier versions.
    pub statistics: Option<Statistics>,
}

impl<G: TableGame> Described<G> {
    pub fn is_native(&self) -> bool {
        self.format == Format::Native
    }
}

/// A game of whose tables is printed what they say of themselves.
pub trait DescribedGame: Recount {
    /// The metric of results.
    const RESULTS: Self::Metric;
    /// Those of distances, in the order in which histograms are printed.
    const DISTANCES: &'static [Self::Metric];
    /// Whether who has no move and is not in check has lost.
    const STALEMATE_LOSES: bool;

    /// A material in the form that has a table.
    ///
    /// # Errors
    ///
    /// If it is none.
    fn material(signature: &str) -> Result<Self::Material>;

    /// The metric of a name.
    ///
    /// # Errors
    ///
    /// If there is none.
    fn metric(name: &str) -> Result<Self::Metric>;

    /// The tables of a material that are there.
    ///
    /// # Errors
    ///
    /// If one is damaged, or not what its name says.
    fn tables(
        directory: &TableDirectory,
        rules: Self::Rules,
        material: &Self::Material,
    ) -> Result<Vec<Described<Self>>>;

    /// That a table is not there, or in Syzygy's format only, which says nothing of itself.
    fn missing(
        directory: &TableDirectory,
        rules: Self::Rules,
        material: &Self::Material,
        metric: Self::Metric,
    ) -> Error;

    /// The position of an index, if there is one.
    fn fen(space: &Self::Space, index: u64, turn: Color) -> Option<String>;

    /// A number of positions in some counting, if it can be counted so.
    fn number(material: &Self::Material, counting: Counting, count: Count) -> Option<u64>;
}

impl DescribedGame for Chess {
    const RESULTS: Metric = Metric::Wdl;
    const DISTANCES: &'static [Metric] = &[Metric::Dtz, Metric::Dtm];
    const STALEMATE_LOSES: bool = false;

    fn material(signature: &str) -> Result<material::Material> {
        Ok(super::input::material(signature)?)
    }

    fn metric(name: &str) -> Result<Metric> {
        Ok(name.parse()?)
    }

    fn tables(
        directory: &TableDirectory,
        _: ChessRules,
        material: &material::Material,
    ) -> Result<Vec<Described<Chess>>> {
        let tables = directory.open()?;
        let files = tables.tables().iter();
        let files = files.filter(|file| file.material() == material);
        let described = files.map(|file| {
            file.check()?;
            let is_native = file.format() == Format::Native;
            Ok(Described {
                metric: file.metric(),
                format: file.format(),
                path: file.path().to_owned(),
                bytes: file.bytes()?,
                description: match is_native {
                    true => Some(file.description()?.clone()),
                    false => None,
                },
                statistics: match is_native {
                    true => file.table()?.statistics()?,
                    false => None,
                },
            })
        });
        described.collect()
    }

    fn missing(
        directory: &TableDirectory,
        _: ChessRules,
        material: &material::Material,
        metric: Metric,
    ) -> Error {
        directory.missing(material, metric).into()
    }

    fn fen(space: &Self::Space, index: u64, turn: Color) -> Option<String> {
        Some(space.position(index, turn)?.1.to_fen())
    }

    fn number(material: &material::Material, counting: Counting, count: Count) -> Option<u64> {
        Some(counting.number(material, count))
    }
}

impl DescribedGame for Xiangqi {
    const RESULTS: xiangqi::Metric = xiangqi::Metric::Wdl;
    const DISTANCES: &'static [xiangqi::Metric] = &[xiangqi::Metric::Dtc, xiangqi::Metric::Dtm];
    const STALEMATE_LOSES: bool = true;

    fn material(signature: &str) -> Result<xiangqi::Material> {
        Ok(signature.parse::<xiangqi::Material>()?.normal_form())
    }

    fn metric(name: &str) -> Result<xiangqi::Metric> {
        Ok(name.parse()?)
    }

    fn tables(
        directory: &TableDirectory,
        rules: Rules,
        material: &xiangqi::Material,
    ) -> Result<Vec<Described<Xiangqi>>> {
        let metrics = xiangqi::Metric::ALL.into_iter();
        let files = metrics.filter_map(|m| directory.xiangqi_file(rules, material, m));
        let described = files.map(|file| {
            let table = file.open(false)?;
            Ok(Described {
                metric: file.metric,
                format: Format::Native,
                bytes: table.file_len(),
                description: Some(table.description().clone()),
                statistics: table.statistics()?,
                path: file.path,
            })
        });
        described.collect()
    }

    fn missing(
        directory: &TableDirectory,
        rules: Rules,
        material: &xiangqi::Material,
        metric: xiangqi::Metric,
    ) -> Error {
        let missing = XiangqiProbeError::Missing {
            material: *material,
            metric,
            rules,
            searched: directory.paths().to_vec(),
        };
        missing.into()
    }

    fn fen(space: &Self::Space, index: u64, turn: Color) -> Option<String> {
        Some(space.placement(index)?.position(turn)?.to_fen())
    }

    fn number(_: &xiangqi::Material, counting: Counting, count: Count) -> Option<u64> {
        (counting == Counting::Board).then_some(count.positions)
    }
}
