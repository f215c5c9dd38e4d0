//! The subcommands for xiangqi.

mod answer;
mod bench;
mod stats;
mod tables;

use std::cell::LazyCell;
use std::path::PathBuf;

use anyhow::{Result, bail};
use retrograde::chess::material;
use retrograde::game::Game;
use retrograde::tables::{rules_directory, table_path};
use retrograde::xiangqi::{Material, Metric, Rules, Xiangqi};

pub use answer::{Answer, LineAnswer, MoveRow, line, move_rows, print_answer, print_line, probe};
pub use bench::bench;
pub use stats::stats;
pub use tables::{info, list, listed};

use super::TableDirectory;

/// A material in the form that has a table.
pub fn parse(signature: &str) -> Result<Material> {
    Ok(signature.parse::<Material>()?.normal_form())
}

/// The files of a material that are there, with their metrics.
fn files(directory: &TableDirectory, rules: Rules, material: &Material) -> Vec<(Metric, PathBuf)> {
    Metric::ALL
        .into_iter()
        .map(|metric| {
            (
                metric,
                table_path(
                    &rules_directory::<Xiangqi>(directory.path(), rules),
                    material,
                    metric,
                ),
            )
        })
        .filter(|(_, path)| path.exists())
        .collect()
}

/// The game that signatures of existing tables mean: as said, or that of the only one that has such a material, or has
/// tables of it here. Chess if neither has.
///
/// # Errors
///
/// If both have, or if one signature means one game and another the other.
pub fn game_of_tables(
    signatures: &[String],
    game: Option<Game>,
    directory: &TableDirectory,
) -> Result<Game> {
    let tables = LazyCell::new(|| directory.open().ok());
    game_of_all(signatures, game, |signature, chess, xiangqi| {
        let has_xiangqi = (Rules::ALL.into_iter())
            .any(|rules| !files(directory, rules, &xiangqi.normal_form()).is_empty());
        let chess = chess.normal_form();
        let mut files = tables.iter().flat_map(|tables| tables.tables());
        let has_chess = files.any(|file| *file.material() == chess);
        if has_xiangqi && has_chess {
            bail!(
                "{signature} is a material of chess and of xiangqi, and both have tables in {}; {SAY_WHICH}",
                directory.path().display()
            );
        }
        Ok(match has_xiangqi {
            true => Game::Xiangqi,
            false => Game::Chess,
        })
    })
}

/// The game that signatures of tables to be made mean: as said, or that of the only one that has such a material. What both
/// have is chess as long as there are no xiangqi tables here.
///
/// # Errors
///
/// If there are, or if one signature means one game and another the other.
pub fn game_to_generate(
    signatures: &[String],
    game: Option<Game>,
    directory: &TableDirectory,
) -> Result<Game> {
    let has_xiangqi =
        LazyCell::new(|| tables::listed(directory).is_ok_and(|listed| !listed.is_empty()));
    game_of_all(signatures, game, |signature, _, _| match *has_xiangqi {
        true => bail!(
            "{signature} is a material of chess and of xiangqi, and there are xiangqi tables in {}; {SAY_WHICH}",
            directory.path().display()
        ),
        false => Ok(Game::Chess),
    })
}

const SAY_WHICH: &str = "add --game chess or --game xiangqi";

fn game_of_all(
    signatures: &[String],
    game: Option<Game>,
    game_of_both: impl Fn(&str, &material::Material, &Material) -> Result<Game>,
) -> Result<Game> {
    if let Some(game) = game {
        return Ok(game);
    }
    let mut games: Vec<(&String, Game)> = Vec::new();
    for signature in signatures {
        let (chess, xiangqi) = (
            signature.parse::<material::Material>(),
            signature.parse::<Material>(),
        );
        let game = match (&chess, &xiangqi) {
            (Ok(chess), Ok(xiangqi)) => game_of_both(signature, chess, xiangqi)?,
            (Err(_), Ok(_)) => Game::Xiangqi,
            // What neither has is told by the parser of chess.
            _ => Game::Chess,
        };
        games.push((signature, game));
    }
    let Some(&(first, game)) = games.first() else {
        return Ok(Game::Chess);
    };
    if let Some((other, _)) = games.iter().find(|(_, other)| *other != game) {
        bail!(
            "{first} is a material of {game} here and {other} is not; {SAY_WHICH}, one game a command"
        );
    }
    Ok(game)
}
