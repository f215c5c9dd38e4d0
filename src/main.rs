//! The `retrograde` program: runs the command and turns what came of it into an exit status.

mod cli;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use crate::cli::{FAILED, NO, Outcome};

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let result = cli::run(arguments, &mut out)
        .and_then(|outcome| out.flush().map(|()| outcome).map_err(Into::into));
    match result {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::No(why)) => {
            complain(&why);
            ExitCode::from(NO)
        }
        // Whoever reads our output has read enough, as in `retrograde list | head -1`.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // What was printed before the failure still counts; that it may fail too does not.
            let _ = out.flush();
            complain(&error.to_string());
            ExitCode::from(FAILED)
        }
    }
}

/// One line on stderr, whatever line breaks the message has.
fn complain(message: &str) {
    let line = message
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    // Nobody is left to tell that stderr is closed.
    let _ = writeln!(std::io::stderr(), "retrograde: {line}");
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
    })
}
