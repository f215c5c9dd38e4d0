//! `retrograde find`: positions with some properties, from the tables of a material.

use std::io::Write;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use indicatif::{HumanCount, ProgressBar};
use retrograde::chess::{Chess, ChessRules};
use retrograde::game::{Color, Game, Numbered};
use retrograde::metric::Wdl;
use retrograde::verify::{self, Observer, RecountError, Subject, Visit, Visited, Visitor, work};
use retrograde::xiangqi::{Rules, Xiangqi};
use retrograde::{chess, xiangqi};
use serde_json::json;

use super::answer::zeroing;
use super::described::DescribedGame;
use super::directory::TableDirectory;
use super::game::CliGame;
use super::show::By;
use super::{Outcome, input, memory, progress};

/// Find positions of a material by their values, as lines of EPD
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    retrograde find KPvK --random 5 --category win --turn white --dtm 20..30\n  \
    retrograde find KRPvKR --longest 3 --category win\n  \
    retrograde find KPvK --zugzwang --all\n  \
    retrograde find KPvK --category win --winning-moves 1 --turn white --random 10 --seed 7\n  \
    retrograde find KPPvKP --pawn-files a,b --category draw --count\n\n\
    Values are those from a fresh clock. Of positions that are mirror images of each other there is one. Lines of EPD name\n\
    the mate in moves (dm) and, as c0, category and plies. Ranges are 5, 5.., ..9 or 5..9.")]
pub struct Find {
    /// The material, in any order and case; positions are in the colours that its tables have
    material: String,

    /// So many positions, drawn by lot [default: 10, where nothing else says how many]
    #[arg(long, value_name = "N", conflicts_with_all = ["longest", "all", "count"])]
    random: Option<usize>,

    /// The so many that are farthest from the end by --by
    #[arg(long, value_name = "N", conflicts_with_all = ["all", "count"])]
    longest: Option<usize>,

    /// All of them
    #[arg(long, conflicts_with = "count")]
    all: bool,

    /// How many there are
    #[arg(long)]
    count: bool,

    /// What the lots are drawn from: the same number, the same positions
    #[arg(long, value_name = "NUMBER", default_value_t)]
    seed: u64,

    /// Who is to move: white (red) or black
    #[arg(long, value_name = "SIDE", value_enum)]
    turn: Option<Turn>,

    /// For the side to move: win, cursed-win, draw, blessed-loss, loss, or several with commas
    #[arg(long, value_name = "CATEGORY", value_delimiter = ',', value_parser = category)]
    category: Vec<Wdl>,

    /// Plies to the next capture or pawn move, whoever wins; in xiangqi to the next capture
    #[arg(long, value_name = "PLIES", value_parser = range, alias = "dtc")]
    dtz: Option<RangeInclusive<u16>>,

    /// Plies to mate, whoever wins
    #[arg(long, value_name = "PLIES", value_parser = range)]
    dtm: Option<RangeInclusive<u16>>,

    /// How many moves win; each position that has the other properties is probed for it
    #[arg(long, value_name = "N", value_parser = range)]
    winning_moves: Option<RangeInclusive<u16>>,

    /// Mutual zugzwangs: whoever has to move does worse than if it were the opponent's turn
    #[arg(long)]
    zugzwang: bool,

    /// Chess: pawns stand on these files only, such as a,h
    #[arg(long, value_name = "FILES", value_delimiter = ',', value_parser = file)]
    pawn_files: Vec<u64>,

    /// By which distances --longest goes
    #[arg(long, value_name = "METRIC", value_enum, default_value_t)]
    by: By,

    /// The game: chess or xiangqi; has to be said where both have tables of that name
    #[arg(long, value_name = "GAME")]
    game: Option<Game>,

    /// Xiangqi: the rules of the tables, cycles-draw or perpetual-check
    #[arg(long, value_name = "RULES", default_value_t)]
    rules: Rules,

    /// How many threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = input::threads)]
    threads: Option<usize>,

