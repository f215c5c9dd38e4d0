//! `retrograde solve`: the value of a position that no table has.

mod answer;
mod print;

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use indicatif::HumanBytes;
use retrograde::chess::Role;
use retrograde::game::{Color, Game};
use retrograde::probe::solved::{check_target, save};
use retrograde::reach::{
    End, Handicap, MAX_POSITIONS, Options, Progress, ReachError, bytes_per_position, solve,
};
use retrograde::xiangqi::Rules;
use retrograde::{chess, xiangqi};

use super::directory::TableDirectory;
use super::game::{CliGame, leaf_error};
use super::print::counted;
use super::show::{Show, board};
use super::{Outcome, input, memory, progress};
use answer::{Saved, SolveAnswer};

/// Solve a position that no table has, by retrograde analysis of all it can reach
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    retrograde solve '4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1'\n  \
    retrograde solve '8/8/1p1k4/1P6/8/2K5/8/8 w - - 0 1' --without-tables --line\n  \
    retrograde solve FEN --max-positions 50000000 --prove white --promote Q\n  \
    retrograde solve FEN --save study.solved\n  \
    retrograde solve '9/9/3k5/9/9/9/3R5/5A3/3K5/r8 b' --line\n\n\
    Where tables know a position, the exploration goes no further. If there is not room for everything, what was not\n\
    explored counts as lost for the side a bound is proved for, so bounds always hold. The category is that with\n\
    the clock of the position: a win counts if the clock and the plies to the next capture or pawn move are 100 at\n\
    most together. dtz and dtm are as with `retrograde probe`; the values of a move are those of the opponent.\n\n\
    A board of ten ranks is xiangqi. There dtc is plies to the next capture or mate, and --rules says what an endless\n\
    game is worth.\n\n\
    Exit status 1 if the result is not proved. Ctrl-C ends the exploration and shows what is proved\n\
    within five seconds; a second one ends the program at once.")]
pub struct Solve {
    /// The position, as one argument or several
    #[arg(required = true, num_args = 1..)]
    fen: Vec<String>,

    /// The game: chess or xiangqi [default: xiangqi for boards of ten ranks, else chess]
    #[arg(long, value_name = "GAME")]
    game: Option<Game>,

    /// Xiangqi: what an endless game is worth, cycles-draw or perpetual-check
    #[arg(long, value_name = "RULES", default_value_t)]
    rules: Rules,

    /// Explore what tables know as well
    #[arg(long)]
    without_tables: bool,

    /// Explore so many positions, at most [default: what fits in the memory]
    #[arg(long, value_name = "N", value_parser = positions)]
    max_positions: Option<usize>,

    /// Memory that may be used, such as 512M or 8G [default: what is free]
    #[arg(long, value_name = "SIZE", value_parser = input::size)]
    memory: Option<u64>,

    /// Find the lower bound of one side only where not everything can be explored
    #[arg(long, value_name = "SIDE", value_enum)]
    prove: Option<Side>,

    /// Chess: let pawns of that side, or of the side to move, become only these: what it reaches is
    /// a lower bound
    #[arg(long, value_name = "ROLES", value_parser = promotions)]
    promote: Option<Promotions>,

    /// Let pawns of that side, or of the side to move, become nothing while it has so many pieces
    /// beside the king; in xiangqi, cross the river only while it has fewer rooks, knights, cannons
    /// and pawns across
    #[arg(long, value_name = "N")]
    max_pieces: Option<u32>,

    /// Count positions as lost for that side, or the side to move, once the other side has
    /// promoted; in xiangqi, once one of its pawns has crossed the river
    #[arg(long)]
    concede_promotions: bool,

    /// Count positions as lost for that side, or the side to move, in which it has fewer men than
    /// this
    #[arg(long, value_name = "N")]
    keep_men: Option<u32>,

    /// Do without distances to mate, which takes less time and memory
    #[arg(long)]
    without_dtm: bool,

