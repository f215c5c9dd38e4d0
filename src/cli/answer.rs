//! What the tables say about a position, as one JSON object.
//!
//! Field names are those of the public tablebase interface that web sites use.

use std::path::PathBuf;

use anyhow::{Result, anyhow};
use retrograde::Tablebase;
use retrograde::chess::index::Placement;
use retrograde::chess::material::Material;
use retrograde::chess::{Position, san};
use retrograde::metric::{Dtm, Dtz, DtzRange, Metric, Wdl};
use retrograde::probe::solved::SolvedSet;
use retrograde::probe::{Line, LineEnd, ProbeError, ProbeOptions, RootMove};
use retrograde::reach::LeafError;
use serde::Serialize;

use super::solve::leaves::TableLeaves;

/// A line of play ends here even if the game does not; the longest known mates are shorter.
const MAX_LINE: usize = 1200;

/// A position, its value for the side to move, and its moves, best first.
#[derive(Debug, Serialize)]
pub struct Answer {
    pub fen: String,
    /// In the form that has a table.
    pub material: String,
    pub category: &'static str,
    /// Why the category is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub wdl: Option<i32>,
    pub dtz: Option<i32>,
    /// The same, unless a Syzygy table has it rounded.
    pub precise_dtz: Option<i32>,
    pub dtm: Option<i32>,
    pub checkmate: bool,
    pub stalemate: bool,
    pub insufficient_material: bool,
    /// The tables of this material that the values are from; captures may have asked others.
    pub tables: Vec<TableAnswer>,
    pub moves: Vec<MoveAnswer>,
    /// Only if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<LineAnswer>,
}

/// A table that answered.
#[derive(Debug, Serialize)]
pub struct TableAnswer {
    pub metric: &'static str,
    pub format: &'static str,
    pub file: PathBuf,
}

/// A move; values are for the side to move after it.
#[derive(Debug, Serialize)]
pub struct MoveAnswer {
    pub uci: String,
    pub san: String,
    pub zeroing: bool,
    pub category: &'static str,
    pub wdl: Option<i32>,
    pub dtz: Option<i32>,
    /// The same, unless a Syzygy table has it rounded.
    pub precise_dtz: Option<i32>,
    pub dtm: Option<i32>,
    pub checkmate: bool,
    pub stalemate: bool,
    pub insufficient_material: bool,
}

/// Best play.
#[derive(Debug, Serialize)]
pub struct LineAnswer {
    pub uci: Vec<String>,
    pub san: Vec<String>,
    /// `checkmate`, `draw`, `unfinished`, or `unknown` where a table is missing.
    pub end: &'static str,
    /// Which one, if `unknown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// By which metric both sides chose.
    pub metric: &'static str,
    /// How many moves were chosen by it, if the rest was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies_by_metric: Option<usize>,
}

/// The category of a value that may not be known.
fn category(wdl: Option<Wdl>) -> &'static str {
    wdl.map_or("unknown", Wdl::category)
}

/// A value; or nothing and the reason, where the tables cannot know.
fn known<T>(value: Result<T, ProbeError>) -> Result<Result<T, String>, ProbeError> {
    match value {
        Ok(value) => Ok(Ok(value)),
        Err(
            error @ (ProbeError::MissingTable { .. }
            | ProbeError::TooManyMen { .. }
            | ProbeError::CastlingRights),
        ) => Ok(Err(error.to_string())),
        Err(error) => Err(error),
    }
}

impl Answer {
    /// Asks the tables.
    ///
    /// # Errors
    ///
    /// If a table is damaged; what the tables do not have makes the category unknown.
    pub fn new(tables: &Tablebase, position: &Position, with_line: bool) -> Result<Answer> {
        let wdl = known(tables.probe_wdl(position))?;
        let dtz = known(tables.probe_dtz_range(position))?.ok();
        let dtm = known(tables.probe_dtm(position))?.ok();
        let is_known = [wdl.is_ok(), dtz.is_some(), dtm.is_some()];
        let moves = match known(tables.root_moves(position))? {
            Ok(moves) => moves
                .iter()
                .map(|root_move| MoveAnswer::new(position, root_move))
                .collect(),
            Err(_) => moves_of_uncovered(tables, position)?,
        };
        let line = match &wdl {
            Ok(_) if with_line => Some(line(tables, position)?),
            _ => None,
        };
        let (wdl, reason) = match wdl {
            Ok(wdl) => (Some(wdl), None),
            Err(reason) => (None, Some(reason)),
        };
        Ok(Answer {
            fen: position.to_fen(),
            material: material(position),
            category: category(wdl),
            reason,
            wdl: wdl.map(Wdl::signum2),
            dtz: dtz.map(|dtz| dtz.shortest.0),
            precise_dtz: dtz.and_then(DtzRange::exact).map(|Dtz(plies)| plies),
            dtm: dtm.flatten().map(|Dtm(plies)| plies),
            checkmate: position.is_checkmate(),
            stalemate: position.is_stalemate(),
            insufficient_material: position.is_insufficient_material(),
            tables: tables_of(tables, position, is_known),
            moves,
            line,
        })
    }
}

