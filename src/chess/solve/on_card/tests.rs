//! The kernels, run by the processor: as a library that the C compiler makes of `kernels.cu`.

use std::collections::HashMap;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use super::super::sweep::{LineTable, SliceMoves};
use super::super::tests::{gone_on, is_same, records, solved};
use super::super::{Engine, PlyObserver, SolveOptions, Watch, board};
use super::*;
use crate::chess::material::Material;
use crate::chess::placement::PawnSlices;
use crate::metric::Plies;
use crate::retro::fixpoint::Distance;
use crate::retro::layer::Layer;
use crate::retro::quiet::QuietMoves;

#[allow(unsafe_code)]
mod emulated {
    use super::*;

    type Run = unsafe extern "C" fn(first: u64, end: u64, arguments: *const u64);

    /// A card whose memory is that of this process.
    #[derive(Debug)]
    pub struct EmulatedCard {
        allocated: Mutex<HashMap<u64, Vec<u64>>>,
        /// How much of it there is; if nothing is said, enough.
        free: Option<u64>,
        /// After how many calls each one fails; never for nothing.
        fails_after: usize,
        pub calls: AtomicUsize,
    }

    /// What the C compiler has made of the kernels.
    static KERNELS: LazyLock<libloading::Library> = LazyLock::new(|| {
        let directory = tempfile::tempdir().unwrap();
        let library = directory.path().join("kernels.so");
        let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/src/card/kernels.cu");
        let options = ["-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"];
        let mut command = Command::new(compiler);
        command.args(options).arg("-o").arg(&library);
        // The name says CUDA.
        command.args(["-x", "c", source]);
        assert!(command.status().unwrap().success());
        // SAFETY: nothing runs when it is loaded.
        unsafe { libloading::Library::new(&library) }.unwrap()
    });

    impl EmulatedCard {
        pub fn new(free: Option<u64>, fails_after: usize) -> EmulatedCard {
            EmulatedCard {
                allocated: Mutex::default(),
                free,
                fails_after,
                calls: AtomicUsize::default(),
            }
        }

        fn call(&self) -> Result<(), CardError> {
            let calls = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
            match self.fails_after {
                after if after > 0 && calls > after => Err(CardError::Failed {
                    doing: "being tested",
                    code: 719,
                }),
                _ => Ok(()),
            }
        }
    }

    impl Card for EmulatedCard {
        fn free_bytes(&self) -> Result<u64, CardError> {
            self.call()?;
            Ok(self.free.unwrap_or(1 << 30))
        }

        fn allocate(&self, bytes: usize) -> Result<u64, CardError> {
            self.call()?;
            // What was there before is anything.
            let memory = vec![0xabab_abab_abab_abab; bytes.div_ceil(8).max(1)];
            let address = memory.as_ptr() as u64;
            self.allocated.lock().unwrap().insert(address, memory);
            Ok(address)
        }

        fn free(&self, address: u64) {
            assert!(self.allocated.lock().unwrap().remove(&address).is_some());
        }

        fn clear(&self, address: u64, bytes: usize) -> Result<(), CardError> {
            self.call()?;
            // SAFETY: `Buffer` alone calls this, with what was allocated and as much as that is.
            unsafe { std::ptr::write_bytes(address as *mut u8, 0, bytes) };
            Ok(())
        }

        fn write(&self, address: u64, bytes: &[u8]) -> Result<(), CardError> {
            self.call()?;
            // SAFETY: as above; nobody else writes there at the time.
            unsafe {
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, bytes.len())
            };
            Ok(())
        }

        fn read(&self, address: u64, room: &mut [u8]) -> Result<(), CardError> {
            self.call()?;
            // SAFETY: as above.
            unsafe {
                std::ptr::copy_nonoverlapping(address as *const u8, room.as_mut_ptr(), room.len())
            };
            Ok(())
        }

        fn run(
            &self,
            kernel: Kernel,
            threads: usize,
            arguments: [u64; ARGUMENTS],
        ) -> Result<(), CardError> {
            self.call()?;
            // SAFETY: all kernels have this signature.
            let run = unsafe { KERNELS.get::<Run>(kernel.name().as_bytes()) }.unwrap();
            let share = threads.div_ceil(7).max(1);
            parallel::each(threads.div_ceil(share), |number| {
                let (first, end) = (number * share, threads.min((number + 1) * share));
                // SAFETY: addresses are those of buffers that are alive, and of as much as the
                // kernel goes through.
                unsafe { run(first as u64, end as u64, arguments.as_ptr()) };
            });
            Ok(())
        }
    }

    impl Drop for EmulatedCard {
        fn drop(&mut self) {
            assert!(self.allocated.lock().unwrap().is_empty());
        }
    }
}

use emulated::EmulatedCard;

const NAMES: [&str; 7] = ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK", "KRvKN", "KBvKN"];

/// Counts the times when the processor had to go on.
#[derive(Debug, Default)]
struct Told {
    without: Mutex<Vec<CardError>>,
}

