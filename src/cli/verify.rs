//! `retrograde verify`: checks tables.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;
use indicatif::HumanBytes;
use retrograde::Error;
use retrograde::chess;
use retrograde::chess::material::Material;
use retrograde::game::Game;
use retrograde::metric::Metric;
use retrograde::probe::solved::{SolvedSet, game_of};
use retrograde::tables::NativeFile;
use retrograde::verify::solved::verify_solved;
use retrograde::verify::{self, Observer, Report, Subject, count, work};
use retrograde::xiangqi::{self, Rules, Xiangqi};
use serde_json::{Map, Value, json};

use super::directory::TableDirectory;
use super::game::{CliGame, leaf_error};
use super::manifest::Manifest;
use super::names::Names;
use super::print::{counted, differences, quoted, unreadable_json, verdict};
use super::progress::{Course, Doing, ProgressOptions, Total};
use super::repair::repair;
use super::{Outcome, input, memory, progress};

/// Values that take about half a minute to check.
const LONG: u64 = 1_000_000_000;

/// Check tables of both games and formats: every checksum, then every value against the values of
/// its successors
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    retrograde verify KQvKR KPvKP\n  \
    retrograde verify --all\n  \
    retrograde verify --all --repair\n  \
    retrograde verify --solved wall.solved\n  \
    retrograde verify --manifest tables.json\n  \
    retrograde verify KRvKN --game xiangqi --rules cycles-draw\n\n\
    Exit status 1 if a difference is found. The tables that captures and promotions lead to must be there.")]
pub struct Verify {
    /// Materials such as KRPvKR, in any order and case, or patterns such as 'KRP*vKR?', where ?
    /// stands for a man and * for any men or none
    #[arg(value_name = "MATERIAL", conflicts_with = "all")]
    materials: Vec<String>,

    /// All tables that are there, of both games and all rules
    #[arg(long)]
    all: bool,

    /// A file that `solve --save` has written
    #[arg(long, value_name = "FILE", conflicts_with_all = ["materials", "all", "game"])]
    solved: Option<PathBuf>,

    /// Compare the files with this manifest, which `list --manifest` printed, in the time of
    /// reading them
    #[arg(long, value_name = "FILE", conflicts_with_all = ["materials", "all", "solved", "game", "rules"])]
    manifest: Option<PathBuf>,

    /// The game: chess or xiangqi; has to be said where both have tables of a name
    #[arg(long, value_name = "GAME")]
    game: Option<Game>,

    /// Xiangqi: the rules of the tables, cycles-draw or perpetual-check
    /// [default: perpetual-check; with --all, both]
    #[arg(long, value_name = "RULES")]
    rules: Option<Rules>,

    #[command(flatten)]
    progress: ProgressOptions,

    /// Make tables that cannot be read again, compressed as `generate` does by default, and check
    /// once more
    #[arg(long, conflicts_with_all = ["solved", "manifest"])]
    repair: bool,

    /// How many threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = input::threads)]
    threads: Option<usize>,