impl Answer {
    /// What is known where there is no directory of tables, which is the `reason` unless there is a better one.
    ///
    /// # Errors
    ///
    /// None: no table can be damaged.
    pub fn without_tables(position: &Position, reason: String) -> Result<Answer> {
        let tables = Tablebase::open_with(&[] as &[PathBuf], &ProbeOptions::default())?;
        let mut answer = Answer::new(&tables, position, false)?;
        if answer.reason.is_some() && position.castling_rights().is_empty() {
            answer.reason = Some(reason);
        }
        Ok(answer)
    }
}

impl Answer {
    /// Asks a file of solved positions, and tables for what is not in it.
    ///
    /// # Errors
    ///
    /// If the file or a table is damaged.
    pub fn of_solved(
        set: &SolvedSet,
        position: &Position,
        tables: &TableLeaves<'_>,
    ) -> Result<Answer> {
        let error = |error: LeafError| anyhow!(error);
        let value = set.value_or_leaf(position, tables).map_err(error)?;
        let moves = set.root_moves(position, tables).map_err(error)?;
        let (dtz, dtm) = (
            value.map(|value| value.dtz.0),
            value.and_then(|value| value.dtm),
        );
        let wdl = value.map(|value| value.dtz.wdl());
        Ok(Answer {
            fen: position.to_fen(),
            material: material(position),
            category: category(wdl),
            reason: match value {
                Some(_) => None,
                None => Some(format!("the position is not in {}", set.path().display())),
            },
            wdl: wdl.map(Wdl::signum2),
            dtz,
            precise_dtz: dtz,
            dtm: dtm.map(|Dtm(plies)| plies),
            checkmate: position.is_checkmate(),
            stalemate: position.is_stalemate(),
            insufficient_material: position.is_insufficient_material(),
            tables: Vec::new(),
            moves: moves.iter().map(|m| MoveAnswer::new(position, m)).collect(),
            line: None,
        })
    }
}

impl MoveAnswer {
    fn new(position: &Position, root_move: &RootMove) -> MoveAnswer {
        MoveAnswer {
            uci: root_move.played.to_uci(),
            san: san(position, root_move.played),
            zeroing: root_move.is_zeroing,
            category: category(root_move.wdl),
            wdl: root_move.wdl.map(Wdl::signum2),
            dtz: root_move.dtz.map(|dtz| dtz.shortest.0),
            precise_dtz: root_move
                .dtz
                .and_then(DtzRange::exact)
                .map(|Dtz(plies)| plies),
            dtm: root_move.dtm.map(|Dtm(plies)| plies),
            checkmate: root_move.is_checkmate,
            stalemate: root_move.is_stalemate,
            insufficient_material: root_move.is_insufficient_material,
        }
    }
}

/// The legal moves of a position that no table covers. Those that give up the last castling right have values.
fn moves_of_uncovered(tables: &Tablebase, position: &Position) -> Result<Vec<MoveAnswer>> {
    let mut moves = Vec::new();
    for played in &position.legal_moves() {
        let root_move = tables.root_move(position, played)?;
        // What is unknown is behind a draw and before a loss; a stable sort keeps the rest as it was.
        let rank = root_move.wdl.map_or((Wdl::Draw, true), |wdl| (wdl, false));
        moves.push((rank, MoveAnswer::new(position, &root_move)));
    }
    moves.sort_by_key(|&(rank, _)| rank);
    Ok(moves.into_iter().map(|(_, answer)| answer).collect())
}

/// Best play by the tables.
///
/// # Errors
///
/// If a table is damaged.
pub fn line(tables: &Tablebase, position: &Position) -> Result<LineAnswer> {
    let line = match known(tables.line(position, MAX_LINE))? {
        Ok(line) => line,
        Err(reason) => Line {
            moves: Vec::new(),
            end: LineEnd::Unknown,
            reason: Some(reason),
            metric: Metric::Dtz,
        },
    };
    let plies_by_metric = line
        .moves
        .iter()
        .position(|played| played.metric != line.metric);
    let (uci, san) = line.moves.into_iter().map(|m| (m.uci, m.san)).unzip();
    Ok(LineAnswer {
        uci,
        san,
        end: match line.end {
            LineEnd::Checkmate => "checkmate",
            LineEnd::Draw => "draw",
            LineEnd::Unknown => "unknown",
            _ => "unfinished",
        },
        reason: line.reason,
        metric: line.metric.name(),
        plies_by_metric,
    })
}

/// The tables of a position's material, of the metrics whose value is known.
fn tables_of(tables: &Tablebase, position: &Position, is_known: [bool; 3]) -> Vec<TableAnswer> {
    let Some(material) = Material::from_counts(Placement::from(position).counts()) else {
        return Vec::new();
    };
    let known = Metric::ALL.into_iter().zip(is_known);
    known
        .filter(|&(_, is_known)| is_known)
        .filter_map(|(metric, _)| tables.table(&material, metric))
        .map(|file| TableAnswer {
            metric: file.metric().name(),
            format: file.format().name(),
            file: file.path().to_owned(),
        })
        .collect()
}

/// The signature of what is on the board, in the form that has a table.
pub fn material(position: &Position) -> String {
    // A position has two kings, so there always is one.
    Material::from_counts(Placement::from(position).counts())
        .map(|material| material.normal_form().to_string())
        .unwrap_or_default()
}
