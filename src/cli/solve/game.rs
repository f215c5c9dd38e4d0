//! What `solve` has to know of each game: how positions are read, which tables bound the exploration, what answers look like.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Error, Result};
use retrograde::Tablebase;
use retrograde::game::Game;
use retrograde::metric::{Dtm, FIFTY_MOVES, Metric, Wdl};
use retrograde::probe::xiangqi::{XiangqiProbeError, XiangqiTables};
use retrograde::probe::{ProbeError, RootMove, sort_root_moves};
use retrograde::reach::{LeafError, Leaves, LineEnd, Reach, Value};
use retrograde::verify::solved::Verifiable;
use retrograde::xiangqi::{Material, Metric as XiangqiMetric, Rules, XiangqiValue};
use retrograde::{chess, xiangqi};
use serde::Serialize;

use super::answer::{Judged, SolveAnswer};
use super::leaves::{TableLeaves, XiangqiLeaves, no_tables, tables_if_any};
use crate::cli::print::{self, plies_or_dash};
use crate::cli::{TableDirectory, answer, input, xiangqi as xiangqi_cli};

/// A game that is solved from the command line.
pub trait SolveGame: Verifiable {
    /// The tables that may bound an exploration.
    type Tables;
    /// The materials they cover.
    type Leaves<'a>: Leaves<Self>;
    /// Distances, in an answer.
    type Distances: Serialize;
    /// A move in the notations of the game.
    type Names: Serialize;
    /// Best play.
    type LineAnswer: Serialize;

    /// Whether `--promote` means something.
    const PROMOTES: bool;
    /// The tags of a game record before and behind those that all have.
    const PGN_TAGS: [&'static [(&'static str, &'static str)]; 2];
    /// The tags that name the players.
    const PLAYERS: [&'static str; 2];

    /// The position of a FEN.
    ///
    /// # Errors
    ///
    /// If it is none.
    fn read(words: &[String]) -> Result<Self>;

    /// The tables of a directory, or none.
    ///
    /// # Errors
    ///
    /// If there are some that cannot be read.
    fn tables(directory: Option<&TableDirectory>, rules: Rules) -> Result<Self::Tables>;

    /// What tables cover, or nothing without a directory; `root` is what is solved.
    ///
    /// # Errors
    ///
    /// If the directory cannot be read.
    fn leaves<'a>(
        tables: &'a Self::Tables,
        directory: Option<&TableDirectory>,
        root: Option<&Self>,
        rules: Rules,
    ) -> Result<Self::Leaves<'a>>;

    /// The most men of a material that is covered; 0 if none is.
    fn max_men(leaves: &Self::Leaves<'_>) -> usize;

    /// The error of a leaf itself, by the type of which the command line tells that a table is missing.
    fn leaf_error(error: LeafError) -> Error;

    /// The material.
    fn material(&self) -> String;

    /// The result of a value as the clock stands.
    fn with_clock(&self, value: Self::Value) -> Wdl;

    /// What there is to see.
    fn traits(&self) -> Traits;

    /// Whether a move cannot be taken back.
    fn is_zeroing(played: Self::Move) -> bool;

    /// Sorts moves, which come in the order of their distances, as `probe` does.
    fn sort(&self, moves: &mut [Judged<Self>]);

    /// Distances, in an answer.
    fn distances(value: Option<Self::Value>) -> Self::Distances;

    /// A move in the notations of the game.
    fn names(&self, played: Self::Move) -> Self::Names;

    /// A line of moves, by a metric: its distances to mate are known, or not.
    fn line_answer(names: Vec<Self::Names>, end: &'static str, mates: bool) -> Self::LineAnswer;

    /// Goes on with what tables say from where a line has come to, or says why it does not.
    ///
    /// # Errors
    ///
    /// If a table is damaged.
    fn go_on(&self, line: &mut Self::LineAnswer, end: LineEnd, tables: &Self::Tables)
    -> Result<()>;

    /// The moves of a line as a game record has them.
    fn record(line: &Self::LineAnswer) -> &[String];

    /// When a game began, as counted in moves.
    fn fullmoves(&self) -> u32;

    /// Prints the first line of an answer, its moves and its line.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    fn print_value(&self, answer: &SolveAnswer<Self>, out: &mut dyn Write) -> Result<()>;

    /// Prints moves and line.
    ///
    /// # Errors
    ///
    /// If they cannot be written.
    fn print_moves(&self, answer: &SolveAnswer<Self>, out: &mut dyn Write) -> Result<()>;
}

/// What there is to see of a position.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Traits {
    checkmate: bool,
    stalemate: bool,
    insufficient_material: bool,
}

/// Why nothing is known of what follows.
const UNEXPLORED: &str = "what follows was not explored";

/// A distance; that of a way that was found may not be the shortest.
fn distance(plies: Option<i32>, is_exact: bool) -> String {
    match plies {
        // A draw has no way that could be shorter.
        Some(plies) if plies != 0 && !is_exact => format!("{plies} or less"),
        plies => plies_or_dash(plies),
    }
}

/// The error of that type if it is one.
fn downcast<E: std::error::Error + Send + Sync + 'static>(error: LeafError) -> Error {
    match error.downcast::<E>() {
        Ok(error) => (*error).into(),
        Err(error) => anyhow::anyhow!(error),
    }
}

#[derive(Debug, Serialize)]
pub struct ChessDistances {
    dtz: Option<i32>,
    dtm: Option<i32>,
}

#[derive(Debug, Serialize)]
pub struct ChessNames {
    uci: String,
    san: String,
}

impl SolveGame for chess::Position {
    type Tables = Tablebase;
    type Leaves<'a> = TableLeaves<'a>;
    type Distances = ChessDistances;
    type Names = ChessNames;
    type LineAnswer = answer::LineAnswer;