impl Told {
    /// A card is used, and who watches is told.
    fn of<'a>(&'a self, card: &'a dyn Card, plain: SolveOptions<'a>) -> SolveOptions<'a> {
        SolveOptions {
            card: Some(card),
            watch: Watch {
                observer: Some(self),
                ..plain.watch
            },
            ..plain
        }
    }
}

impl PlyObserver for Told {
    fn ply(&self, _: Distance, _: u32) {}

    fn goes_on_without_card(&self, why: CardError) {
        self.without.lock().unwrap().push(why);
    }
}

fn assert_same(
    ours: &HashMap<Material, Arc<super::super::Solved>>,
    expected: &HashMap<Material, Arc<super::super::Solved>>,
    context: &str,
) {
    for (material, expected) in expected {
        for (ours, expected) in ours[material].slices.iter().zip(&expected.slices) {
            let sides = ours.get().unwrap().iter().zip(expected.get().unwrap());
            for (ours, expected) in sides {
                assert!(is_same(ours, expected), "{material}: {context}");
            }
        }
    }
}

/// Words of which one of some is not empty.
fn random_set(words: usize, one_of: u64, state: &mut u64) -> Vec<u64> {
    let mut next = || {
        *state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        *state ^ *state >> 29
    };
    (0..words)
        .map(|_| if next() % one_of == 0 { next() } else { 0 })
        .collect()
}