    /// How many threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = input::threads)]
    threads: Option<usize>,

    #[command(flatten)]
    show: Show,

    /// Keep all positions with their values in a file, for `probe --solved`; replaces a file of
    /// that name
    #[arg(long, value_name = "FILE",
        conflicts_with_all = ["promote", "max_pieces", "concede_promotions", "keep_men"])]
    save: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Side {
    #[value(alias = "red")]
    White,
    Black,
}

impl From<Side> for Color {
    fn from(side: Side) -> Color {
        match side {
            Side::White => Color::White,
            Side::Black => Color::Black,
        }
    }
}

/// What pawns may become.
#[derive(Clone, Debug)]
struct Promotions(Vec<Role>);

/// Letters such as `QN`.
fn promotions(text: &str) -> Result<Promotions, String> {
    let roles: Option<Vec<Role>> = text
        .to_ascii_uppercase()
        .chars()
        .map(|letter| Role::from_letter(letter).filter(|role| Role::PROMOTIONS.contains(role)))
        .collect();
    match roles {
        Some(roles) if !roles.is_empty() => Ok(Promotions(roles)),
        _ => Err("write one or more of the letters Q, R, B and N".to_owned()),
    }
}

/// A number of positions.
fn positions(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(positions) if (1..=MAX_POSITIONS).contains(&positions) => Ok(positions),
        _ => Err(format!("write a number from 1 to {MAX_POSITIONS}")),
    }
}

impl Solve {
    /// Solves and prints.
    pub fn run(self, directory: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
        match input::means_xiangqi(self.game, &self.fen) {
            true => self.solve::<xiangqi::Position>(directory, out),
            false => self.solve::<chess::Position>(directory, out),
        }
    }