    const PROMOTES: bool = true;
    const PGN_TAGS: [&'static [(&'static str, &'static str)]; 2] = [&[], &[("SetUp", "1")]];
    const PLAYERS: [&'static str; 2] = ["White", "Black"];

    fn read(words: &[String]) -> Result<Self> {
        input::position(words)
    }

    fn tables(directory: Option<&TableDirectory>, _: Rules) -> Result<Tablebase> {
        directory.map_or_else(no_tables, tables_if_any)
    }

    fn leaves<'a>(
        tables: &'a Tablebase,
        _: Option<&TableDirectory>,
        _: Option<&Self>,
        _: Rules,
    ) -> Result<TableLeaves<'a>> {
        Ok(TableLeaves::new(tables))
    }

    fn max_men(leaves: &TableLeaves<'_>) -> usize {
        leaves.max_men()
    }

    fn leaf_error(error: LeafError) -> Error {
        downcast::<ProbeError>(error)
    }

    fn material(&self) -> String {
        answer::material(self)
    }

    fn with_clock(&self, value: Value) -> Wdl {
        let wdl = value.dtz.wdl();
        let clock = u32::from(self.halfmoves());
        if self.is_checkmate() || clock + value.dtz.0.unsigned_abs() <= FIFTY_MOVES.0 {
            return wdl;
        }
        match wdl {
            Wdl::Win => Wdl::CursedWin,
            Wdl::Loss => Wdl::BlessedLoss,
            wdl => wdl,
        }
    }

    fn traits(&self) -> Traits {
        Traits {
            checkmate: self.is_checkmate(),
            stalemate: self.is_stalemate(),
            insufficient_material: self.is_insufficient_material(),
        }
    }

    fn is_zeroing(played: chess::Move) -> bool {
        played.is_zeroing()
    }

    fn sort(&self, moves: &mut [Judged<Self>]) {
        let root_move = |m: &Judged<Self>| RootMove {
            wdl: m.value.map(|value| value.dtz.wdl()),
            dtz: m.value.map(|value| value.dtz.into()),
            dtm: m.value.and_then(|value| value.dtm),
            ..RootMove::new(m.played, &m.next)
        };
        let mut order: Vec<RootMove> = moves.iter().map(root_move).collect();
        sort_root_moves(&mut order, u32::from(self.halfmoves()));
        moves.sort_by_cached_key(|m| order.iter().position(|it| it.played == m.played));
    }

    fn distances(value: Option<Value>) -> ChessDistances {
        ChessDistances {
            dtz: value.map(|value| value.dtz.0),
            dtm: value.and_then(|value| value.dtm).map(|Dtm(plies)| plies),
        }
    }

    fn names(&self, played: chess::Move) -> ChessNames {
        ChessNames {
            uci: played.to_uci(),
            san: chess::san(self, played),
        }
    }

    fn line_answer(names: Vec<ChessNames>, end: &'static str, mates: bool) -> answer::LineAnswer {
        let metric = if mates { Metric::Dtm } else { Metric::Dtz };
        let (uci, san) = names.into_iter().map(|m| (m.uci, m.san)).unzip();
        answer::LineAnswer {
            uci,
            san,
            end,
            reason: None,
            metric: metric.name(),
            plies_by_metric: None,
        }
    }

