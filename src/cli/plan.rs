//! `retrograde plan`: what a generation consists of, for programs that run its steps on many
//! machines.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use anyhow::Result;
use clap::{Args, ValueEnum};
use retrograde::game::{Game, Numbered};
use retrograde::generate::{self, GenerateOptions, Node, graph};
use retrograde::tables::{generate_arguments, rules_directory, table_path};
use serde_json::{Value, json};

use super::print::quoted;
use super::wanted::{Format as TableFormat, Means, Wanted};
use super::{Outcome, TableDirectory, progress};

/// Print what some tables need as steps, one for each material, for programs that run them on many
/// machines
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    retrograde plan --men 5 > plan.json\n  \
    retrograde plan KRPvKR --format slurm\n\n\
    docs/machines.md says what is in it, and how Snakemake, Slurm and Kubernetes run it.")]
pub struct Plan {
    #[command(flatten)]
    wanted: Wanted,

    #[command(flatten)]
    means: Means,

    /// Print JSON, or commands that hand the steps to Slurm
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: Format,

    /// Where receipts go, in the commands for Slurm
    #[arg(long, value_name = "DIR", default_value = "receipts")]
    receipts: String,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// One object
    #[default]
    Json,
    /// A line of `sbatch` for each step
    Slurm,
}

impl Plan {
    /// Prints the steps; nothing in the directory matters.
    pub fn run(self, tables: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
        progress::use_threads(self.means.threads)?;
        let directory = tables.only("plan")?;
        let Plan { wanted, means, .. } = &self;
        match wanted.game(tables)? {
            Game::Chess => {
                let options = wanted.chess(means, TableFormat::Native, directory)?;
                self.print(&options, out)
            }
            Game::Xiangqi => self.print(&wanted.xiangqi(means, directory)?, out),
        }
    }

    fn print<G: generate::Generate>(
        &self,
        options: &GenerateOptions<G>,
        out: &mut dyn Write,
    ) -> Result<Outcome> {
        let nodes = graph(options)?;
        match self.format {
            Format::Json => {
                let steps: Vec<Value> = nodes.iter().map(|node| step_json(node, options)).collect();
                let mut plan = json!({
                    "version": env!("CARGO_PKG_VERSION"),
                    "game": G::GAME.to_string(),
                    "steps": steps,
                });
                if G::Rules::LIST.len() > 1 {
                    plan["rules"] = options.rules.name().into();
                }
                serde_json::to_writer_pretty(&mut *out, &plan)?;
                writeln!(out)?;
            }
            Format::Slurm => self.print_slurm(&nodes, options, out)?,
        }
        Ok(Outcome::Done)
    }

    /// Steps for Slurm. A shell variable holds the number of each job.
    fn print_slurm<G: generate::Generate>(
        &self,
        nodes: &[Node<G>],
        options: &GenerateOptions<G>,
        out: &mut dyn Write,
    ) -> Result<()> {
        let numbers: HashMap<G::Material, usize> = nodes
            .iter()
            .enumerate()
            .map(|(number, node)| (node.material, number))
            .collect();
        for (number, node) in nodes.iter().enumerate() {
            let after = node.reads.iter().filter_map(|read| numbers.get(read));
            let after: Vec<String> = after.map(|job| format!("$job{job}")).collect();
            let dependency = match after.is_empty() {
                true => String::new(),
                false => format!(" --dependency=afterok:{}", after.join(":")),
            };
            let threads = rayon::current_num_threads();
            let step = format!(
                "retrograde step {} --receipt {}/{}.json --tables {} --threads {threads}{}{}",
                generate_arguments::<G>(&node.material, options.rules),
                self.receipts,
                node.material,
                quoted(&options.directory),
                self.wanted.metric_argument(),
                self.means.of_step()
            );
            writeln!(
                out,
                "job{number}=$(sbatch --parsable --job-name={} --cpus-per-task={threads} --mem={}M \
                 --time={}{dependency} --wrap=\"{step}\")",
                node.material,
                node.memory.div_ceil(1 << 20),
                minutes(node, threads)
            )?;
        }
        Ok(())
    }
}

/// Minutes that a step may take: eight times what is estimated, since machines differ and the six
/// men with the longest distances take several times as long as most.
fn minutes<G: generate::Generate>(node: &Node<G>, threads: usize) -> u64 {
    let seconds = (node.cost.solving + node.cost.writing + node.reading) / threads as f64;
    1 + (8.0 * seconds / 60.0).ceil() as u64
}

fn step_json<G: generate::Generate>(node: &Node<G>, options: &GenerateOptions<G>) -> Value {
    let names = |materials: &[G::Material]| -> Vec<String> {
        materials.iter().map(ToString::to_string).collect()
    };
    let own = rules_directory::<G>(Path::new(""), options.rules);
    let files: Vec<String> = node
        .metrics
        .iter()
        .map(|metric| table_path(&own, &node.material, *metric))
        .map(|path| path.display().to_string())
        .collect();
    json!({
        "material": node.material.to_string(),
        "level": node.level,
        "reads": names(&node.reads),
        "writes": files,
        "mem_bytes": node.memory,
        "cpu_seconds": node.cost.solving + node.cost.writing + node.reading,
        "reading_cpu_seconds": node.reading,
        "read_bytes": node.read_bytes,
        "write_bytes": node.cost.bytes,
        "scratch_bytes": node.scratch,
    })
}