    fn solve<P: CliGame>(
        &self,
        directory: &TableDirectory,
        out: &mut dyn Write,
    ) -> Result<Outcome> {
        let position = P::read(&self.fen)?;
        let handicap = self.handicap(&position)?;
        let mut each = bytes_per_position(&position, !self.without_dtm);
        if let Some(file) = &self.save {
            check_target(file)?;
            // The order in which they are written.
            each += 4.0;
        }
        let max_positions = self.max_positions(position.men() as usize, each)?;
        let directory = (!self.without_tables).then_some(directory);
        let tables = P::tables(directory, self.rules)?;
        let leaves = P::leaves(&tables, directory, Some(&position), self.rules)?;
        progress::use_threads(self.threads)?;
        let [stop, cancel] = progress::stop_on_interrupt(LAST_SECONDS)?;
        let bar = progress::spinner();
        let start = Instant::now();
        let solved = solve(
            &position,
            &leaves,
            &Options {
                rules: self.rules,
                max_positions,
                handicap: handicap.as_ref(),
                side: self.prove.map(Color::from),
                mates: !self.without_dtm,
                stop: &stop,
                cancel: &cancel,
                report: &|progress| bar.set_message(describe(progress)),
                ..Options::default()
            },
        );
        bar.finish_and_clear();
        let solved = solved.map_err(|error| match error {
            ReachError::Leaf(error) => leaf_error(error),
            error => error.into(),
        })?;
        let mut answer = SolveAnswer::new(&position, &solved);
        answer.restriction = handicap.map(|handicap| handicap.describe(P::GAME));
        answer.explored.table_men = P::max_men(&leaves);
        answer.explored.seconds = start.elapsed().as_secs_f64();
        let mut damage = None;
        if self.show.wants_line() {
            let line;
            (line, damage) = print::line(&position, &solved, &tables);
            self.show.add(line, "retrograde solve", &mut answer.answer);
        }
        answer.answer.spell_as(&self.fen);
        // What was found is shown whether or not it can be kept, and kept whether or not the line
        // has an end.
        let mut not_saved = None;
        if let Some(file) = self.save.as_ref().filter(|_| solved.exact().is_some()) {
            match save(&solved, file) {
                Ok(bytes) => {
                    let file = file.clone();
                    answer.saved = Some(Saved { file, bytes });
                }
                Err(error) => not_saved = Some(error),
            }
        }
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&answer)?)?;
        } else if self.show.only_pgn() {
            write!(out, "{}", answer.answer.pgn.as_deref().unwrap_or_default())?;
        } else {
            if self.show.board {
                writeln!(out, "{}", board(&answer.answer.fen))?;
            }
            print::text(&answer, out)?;
        }
        match not_saved.map(Into::into).or(damage) {
            Some(error) => Err(error),
            None => outcome(solved.end, answer.answer.reason),
        }
    }

    /// How many positions of so many men and bytes there is room for, or as many as were asked for
    /// if they fit.
    fn max_positions(&self, men: usize, each: f64) -> Result<usize> {
        let memory = self.memory.unwrap_or_else(memory::free);
        // A fixed part goes into what threads tell each other.
        let room = (memory.saturating_sub(FIXED_MEMORY) as f64 / each) as usize;
        match self.max_positions {
            Some(wanted) if wanted > room => {
                let needed = (wanted as f64 * each) as u64 + FIXED_MEMORY;
                bail!(
                    "{wanted} positions of {men} men need {} of memory and {} may be used; explore fewer, or raise --memory",
                    HumanBytes(needed),
                    HumanBytes(memory)
                )
            }
            Some(wanted) => Ok(wanted),
            None if room < MIN_POSITIONS => bail!(
                "{} of memory are too little; allow at least {}",
                HumanBytes(memory),
                HumanBytes(FIXED_MEMORY + (MIN_POSITIONS as f64 * each) as u64)
            ),
            None => Ok(room.min(MAX_POSITIONS)),
        }
    }

    /// What one side is denied, if anything.
    fn handicap<P: CliGame>(&self, position: &P) -> Result<Option<Handicap>> {
        if self.promote.is_some() && P::GAME != Game::Chess {
            bail!(
                "--promote is for chess, and this is {}; leave it out",
                P::GAME
            );
        }
        let side = self.prove.map_or(position.turn(), Color::from);
        let (least_men, men) = (self.keep_men.unwrap_or(1), position.men_of(side));
        if least_men > men {
            bail!(
                "--keep-men {least_men}: {} has {men} men; write a number from 1 to {men}",
                P::GAME.name_of(side)
            );
        }
        let handicap = Handicap {
            promotions: match &self.promote {
                Some(Promotions(roles)) => roles.clone(),
                None => Role::PROMOTIONS.to_vec(),
            },
            pieces: self.max_pieces,
            loses_to_promotion: self.concede_promotions,
            least_men,
            side,
        };
        Ok(handicap.is_any().then_some(handicap))
    }
}

/// How long Ctrl-C waits for what follows from the positions that were found.
const LAST_SECONDS: Duration = Duration::from_secs(5);
/// Memory that does not depend on the number of positions.
const FIXED_MEMORY: u64 = 64 << 20;
/// Fewer positions than this are not worth an exploration.
const MIN_POSITIONS: usize = 1000;

/// What the exit status says once an answer was printed, with the reason why its category is
/// unknown.
fn outcome(end: End, reason: Option<String>) -> Result<Outcome> {
    if end == End::Stopped {
        bail!("stopped; what is proved so far was printed");
    }
    Ok(match reason {
        None => Outcome::Done,
        Some(reason) => Outcome::No(reason),
    })
}

fn describe(progress: Progress) -> String {
    use indicatif::HumanCount;
    let count = |positions: usize| HumanCount(positions as u64);
    format!(
        "{} found, {} not yet explored, {} solved, {}",
        counted(progress.positions, "position"),
        count(progress.frontier),
        count(progress.solved),
        HumanBytes(progress.memory as u64)
    )
}
