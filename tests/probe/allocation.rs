//! Memory that probes ask for: none, where the blocks they need are in the cache.

// No other way to see what is asked of the allocator.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

use retrograde::Tablebase;
use retrograde::chess::Position;
use retrograde::chess::material::Material;
use retrograde::generate::{GenerateOptions, Plan};
use retrograde::metric::Metric;
use retrograde::probe::{Format, ProbeOptions};

use super::random::{Random, en_passant_positions};
use super::{all_materials, directory, empty_directory};

thread_local! {
    /// How often this thread has asked for memory. Other tests run at the same time, so every
    /// thread counts for itself; and being constant at first and without a destructor, the counter
    /// asks for none.
    static REQUESTS: Cell<u64> = const { Cell::new(0) };
}

/// The allocator of the system, which counts.
struct Counting;

fn count() {
    REQUESTS.set(REQUESTS.get() + 1);
}

// SAFETY: every call goes on to the allocator of the system as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller promises what this function asks for as well.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, len: usize) -> *mut u8 {
        count();
        // SAFETY: as above; the memory is the system's.
        unsafe { System.realloc(old, layout, len) }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: as above; the memory is the system's.
        unsafe { System.dealloc(old, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often something asks for memory on this thread.
fn requests(something: impl FnOnce()) -> u64 {
    let before = REQUESTS.get();
    something();
    REQUESTS.get() - before
}

#[test]
fn requests_of_this_thread_are_counted() {
    assert_eq!(requests(|| drop(black_box(Box::new(7)))), 1);
    let grow = || {
        let mut numbers = black_box(vec![1]);
        numbers.push(2);
        black_box(&numbers);
    };
    assert_eq!(requests(grow), 2);
    let elsewhere = || {
        std::thread::scope(|scope| {
            scope.spawn(|| drop(black_box(vec![1; 1000])));
        });
    };
    let of_thread = requests(elsewhere);
    let without = requests(|| {
        std::thread::scope(|scope| {
            scope.spawn(|| ());
        });
    });
    assert_eq!(of_thread, without);
}

/// Probes all positions twice. The second time nothing may be asked for.
fn assert_no_requests(tables: &Tablebase, positions: &[Position]) {
    for position in positions {
        tables.probe_wdl(position).unwrap();
    }
    for position in positions {
        let requests = requests(|| drop(black_box(tables.probe_wdl(position))));
        assert_eq!(requests, 0, "{}", position.to_fen());
    }
}

/// Positions of some materials, with and without captures.
fn positions(materials: &[Material]) -> Vec<Position> {
    let mut random = Random(77);
    let of_material = |material| std::iter::repeat_with(move || material).take(200);
    let mut positions: Vec<Position> = materials
        .iter()
        .flat_map(of_material)
        .map(|material| random.position(material))
        .collect();
    if materials.iter().any(|material| material.men() == 4) {
        positions.extend(en_passant_positions(&mut random, 20));
    }
    positions
}

/// With and without results kept.
fn both_options() -> [ProbeOptions; 2] {
    [0, 1 << 20].map(|result_bytes| ProbeOptions {
        result_bytes,
        ..ProbeOptions::default()
    })
}

#[test]
fn cached_results_of_our_own_tables_take_no_memory() {
    // Few enough that no block has to make room for another.
    let materials: Vec<Material> = all_materials().into_iter().step_by(4).collect();
    let positions = positions(&materials);
    for options in both_options() {
        let tables = Tablebase::open_with(&[directory()], &options).unwrap();
        assert_no_requests(&tables, &positions);
    }
}

#[test]
fn results_of_syzygy_tables_take_no_memory() {
    let directory = empty_directory("probe-allocation-syzygy");
    let materials = Material::all_with_men(3);
    let options = GenerateOptions {
        format: Format::Syzygy,
        metrics: vec![Metric::Wdl],
        ..GenerateOptions::new(&directory, materials.clone())
    };
    Plan::new(&options)
        .unwrap()
        .run(&Default::default(), &())
        .unwrap();
    let positions = positions(&materials);
    for options in both_options() {
        let tables = Tablebase::open_with(&[&directory], &options).unwrap();
        assert!(
            tables
                .tables()
                .iter()
                .all(|file| file.format() == Format::Syzygy)
        );
        assert_no_requests(&tables, &positions);
    }
}