    /// Print a JSON object for each position
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Turn {
    #[value(alias = "red")]
    White,
    Black,
}

/// How many positions `--all` may find; each takes 32 bytes.
const MAX_FOUND: usize = 50_000_000;
/// How many are found by lot if nothing is said.
const FOUND: usize = 10;

fn category(name: &str) -> Result<Wdl, String> {
    let mut all = Wdl::ALL.into_iter();
    all.find(|wdl| wdl.category() == name)
        .ok_or_else(|| "write win, cursed-win, draw, blessed-loss or loss".to_owned())
}

/// The squares of a file.
fn file(name: &str) -> Result<u64, String> {
    match name.as_bytes() {
        &[letter @ b'a'..=b'h'] => Ok(0x0101_0101_0101_0101 << (letter - b'a')),
        _ => Err("write files from a to h, with commas between them".to_owned()),
    }
}

/// A number, or a range of which either end may be missing.
fn range(text: &str) -> Result<RangeInclusive<u16>, String> {
    let wrong = || "write a number or a range such as 5..9, 5.. or ..9".to_owned();
    let end = |text: &str, missing: u16| match text {
        "" => Ok(missing),
        number => number.parse().map_err(|_| wrong()),
    };
    let range = match text.split_once("..") {
        None => text
            .parse()
            .map(|number| number..=number)
            .map_err(|_| wrong())?,
        Some((first, last)) => end(first, 0)?..=end(last.trim_start_matches('='), u16::MAX)?,
    };
    match range.is_empty() {
        true => Err(wrong()),
        false => Ok(range),
    }
}

impl Find {
    /// Finds and prints.
    pub fn run(self, directory: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
        progress::use_threads(self.threads)?;
        match directory.game_of_table(&self.material, self.game)? {
            Game::Chess => {
                let rules = ChessRules::default();
                self.find::<Chess, chess::Position>(rules, directory, out)
            }
            Game::Xiangqi if !self.pawn_files.is_empty() => {
                bail!("--pawn-files is for chess, where pawns stay on their files; leave it out")
            }
            Game::Xiangqi => self.find::<Xiangqi, xiangqi::Position>(self.rules, directory, out),
        }
    }

    fn find<G: Visit + DescribedGame, P: CliGame>(
        &self,
        rules: G::Rules,
        directory: &TableDirectory,
        out: &mut dyn Write,
    ) -> Result<Outcome> {
        let material = G::material(&self.material)?;
        let Some(fens) = G::fens(material) else {
            bail!("{material} has too many positions for a table; name a smaller material");
        };
        let metrics = self.metrics::<G>(rules, &material, directory)?;
        let wanted = self.wanted();
        let mut keep = match self.winning_moves {
            // Most are lost on the way.
            Some(_) => wanted.saturating_mul(16),
            None if self.count => 0,
            None => wanted,
        };
        let found = loop {
            let all = self.visit::<G>(rules, material, &metrics, directory, keep.min(MAX_FOUND))?;
            let matching = all.matching.load(Ordering::Relaxed);
            let kept = all.into_sorted(keep.min(MAX_FOUND));
            let is_all = kept.len() as u64 == matching;
            if !is_all && (self.all || (self.count && self.winning_moves.is_some())) {
                bail!(
                    "{} positions are more than the {} there is room for; ask for fewer, or for --count or --random",
                    HumanCount(matching),
                    HumanCount(MAX_FOUND as u64)
                );
            }
            let Some(range) = &self.winning_moves else {
                if self.count {
                    return self.print_count(matching, out);
                }
                break kept;
            };
            let tables = P::open(directory, self.rules)?;
            let mut with_moves = Vec::new();
            for position in kept {
                let fen = fens(position.number).unwrap_or_default();
                let count = P::read(&[fen])?.winning_moves(&tables)?;
                if range.contains(&(count as u16)) {
                    with_moves.push(position);
                }
                if with_moves.len() >= wanted {
                    break;
                }
            }
            if self.count {
                return self.print_count(with_moves.len() as u64, out);
            }
            if with_moves.len() >= wanted || is_all || keep >= MAX_FOUND {
                break with_moves;
            }
            keep = keep.saturating_mul(16);
        };
        for position in &found {
            let fen = fens(position.number).unwrap_or_default();
            self.print(G::GAME, &fen, position, out)?;
        }
        Ok(match found.is_empty() {
            true => Outcome::No(format!("no position of {material} is like that")),
            false => Outcome::Done,
        })
    }

    /// How many positions are to be printed.
    fn wanted(&self) -> usize {
        match (self.longest.or(self.random), self.all || self.count) {
            (Some(number), _) => number,
            (None, true) => usize::MAX,
            (None, false) => FOUND,
        }
    }

