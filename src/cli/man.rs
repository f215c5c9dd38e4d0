//! `retrograde man`: manual pages for `man`, made of the arguments' own help.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::{Args, CommandFactory};

use super::{Arguments, Outcome};

/// Print the manual page, or write those of all commands into a directory
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    retrograde man --dir ~/.local/share/man/man1   # then: man retrograde-probe\n  \
    retrograde man | man -l -")]
pub struct Man {
    /// Write a page for each command into this directory, which is made where it is missing
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl Man {
    /// Prints the page, or writes all of them and says how many.
    pub fn run(self, out: &mut dyn Write) -> Result<Outcome> {
        let mut command = Arguments::command();
        command.build();
        let Some(directory) = self.dir else {
            clap_mangen::Man::new(command).render(out)?;
            return Ok(Outcome::Done);
        };
        let pages = 1 + command.get_subcommands().count();
        std::fs::create_dir_all(&directory)
            .and_then(|()| clap_mangen::generate_to(Arguments::command(), &directory))
            .map_err(|error| {
                let directory = directory.display();
                anyhow!("cannot write manual pages to {directory}: {error}; choose another --dir")
            })?;
        writeln!(out, "wrote {pages} pages to {}", directory.display())?;
        Ok(Outcome::Done)
    }
}