    /// Memory that may be used, such as 512M or 8G; materials that take more are verified by parts,
    /// and only checksums are compared where that takes too much as well [default: what is free]
    #[arg(long, value_name = "SIZE", value_parser = input::size)]
    memory: Option<u64>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// A material, and the bytes of memory that checking its values takes.
type Need = (Subject, u64);

/// What was found, and what there was too little memory for.
struct Checked {
    report: Report,
    /// Of these, only checksums were compared; with the bytes of memory that their values take.
    too_large: Vec<Need>,
    /// Bytes of memory that might be used.
    limit: u64,
}

impl Checked {
    fn verdict(&self, repair: &str, place: &Path) -> Outcome {
        match verdict(&self.report, repair, place) {
            Outcome::Done if !self.too_large.is_empty() => Outcome::No(format!(
                "checksums are right, but values of {} were not compared, for which {} of memory are too little; \
                 set --memory to use swap",
                counted(self.too_large.len(), "material"),
                HumanBytes(self.limit)
            )),
            outcome => outcome,
        }
    }
}

impl Verify {
    /// Checks and prints.
    pub fn run(self, directory: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
        progress::use_threads(self.threads)?;
        if let Some(file) = &self.solved {
            return match game_of(file)? {
                Game::Chess => self.check_solved::<chess::Position>(file, directory, out),
                Game::Xiangqi => self.check_solved::<xiangqi::Position>(file, directory, out),
            };
        }
        if let Some(file) = &self.manifest {
            return self.compare_manifest(file, directory, out);
        }
        if self.materials.is_empty() && !self.all {
            bail!(
                "nothing to verify: name a material such as KQvKR, or add --all for all that are there"
            );
        }
        let subjects = match self.all {
            true => self.all_subjects(directory)?,
            false => self.named_subjects(directory)?,
        };
        let place = directory.only("verify")?;
        let cancel = progress::cancel_on_interrupt()?;
        let start = Instant::now();
        let mut checked = self.check(place, &subjects, &cancel)?;
        let mut repaired = None;
        if self.repair && !checked.report.unreadable.is_empty() {
            let damaged = checked.report.unreadable.into_iter().map(|(path, _)| path);
            let damaged: Vec<PathBuf> = damaged.collect();
            repaired = Some(repair(place, &damaged, &self.progress, &cancel)?);
            checked = self.check(place, &subjects, &cancel)?;
        }
        for (_, why) in &mut checked.report.unreadable {
            *why = directory.advised(std::mem::take(why));
        }
        let seconds = start.elapsed().as_secs_f64();
        if self.json {
            print_json(&subjects, &checked, repaired, seconds, out)?;
        } else {
            if let Some(files) = repaired {
                writeln!(out, "{} made again", counted(files, "file"))?;
            }
            print(&checked, seconds, out)?;
        }
        Ok(checked.verdict(&self.repair_command(place), place))
    }

    /// Checks tables, and shows how far it is.
    fn check(&self, place: &Path, subjects: &[Subject], cancel: &AtomicBool) -> Result<Checked> {
        let work = work(place, subjects);
        let total = Total {
            materials: count(place, subjects),
            positions: work,
            costs: work as f64,
            estimate: None,
            is_long: work > LONG,
        };
        let course = Course::begin(&self.progress, total, None)?;
        let report = self.compare(place, subjects, cancel, &course);
        course.end(report.is_ok());
        match report {
            Err(Error::Cancelled) => {
                bail!("stopped before all was checked; name materials to check only some")
            }
            other => Ok(other?),
        }
    }

    /// Compares values as far as there is memory for them, and checksums in any case.
    fn compare(
        &self,
        place: &Path,
        subjects: &[Subject],
        cancel: &AtomicBool,
        course: &Course,
    ) -> Result<Checked, Error> {
        let limit = self.memory.unwrap_or_else(memory::free);
        let at_hand = self.memory.unwrap_or(limit.min(verify::AT_HAND));
        let needs = |&subject: &Subject| (subject, verify::memory_in(place, subject, at_hand));
        let (fitting, too_large): (Vec<Need>, Vec<Need>) = subjects
            .iter()
            .map(needs)
            .partition(|&(_, needs)| needs <= limit);
        let named = |needs: &[Need]| -> Vec<Subject> {
            needs.iter().map(|&(subject, _)| subject).collect()
        };
        let subjects = named(&fitting);
        let mut report = verify::verify_within(place, &subjects, at_hand, cancel, course)?;
        let checksums = verify::verify_checksums(place, &named(&too_large), cancel, course)?;
        report.unreadable.extend(checksums.unreadable);
        Ok(Checked {
            report,
            too_large,
            limit,
        })
    }

    /// The same command, which repairs as well.
    fn repair_command(&self, place: &Path) -> String {
        let mut words = vec!["retrograde verify --repair".to_owned()];
        words.extend(self.all.then(|| "--all".to_owned()));
        words.extend(self.materials.iter().map(|name| quoted(Path::new(name))));
        words.extend(self.game.map(|game| format!("--game {game}")));
        words.extend(self.rules.map(|rules| format!("--rules {}", rules.name())));
        words.push(format!("--tables {}", quoted(place)));
        words.join(" ")
    }

