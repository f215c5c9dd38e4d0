//! `retrograde verify`: checks tables.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;
use indicatif::{HumanCount, ProgressBar};
use retrograde::Error;
use retrograde::game::{self, Game, chess};
use retrograde::material::Material;
use retrograde::metric::Metric;
use retrograde::probe::solved::{SolvedSet, game_of};
use retrograde::verify::solved::verify_solved;
use retrograde::verify::{Observer, Report, verify, work};
use retrograde::xiangqi::Rules;
use serde_json::json;

use super::print::{differences, unreadable_json, verdict};
use super::solve::game::SolveGame;
use super::{Outcome, TableDirectory, input, progress, xiangqi};

/// Check tables of both formats: every checksum, then every value against the values of its successors
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    retrograde verify KQvKR KPvKP\n  \
    retrograde verify --all\n  \
    retrograde verify --solved wall.solved\n  \
    retrograde verify KRvKN --game xiangqi --rules cycles-draw\n\n\
    Exit status 1 if a difference is found. The tables that captures and promotions lead to must be there.")]
pub struct Verify {
    /// Materials such as KRPvKR, in any order and case
    #[arg(value_name = "MATERIAL", conflicts_with = "all")]
    materials: Vec<String>,

    /// All tables that are there
    #[arg(long)]
    all: bool,

    /// A file that `solve --save` has written
    #[arg(long, value_name = "FILE", conflicts_with_all = ["materials", "all", "game"])]
    solved: Option<PathBuf>,

    /// The game: chess or xiangqi; has to be said where both have tables of a name, and for xiangqi with --all
    #[arg(long, value_name = "GAME")]
    game: Option<Game>,

    /// Xiangqi: the rules of the tables, cycles-draw or perpetual-check
    #[arg(long, value_name = "RULES", default_value_t)]
    rules: Rules,

    /// How many threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = input::threads)]
    threads: Option<usize>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Verify {
    /// Checks and prints.
    pub fn run(self, directory: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
        progress::use_threads(self.threads)?;
        if let Some(file) = &self.solved {
            return match game_of(file)? {
                Game::Chess => self.check_solved::<chess::Position>(file, directory, out),
                Game::Xiangqi => self.check_solved::<game::xiangqi::Position>(file, directory, out),
            };
        }
        if self.materials.is_empty() && !self.all {
            bail!(
                "nothing to verify: name a material such as KQvKR, or add --all for all that are there"
            );
        }
        let game = xiangqi::game_of_tables(&self.materials, self.game, directory)?;
        if game == Game::Xiangqi {
            return xiangqi::verify(&self.materials, self.rules, self.json, directory, out);
        }
        let materials = self.materials(directory)?;
        let cancel = progress::cancel_on_interrupt()?;
        let bar = progress::bar(work(directory.path(), &materials), "positions");
        let start = Instant::now();
        let report = verify(directory.path(), &materials, &cancel, &Bar(&bar));
        bar.finish_and_clear();
        let report = match report {
            Err(Error::Cancelled) => {
                bail!("stopped before all was checked; name materials to check only some")
            }
            other => other?,
        };
        let seconds = start.elapsed().as_secs_f64();
        if self.json {
            print_json(&report, seconds, out)?;
        } else {
            print(&report, seconds, out)?;
        }
        Ok(verdict(
            report.differences,
            report.unreadable.len(),
            directory.path(),
        ))
    }

    /// Checks a file of solved positions.
    fn check_solved<P: SolveGame>(
        &self,
        file: &Path,
        directory: &TableDirectory,
        out: &mut dyn Write,
    ) -> Result<Outcome> {
        let set: SolvedSet<P> = SolvedSet::open(file)?;
        let (rules, directory) = (set.rules(), Some(directory));
        let tables = P::tables(directory, rules)?;
        let cancel = progress::cancel_on_interrupt()?;
        let bar = progress::bar(set.len(), "positions");
        let start = Instant::now();
        let leaves = P::leaves(&tables, directory, None, rules)?;
        let report = verify_solved(&set, &leaves, &cancel, &|checked| bar.inc(checked));
        bar.finish_and_clear();
        let Some(report) = report.map_err(P::leaf_error)? else {
            bail!("stopped before all was checked");
        };
        let seconds = start.elapsed().as_secs_f64();
        let listed: Vec<String> = report.listed.iter().map(ToString::to_string).collect();
        if self.json {
            let answer = json!({
                "file": file,
                "positions": report.positions,
                "seconds": seconds,
                "difference_count": report.differences,
                "differences": listed,
            });
            writeln!(out, "{answer}")?;
        } else {
            differences(&listed, report.differences, out)?;
            if report.differences == 0 {
                let positions = HumanCount(report.positions);
                writeln!(
                    out,
                    "no difference: {positions} positions in {seconds:.1} s"
                )?;
            }
        }
        Ok(match report.differences {
            0 => Outcome::Done,
            differences => Outcome::No(format!(
                "{} differences in {}; solve it again, with the same tables as now",
                HumanCount(differences),
                file.display()
            )),
        })
    }

    fn materials(&self, directory: &TableDirectory) -> Result<Vec<Material>> {
        let tables = directory.open()?;
        let mut present: Vec<Material> = tables
            .tables()
            .iter()
            .map(|file| *file.material())
            .collect();
        present.dedup();
        if self.all {
            return match present.is_empty() {
                true => Err(directory.nothing().into()),
                false => Ok(present),
            };
        }
        let named: Vec<Material> = (self.materials.iter())
            .map(|signature| input::material(signature))
            .collect::<Result<_, _>>()?;
        let materials = input::materials(&named, None);
        match materials.iter().find(|named| !present.contains(named)) {
            Some(absent) => Err(directory.missing(absent, Metric::Wdl).into()),
            None => Ok(materials),
        }
    }
}

fn print_json(report: &Report, seconds: f64, out: &mut dyn Write) -> Result<()> {
    let listed: Vec<_> = report
        .listed
        .iter()
        .map(|difference| {
            json!({
                "material": difference.material.to_string(),
                "format": difference.format.name(),
                "metric": difference.metric.name(),
                "fen": difference.fen,
                "stored": difference.stored,
                "expected": difference.expected,
            })
        })
        .collect();
    let answer = json!({
        "tables": report.tables,
        "positions": report.positions,
        "seconds": seconds,
        "difference_count": report.differences,
        "differences": listed,
        "unreadable": unreadable_json(&report.unreadable),
    });
    writeln!(out, "{answer}")?;
    Ok(())
}

fn print(report: &Report, seconds: f64, out: &mut dyn Write) -> Result<()> {
    // Each names its file.
    for (_, why) in &report.unreadable {
        writeln!(out, "{why}")?;
    }
    differences(&report.listed, report.differences, out)?;
    if report.is_clean() {
        writeln!(
            out,
            "no difference: {} tables, {} values in {seconds:.1} s",
            report.tables,
            HumanCount(report.positions)
        )?;
    }
    Ok(())
}

/// Shows the course of a verification.
struct Bar<'a>(&'a ProgressBar);

impl Observer for Bar<'_> {
    fn started(&self, material: Material) {
        self.0.set_message(material.to_string());
    }

    fn advanced(&self, positions: u64) {
        self.0.inc(positions);
    }
}
