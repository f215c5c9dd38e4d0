//! What the commands have to know of each game: how positions are read, what tables say of them,
//! and which tables bound an exploration.

mod chess;
mod xiangqi;

use anyhow::{Error, Result, anyhow};
use retrograde::game::Game;
use retrograde::metric::Wdl;
use retrograde::probe::ProbeError;
use retrograde::probe::solved::SolvedSet;
use retrograde::probe::xiangqi::XiangqiProbeError;
use retrograde::reach::{LeafError, Leaves, Outcome, Reach};
use retrograde::verify::solved::Verifiable;
use retrograde::xiangqi::Rules;

use super::answer::{Answer, Bounds, Distances, LineAnswer, MoveAnswer, Names, Traits};
use super::directory::TableDirectory;
use super::show::By;

/// A line of play ends here even if the game does not; the longest known mates are shorter.
const MAX_LINE: usize = 1200;

/// A game whose positions the commands answer for.
pub trait CliGame: Verifiable {
    /// The tables that answer, and that may bound an exploration.
    type Tables;
    /// The materials they cover.
    type Leaves<'a>: Leaves<Self>;

    /// The position of a FEN given as one argument or as several words.
    ///
    /// # Errors
    ///
    /// If it is none.
    fn read(words: &[String]) -> Result<Self>;

    /// The position of the words of a line of EPD, and the words behind it.
    ///
    /// # Errors
    ///
    /// If it is none.
    fn read_epd(words: &[String]) -> Result<(Self, &[String])>;

    /// The tables of a directory.
    ///
    /// # Errors
    ///
    /// As for [`TableDirectory::open`].
    fn open(directory: &TableDirectory, rules: Rules) -> Result<Self::Tables>;

    /// The tables of a directory, or none without one or if there are none.
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

    /// What tables say of the position and its moves. What they do not have makes the category
    /// unknown.
    ///
    /// # Errors
    ///
    /// If a table is damaged.
    fn probe(&self, tables: &Self::Tables, by: By) -> Result<Answer>;

    /// How many legal moves win by tables.
    ///
    /// # Errors
    ///
    /// If a table is missing or damaged.
    fn winning_moves(&self, tables: &Self::Tables) -> Result<usize>;

    /// Best play by tables.
    ///
    /// # Errors
    ///
    /// If a table is damaged; of xiangqi also if they do not know the first move.
    fn line(&self, tables: &Self::Tables, by: By) -> Result<LineAnswer>;

    /// What a file of solved positions says of the moves, best first, and tables of what is not in
    /// it.
    ///
    /// # Errors
    ///
    /// If the file or a table is damaged.
    fn solved_moves(
        &self,
        set: &SolvedSet<Self>,
        leaves: &Self::Leaves<'_>,
    ) -> Result<Vec<MoveAnswer>, LeafError>;

    /// The material in the form that has a table.
    fn material(&self) -> String;

    /// When the game began, as counted in moves.
    fn fullmoves(&self) -> u32;

    /// What there is to see.
    fn traits(&self) -> Traits;

    /// The result of a value as the clock stands.
    fn with_clock(&self, value: Self::Value) -> Wdl;

    /// Whether a move cannot be taken back.
    fn is_zeroing(played: Self::Move) -> bool;

    /// Whether a move changes the material.
    fn is_conversion(played: Self::Move) -> bool;

    /// A move in the notations of the game.
    fn names(&self, played: Self::Move) -> Names<String>;

    /// Sorts moves, which come in the order of their distances, as `probe` does.
    fn sort(&self, moves: &mut [Judged<Self>]);

    /// The distances of a value.
    fn distances(value: Option<Self::Value>) -> Distances;

    /// An answer with the result and nothing else yet, or with the reason why it is not known.
    fn answer(&self, rules: Rules, bounds: Bounds, reason: Option<String>) -> Answer {
        Answer {
            fen: self.fen(),
            game: Self::GAME,
            rules: (Self::GAME == Game::Xiangqi).then(|| rules.name()),
            material: self.material(),
            category: bounds.category(),
            reason,
            bounds,
            exact: None,
            distances: Self::distances(None),
            traits: self.traits(),
            tables: None,
            moves: Vec::new(),
            line: None,
            pgn: None,
            turn: self.turn(),
            fullmoves: self.fullmoves(),
        }
    }

    /// What a file of solved positions says, and tables of what is not in it.
    ///
    /// # Errors
    ///
    /// If the file or a table is damaged.
    fn probe_solved(&self, set: &SolvedSet<Self>, leaves: &Self::Leaves<'_>) -> Result<Answer> {
        let error = |error: LeafError| anyhow!(error);
        let value = set.value_or_leaf(self, leaves).map_err(error)?;
        let wdl = value.map(|value| value.wdl());
        let reason = || format!("the position is not in {}", set.path().display());
        let category = value.map(|value| self.with_clock(value).category());
        Ok(Answer {
            category: category.unwrap_or("unknown"),
            distances: Self::distances(value).with_precise(),
            moves: self.solved_moves(set, leaves).map_err(error)?,
            ..self.answer(set.rules(), wdl.into(), value.is_none().then(reason))
        })
    }
}

/// A move with what is known of the position after it, for the side to move there.
pub struct Judged<P: Reach> {
    pub played: P::Move,
    pub next: P,
    pub bounds: Bounds,
    /// The value from which distances are, if a result is known.
    pub value: Option<P::Value>,
}

impl<P: CliGame> Judged<P> {
    /// A move of which a value is known, or nothing.
    pub fn new(position: &P, played: P::Move, value: Option<P::Value>) -> Judged<P> {
        let wdl = value.map(|value| value.wdl());
        Judged {
            played,
            next: position.after(played),
            bounds: wdl.into(),
            value,
        }
    }

    /// In an answer.
    pub fn answer(&self, position: &P) -> MoveAnswer {
        MoveAnswer {
            names: position.names(self.played),
            zeroing: P::is_zeroing(self.played),
            conversion: P::is_conversion(self.played),
            category: self.bounds.category(),
            bounds: self.bounds,
            distances: P::distances(self.value),
            traits: self.next.traits(),
        }
    }
}

/// The error of a leaf itself, by the type of which the command line tells that a table is missing.
pub fn leaf_error(error: LeafError) -> Error {
    let error = match error.downcast::<ProbeError>() {
        Ok(error) => return (*error).into(),
        Err(error) => error,
    };
    match error.downcast::<XiangqiProbeError>() {
        Ok(error) => (*error).into(),
        Err(error) => anyhow!(error),
    }
}
