//! Xiangqi.

use std::path::PathBuf;

use anyhow::Result;
use retrograde::game::Game;
use retrograde::metric::{Dtm, Wdl};
use retrograde::probe::ProbeOptions;
use retrograde::probe::solved::SolvedSet;
use retrograde::probe::xiangqi::{XiangqiLeaves, XiangqiLineEnd, XiangqiProbeError, XiangqiTables};
use retrograde::reach::LeafError;
use retrograde::xiangqi::{Material, Metric, Move, Position, Rules, XiangqiValue, wxf};

use super::{CliGame, Judged, MAX_LINE};
use crate::cli::answer::{Answer, Distances, LineAnswer, MoveAnswer, Names, Traits};
use crate::cli::directory::TableDirectory;
use crate::cli::input;
use crate::cli::show::By;

impl CliGame for Position {
    type Tables = XiangqiTables;
    type Leaves<'a> = XiangqiLeaves<'a>;

    fn read(words: &[String]) -> Result<Position> {
        input::xiangqi_position(words)
    }

    fn read_epd(words: &[String]) -> Result<(Position, &[String])> {
        input::xiangqi_epd(words)
    }

    fn open(directory: &TableDirectory, rules: Rules) -> Result<XiangqiTables> {
        Position::tables(Some(directory), rules)
    }

    fn tables(directory: Option<&TableDirectory>, rules: Rules) -> Result<XiangqiTables> {
        match directory {
            Some(directory) => directory.open_xiangqi(rules),
            None => Ok(XiangqiTables::open_with(
                &[] as &[PathBuf],
                rules,
                &ProbeOptions::default(),
            )?),
        }
    }

    fn leaves<'a>(
        tables: &'a XiangqiTables,
        directory: Option<&TableDirectory>,
        root: Option<&Position>,
        _: Rules,
    ) -> Result<XiangqiLeaves<'a>> {
        Ok(match directory {
            Some(_) => XiangqiLeaves::new(tables, root)?,
            None => XiangqiLeaves::none(tables),
        })
    }

    fn max_men(leaves: &XiangqiLeaves<'_>) -> usize {
        leaves.max_men()
    }

    fn probe(&self, tables: &XiangqiTables, by: By) -> Result<Answer> {
        let value = known(tables.probe(self))?;
        let moves = match &value {
            Ok(_) => known(tables.moves_by(self, metric(by)))?.ok(),
            Err(_) => None,
        };
        let moves = match moves {
            Some(moves) => (moves.iter())
                .map(|m| move_answer(self, m.played, Some(m.value)))
                .collect(),
            None => moves_of_uncovered(tables, self)?,
        };
        let wdl = value.as_ref().ok().map(|value| value.wdl);
        Ok(Answer {
            distances: Position::distances(value.as_ref().ok().copied()),
            moves,
            ..self.answer(tables.rules(), wdl.into(), value.err())
        })
    }

    fn winning_moves(&self, tables: &XiangqiTables) -> Result<usize> {
        let mut winning = 0;
        for &played in self.legal_moves().as_slice() {
            winning += usize::from(tables.probe_wdl(&self.play(played))? == Wdl::Loss);
        }
        Ok(winning)
    }

    fn line(&self, tables: &XiangqiTables, by: By) -> Result<LineAnswer> {
        let line = tables.line_by(self, MAX_LINE, metric(by))?;
        let (uci, book) = line.moves.into_iter().map(|m| (m.iccs, m.wxf)).unzip();
        Ok(LineAnswer {
            names: Names {
                game: Game::Xiangqi,
                uci,
                book,
            },
            end: match line.end {
                XiangqiLineEnd::Checkmate => "checkmate",
                XiangqiLineEnd::Stalemate => "stalemate",
                XiangqiLineEnd::Draw => "draw",
                XiangqiLineEnd::PerpetualCheck => "perpetual-check",
                XiangqiLineEnd::Unknown => "unknown",
                _ => "unfinished",
            },
            reason: line.reason,
            metric: line.metric.name(),
            plies_by_metric: None,
        })
    }

    fn solved_moves(
        &self,
        set: &SolvedSet<Position>,
        leaves: &XiangqiLeaves<'_>,
    ) -> Result<Vec<MoveAnswer>, LeafError> {
        let moves = set.moves(self, leaves)?;
        Ok((moves.iter())
            .map(|m| move_answer(self, m.played, m.value))
            .collect())
    }

    fn material(&self) -> String {
        Material::of(self).normal_form().to_string()
    }

    fn fullmoves(&self) -> u32 {
        Position::fullmoves(self)
    }

    fn traits(&self) -> Traits {
        Traits {
            game: Game::Xiangqi,
            checkmate: self.is_checkmate(),
            stalemate: self.is_stalemate(),
            insufficient_material: self.is_insufficient_material(),
        }
    }

    fn with_clock(&self, value: XiangqiValue) -> Wdl {
        value.wdl
    }

    fn is_zeroing(played: Move) -> bool {
        played.is_capture()
    }

    fn is_conversion(played: Move) -> bool {
        played.is_capture()
    }

    fn names(&self, played: Move) -> Names<String> {
        Names {
            game: Game::Xiangqi,
            uci: played.to_iccs(),
            book: wxf(self, played),
        }
    }

    fn sort(&self, moves: &mut [Judged<Position>]) {
        // A stable sort keeps the order of the distances.
        moves.sort_by_key(|m| {
            let [at_least, at_most] = m.bounds.range;
            [at_most, at_least]
        });
    }

    fn distances(value: Option<XiangqiValue>) -> Distances {
        Distances {
            game: Game::Xiangqi,
            zeroing: value.and_then(|value| value.dtc),
            precise: None,
            mate: value.and_then(|value| value.dtm).map(|Dtm(plies)| plies),
            round: value.map(|value| value.round),
        }
    }
}

fn metric(by: By) -> Metric {
    match by {
        By::Dtz => Metric::Dtc,
        By::Dtm => Metric::Dtm,
    }
}

fn move_answer(position: &Position, played: Move, value: Option<XiangqiValue>) -> MoveAnswer {
    Judged::new(position, played, value).answer(position)
}

/// A value; or `None` and the reason, where the tables cannot know.
fn known<T>(value: Result<T, XiangqiProbeError>) -> Result<Result<T, String>, XiangqiProbeError> {
    match value {
        Ok(value) => Ok(Ok(value)),
        Err(error) if error.is_missing_table() => Ok(Err(error.to_string())),
        Err(error) => Err(error),
    }
}

/// The legal moves of a position where not all are known, with what is.
fn moves_of_uncovered(tables: &XiangqiTables, position: &Position) -> Result<Vec<MoveAnswer>> {
    let mut moves = Vec::new();
    for &played in position.legal_moves().as_slice() {
        let value = known(tables.probe(&position.play(played)))?.ok();
        // What is unknown is behind a draw and before a loss; a stable sort keeps the rest as it
        // was.
        let rank = value.map_or((Wdl::Draw, true), |value| (value.wdl, false));
        moves.push((rank, move_answer(position, played, value)));
    }
    moves.sort_by_key(|&(rank, _)| rank);
    Ok(moves.into_iter().map(|(_, answer)| answer).collect())
}
