//! How much memory this process may take.

use anyhow::{Result, bail};
use indicatif::HumanBytes;
use retrograde::verify::Subject;
use sysinfo::{MemoryRefreshKind, ProcessRefreshKind, ProcessesToUpdate, RefreshKind, System};

/// Address space that a thread takes which is no memory: its stack, and what the C library sets
/// aside for it.
#[cfg(unix)]
const BYTES_OF_A_THREAD: u64 = 72 << 20;

fn system() -> System {
    System::new_with_specifics(
        RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram()),
    )
}

/// Bytes of memory that the machine has, or that this process may use of it; all there can be if
/// the system does not say.
pub fn total() -> u64 {
    limited(&system(), System::total_memory)
}

/// Bytes of memory that other programs leave, as far as this process may use them; all there can be
/// if the system does not say.
pub fn free() -> u64 {
    limited(&system(), System::available_memory)
}

/// Bytes of memory that this process has now; nothing if the system does not say.
pub fn in_use() -> Option<u64> {
    let process = sysinfo::get_current_pid().ok()?;
    let mut system = System::new();
    system.refresh_processes_specifics(
        ProcessesToUpdate::Some(&[process]),
        false,
        ProcessRefreshKind::nothing().with_memory().without_tasks(),
    );
    Some(system.process(process)?.memory())
}

/// Refuses to look at all values of a material if the memory that it takes is not free.
///
/// # Errors
///
/// With the number it takes, and what is free.
pub fn refuse_too_large(subject: Subject, needs: u64) -> Result<()> {
    let free = free();
    if needs > free {
        bail!(
            "to look at all values of {subject} takes about {} of memory, and {} are free",
            HumanBytes(needs),
            HumanBytes(free)
        );
    }
    Ok(())
}

fn limited(system: &System, of_machine: fn(&System) -> u64) -> u64 {
    let known = |bytes: u64| if bytes == 0 { u64::MAX } else { bytes };
    // What a container has taken counts files that the system keeps at hand, so only its limit says
    // something.
    let container = system
        .cgroup_limits()
        .map_or(0, |limits| limits.total_memory);
    known(of_machine(system))
        .min(known(container))
        .min(address_space())
}

/// What is left of a limit of the address space (`ulimit -v`), as far as it can become memory.
#[cfg(unix)]
fn address_space() -> u64 {
    use rustix::process::{Resource, getrlimit};

    let Some(limit) = getrlimit(Resource::As).current else {
        return u64::MAX;
    };
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let taken: u64 = pages
        .split(' ')
        .next()
        .and_then(|pages| pages.parse().ok())
        .unwrap_or(0);
    let taken = taken * rustix::param::page_size() as u64;
    let threads = rayon::current_num_threads() as u64 * BYTES_OF_A_THREAD;
    // Freed memory in pieces that nothing fits into takes a part as well.
    limit.saturating_sub(taken).saturating_sub(threads) / 4 * 3
}

#[cfg(not(unix))]
fn address_space() -> u64 {
    u64::MAX
}