    /// Compares files with a manifest.
    fn compare_manifest(
        &self,
        file: &Path,
        directory: &TableDirectory,
        out: &mut dyn Write,
    ) -> Result<Outcome> {
        let manifest = Manifest::read(file)?;
        let cancel = progress::cancel_on_interrupt()?;
        let bar = progress::bytes(manifest.bytes());
        let compared = manifest.compare(directory.only("verify --manifest")?, &cancel, &bar)?;
        bar.finish_and_clear();
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&compared)?)?;
        } else {
            for difference in &compared.differences {
                writeln!(out, "{}: {}", difference.name, difference.problem)?;
            }
            for name in &compared.unnamed {
                writeln!(out, "{name}: not in the manifest")?;
            }
            if compared.differences.is_empty() {
                let (files, bytes) = (compared.files, HumanBytes(compared.bytes));
                writeln!(out, "no difference: {}, {bytes}", counted(files, "file"))?;
            }
        }
        Ok(match compared.differences.len() {
            0 => Outcome::Done,
            differences => Outcome::No(format!(
                "{} of {} differ from {}; copy them again",
                counted(differences, "file"),
                compared.files,
                file.display()
            )),
        })
    }

    /// Checks a file of solved positions.
    fn check_solved<P: CliGame>(
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
        let Some(report) = report.map_err(leaf_error)? else {
            bail!("stopped before all was checked");
        };
        let seconds = start.elapsed().as_secs_f64();
        let listed: Vec<String> = report.listed.iter().map(ToString::to_string).collect();
        if self.json {
            let answer = json!({
                "file": file.display().to_string(),
                "positions": report.positions,
                "seconds": seconds,
                "difference_count": report.differences,
                "differences": listed,
            });
            writeln!(out, "{answer}")?;
        } else {
            differences(&listed, report.differences, out)?;
            if report.differences == 0 {
                let positions = counted(report.positions as usize, "position");
                writeln!(out, "no difference: {positions} in {seconds:.1} s")?;
            }
        }
        Ok(match report.differences {
            0 => Outcome::Done,
            differences => Outcome::No(format!(
                "{} in {}; solve it again, with the same tables as now",
                counted(differences as usize, "difference"),
                file.display()
            )),
        })
    }

    /// All that are there, of the game and rules that were asked for.
    fn all_subjects(&self, directory: &TableDirectory) -> Result<Vec<Subject>> {
        let is_wanted = |game| self.game.is_none_or(|wanted| wanted == game);
        let mut subjects = Vec::new();
        if is_wanted(Game::Chess) && self.rules.is_none() {
            let tables = directory.open()?;
            let materials = tables.tables().iter().map(|file| *file.material());
            subjects.extend(materials.map(Subject::Chess));
        }
        if is_wanted(Game::Xiangqi) {
            let wanted = of_results(directory.xiangqi_files()?)
                .filter(|file| self.rules.is_none_or(|rules| rules == file.rules));
            subjects.extend(wanted.map(|file| Subject::Xiangqi(file.rules, file.material)));
        }
        subjects.dedup();
        match subjects.is_empty() {
            true => Err(directory.nothing().into()),
            false => Ok(subjects),
        }
    }

    /// The materials that were named.
    fn named_subjects(&self, directory: &TableDirectory) -> Result<Vec<Subject>> {
        let game = directory.game_of_tables(&self.materials, self.game)?;
        if game == Game::Xiangqi {
            let rules = self.rules.unwrap_or_default();
            let present: Vec<_> = of_results(directory.xiangqi_files()?)
                .filter(|file| file.rules == rules)
                .map(|file| file.material)
                .collect();
            let what = directory.looked_for_under(rules);
            let materials = Names::read(&self.materials)?.among(&present, &what)?;
            let subject = |material| Subject::Xiangqi(rules, material);
            return Ok(materials.into_iter().map(subject).collect());
        }
        let tables = directory.open()?;
        let present: Vec<Material> = (tables.tables().iter())
            .map(|file| *file.material())
            .collect();
        let what = directory.looked_for("table");
        let absent = |material: &Material| directory.missing(material, Metric::Wdl);
        let materials = Names::read(&self.materials)?.present(&present, &what, absent)?;
        Ok(materials.into_iter().map(Subject::Chess).collect())
    }
}

/// The tables of results, one of each material and rules: a material without one is not complete.
fn of_results(files: Vec<NativeFile<Xiangqi>>) -> impl Iterator<Item = NativeFile<Xiangqi>> {
    let files = files.into_iter();
    files.filter(|file| file.metric == xiangqi::Metric::Wdl)
}

