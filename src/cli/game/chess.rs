//! Chess.

use std::path::PathBuf;

use anyhow::Result;
use retrograde::Tablebase;
use retrograde::chess::index::Placement;
use retrograde::chess::material::Material;
use retrograde::chess::{Move, Position, san};
use retrograde::game::Game;
use retrograde::metric::{Dtm, Dtz, DtzRange, Metric, Wdl};
use retrograde::probe::solved::SolvedSet;
use retrograde::probe::{
    Category, Clocked, Line, LineEnd, ProbeError, ProbeOptions, RootMove, TableLeaves,
    sort_root_moves_by,
};
use retrograde::reach::{LeafError, Value};
use retrograde::xiangqi::Rules;

use super::{CliGame, Judged, MAX_LINE};
use crate::cli::answer::{Answer, Distances, LineAnswer, MoveAnswer, Names, TableAnswer, Traits};
use crate::cli::directory::{NoTables, TableDirectory};
use crate::cli::input;
use crate::cli::show::By;

impl CliGame for Position {
    type Tables = Tablebase;
    type Leaves<'a> = TableLeaves<'a>;

    fn read(words: &[String]) -> Result<Position> {
        input::position(words)
    }

    fn read_epd(words: &[String]) -> Result<(Position, &[String])> {
        input::epd(words)
    }

    fn open(directory: &TableDirectory, _: Rules) -> Result<Tablebase> {
        directory.open()
    }

    fn tables(directory: Option<&TableDirectory>, _: Rules) -> Result<Tablebase> {
        match directory.map(TableDirectory::open) {
            Some(Err(error)) if !error.is::<NoTables>() => Err(error),
            Some(Ok(tables)) => Ok(tables),
            _ => {
                let options = ProbeOptions::default();
                Ok(Tablebase::open_with(&[] as &[PathBuf], &options)?)
            }
        }
    }

