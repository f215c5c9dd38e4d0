//! What tables or an exploration say about a position of either game: as one JSON object, and in
//! words.
//!
//! Field names are those of the public tablebase interface that web sites use.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use retrograde::game::{Color, Game};
use retrograde::metric::Wdl;
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::movetext::movetext;
use super::print::counted;

/// A position, its value for the side to move, and its moves, best first.
#[derive(Debug, serde::Serialize)]
pub struct Answer {
    pub fen: String,
    /// Unless it is chess, which has one set of rules.
    #[serde(skip_serializing_if = "is_chess", serialize_with = "name")]
    pub game: Game,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<&'static str>,
    /// In the form that has a table.
    pub material: String,
    pub category: &'static str,
    /// Why the category is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(flatten)]
    pub bounds: Bounds,
    /// Of an exploration, whether distances are exact, or those of a way that was found and may not
    /// be the shortest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<bool>,
    #[serde(flatten)]
    pub distances: Distances,
    #[serde(flatten)]
    pub traits: Traits,
    /// The chess tables of this material that the values are from; captures may have asked others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tables: Option<Vec<TableAnswer>>,
    pub moves: Vec<MoveAnswer>,
    /// Only if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<LineAnswer>,
    /// Best play as a game, only if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pgn: Option<String>,
    #[serde(skip)]
    pub turn: Color,
    #[serde(skip)]
    pub fullmoves: u32,
}

fn is_chess(game: &Game) -> bool {
    *game == Game::Chess
}

fn name<S: Serializer>(game: &Game, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(game)
}

/// A table that answered.
#[derive(Debug, serde::Serialize)]
pub struct TableAnswer {
    pub metric: &'static str,
    pub format: &'static str,
    #[serde(serialize_with = "crate::cli::print::path")]
    pub file: PathBuf,
}

/// A move; values are for the side to move after it.
#[derive(Debug, serde::Serialize)]
pub struct MoveAnswer {
    #[serde(flatten)]
    pub names: Names<String>,
    pub zeroing: bool,
    /// Whether it changes the material.
    pub conversion: bool,
    pub category: &'static str,
    #[serde(flatten)]
    pub bounds: Bounds,
    #[serde(flatten)]
    pub distances: Distances,
    #[serde(flatten)]
    pub traits: Traits,
}

/// Best play.
#[derive(Debug, serde::Serialize)]
pub struct LineAnswer {
    #[serde(flatten)]
    pub names: Names<Vec<String>>,
    /// `checkmate`, `stalemate`, `draw`, `perpetual-check`, `unfinished`, or `unknown` where a
    /// table is missing.
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

/// What there is to see of a position.
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    pub game: Game,
    pub checkmate: bool,
    pub stalemate: bool,
    pub insufficient_material: bool,
}

impl Serialize for Traits {
    /// Of other games than chess, the public interface tells in two more fields who has won by a
    /// rule of theirs.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let loses_without_a_move = self.stalemate && !is_chess(&self.game);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("checkmate", &self.checkmate)?;
        map.serialize_entry("stalemate", &self.stalemate)?;
        map.serialize_entry("variant_win", &false)?;
        map.serialize_entry("variant_loss", &loses_without_a_move)?;
        map.serialize_entry("insufficient_material", &self.insufficient_material)?;
        map.end()
    }
}

/// The result if it is known, and what is proved otherwise.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct Bounds {
    pub wdl: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_least: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<&'static str>,
    #[serde(skip)]
    pub result: Option<Wdl>,
    /// What it is at least and at most.
    #[serde(skip)]
    pub range: [Wdl; 2],
}

impl Bounds {
    /// At least the one, at most the other.
    pub fn new(at_least: Wdl, at_most: Wdl) -> Bounds {
        let result = (at_least == at_most).then_some(at_least);
        let unless = |bound: Wdl, trivial: Wdl| {
            (result.is_none() && bound != trivial).then(|| bound.category())
        };
        Bounds {
            wdl: result.map(Wdl::signum2),
            at_least: unless(at_least, Wdl::Loss),
            at_most: unless(at_most, Wdl::Win),
            result,
            range: [at_least, at_most],
        }
    }

    /// The category, `unknown` where it is not proved.
    pub fn category(&self) -> &'static str {
        self.result.map_or("unknown", Wdl::category)
    }

    /// In words.
    pub fn describe(&self) -> String {
        match (self.at_least, self.at_most) {
            (Some(least), Some(most)) => format!("at least {least}, at most {most}"),
            (Some(least), None) => format!("at least {least}"),
            (None, Some(most)) => format!("at most {most}"),
            (None, None) => self.category().to_owned(),
        }
    }
}

/// Known exactly, or not at all.
impl From<Option<Wdl>> for Bounds {
    fn from(wdl: Option<Wdl>) -> Bounds {
        match wdl {
            Some(wdl) => Bounds::new(wdl, wdl),
            None => Bounds::new(Wdl::Loss, Wdl::Win),
        }
    }
}

/// A move or a line as engines and as books write it. What the latter is called depends on the
/// game.
#[derive(Clone, Debug)]
pub struct Names<T> {
    pub game: Game,
    pub uci: T,
    pub book: T,
}