#[test]
fn kernels_find_the_moves_that_the_processor_finds() {
    let card = EmulatedCard::new(None, 0);
    let mut state = 5;
    for (name, slice) in [("KQvKR", 0), ("KBvKN", 0), ("KRPvK", 7), ("KNPvKP", 300)] {
        let material: Material = name.parse().unwrap();
        let space = board::space(&material, PawnSlices::new(&material).placement(slice));
        let lines = LineTable::new(&space);
        let moves = SliceMoves::new(&space, &lines);
        let words = space.words;
        let buffer = |set: &[u64]| {
            let buffer = Buffer::zeros(&card, words * 8).unwrap();
            buffer.write(0, &Bits::to_le_bytes(set)).unwrap();
            buffer
        };
        for side in 0..2 {
            let table = table::table(&space, side).unwrap();
            let on_card = Buffer::zeros(&card, table.len()).unwrap();
            on_card.write(0, &table).unwrap();
            // With five men beside the king in the word, threads take addresses in another order.
            let below_first: u64 = space.axes[0].stride.trailing_zeros().into();
            let other_order = [2, 3, below_first - 5];
            for (one_of, order) in [(1, [0u64; 3]), (1, other_order), (50, other_order)] {
                on_card.write(8 * 3, &Bits::to_le_bytes(&order)).unwrap();
                // A king in the word and another man on one square: no position, and sweeps leave
                // those out or not.
                let is_position = |(address, word): (usize, u64)| {
                    let mut squares = [0; 8];
                    space.squares(address, &mut squares);
                    let men = squares[..space.axes.len()].iter().chain(&space.fixed);
                    let taken = men.clone().fold(0u64, |all, square| all | 1 << square);
                    match taken.count_ones() as usize == men.count() {
                        true => word & !taken,
                        false => 0,
                    }
                };
                let mut legal = |one_of| -> Vec<u64> {
                    let set = random_set(words, one_of, &mut state);
                    set.into_iter().enumerate().map(is_position).collect()
                };
                let (into, among) = (legal(one_of), legal(1));
                let having = |(address, &word): (usize, &u64)| {
                    moves.having_a_move_into(side, address, word, &into)
                };
                let reached: Vec<u64> = among.iter().enumerate().map(having).collect();
                let stay: Vec<u64> = reached.iter().zip(&among).map(|(a, b)| b & !a).collect();
                let mut pushed = Layer::new(words);
                for (address, &word) in into.iter().enumerate().filter(|(_, word)| **word != 0) {
                    moves.push(side, address, word, &mut pushed);
                }
                let pushed: Vec<u64> = pushed.set.iter().zip(&among).map(|(a, b)| a & b).collect();
                for (kernel, expected) in [
                    (Kernel::Reach, &reached),
                    (Kernel::Push, &pushed),
                    (Kernel::Stay, &stay),
                ] {
                    let (into, among) = (buffer(&into), buffer(&among));
                    let target = buffer(&vec![0; words]);
                    let [table, into, among] = [&on_card, &into, &among].map(Buffer::address);
                    let arguments = [table, into, among, target.address(), 0, 0, 0];
                    card.run(kernel, words, arguments).unwrap();
                    let found: Vec<u64> = Bits::from_le_bytes(&target.read(0, words * 8).unwrap());
                    assert!(
                        found == *expected,
                        "{name}, side {side}, {kernel:?}, {one_of}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_card_solves_what_the_processor_does() {
    let cancel = AtomicBool::new(false);
    for (limit, longest_in_bytes, slab) in [(100, 254, 1 << 15), (20, 13, 192)] {
        let plain = SolveOptions {
            engine: Engine::Chains,
            limit: Plies(limit),
            longest_in_bytes: Plies(longest_in_bytes),
            slab,
            ..SolveOptions::new(&cancel)
        };
        let expected = solved(&NAMES, plain);
        let card = EmulatedCard::new(None, 0);
        let told = Told::default();
        let options = told.of(&card, plain);
        let ours = solved(&NAMES, options);
        assert_same(&ours, &expected, &format!("{options:?}"));
        assert!(told.without.into_inner().unwrap().is_empty());
    }
}

#[test]
fn the_processor_goes_on_where_a_card_fails() {
    let cancel = AtomicBool::new(false);
    let names = ["KQvK", "KRvK", "KBvK", "KNvK", "KRvKN"];
    let plain = SolveOptions {
        engine: Engine::Chains,
        limit: Plies(20),
        slab: 4096,
        ..SolveOptions::new(&cancel)
    };
    let expected = solved(&names, plain);
    let whole = EmulatedCard::new(None, 0);
    let card = Some(&whole as &dyn Card);
    let _ = solved(&names, SolveOptions { card, ..plain });
    let calls = whole.calls.load(Ordering::Relaxed);
    for fails_after in (1..calls).step_by(calls / 13) {
        let card = EmulatedCard::new(None, fails_after);
        let told = Told::default();
        let options = told.of(&card, plain);
        assert_same(
            &solved(&names, options),
            &expected,
            &format!("{fails_after} calls"),
        );
        assert!(!told.without.into_inner().unwrap().is_empty());
    }
}

#[test]
fn what_a_card_has_recorded_the_processor_goes_on_with_and_the_other_way_round() {
    let cancel = AtomicBool::new(false);
    let plain = SolveOptions {
        engine: Engine::Chains,
        limit: Plies(20),
        ..SolveOptions::new(&cancel)
    };
    let stored = solved(&["KNvK"], plain);
    // Of its own image the processor makes the second chain from the first, and a card as the
    // first.
    let material: Material = "KNvKN".parse().unwrap();
    let card = EmulatedCard::new(None, 0);
    let on_card = SolveOptions {
        card: Some(&card),
        ..plain
    };
    for (first, second) in [(on_card, plain), (plain, on_card)] {
        let place = tempfile::tempdir().unwrap();
        let (expected, _) = gone_on(material, &stored, place.path(), first);
        let names = ["journal", "data"].map(|name| place.path().join(name));
        let [journal, data] = names.each_ref().map(|path| std::fs::read(path).unwrap());
        for (number, (end, _)) in records(&journal).into_iter().enumerate().step_by(5) {
            std::fs::write(&names[0], &journal[..end]).unwrap();
            std::fs::write(&names[1], &data).unwrap();
            let (values, _) = gone_on(material, &stored, place.path(), second);
            for (ours, expected) in values.iter().zip(&expected) {
                assert!(is_same(ours, expected), "{number} records");
            }
        }
    }
}

#[test]
fn a_card_with_too_little_memory_is_not_used() {
    let cancel = AtomicBool::new(false);
    let card = EmulatedCard::new(Some(1_000_000), 0);
    let told = Told::default();
    let plain = SolveOptions {
        engine: Engine::Chains,
        ..SolveOptions::new(&cancel)
    };
    let options = told.of(&card, plain);
    let names = ["KQvK", "KRvK", "KBvK", "KNvK", "KRvKN"];
    let ours = solved(&names, options);
    let together = SolveOptions {
        engine: Engine::Together,
        card: None,
        ..options
    };
    assert_same(&ours, &solved(&names, together), "too little memory");
    // Three men fit, 40 960 words do not.
    let said = "it takes 2227280 bytes of the graphics card's memory, of which 1000000 are free";
    let without = told.without.into_inner().unwrap();
    let without: Vec<String> = without.iter().map(CardError::to_string).collect();
    assert_eq!(without, [said]);
}

#[cfg(feature = "cuda")]
#[test]
fn a_card_of_nvidia_solves_what_the_processor_does_if_there_is_one() {
    use crate::card::CudaCard;

    let card = match CudaCard::open() {
        Ok(card) => card,
        Err(CardError::NoDriver | CardError::NoCard) => {
            eprintln!("skipped: no graphics card here");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    let free = card.free_bytes().unwrap();
    let too_much = card.allocate(free as usize + (1 << 32));
    let is_refused = matches!(too_much, Err(CardError::TooLittleMemory { .. }));
    assert!(is_refused, "{too_much:?}");
    let cancel = AtomicBool::new(false);
    let plain = SolveOptions {
        engine: Engine::Chains,
        ..SolveOptions::new(&cancel)
    };
    let names = [
        "KQvK", "KRvK", "KBvK", "KNvK", "KPvK", "KQvKR", "KRvKB", "KRvKN", "KRvKR", "KRvKP",
    ];
    let told = Told::default();
    let ours = solved(&names, told.of(&card, plain));
    assert!(told.without.into_inner().unwrap().is_empty());
    assert_same(&ours, &solved(&names, plain), "a real card");
    // What fails once fails from then on, and is said.
    let nowhere = card.run(Kernel::TakeAway, 1 << 20, [8, 16, 0, 0, 0, 0, 0]);
    let read = nowhere.and_then(|()| card.read(8, &mut [0; 8]));
    assert!(matches!(read, Err(CardError::Failed { .. })), "{read:?}");
}