/// The game and, of xiangqi, the rules.
fn game_json(subject: &Subject) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("game".to_owned(), subject.game().to_string().into());
    if let Some(rules) = subject.rules() {
        fields.insert("rules".to_owned(), rules.name().into());
    }
    fields
}

fn print_json(
    subjects: &[Subject],
    Checked {
        report, too_large, ..
    }: &Checked,
    repaired: Option<usize>,
    seconds: f64,
    out: &mut dyn Write,
) -> Result<()> {
    let listed = report.listed.iter().map(|difference| {
        let mut fields = game_json(&difference.subject);
        for (name, value) in [
            ("material", difference.subject.material().into()),
            ("format", difference.format.name().into()),
            ("metric", difference.metric.into()),
            ("fen", Value::from(difference.fen.clone())),
            ("stored", difference.stored.clone().into()),
            ("expected", difference.expected.clone().into()),
        ] {
            fields.insert(name.to_owned(), value);
        }
        fields
    });
    let listed: Vec<Map<String, Value>> = listed.collect();
    let not_compared = report.not_compared.iter().map(|(subject, needs)| {
        let mut fields = game_json(subject);
        fields.insert("material".to_owned(), subject.material().into());
        fields.insert("needs".to_owned(), needs.display().to_string().into());
        fields
    });
    let too_large = too_large.iter().map(|(subject, needs)| {
        let mut fields = game_json(subject);
        fields.insert("material".to_owned(), subject.material().into());
        fields.insert("memory".to_owned(), (*needs).into());
        fields
    });
    let not_compared: Vec<Map<String, Value>> = not_compared.chain(too_large).collect();
    let mut answer = Map::new();
    // Said once where it is the same for all.
    if let Some((first, others)) = subjects.split_first() {
        answer = game_json(first);
        answer.retain(|field, value| {
            others
                .iter()
                .all(|other| game_json(other).get(field) == Some(value))
        });
    }
    for (name, value) in [
        ("tables", json!(report.tables)),
        ("positions", json!(report.positions)),
        ("seconds", json!(seconds)),
        ("difference_count", json!(report.differences)),
        ("differences", json!(listed)),
        ("unreadable", json!(unreadable_json(&report.unreadable))),
        ("not_compared", json!(not_compared)),
    ] {
        answer.insert(name.to_owned(), value);
    }
    if let Some(files) = repaired {
        answer.insert("repaired".to_owned(), files.into());
    }
    writeln!(out, "{}", Value::Object(answer))?;
    Ok(())
}

fn print(checked: &Checked, seconds: f64, out: &mut dyn Write) -> Result<()> {
    let Checked {
        report, too_large, ..
    } = checked;
    // Each names its file.
    for (_, why) in &report.unreadable {
        writeln!(out, "{why}")?;
    }
    for (subject, needs) in &report.not_compared {
        writeln!(out, "{subject}: not compared, needs {}", needs.display())?;
    }
    for (subject, needs) in too_large {
        let needs = HumanBytes(*needs);
        writeln!(
            out,
            "{subject}: not compared, needs about {needs} of memory"
        )?;
    }
    differences(&report.listed, report.differences, out)?;
    if report.is_clean() && report.tables > 0 {
        writeln!(
            out,
            "no difference: {}, {} in {seconds:.1} s",
            counted(report.tables, "table"),
            counted(report.positions as usize, "value")
        )?;
    }
    Ok(())
}

impl Observer for Course {
    fn started(&self, subject: Subject) {
        self.is_at(&subject.to_string(), Doing::Checksums);
    }

    fn comparing(&self, subject: Subject) {
        self.is_at(&subject.to_string(), Doing::Values);
    }

    fn advanced(&self, positions: u64) {
        self.advance(positions);
        self.credit(positions as f64);
    }

    fn finished(&self, subject: Subject) {
        self.finish(&subject.to_string(), None);
    }

    fn reading(&self, subject: Subject) {
        self.is_at(&subject.to_string(), Doing::Reading);
    }

    fn read(&self, subject: Subject) {
        self.leave(&subject.to_string());
    }
}
