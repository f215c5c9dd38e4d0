//! Where the time of solving materials goes, engine by engine: what is fixed, plies of results,
//! plies of mates.
//!
//! ```text
//! cargo bench --features cuda --bench engines -- --engines chains,cuda KQRvKR KQRvKQR
//! ```
//!
//! What the materials lead to is solved before, in memory: 1 GB for one of five men without pawns.
//! The last column says what was found, as one number, which has to be the same with chains on a
//! processor and on a card. `--no-mates` leaves distances to mate out, `--plies` says how long each
//! took.

use std::collections::HashMap;
use std::error::Error;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use retrograde::chess::material::Material;
use retrograde::chess::solve::solved::{SideValues, Solved};
use retrograde::chess::solve::{
    Distance, Engine, PlyObserver, SolveError, SolveOptions, SolvedSlice, Wanted, Watch,
    gather_targets, solve, solve_slices,
};
use retrograde::generate::{Card, CardError};

/// Everything a material leads to, and it itself if it is not the one that is measured.
fn add(
    material: Material,
    stored: &mut HashMap<Material, Arc<Solved>>,
    options: SolveOptions<'_>,
) -> Result<(), SolveError> {
    for dependency in material.dependencies() {
        if !stored.contains_key(&dependency) {
            add(dependency, stored, options)?;
            let targets = gather_targets(&dependency, stored, options.width)?;
            let solved = solve(dependency, &targets, options)?;
            stored.insert(dependency, Arc::new(solved));
        }
    }
    Ok(())
}

/// When each ply was done.
#[derive(Debug, Default)]
struct Plies(Mutex<Vec<(Distance, Instant)>>);

impl PlyObserver for Plies {
    fn ply(&self, distance: Distance, _: u32) {
        let mut plies = self.0.lock().expect("nobody panics");
        plies.push((distance, Instant::now()));
    }

    fn goes_on_without_card(&self, why: CardError) {
        println!("{why}; the processor goes on");
    }
}

fn hash_side(values: &SideValues) -> u64 {
    let mut hasher = DefaultHasher::new();
    values.decided.hash(&mut hasher);
    values.own.dtz.hash(&mut hasher);
    values.own.dtz_high.hash(&mut hasher);
    format!("{:?}", values.longest).hash(&mut hasher);
    values.dtm.to_le_bytes().hash(&mut hasher);
    hasher.finish()
}

/// What was found in a slice, as a number.
fn hash(solved: SolvedSlice) -> Result<u64, SolveError> {
    let all = Wanted {
        to_zeroing: true,
        to_mate: true,
    };
    let mut sum = 0u64;
    match &solved {
        SolvedSlice::Whole(sides) => {
            for (number, side) in sides.iter().enumerate() {
                sum = sum.wrapping_add(hash_side(side).rotate_left(number as u32));
            }
        }
        SolvedSlice::Slabs(slabs) => {
            let next = std::sync::atomic::AtomicUsize::new(0);
            let sums = Mutex::new(0u64);
            let threads = rayon::current_num_threads();
            std::thread::scope(|scope| {
                let work = || -> Result<(), SolveError> {
                    loop {
                        let slab = next.fetch_add(1, Ordering::Relaxed);
                        if slab >= slabs.slabs() {
                            return Ok(());
                        }
                        for side in 0..2 {
                            let hash = hash_side(&slabs.side(side, slab, all)?);
                            let mut sums = sums.lock().expect("nobody panics");
                            *sums =
                                sums.wrapping_add(hash.rotate_left((2 * slab + side) as u32 % 64));
                        }
                    }
                };
                let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
                let mut results = running.into_iter().map(|thread| thread.join());
                results.try_for_each(|result| result.expect("nobody panics"))
            })?;
            sum = sums.into_inner().expect("nobody panics");
        }
    }
    Ok(sum)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut engines = "together,chains".to_owned();
    let (mut mates, mut shows_plies, mut names) = (true, false, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match &argument[..] {
            "--bench" => {}
            "--no-mates" => mates = false,
            "--plies" => shows_plies = true,
            "--engines" => engines = arguments.next().ok_or("--engines has a list")?,
            _ => names.push(argument.parse::<Material>()?),
        }
    }
    if names.is_empty() {
        names.push("KQvKR".parse()?);
    }
    #[cfg(feature = "cuda")]
    let cuda = retrograde::generate::CudaCard::open();
    let card = |engine: &str| -> Result<Option<&dyn Card>, Box<dyn Error>> {
        match engine {
            "together" | "chains" => Ok(None),
            #[cfg(feature = "cuda")]
            "cuda" => Ok(Some(cuda.as_ref().map_err(|&error| error)?)),
            other => Err(format!("{other} is no engine of this build").into()),
        }
    };
    let cancel = AtomicBool::new(false);
    let mut stored = HashMap::new();
    println!("material  engine    seconds: all  fixed  results (plies)  mates (plies)  found");
    for material in names {
        let plain = SolveOptions {
            mates,
            ..SolveOptions::new(&cancel)
        };
        stored.retain(|other: &Material, _| other.men() < material.men());
        add(material, &mut stored, plain)?;
        let targets = gather_targets(&material, &stored, plain.width)?;
        for engine in engines.split(',') {
            let plies = Plies::default();
            let options = SolveOptions {
                engine: match engine {
                    "together" => Engine::Together,
                    _ => Engine::Chains,
                },
                card: card(engine)?,
                watch: Watch {
                    cancel: &cancel,
                    observer: Some(&plies),
                },
                ..plain
            };
            let start = Instant::now();
            let found = Mutex::new((0u64, 0.0));
            let finish = |slice: usize, solved: SolvedSlice| {
                let start = Instant::now();
                let hash = hash(solved)?.rotate_left(slice as u32 % 64);
                let mut found = found.lock().expect("nobody panics");
                found.0 = found.0.wrapping_add(hash);
                found.1 += start.elapsed().as_secs_f64();
                Ok::<(), SolveError>(())
            };
            solve_slices(material, &targets, options, &|_| false, &finish)?;
            let (found, hashing) = found.into_inner()?;
            let all = start.elapsed().as_secs_f64() - hashing;
            // With several slices, what is fixed of one is made after the plies of another.
            let mut spent = [(0.0, 0); 2];
            let mut before: Option<Instant> = None;
            for (distance, at) in plies.0.into_inner()? {
                let (seconds, count) = &mut spent[usize::from(distance == Distance::Mate)];
                let of_ply = before.map_or(0.0, |before| (at - before).as_secs_f64());
                *seconds += of_ply;
                *count += 1;
                if shows_plies {
                    println!("  {distance:?} {count}: {:.1} ms", of_ply * 1e3);
                }
                before = Some(at);
            }
            let [(results, result_plies), (of_mates, mate_plies)] = spent;
            let fixed = all - results - of_mates;
            println!(
                "{material:9} {engine:9} {all:12.3} {fixed:6.3} {results:8.3} ({result_plies:5}) {of_mates:7.3} \
                 ({mate_plies:5})  {found:016x}"
            );
        }
    }
    Ok(())
}
