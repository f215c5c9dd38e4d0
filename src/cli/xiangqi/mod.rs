//! The subcommands for xiangqi.

mod answer;
mod generate;
mod tables;
mod verify;

use std::path::PathBuf;

use anyhow::{Result, bail};
use retrograde::game::Game;
use retrograde::material;
use retrograde::xiangqi::{Material, Metric, Rules, table_path};

pub use answer::probe;
pub use generate::generate;
pub use tables::{info, list};
pub use verify::verify;

use super::TableDirectory;

/// A material in the form that has a table.
fn parse(signature: &str) -> Result<Material> {
    Ok(signature.parse::<Material>()?.normal_form())
}

/// The files of a material that are there, with their metrics.
fn files(directory: &TableDirectory, rules: Rules, material: &Material) -> Vec<(Metric, PathBuf)> {
    Metric::ALL
        .into_iter()
        .map(|metric| {
            (
                metric,
                table_path(directory.path(), rules, material, metric),
            )
        })
        .filter(|(_, path)| path.exists())
        .collect()
}

/// Whether a signature means a xiangqi material: as said, or because only one game has such tables here.
///
/// # Errors
///
/// If both have and the game is not said.
pub fn is_meant(
    signature: &str,
    game: Option<Game>,
    rules: Rules,
    directory: &TableDirectory,
) -> Result<bool> {
    if let Some(game) = game {
        return Ok(game == Game::Xiangqi);
    }
    let (chess, xiangqi) = (signature.parse::<material::Material>(), parse(signature));
    let (Ok(chess), Ok(xiangqi)) = (&chess, &xiangqi) else {
        return Ok(chess.is_err() && xiangqi.is_ok());
    };
    let has_xiangqi = !files(directory, rules, xiangqi).is_empty();
    let chess = chess.normal_form();
    let has_chess = directory
        .open()
        .is_ok_and(|tables| tables.tables().iter().any(|file| *file.material() == chess));
    if has_xiangqi && has_chess {
        bail!(
            "{signature} is a material of chess and of xiangqi, and both have tables here; add --game chess or --game xiangqi"
        );
    }
    Ok(has_xiangqi)
}
