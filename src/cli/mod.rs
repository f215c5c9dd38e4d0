//! The command line: arguments here, then one file per subcommand.
//!
//! Parsing only validates. Every subcommand is a struct of what was typed with one method `run`,
//! which writes results to the writer it is given; progress goes to stderr.

mod advice;
mod answer;
mod bench;
mod completions;
mod convert;
mod described;
mod directory;
mod find;
mod game;
mod generate;
mod info;
mod input;
mod list;
mod man;
mod manifest;
mod memory;
mod movetext;
mod names;
mod perft;
mod plan;
mod print;
mod probe;
mod progress;
mod repair;
mod room;
#[cfg(feature = "serve")]
mod serve;
mod show;
mod solve;
mod stats;
mod step;
mod usage;
mod verify;
mod wanted;

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::{Parser, Subcommand};

use directory::{Io, NoTables, TableDirectory};
use retrograde::probe::ProbeError;
use retrograde::probe::xiangqi::XiangqiProbeError;

/// Exit status where the answer is no: not in the tables, or a difference was found.
pub const NO: u8 = 1;
/// Exit status for bad usage, bad input, and whatever kept the command from finishing.
pub const FAILED: u8 = 2;

/// How a command ended that did not fail.
#[derive(Debug)]
pub enum Outcome {
    /// It did what was asked.
    Done,
    /// The answer is no, and why: not in the tables, or a difference was found.
    No(String),
}

/// Makes, checks and questions endgame tablebases.
#[derive(Debug, Parser)]
#[command(
    name = "retrograde",
    version,
    max_term_width = 100,
    disable_help_subcommand = true,
    after_help = "Examples:\n  \
        retrograde generate --men 4\n  \
        retrograde probe '8/8/8/8/8/2k5/8/K1q5 w - - 0 1'\n\n\
        Exit status: 0 done; 1 the answer is no (not in the tables, verification found a difference);\n\
        2 bad usage or bad input, and whatever kept the command from finishing, Ctrl-C included."
)]
struct Arguments {
    /// Where the tables are; may be repeated, and each may be a list as the system has them (a:b)
    /// [default: ./tables where it exists, else the user's data directory] [env: RETROGRADE_TABLES]
    #[arg(long, global = true, value_name = "DIR")]
    tables: Vec<PathBuf>,

    /// How probes get at the files of tables
    #[arg(long, global = true, value_name = "IO", value_enum, default_value_t)]
    io: Io,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Generate(generate::Generate),
    Plan(plan::Plan),
    Step(step::Step),
    Probe(probe::Probe),
    Verify(verify::Verify),
    List(list::List),
    Info(info::Info),
    Stats(stats::Stats),
    Find(find::Find),
    Convert(convert::Convert),
    Solve(solve::Solve),
    #[cfg(feature = "serve")]
    Serve(serve::Serve),
    Perft(perft::Perft),
    Bench(bench::Bench),
    Completions(completions::Completions),
    Man(man::Man),
}

/// Runs the command that the arguments, the program's name first, ask for.
///
/// # Errors
///
/// With one line that says what is wrong and what to do.
pub fn run(arguments: impl IntoIterator<Item = OsString>, out: &mut dyn Write) -> Result<Outcome> {
    let arguments = match Arguments::try_parse_from(with_joined_pgn(arguments)) {
        Ok(arguments) => arguments,
        Err(error) if usage::is_request(&error) => {
            write!(out, "{}", error.render())?;
            return Ok(Outcome::Done);
        }
        Err(error) => anyhow::bail!(usage::one_line(&error)),
    };
    // An option would not take an empty variable, which counts as none.
    let variable = std::env::var_os("RETROGRADE_TABLES").map(PathBuf::from);
    let tables = match arguments.tables.is_empty() {
        true => TableDirectory::choose(variable, arguments.io),
        false => TableDirectory::choose(arguments.tables, arguments.io),
    };
    let result = match arguments.command {
        Command::Generate(command) => command.run(&tables, out),
        Command::Plan(command) => command.run(&tables, out),
        Command::Step(command) => command.run(&tables, out),
        Command::Probe(command) => command.run(&tables, out),
        Command::Verify(command) => command.run(&tables, out),
        Command::List(command) => command.run(&tables, out),
        Command::Info(command) => command.run(&tables, out),
        Command::Stats(command) => command.run(&tables, out),
        Command::Find(command) => command.run(&tables, out),
        Command::Convert(command) => command.run(&tables, out),
        Command::Solve(command) => command.run(&tables, out),
        #[cfg(feature = "serve")]
        Command::Serve(command) => command.run(&tables, out),
        Command::Perft(command) => command.run(out),
        Command::Bench(command) => command.run(&tables, out),
        Command::Completions(command) => command.run(out),
        Command::Man(command) => command.run(out),
    };
    match result {
        Ok(Outcome::No(why)) => Ok(Outcome::No(tables.advised(why))),
        Err(error) if is_missing(&error) => Ok(Outcome::No(tables.advised(error.to_string()))),
        Err(error) => {
            let error = advice::with_options(error);
            let message = tables.advised(error.to_string());
            // What caused it is kept: it may be a reader that has gone.
            Err(error.context(message))
        }
        done => done,
    }
}

/// The arguments with `--pgn -` as one, `--pgn=-`: what else stands behind `--pgn` is a position.
fn with_joined_pgn(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::new();
    for argument in arguments {
        match joined.last_mut() {
            Some(last) if argument == "-" && last == "--pgn" => last.push("=-"),
            _ => joined.push(argument),
        }
    }
    joined
}

/// Whether nothing is wrong but that the tables do not have the answer.
fn is_missing(error: &anyhow::Error) -> bool {
    error.is::<NoTables>()
        || error
            .downcast_ref::<ProbeError>()
            .is_some_and(ProbeError::is_missing_table)
        || error
            .downcast_ref::<XiangqiProbeError>()
            .is_some_and(XiangqiProbeError::is_missing_table)
}
