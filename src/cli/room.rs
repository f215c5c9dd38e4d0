//! Whether there is room in memory and on the disk for what is to be generated.

use std::path::PathBuf;

use anyhow::{Result, bail};
use indicatif::HumanBytes;
use retrograde::generate::{self, GenerateOptions, Plan};
use sysinfo::{Disk, Disks};

use super::memory;

/// Plans a generation. Materials whose scratch files have no room on the disk together wait for
/// each other.
pub fn plan<G: generate::Generate>(
    options: &GenerateOptions<G>,
) -> Result<Plan<G>, retrograde::Error> {
    let plan = Plan::new(options).map_err(|error| match error {
        // The library knows what is needed the way it was asked for; less will do if everything is
        // done thriftily.
        retrograde::Error::Memory { limit, .. } => match least_memory(options) {
            Some(needed) if needed > limit => retrograde::Error::Memory { needed, limit },
            _ => error,
        },
        error => error,
    })?;
    let Some(disk) = disk_for_scratch(&plan, options) else {
        return Ok(plan);
    };
    // The tables may go to the same disk.
    let room = disk.room.saturating_sub(plan.estimate().bytes);
    if room >= plan.scratch() {
        return Ok(plan);
    }
    Plan::new(&GenerateOptions {
        scratch_room: Some(room),
        ..options.clone()
    })
}

/// Ends with an error if a plan needs more memory than the machine has and no limit was set, or
/// larger scratch files than the disk has room for.
pub fn refuse_what_does_not_fit<G: generate::Generate>(
    plan: &Plan<G>,
    options: &GenerateOptions<G>,
) -> Result<()> {
    if options.memory.is_none() && !plan.is_empty() {
        refuse_more_than_there_is(plan.peak_memory(), options)?;
    }
    if let Some(disk) = disk_for_scratch(plan, options)
        && disk.room < plan.least_scratch()
    {
        bail!(
            "this needs {} for scratch files and there are {} on the disk of {}; `generate` and `convert` take \
             another with --scratch DIR",
            HumanBytes(plan.least_scratch()),
            HumanBytes(disk.room),
            disk.place.display()
        );
    }
    Ok(())
}

fn refuse_more_than_there_is<G: generate::Generate>(
    needed: u64,
    options: &GenerateOptions<G>,
) -> Result<()> {
    let there_is = memory::total();
    if needed <= there_is {
        return Ok(());
    }
    let (needs, has) = (HumanBytes(needed), HumanBytes(there_is));
    match least_memory(options) {
        Some(least) if least <= there_is => bail!(
            "this needs {needs} of memory and there is {has}; with --memory {}M it takes less at a time",
            least.div_ceil(1 << 20)
        ),
        least => bail!(
            "this needs {} of memory at the least and there is {has}; ask for fewer men, or set --memory to use swap",
            least.map_or(needs, HumanBytes)
        ),
    }
}

/// The least memory that will do if little is done at a time; nothing if that is not known.
fn least_memory<G: generate::Generate>(options: &GenerateOptions<G>) -> Option<u64> {
    let limited = GenerateOptions {
        memory: Some(0),
        ..options.clone()
    };
    match Plan::new(&limited) {
        Err(retrograde::Error::Memory { needed, .. }) => Some(needed),
        _ => None,
    }
}

/// Where scratch files go.
struct ScratchDisk {
    /// The directory, or the part of its path that is there.
    place: PathBuf,
    /// Bytes that are free, and those of files which are there already: they are gone on with, or
    /// removed.
    room: u64,
}

/// The disk for the scratch files of a plan; nothing if it has none, or the system does not say how
/// much is free: then the solver finds out.
fn disk_for_scratch<G: generate::Generate>(
    plan: &Plan<G>,
    options: &GenerateOptions<G>,
) -> Option<ScratchDisk> {
    if plan.scratch() == 0 {
        return None;
    }
    let directory = options.scratch.as_deref().unwrap_or(&options.directory);
    let mut there_is = directory
        .ancestors()
        .filter_map(|path| path.canonicalize().ok());
    let place = there_is.next().or_else(|| std::env::current_dir().ok())?;
    let disks = Disks::new_with_refreshed_list();
    let holds = |disk: &&Disk| place.starts_with(disk.mount_point());
    let disk = (disks.iter().filter(holds)).max_by_key(|disk| disk.mount_point().as_os_str().len());
    let begun: u64 = plan.begun().iter().map(|(_, bytes)| bytes).sum();
    let room = disk?.available_space() + begun;
    Some(ScratchDisk { place, room })
}
