//! Tables of earlier versions, whose White is the other side: they answer as those of today do.
//!
//! The materials whose names have changed have five men and more. So three men stand in for them:
//! their tables are written again with the colours exchanged.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::catalog::{Catalog, TableFile};
use super::{BlockCache, Format, ResultCache, Tablebase};
use crate::chess::index::IndexSpace;
use crate::chess::material::Material;
use crate::chess::rules::Position;
use crate::game::Color;
use crate::metric::Metric;
use crate::syzygy::Memory;
use crate::table::layout::ORDER_LEN;
use crate::table::{Description, StreamSource, WriteOptions, write_table};
use crate::tables::{in_other_colors, table_path};

fn positions(material: &Material) -> Vec<Position> {
    let space = IndexSpace::new(*material);
    let position = |index, turn| Some(space.position(index, turn)?.1);
    (0..space.len())
        .step_by(7)
        .flat_map(|index| Color::ALL.map(|turn| position(index, turn)))
        .flatten()
        .collect()
}

/// Writes the table of a material with its colours exchanged.
fn write_exchanged(tables: &Tablebase, material: &Material, metric: Metric, to: &Path) -> PathBuf {
    let exchanged = material.with_colors_exchanged();
    let space = IndexSpace::new(exchanged);
    let order = space.natural_order();
    let numbers: Vec<(Color, Vec<u8>)> = Color::ALL
        .into_iter()
        .map(|turn| {
            let number = |index| {
                let placement = space.placement(&order.digits(index))?;
                tables.stored_number(&placement, turn, metric).ok()?
            };
            let numbers = (0..space.len()).map(|index| number(index).unwrap_or(0));
            (turn, numbers.collect())
        })
        .collect();
    let streams: Vec<StreamSource<'_>> = numbers
        .iter()
        .map(|(turn, numbers)| {
            let mut stream = StreamSource::new(turn.index() as u8, space.len(), numbers);
            stream.order = [u8::MAX; ORDER_LEN];
            stream.order[..order.dimensions().len()].copy_from_slice(order.dimensions());
            stream
        })
        .collect();
    let today = tables.table(material, metric).unwrap();
    let here = IndexSpace::new(*material);
    let description = in_other_colors(today.description().unwrap(), &here, &space);
    let path = table_path(to, &exchanged, metric);
    write_table(
        &path,
        &description,
        &streams,
        &WriteOptions::default(),
        &|_, _| true,
    )
    .unwrap();
    path
}

#[test]
fn tables_with_exchanged_colors_give_the_same_answers() {
    let tables = Tablebase::open("tables").unwrap();
    let directory = tempfile::tempdir().unwrap();
    let materials = ["KPvK", "KQvK", "KRvK", "KBvK", "KNvK"].map(|it| it.parse().unwrap());
    let mut files: Vec<TableFile> = Vec::new();
    for (material, metric) in materials
        .iter()
        .flat_map(|material: &Material| Metric::ALL.map(|metric| (material, metric)))
    {
        let path = write_exchanged(&tables, material, metric, directory.path());
        let number = files.len() as u32;
        let exchanged = material.with_colors_exchanged();
        files.push(TableFile::new(
            path,
            exchanged,
            metric,
            Format::Native,
            number,
            true,
        ));
    }
    let former = Tablebase {
        catalog: Catalog::of_files(Arc::default(), files).unwrap(),
        cache: BlockCache::new(1 << 20).unwrap(),
        results: ResultCache::new(0).unwrap(),
        memory: Memory::new(0, 0).unwrap(),
    };
    for file in former.tables() {
        file.check().unwrap();
        assert_eq!(file.named_material().normal_form(), *file.material());
        let today = tables.table(file.material(), file.metric()).unwrap();
        let [former, today] = [file, today].map(|file| file.description().unwrap());
        assert_eq!(former.material, today.material);
        assert_eq!(former.counts, today.counts);
        let plies = |it: &Description| it.longest.map(|longest| longest.map(|it| it.plies));
        assert_eq!(plies(former), plies(today));
    }
    for material in materials {
        for position in [material, material.with_colors_exchanged()]
            .iter()
            .flat_map(positions)
        {
            assert_eq!(
                former.probe_wdl(&position).unwrap(),
                tables.probe_wdl(&position).unwrap()
            );
            assert_eq!(
                former.probe_dtz(&position).unwrap(),
                tables.probe_dtz(&position).unwrap()
            );
            assert_eq!(
                former.probe_dtm(&position).unwrap(),
                tables.probe_dtm(&position).unwrap()
            );
        }
    }
}
