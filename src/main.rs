//! The `retrograde` program: runs the command and turns what came of it into an exit status.

mod cli;

use std::borrow::Cow;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use retrograde::generate::LargePages;

use crate::cli::{FAILED, NO, Outcome};

#[global_allocator]
static ALLOCATOR: LargePages = LargePages::new();

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

/// Characters of a message that are shown of its beginning and of its end, where it is longer than
/// both.
const SHOWN: [usize; 2] = [1000, 400];

/// One line on stderr, whatever line breaks the message has, and however much of what was typed it
/// repeats.
fn complain(message: &str) {
    let line = message
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    // Nobody is left to tell that stderr is closed.
    let _ = writeln!(std::io::stderr(), "retrograde: {}", shortened(&line));
}

fn shortened(line: &str) -> Cow<'_, str> {
    let [first, last] = SHOWN;
    let begin = line.char_indices().nth(first);
    let end = line.char_indices().rev().nth(last - 1);
    match (begin, end) {
        (Some((begin, _)), Some((end, _))) if begin < end => {
            Cow::Owned(format!("{} [...] {}", &line[..begin], &line[end..]))
        }
        _ => Cow::Borrowed(line),
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_lose_their_middle() {
        let [first, last] = SHOWN;
        let line = "é".repeat(first + last);
        assert_eq!(shortened(&line), line);
        let line = format!("{}xyz{}", "é".repeat(first), "ü".repeat(last));
        let short = format!("{} [...] {}", "é".repeat(first), "ü".repeat(last));
        assert_eq!(shortened(&line), short);
        assert_eq!(shortened("short"), "short");
        assert_eq!(shortened(""), "");
    }
}
