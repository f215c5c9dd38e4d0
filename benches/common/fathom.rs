//! The library Fathom, loaded while the program runs.

use std::path::Path;

use retrograde::chess::{Position, Role};
use retrograde::game::Color;

pub type ProbeWdl = unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64, u32, bool) -> u32;
pub type ProbeDtz =
    unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64, u32, bool, *mut i32) -> i32;

/// What Fathom is asked with: white, black, kings to pawns, the en-passant square, whether White is
/// to move.
#[derive(Clone, Copy)]
pub struct FathomPosition(pub [u64; 8], pub u32, pub bool);

impl From<&Position> for FathomPosition {
    fn from(position: &Position) -> Self {
        let side = |color| {
            Role::ALL
                .iter()
                .fold(0, |all, &role| all | position.pieces(color, role))
        };
        let roles = [
            Role::King,
            Role::Queen,
            Role::Rook,
            Role::Bishop,
            Role::Knight,
            Role::Pawn,
        ];
        let mut sets = [0; 8];
        sets[..2].copy_from_slice(&Color::ALL.map(side));
        sets[2..].copy_from_slice(&roles.map(|role| position.by_role(role)));
        // Fathom takes a1, which is 0, for none.
        let square = position.en_passant_square();
        let square = square.map_or(0, |square| square.index() as u32);
        FathomPosition(sets, square, position.turn() == Color::White)
    }
}

/// Fathom as a shared library. It keeps its tables in global variables.
pub struct Fathom {
    wdl: ProbeWdl,
    dtz: Option<ProbeDtz>,
    /// The functions are in it.
    _library: libloading::Library,
}

impl Fathom {
    pub fn load(folder: &Path) -> Option<Fathom> {
        let name = std::env::var_os("RETROGRADE_FATHOM").unwrap_or_else(|| "libfathom.so.1".into());
        let folder = std::ffi::CString::new(folder.to_str()?).ok()?;
        // SAFETY: the functions have the types that `tbprobe.h` of Fathom and the text above
        // declare; the library stays loaded as long as they are there, and this one thread calls
        // them.
        unsafe {
            let library = libloading::Library::new(&name).ok()?;
            let init = library
                .get::<unsafe extern "C" fn(*const std::ffi::c_char) -> bool>("tb_init")
                .ok()?;
            if !init(folder.as_ptr()) {
                return None;
            }
            Some(Fathom {
                wdl: *library.get::<ProbeWdl>("tb_probe_wdl_impl").ok()?,
                dtz: library
                    .get::<ProbeDtz>("fathom_probe_dtz")
                    .ok()
                    .map(|function| *function),
                _library: library,
            })
        }
    }

    pub fn wdl(
        &self,
        &FathomPosition([a, b, c, d, e, f, g, h], square, turn): &FathomPosition,
    ) -> u32 {
        // SAFETY: numbers only; any are allowed.
        unsafe { (self.wdl)(a, b, c, d, e, f, g, h, square, turn) }
    }

    /// A function to ask for distances.
    pub fn dtz(&self) -> Option<impl Fn(&FathomPosition) -> i32 + use<>> {
        let function = self.dtz?;
        Some(
            move |&FathomPosition([a, b, c, d, e, f, g, h], square, turn): &FathomPosition| {
                let mut success = 1;
                // SAFETY: as above, and `success` lives until it returns.
                let dtz =
                    unsafe { function(a, b, c, d, e, f, g, h, square, turn, &raw mut success) };
                assert!(success != 0, "Fathom lacks a table");
                dtz
            },
        )
    }
}