    /// The distances to be read: those that are there, or if nothing is printed those that are
    /// asked for, which must be there.
    fn metrics<G: DescribedGame>(
        &self,
        rules: G::Rules,
        material: &G::Material,
        directory: &TableDirectory,
    ) -> Result<Vec<G::Metric>> {
        let tables = G::tables(directory, rules, material)?;
        let has = |metric: G::Metric| tables.iter().any(|table| table.metric == metric);
        let &[zeroing, mate] = G::DISTANCES else {
            bail!("{} has other distances", G::GAME);
        };
        let by_mate = self.by == By::Dtm && has(mate);
        let asked = [
            (G::RESULTS, true),
            (
                zeroing,
                self.dtz.is_some() || (self.longest.is_some() && !by_mate),
            ),
            (mate, self.dtm.is_some()),
        ];
        if let Some(&(metric, _)) = asked.iter().find(|&&(it, is_asked)| is_asked && !has(it)) {
            return Err(G::missing(directory, rules, material, metric));
        }
        let is_asked = |metric| asked.contains(&(metric, true));
        let is_read = |&metric: &G::Metric| has(metric) && (!self.count || is_asked(metric));
        Ok([zeroing, mate].into_iter().filter(is_read).collect())
    }

    /// Goes through all positions.
    fn visit<G: Visit + DescribedGame>(
        &self,
        rules: G::Rules,
        material: G::Material,
        metrics: &[G::Metric],
        directory: &TableDirectory,
        keep: usize,
    ) -> Result<Collector<'_>> {
        let place = directory.only("find")?;
        let subject = G::subject(rules, material);
        memory::refuse_too_large(subject, verify::memory_to_visit(place, subject))?;
        let cancel = progress::cancel_once()?;
        let bar = progress::bar(work(place, &[subject]), "positions");
        bar.set_message(subject.to_string());
        let collector = Collector {
            find: self,
            // Plies to mate, unless no table has them.
            by_mate: self.by == By::Dtm && metrics.iter().any(|it| it.name() == "dtm"),
            keep,
            matching: AtomicU64::new(0),
            threshold: AtomicU64::new(u64::MAX),
            kept: (0..=rayon::current_num_threads())
                .map(|_| Mutex::default())
                .collect(),
        };
        let visited = G::visit(
            place,
            rules,
            material,
            metrics,
            &collector,
            &cancel,
            &Bar(&bar),
        );
        bar.finish_and_clear();
        match visited {
            Err(RecountError::Cancelled) => bail!("stopped before all was looked at"),
            visited => visited?,
        }
        Ok(collector)
    }

    fn is_wanted(&self, position: &Visited) -> bool {
        let is_turn = match self.turn {
            None => true,
            Some(Turn::White) => position.turn == Color::White,
            Some(Turn::Black) => position.turn == Color::Black,
        };
        let is_in = |range: &Option<RangeInclusive<u16>>, plies: Option<u16>| match range {
            None => true,
            Some(range) => plies.is_some_and(|plies| range.contains(&plies)),
        };
        is_turn
            && (self.category.is_empty() || self.category.contains(&position.wdl))
            && (!self.zugzwang || position.is_zugzwang)
            && is_in(&self.dtz, position.zeroing)
            && is_in(&self.dtm, position.mate)
    }

    fn print_count(&self, count: u64, out: &mut dyn Write) -> Result<Outcome> {
        match self.json {
            true => writeln!(out, "{}", json!({"positions": count}))?,
            false => writeln!(out, "{count}")?,
        }
        Ok(Outcome::Done)
    }