    fn go_on(&self, line: &mut answer::LineAnswer, end: LineEnd, tables: &Tablebase) -> Result<()> {
        if end == LineEnd::Unexplored {
            line.reason = Some(UNEXPLORED.to_owned());
        }
        if end != LineEnd::Leaf {
            return Ok(());
        }
        let rest = answer::line(tables, self)?;
        let solved = line.san.len();
        line.plies_by_metric = match (rest.metric == line.metric, rest.plies_by_metric) {
            (false, _) => Some(solved),
            (true, plies) => plies.map(|plies| plies + solved),
        };
        line.uci.extend(rest.uci);
        line.san.extend(rest.san);
        (line.end, line.reason) = (rest.end, rest.reason);
        Ok(())
    }

    fn record(line: &answer::LineAnswer) -> &[String] {
        &line.san
    }

    fn fullmoves(&self) -> u32 {
        chess::Position::fullmoves(self)
    }

    fn print_value(&self, answer: &SolveAnswer<Self>, out: &mut dyn Write) -> Result<()> {
        let (material, turn) = (&answer.material, Game::Chess.name_of(self.turn()));
        let result = answer.bounds.describe();
        let dtz = distance(answer.distances.dtz, answer.exact);
        let dtm = distance(answer.distances.dtm, answer.exact);
        writeln!(
            out,
            "{material}, {turn} to move: {result}, dtz {dtz}, dtm {dtm}"
        )?;
        let remarks = [
            (answer.traits.checkmate, "checkmate"),
            (answer.traits.stalemate, "stalemate"),
            (answer.traits.insufficient_material, "nobody can mate"),
        ];
        print::those_that_hold(&remarks, out)
    }

    fn print_moves(&self, answer: &SolveAnswer<Self>, out: &mut dyn Write) -> Result<()> {
        let rows = answer.moves.iter().map(|m| print::MoveRow {
            san: &m.names.san,
            result: m.bounds.describe(),
            dtz: plies_or_dash(m.distances.dtz),
            dtm: plies_or_dash(m.distances.dtm),
            checkmate: m.traits.checkmate,
            stalemate: m.traits.stalemate,
            zeroing: m.zeroing,
        });
        print::move_rows(rows, out)?;
        match &answer.line {
            Some(line) => crate::cli::probe::print_line(line, self, out),
            None => Ok(()),
        }
    }
}

#[derive(Debug, Serialize)]
pub struct XiangqiDistances {
    dtc: Option<i32>,
    dtm: Option<i32>,
    round: Option<u8>,
}

#[derive(Debug, Serialize)]
pub struct XiangqiNames {
    uci: String,
    wxf: String,
}

impl SolveGame for xiangqi::Position {
    type Tables = XiangqiTables;
    type Leaves<'a> = XiangqiLeaves<'a>;
    type Distances = XiangqiDistances;
    type Names = XiangqiNames;
    type LineAnswer = xiangqi_cli::LineAnswer;

    const PROMOTES: bool = false;
    const PGN_TAGS: [&'static [(&'static str, &'static str)]; 2] =
        [&[("Game", "Chinese Chess")], &[("Format", "ICCS")]];
    const PLAYERS: [&'static str; 2] = ["Red", "Black"];

    fn read(words: &[String]) -> Result<Self> {
        input::xiangqi_position(words)
    }

    fn tables(directory: Option<&TableDirectory>, rules: Rules) -> Result<XiangqiTables> {
        let path = directory.map_or(PathBuf::new(), |directory| directory.path().to_owned());
        Ok(XiangqiTables::open(&path, rules))
    }

    fn leaves<'a>(
        tables: &'a XiangqiTables,
        directory: Option<&TableDirectory>,
        root: Option<&Self>,
        rules: Rules,
    ) -> Result<XiangqiLeaves<'a>> {
        match directory {
            Some(directory) => XiangqiLeaves::new(tables, root, directory, rules),
            None => Ok(XiangqiLeaves::none(tables)),
        }
    }

    fn max_men(leaves: &XiangqiLeaves<'_>) -> usize {
        leaves.max_men()
    }

    fn leaf_error(error: LeafError) -> Error {
        downcast::<XiangqiProbeError>(error)
    }

    fn material(&self) -> String {
        Material::of(self).normal_form().to_string()
    }

