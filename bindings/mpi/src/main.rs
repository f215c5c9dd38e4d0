//! `retrograde-mpi`: the tables of one material, made by several processes together, for materials
//! that no machine can hold.
//!
//! ```text
//! mpirun -n 10 retrograde-mpi KQRvKQR --tables /shared/tables
//! ```
//!
//! Each rank has some squares of the white king. The tables that the material's captures and
//! promotions lead to have to be there, where all ranks find them, as for `retrograde step`; rank 0
//! writes the tables. They are the bytes that one process writes.

mod network;
mod volume;

use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, bail};
use clap::Parser;
use mpi::Threading;
use mpi::traits::Communicator;
use retrograde::chess::material::Material;
use retrograde::generate::{GenerateOptions, Plan, Ranks, most_ranks};
use retrograde::metric::Metric;

use network::Network;
use volume::Volume;

/// Make the tables of one material by all ranks together, from tables that are there
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "Example:\n  \
    mpirun -n 10 retrograde-mpi KQRvKQR --tables /shared/tables --scratch /scratch"
)]
struct Arguments {
    /// The material, such as KRPvKR
    material: Material,

    /// Where the tables are, and go
    #[arg(long, value_name = "DIR", default_value = "tables")]
    tables: PathBuf,

    /// What to store; results (wdl) always are
    #[arg(
        long,
        value_name = "METRIC",
        value_delimiter = ',',
        default_value = "wdl,dtz,dtm"
    )]
    metric: Vec<Metric>,

    /// How many threads a rank has [default: as many as it may use processors]
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,

    /// Where scratch files go, which are gone when the program ends [default: beside the tables]
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // One thread alone calls MPI.
    let Some((universe, threading)) = mpi::initialize_with_threading(Threading::Funneled) else {
        eprintln!("retrograde-mpi: MPI has been started before");
        return ExitCode::FAILURE;
    };
    let world = universe.world();
    if threading < Threading::Funneled {
        eprintln!("retrograde-mpi: this MPI cannot be used by programs with threads");
        world.abort(1);
    }
    let (network, requests) = Network::new(world.rank() as usize, world.size() as usize);
    let network = Arc::new(network);
    let solver = {
        let network = Arc::clone(&network);
        std::thread::spawn(move || {
            let made = make(&arguments, &network);
            network.close();
            made
        })
    };
    requests.serve(&world);
    let made = match solver.join() {
        Ok(made) => made,
        Err(_) => Err(anyhow::anyhow!("a rank has panicked")),
    };
    if let Err(error) = made {
        // Others wait for this rank and would do so for ever.
        eprintln!("retrograde-mpi: rank {}: {error:#}", world.rank());
        world.abort(1);
    }
    network::await_all(&world);
    ExitCode::SUCCESS
}

fn make(arguments: &Arguments, network: &Arc<Network>) -> Result<()> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(arguments.threads.map_or(0, NonZero::get))
        .build_global()
        .context("no threads")?;
    let material = arguments.material.normal_form();
    let squares = most_ranks(&material);
    if network.count() > squares {
        bail!(
            "{} ranks cannot share {material}: each needs squares of the white king, and he has {squares}; \
             take that many ranks, and `--threads` for more processors",
            network.count()
        );
    }
    let mut options: GenerateOptions = GenerateOptions::new(&arguments.tables, vec![material]);
    options.metrics = arguments.metric.clone();
    options.scratch = arguments.scratch.clone();
    // What is read of tables waits in work files, which stay until all ranks are done.
    options.left_for = Some(Vec::new());
    if plan(&options, network)?.is_empty() {
        if network.rank() == 0 {
            println!("{material}: there already");
        }
        return Ok(());
    }
    leave_what_is_read(&options, network)?;
    options.ranks = Some(Arc::clone(network) as Arc<dyn Ranks>);
    let plan = plan(&options, network)?;
    let volume = Volume::new(network);
    let generated = plan.run(&AtomicBool::new(false), &volume)?;
    let volume = volume.of_all_ranks()?;
    if network.rank() == 0 {
        remove_what_was_left(options)?;
        println!(
            "{material}: {} files, {} bytes",
            generated.files, generated.bytes
        );
        volume.print();
    }
    Ok(())
}

/// The plan for one material, with nothing to make but that, which all ranks have to see alike:
/// some would wait for others.
fn plan(options: &GenerateOptions, network: &Network) -> Result<Plan> {
    let plan = Plan::new(options)?;
    if let Some(missing) = plan.first_missing() {
        bail!(
            "{} is made from tables of {}, and they are missing or damaged; make them first: \
             `retrograde generate {}`",
            options.materials[0],
            missing.material,
            missing.material
        );
    }
    let steps = network.tell(plan.steps().count() as u64)?;
    if steps.iter().any(|&count| count != steps[0]) {
        bail!(
            "ranks find different tables in {}",
            options.directory.display()
        );
    }
    Ok(plan)
}

/// Leaves in work files a share of what the material is made from, so that no rank has to bring
/// back from tables what all of them read.
fn leave_what_is_read(options: &GenerateOptions, network: &Network) -> Result<()> {
    let material = options.materials[0];
    let mut read = material.dependencies();
    read.sort_by_key(|target| (target.men(), target.to_string()));
    let share = read.into_iter().rev().skip(network.rank());
    let options = GenerateOptions {
        materials: share.step_by(network.count()).collect(),
        left_for: Some(vec![material]),
        ..options.clone()
    };
    Plan::new(&options)?.run(&AtomicBool::new(false), &())?;
    network.tell(0)?;
    Ok(())
}

/// Removes the work files of a material whose tables are there.
fn remove_what_was_left(mut options: GenerateOptions) -> Result<()> {
    options.left_for = None;
    options.ranks = None;
    Plan::new(&options)?.run(&AtomicBool::new(false), &())?;
    Ok(())
}