    fn print(&self, game: Game, fen: &str, found: &Visited, out: &mut dyn Write) -> Result<()> {
        let sign = found.wdl.signum2().signum();
        let signed = |plies: Option<u16>| match sign {
            // As everywhere, a draw has no distance to mate, and none to the next zeroing move.
            0 => None,
            _ => plies.map(|plies| i32::from(plies) * sign),
        };
        let (to_zeroing, to_mate) = (signed(found.zeroing), signed(found.mate));
        let (category, zeroing) = (found.wdl.category(), zeroing(game));
        if self.json {
            let answer = json!({
                "fen": fen,
                "category": category,
                zeroing: if sign == 0 { Some(0) } else { to_zeroing },
                "dtm": to_mate,
                "zugzwang": found.is_zugzwang,
            });
            writeln!(out, "{answer}")?;
            return Ok(());
        }
        let fields: Vec<&str> = fen.split(' ').take(4).collect();
        write!(out, "{}", fields.join(" "))?;
        if let Some(plies) = to_mate.filter(|&plies| plies != 0) {
            write!(out, " dm {};", (plies + sign.max(0)) / 2)?;
        }
        write!(out, " c0 \"{category}")?;
        for (name, plies) in [(zeroing, to_zeroing), ("dtm", to_mate)] {
            if let Some(plies) = plies {
                write!(out, ", {name} {plies}")?;
            }
        }
        writeln!(out, "\";")?;
        Ok(())
    }
}

/// Keeps the positions that are wanted, those first whose rank is lowest.
struct Collector<'a> {
    find: &'a Find,
    by_mate: bool,
    keep: usize,
    matching: AtomicU64,
    /// A rank that is higher than those of all that will be kept.
    threshold: AtomicU64,
    /// By thread.
    kept: Vec<Mutex<Vec<(u64, Visited)>>>,
}

impl Collector<'_> {
    /// Which positions come first: by lot, the longest, or in the order of the tables.
    fn rank(&self, position: &Visited) -> u64 {
        let lot = || mix(position.number ^ mix(self.find.seed));
        if self.find.longest.is_some() {
            let plies = match self.by_mate {
                true => position.mate,
                false => position.zeroing,
            };
            return u64::from(u16::MAX - plies.unwrap_or(0)) << 48 | lot() >> 16;
        }
        match self.find.all || self.find.count {
            true => position.number,
            false => lot(),
        }
    }

    fn into_sorted(self, keep: usize) -> Vec<Visited> {
        let of_thread =
            |kept: Mutex<Vec<_>>| kept.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<(u64, Visited)> = self.kept.into_iter().flat_map(of_thread).collect();
        all.sort_unstable_by_key(|&(rank, position)| (rank, position.number));
        all.truncate(keep);
        all.into_iter().map(|(_, position)| position).collect()
    }
}

impl Visitor for Collector<'_> {
    fn wants_pawns(&self, white: u64, black: u64) -> bool {
        let files = &self.find.pawn_files;
        let all = files.iter().fold(0, |all, file| all | file);
        files.is_empty() || (white | black) & !all == 0
    }

    fn visit(&self, positions: &[Visited]) {
        let matching = positions.iter().filter(|it| self.find.is_wanted(it));
        let mut count = 0;
        let mut ranked = Vec::new();
        for position in matching {
            count += 1;
            if self.keep > 0 {
                let rank = self.rank(position);
                if rank <= self.threshold.load(Ordering::Relaxed) {
                    ranked.push((rank, *position));
                }
            }
        }
        if count > 0 {
            self.matching.fetch_add(count, Ordering::Relaxed);
        }
        if ranked.is_empty() {
            return;
        }
        let thread = rayon::current_thread_index().map_or(0, |thread| thread + 1);
        let kept = &self.kept[thread % self.kept.len()];
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(ranked);
        // Twice as many are let in before the highest go, which costs little on the average.
        if kept.len() >= self.keep.saturating_mul(2).max(1 << 12) && kept.len() > self.keep {
            let (_, &mut (highest, _), _) =
                kept.select_nth_unstable_by_key(self.keep, |&(rank, it)| (rank, it.number));
            kept.truncate(self.keep);
            self.threshold.fetch_min(highest, Ordering::Relaxed);
        }
    }
}

/// A number whose bits all depend on all bits of another one: the finalizer of SplitMix64.
fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

/// Shows how far it has come.
struct Bar<'a>(&'a ProgressBar);

impl Observer for Bar<'_> {
    fn started(&self, subject: Subject) {
        self.0.set_message(subject.to_string());
    }

    fn advanced(&self, positions: u64) {
        self.0.inc(positions);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_ends_or_not() {
        assert_eq!(range("5"), Ok(5..=5));
        assert_eq!(range("5..9"), Ok(5..=9));
        assert_eq!(range("5.."), Ok(5..=u16::MAX));
        assert_eq!(range("..9"), Ok(0..=9));
        for wrong in ["", "-1", "9..5", "a", "1..b"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
    }
}