impl<T: Serialize> Serialize for Names<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("uci", &self.uci)?;
        map.serialize_entry(book(self.game), &self.book)?;
        map.end()
    }
}

fn book(game: Game) -> &'static str {
    match game {
        Game::Chess => "san",
        Game::Xiangqi => "wxf",
    }
}

/// Plies to what lies ahead, positive for who wins; `None` where it is not known.
#[derive(Clone, Copy, Debug)]
pub struct Distances {
    pub game: Game,
    /// To the next capture or mate, in chess also pawn move: `dtz` or `dtc`.
    pub zeroing: Option<i32>,
    /// Of chess tables: as `zeroing`, unless a Syzygy table has it rounded.
    pub precise: Option<Option<i32>>,
    /// To mate.
    pub mate: Option<i32>,
    /// Of xiangqi: how often the rule of perpetual check was applied.
    pub round: Option<u8>,
}

impl Serialize for Distances {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry(zeroing(self.game), &self.zeroing)?;
        if let Some(precise) = &self.precise {
            map.serialize_entry("precise_dtz", precise)?;
        }
        map.serialize_entry("dtm", &self.mate)?;
        match self.game {
            // Of variants, and of tables that nobody has.
            Game::Chess => {
                map.serialize_entry("dtw", &())?;
                map.serialize_entry("dtc", &())?;
            }
            Game::Xiangqi => map.serialize_entry("round", &self.round)?,
        }
        map.end()
    }
}

/// What the metric of plies to zeroing is called.
pub fn zeroing(game: Game) -> &'static str {
    match game {
        Game::Chess => "dtz",
        Game::Xiangqi => "dtc",
    }
}

impl Distances {
    /// With a distance to zeroing that is told apart from a rounded one, in chess.
    pub fn with_precise(self) -> Distances {
        Distances {
            precise: is_chess(&self.game).then_some(self.zeroing),
            ..self
        }
    }

    /// In words, to zeroing and to mate. Those of a way that was found may not be the shortest.
    fn describe(&self, is_exact: bool) -> [String; 2] {
        let describe = |plies: Option<i32>| match plies {
            None => "-".to_owned(),
            // A draw has no way that could be shorter.
            Some(plies) if plies != 0 && !is_exact => format!("{plies} or less"),
            Some(plies) => plies.to_string(),
        };
        let is_rounded = self.precise.is_some_and(|it| it != self.zeroing);
        let about = if is_rounded { "~" } else { "" };
        [
            format!("{about}{}", describe(self.zeroing)),
            describe(self.mate),
        ]
    }
}