    fn with_clock(&self, value: XiangqiValue) -> Wdl {
        value.wdl
    }

    fn traits(&self) -> Traits {
        Traits {
            checkmate: self.is_checkmate(),
            stalemate: self.is_stalemate(),
            insufficient_material: self.is_insufficient_material(),
        }
    }

    fn is_zeroing(played: xiangqi::Move) -> bool {
        played.is_capture()
    }

    fn sort(&self, moves: &mut [Judged<Self>]) {
        // A stable sort keeps the order of the distances.
        moves.sort_by_key(|m| {
            let [at_least, at_most] = m.bounds.range;
            [at_most, at_least]
        });
    }

    fn distances(value: Option<XiangqiValue>) -> XiangqiDistances {
        XiangqiDistances {
            dtc: value.and_then(|value| value.dtc),
            dtm: value.and_then(|value| value.dtm).map(|Dtm(plies)| plies),
            round: value.map(|value| value.round),
        }
    }

    fn names(&self, played: xiangqi::Move) -> XiangqiNames {
        XiangqiNames {
            uci: played.to_iccs(),
            wxf: xiangqi::wxf(self, played),
        }
    }

    fn line_answer(
        names: Vec<XiangqiNames>,
        end: &'static str,
        mates: bool,
    ) -> xiangqi_cli::LineAnswer {
        let metric = match mates {
            true => XiangqiMetric::Dtm,
            false => XiangqiMetric::Dtc,
        };
        let (uci, wxf) = names.into_iter().map(|m| (m.uci, m.wxf)).unzip();
        xiangqi_cli::LineAnswer {
            uci,
            wxf,
            end,
            reason: None,
            metric: metric.name(),
        }
    }

    fn go_on(
        &self,
        line: &mut xiangqi_cli::LineAnswer,
        end: LineEnd,
        tables: &XiangqiTables,
    ) -> Result<()> {
        if end == LineEnd::Unexplored {
            line.reason = Some(UNEXPLORED.to_owned());
        }
        if end != LineEnd::Leaf {
            return Ok(());
        }
        let rest = xiangqi_cli::line(tables, self)?;
        line.uci.extend(rest.uci);
        line.wxf.extend(rest.wxf);
        (line.end, line.reason) = (rest.end, rest.reason);
        Ok(())
    }

    fn record(line: &xiangqi_cli::LineAnswer) -> &[String] {
        &line.uci
    }

    fn fullmoves(&self) -> u32 {
        xiangqi::Position::fullmoves(self)
    }

    fn print_value(&self, answer: &SolveAnswer<Self>, out: &mut dyn Write) -> Result<()> {
        let (material, rules) = (&answer.material, answer.rules.unwrap_or_default());
        let (turn, result) = (Game::Xiangqi.name_of(self.turn()), answer.bounds.describe());
        let dtc = distance(answer.distances.dtc, answer.exact);
        let dtm = distance(answer.distances.dtm, answer.exact);
        writeln!(
            out,
            "{material} under {rules}, {turn} to move: {result}, dtc {dtc}, dtm {dtm}"
        )?;
        let is_ruled = answer.distances.round > Some(0);
        let remarks = [
            (is_ruled, "decided by perpetual check"),
            (answer.traits.checkmate, "checkmate"),
            (answer.traits.stalemate, "no legal move"),
            (answer.traits.insufficient_material, "nobody can attack"),
        ];
        print::those_that_hold(&remarks, out)
    }

    fn print_moves(&self, answer: &SolveAnswer<Self>, out: &mut dyn Write) -> Result<()> {
        let rows = answer.moves.iter().map(|m| xiangqi_cli::MoveRow {
            iccs: &m.names.uci,
            wxf: &m.names.wxf,
            result: m.bounds.describe(),
            dtc: m.distances.dtc,
            dtm: m.distances.dtm,
            checkmate: m.traits.checkmate,
            stalemate: m.traits.stalemate,
            capture: m.zeroing,
        });
        xiangqi_cli::move_rows(rows, out)?;
        match &answer.line {
            Some(line) => xiangqi_cli::print_line(line, self, out),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use retrograde::metric::Dtz;

    #[test]
    fn a_win_that_comes_too_late_is_cursed() {
        let judged = |plies, clock: u16, fen: &str| {
            let position = chess::Position::from_fen(&format!("{fen} {clock} 90")).unwrap();
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
        assert_eq!(judged(0, 100, rook), Wdl::Draw);
    }
}