    fn leaves<'a>(
        tables: &'a Tablebase,
        _: Option<&TableDirectory>,
        _: Option<&Position>,
        _: Rules,
    ) -> Result<TableLeaves<'a>> {
        Ok(TableLeaves::new(tables))
    }

    fn max_men(leaves: &TableLeaves<'_>) -> usize {
        leaves.max_men()
    }

    fn probe(&self, tables: &Tablebase, by: By) -> Result<Answer> {
        let wdl = known(tables.probe_wdl_after_zeroing(self))?;
        let dtz = known(tables.probe_dtz_range(self))?.ok();
        let dtm = known(tables.probe_dtm(self))?.ok();
        let is_known = [wdl.is_ok(), dtz.is_some(), dtm.is_some()];
        let root_moves = match known(tables.root_moves_by(self, metric(by)))? {
            Ok(moves) => moves,
            Err(_) => moves_of_uncovered(tables, self)?,
        };
        let moves = root_moves.iter().map(|m| move_answer(self, m)).collect();
        let rules = Rules::default();
        let category = category(self, wdl.as_ref().ok().copied(), dtz, root_moves.first());
        Ok(Answer {
            category: category.name(),
            distances: distances(dtz, dtm.flatten()),
            tables: Some(tables_of(tables, self, is_known)),
            moves,
            ..self.answer(rules, wdl.as_ref().ok().copied().into(), wdl.err())
        })
    }

    fn winning_moves(&self, tables: &Tablebase) -> Result<usize> {
        let mut winning = 0;
        for played in &self.legal_moves() {
            winning +=
                usize::from(tables.probe_wdl_after_zeroing(&self.play(played))? == Wdl::Loss);
        }
        Ok(winning)
    }

    fn line(&self, tables: &Tablebase, by: By) -> Result<LineAnswer> {
        let line = match known(tables.line_by(self, MAX_LINE, metric(by)))? {
            Ok(line) => line,
            Err(reason) => Line {
                moves: Vec::new(),
                end: LineEnd::Unknown,
                reason: Some(reason),
                metric: Metric::Dtz,
            },
        };
        let is_other = |metric: Metric| metric != line.metric;
        let plies_by_metric = line.moves.iter().position(|m| is_other(m.metric));
        let (uci, book) = line.moves.into_iter().map(|m| (m.uci, m.san)).unzip();
        Ok(LineAnswer {
            names: Names {
                game: Game::Chess,
                uci,
                book,
            },
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

    fn solved_moves(
        &self,
        set: &SolvedSet,
        leaves: &TableLeaves<'_>,
    ) -> Result<Vec<MoveAnswer>, LeafError> {
        let moves = set.root_moves(self, leaves)?;
        Ok(moves.iter().map(|m| move_answer(self, m)).collect())
    }

    fn material(&self) -> String {
        // A position has two kings, so there always is one.
        Material::from_counts(Placement::from(self).counts())
            .map(|material| material.normal_form().to_string())
            .unwrap_or_default()
    }

    fn fullmoves(&self) -> u32 {
        Position::fullmoves(self)
    }

    fn traits(&self) -> Traits {
        Traits {
            game: Game::Chess,
            checkmate: self.is_checkmate(),
            stalemate: self.is_stalemate(),
            insufficient_material: self.is_insufficient_material(),
        }
    }

    fn with_clock(&self, value: Value) -> Wdl {
        let wdl = value.dtz.wdl();
        match category(self, Some(wdl), Some(value.dtz.into()), None) {
            Category::CursedWin => Wdl::CursedWin,
            Category::BlessedLoss => Wdl::BlessedLoss,
            _ => wdl,
        }
    }

    fn is_zeroing(played: Move) -> bool {
        played.is_zeroing()
    }

    fn is_conversion(played: Move) -> bool {
        played.is_capture() || played.promotion().is_some()
    }

    fn names(&self, played: Move) -> Names<String> {
        Names {
            game: Game::Chess,
            uci: played.to_uci(),
            book: san(self, played),
        }
    }

    fn sort(&self, moves: &mut [Judged<Position>]) {
        let root_move = |m: &Judged<Position>| RootMove {
            wdl: m.value.map(|value| value.dtz.wdl()),
            dtz: m.value.map(|value| value.dtz.into()),
            dtm: m.value.and_then(|value| value.dtm),
            ..RootMove::new(m.played, &m.next)
        };
        let mut order: Vec<RootMove> = moves.iter().map(root_move).collect();
        sort_root_moves_by(&mut order, u32::from(self.halfmoves()), Metric::Dtm);
        moves.sort_by_cached_key(|m| order.iter().position(|it| it.played == m.played));
    }

    fn distances(value: Option<Value>) -> Distances {
        let dtz = value.map(|value| value.dtz.into());
        Distances {
            precise: None,
            ..distances(dtz, value.and_then(|value| value.dtm))
        }
    }
}

fn metric(by: By) -> Metric {
    match by {
        By::Dtz => Metric::Dtz,
        By::Dtm => Metric::Dtm,
    }
}

fn distances(dtz: Option<DtzRange>, dtm: Option<Dtm>) -> Distances {
    Distances {
        game: Game::Chess,
        zeroing: dtz.map(|dtz| dtz.shortest.0),
        precise: Some(dtz.and_then(DtzRange::exact).map(|Dtz(plies)| plies)),
        mate: dtm.map(|Dtm(plies)| plies),
        round: None,
    }
}

/// The result as the clock stands. Where the distance is a rounded one, the best move may tell
/// more.
fn category(
    position: &Position,
    wdl: Option<Wdl>,
    dtz: Option<DtzRange>,
    best: Option<&RootMove>,
) -> Category {
    let clock = u32::from(position.halfmoves());
    let own = Category::of(&Clocked {
        wdl,
        dtz,
        is_checkmate: position.is_checkmate(),
        clock,
        clock_before: clock.saturating_sub(1),
    });
    match (own, best) {
        (Category::MaybeLoss | Category::MaybeWin, Some(best))
        | (Category::SyzygyLoss | Category::SyzygyWin, Some(best)) => {
            category_after(position, best).negated()
        }
        _ => own,
    }
}

/// The result of the position after a move, as the clock stands there.
fn category_after(position: &Position, root_move: &RootMove) -> Category {
    let clock_before = u32::from(position.halfmoves());
    Category::of(&Clocked {
        wdl: root_move.wdl,
        dtz: root_move.dtz,
        is_checkmate: root_move.is_checkmate,
        clock: match root_move.is_zeroing {
            true => 0,
            false => clock_before + 1,
        },
        clock_before,
    })
}

fn move_answer(position: &Position, root_move: &RootMove) -> MoveAnswer {
    MoveAnswer {
        names: position.names(root_move.played),
        zeroing: root_move.is_zeroing,
        conversion: Position::is_conversion(root_move.played),
        category: category_after(position, root_move).name(),
        bounds: root_move.wdl.into(),
        distances: distances(root_move.dtz, root_move.dtm),
        traits: Traits {
            game: Game::Chess,
            checkmate: root_move.is_checkmate,
            stalemate: root_move.is_stalemate,
            insufficient_material: root_move.is_insufficient_material,
        },
    }
}

/// A value; or `None` and the reason, where the tables cannot know.
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

/// The legal moves of a position that no table covers. Those that give up the last castling right
/// have values.
fn moves_of_uncovered(tables: &Tablebase, position: &Position) -> Result<Vec<RootMove>> {
    let mut moves = Vec::new();
    for played in &position.legal_moves() {
        let root_move = tables.root_move(position, played)?;
        // What is unknown is behind a draw and before a loss; a stable sort keeps the rest as it
        // was.
        let rank = root_move.wdl.map_or((Wdl::Draw, true), |wdl| (wdl, false));
        moves.push((rank, root_move));
    }
    moves.sort_by_key(|&(rank, _)| rank);
    Ok(moves.into_iter().map(|(_, root_move)| root_move).collect())
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

#[cfg(test)]
mod tests {
    use super::*;
    use retrograde::metric::Dtz;

    #[test]
    fn a_win_that_comes_too_late_is_cursed() {
        let judged = |plies, clock: u16, fen: &str| {
            let position = Position::from_fen(&format!("{fen} {clock} 90")).unwrap();
            position.with_clock(Value {
                dtz: Dtz(plies),
                dtm: None,
            })
        };
        let (rook, mated) = ("8/8/8/8/8/2k5/1R6/K7 w - -", "R1k5/8/2K5/8/8/8/8/8 b - -");
        assert_eq!(judged(31, 69, rook), Wdl::Win);
        assert_eq!(judged(31, 70, rook), Wdl::CursedWin);
        assert_eq!(judged(-2, 98, rook), Wdl::Loss);
        assert_eq!(judged(-2, 99, rook), Wdl::BlessedLoss);
        assert_eq!(judged(-1, 100, mated), Wdl::Loss);
        assert_eq!(judged(-1, 101, mated), Wdl::BlessedLoss);
        assert_eq!(judged(0, 100, rook), Wdl::Draw);
    }
}