impl Answer {
    /// Prints all of it.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn print(&self, out: &mut dyn Write) -> Result<()> {
        self.print_value(out)?;
        self.print_moves(out)
    }

    /// Prints what is known of the position itself.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn print_value(&self, out: &mut dyn Write) -> Result<()> {
        let [to_zeroing, to_mate] = self.distances.describe(self.exact != Some(false));
        writeln!(
            out,
            "{}{}, {} to move: {}, {} {to_zeroing}, dtm {to_mate}{}",
            self.material,
            (self.rules).map_or_else(String::new, |rules| format!(" under {rules}")),
            self.name_of(self.turn),
            self.describe(),
            zeroing(self.game),
            self.moves_to_mate(),
        )?;
        self.print_foreign_tables(out)?;
        let (stalemate, insufficient_material) = match self.game {
            Game::Chess => ("stalemate", "nobody can mate"),
            Game::Xiangqi => ("no legal move", "nobody can attack"),
        };
        let is_ruled = self.distances.round > Some(0);
        for (holds, what) in [
            (is_ruled, "decided by perpetual check"),
            (self.traits.checkmate, "checkmate"),
            (self.traits.stalemate, stalemate),
            (self.traits.insufficient_material, insufficient_material),
        ] {
            if holds {
                writeln!(out, "{what}")?;
            }
        }
        Ok(())
    }

    /// Who wins as the clock stands, and the result from a fresh one where that is another.
    fn describe(&self) -> String {
        let Some(fresh) = self.bounds.result else {
            return self.bounds.describe();
        };
        let winner = match fresh.signum2() > 0 {
            true => self.name_of(self.turn),
            false => self.name_of(!self.turn),
        };
        let (category, fresh) = (self.category, fresh.category());
        let result = match category {
            "win" | "loss" => format!("{winner} wins"),
            "cursed-win" | "blessed-loss" => {
                format!("{winner} wins but for the fifty-move rule")
            }
            "draw" => "draw".to_owned(),
            // A distance that is rounded or missing, which the clock comes near.
            _ => format!("{winner} wins ({category})"),
        };
        match fresh == category {
            true => result,
            false => format!("{result} ({category}; {fresh} from a fresh clock)"),
        }
    }

    /// A side, as at the beginning of a sentence.
    fn name_of(&self, side: Color) -> &'static str {
        match (self.game, side) {
            (Game::Chess, Color::White) => "White",
            (Game::Xiangqi, Color::White) => "Red",
            (_, Color::Black) => "Black",
        }
    }

    /// The distance to mate as players count it, in moves of the winner.
    fn moves_to_mate(&self) -> String {
        match self.distances.mate {
            Some(plies) if plies != 0 && self.exact != Some(false) => {
                format!(" (mate in {})", plies.unsigned_abs().div_ceil(2))
            }
            _ => String::new(),
        }
    }

    /// Writes elephants and horses of xiangqi as a FEN that was typed does: `E` for `B`, `H` for
    /// `N`.
    pub fn spell_as(&mut self, typed: &[String]) {
        let typed = typed.first().map_or("", String::as_str);
        let board = typed.split([' ', '_']).next().unwrap_or_default();
        if is_chess(&self.game) {
            return;
        }
        for (ours, other) in [('B', 'E'), ('N', 'H')] {
            if !board.to_ascii_uppercase().contains(other) {
                continue;
            }
            self.material = self.material.replace(ours, &other.to_string());
            let (board, rest) = self.fen.split_at(self.fen.find(' ').unwrap_or_default());
            let spell = |letter: char| match letter.to_ascii_uppercase() == ours {
                true if letter == ours => other,
                true => other.to_ascii_lowercase(),
                false => letter,
            };
            self.fen = board.chars().map(spell).chain(rest.chars()).collect();
        }
    }

    /// Says which tables answered if not all of them are our own.
    fn print_foreign_tables(&self, out: &mut dyn Write) -> Result<()> {
        let tables = self.tables.as_deref().unwrap_or_default();
        if tables.iter().any(|table| table.format != "native") {
            let tables: Vec<String> = tables
                .iter()
                .map(|table| format!("{} ({})", table.file.display(), table.format))
                .collect();
            writeln!(out, "from {}", tables.join(", "))?;
        }
        Ok(())
    }

    /// Prints the moves, a row each, below an empty line, and the line.
    ///
    /// # Errors
    ///
    /// If they cannot be written.
    pub fn print_moves(&self, out: &mut dyn Write) -> Result<()> {
        let columns = |uci: &str, book: &str, result: &str| match self.game {
            Game::Chess => format!("{book:<8} {result:<13}"),
            Game::Xiangqi => format!("{uci:<6} {book:<6} {result:<9}"),
        };
        let (book, stalemate, zeroes) = match self.game {
            Game::Chess => ("move", "stalemate", "zeroing"),
            Game::Xiangqi => ("wxf", "no legal move", "capture"),
        };
        if !self.moves.is_empty() {
            let (names, zeroing) = (columns("move", book, "opponent"), zeroing(self.game));
            writeln!(out, "\n{names} {zeroing:>5} {:>5}", "dtm")?;
        }
        for m in &self.moves {
            let result = match m.bounds.result {
                Some(_) => m.category.to_owned(),
                None => m.bounds.describe(),
            };
            let names = columns(&m.names.uci, &m.names.book, &result);
            let [to_zeroing, to_mate] = m.distances.describe(true);
            let remark = match (m.traits.checkmate, m.traits.stalemate, m.zeroing) {
                (true, ..) => "  checkmate".to_owned(),
                (_, true, _) => format!("  {stalemate}"),
                (_, _, true) => format!("  {zeroes}"),
                _ => String::new(),
            };
            writeln!(out, "{names} {to_zeroing:>5} {to_mate:>5}{remark}")?;
        }
        if let Some(line) = &self.line {
            self.print_line(line, out)?;
        }
        if let Some(pgn) = &self.pgn {
            write!(out, "\n{pgn}")?;
        }
        Ok(())
    }

    fn print_line(&self, line: &LineAnswer, out: &mut dyn Write) -> Result<()> {
        let moves = &line.names.book;
        if moves.is_empty() {
            let reason = line.reason.as_deref();
            let reason = reason.unwrap_or("the game is over or drawn");
            writeln!(out, "\nno line: {reason}")?;
            return Ok(());
        }
        let metric = match line.plies_by_metric {
            None => line.metric.to_owned(),
            Some(plies) => {
                let plies = counted(plies, "ply");
                format!("{} for {plies}, from there by dtz", line.metric)
            }
        };
        let (plies, end) = (counted(moves.len(), "ply"), line.end);
        let words = movetext(self.fullmoves, self.turn, moves);
        writeln!(out, "\nbest line by {metric}, {plies}, then {end}:")?;
        writeln!(out, "{}", words.join(" "))?;
        if let Some(reason) = &line.reason {
            writeln!(out, "no further: {reason}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_that_meet_are_a_result() {
        let win = Bounds::new(Wdl::Win, Wdl::Win);
        assert_eq!((win.category(), win.describe().as_str()), ("win", "win"));
        let half = Bounds::new(Wdl::Draw, Wdl::Win);
        assert_eq!(half.category(), "unknown");
        assert_eq!(half.describe(), "at least draw");
        let open = Bounds::new(Wdl::Loss, Wdl::Win);
        assert_eq!(open.describe(), "unknown");
        let closer = Bounds::new(Wdl::Draw, Wdl::CursedWin);
        assert_eq!(closer.describe(), "at least draw, at most cursed-win");
    }
}
