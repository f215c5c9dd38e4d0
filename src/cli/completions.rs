//! `retrograde completions`: a script that teaches a shell the arguments.

use std::io::Write;

use anyhow::Result;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::{Arguments, Outcome};

/// Print the completion script of a shell
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  \
    retrograde completions bash > ~/.local/share/bash-completion/completions/retrograde")]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Prints the script.
    pub fn run(self, out: &mut dyn Write) -> Result<Outcome> {
        // clap_complete panics where it cannot write, so it writes to memory.
        let mut script = Vec::new();
        clap_complete::generate(
            self.shell,
            &mut Arguments::command(),
            "retrograde",
            &mut script,
        );
        out.write_all(&script)?;
        Ok(Outcome::Done)
    }
}
