//! What there is to say of all positions of a material together: how many have which value, and
//! which take longest.
//!
//! Files keep it ([`Table::statistics`](crate::table::Table::statistics));
//! [`Recount`](crate::verify::Recount) counts it again.
//!
//! ```
//! use retrograde::statistics::Counting;
//! use retrograde::table::Table;
//!
//! let kept = Table::open("tables/KRvK.dtm".as_ref())?.statistics()?.expect("new enough");
//! let [white, black] = &kept.sides;
//! assert_eq!(white.longest_win(), 31);
//!
//! // Mated kings on the whole board, and as published statistics count them.
//! let material = "KRvK".parse()?;
//! let mated = [Counting::Board, Counting::Table].map(|counting| counting.number(&material, black.mated));
//! assert_eq!(mated, [216, 27]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Xiangqi has no symmetry but left and right, which one weight for each placement says
//! (`xiangqi`). What follows is about chess.
//!
//! A slice is gone through once, a word of positions at a time, whether it comes from the solver or
//! from files. Its words are over the square of the black king; their *address* is the place of the
//! white king, in the triangle a1-d1-d4 without pawns, and the squares of the other pieces in the
//! order of the material, 64 each.
//!
//! # One count, two countings
//!
//! Everything is counted over the full board, identical men not told apart ([`Counting::Board`]).
//! Published statistics of tables count one position of each symmetric set ([`Counting::Table`]),
//! identical men told apart. So from the full board
//!
//! - with pawns every second position is counted, since a position and its mirror image are never
//!   the same;
//! - without pawns one in eight, but one in four of those with all men on one long diagonal, each
//!   of which one of the eight symmetries leaves as it is;
//! - k men of a kind make k! positions out of one.
//!
//! ```text
//! KQQvK, kings on a1 and c3, queens on b1 and d5: 8 images, of which one is counted, with 2 orders of the queens:
//! 2 = 2! * 8 / 8. Queens on d4 and e5: transposing changes nothing, so there are 4 images: 2 = 2! * 4 / 4.
//! Queens on d1 and a4: transposing exchanges them. There are 4 images as well, but told apart the queens make them 8
//! positions, of which 1 = 2! * 4 / 8 is counted.
//! ```

mod exchanged;
mod noted;
mod plies;
mod sets;
mod tally;
pub(crate) mod xiangqi;
mod zugzwang;

use crate::chess::material::Material;
use crate::chess::rules::Role;
use crate::game::Color;
use crate::table::Count;

pub(crate) use exchanged::Image;
pub(crate) use plies::DecidedPlies;
pub(crate) use sets::{Sets, SliceWords, TO_MATE, TO_ZEROING};
pub(crate) use tally::{Slice, SliceTally};
pub use zugzwang::Kind;
pub(crate) use zugzwang::is_first;

/// How many positions are kept by name of each kind.
pub const LISTED: usize = 10;

/// Which positions are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counting {
    /// Every legal placement on the full board once, identical men not told apart.
    #[default]
    Board,
    /// As published statistics of tables count: one position of each symmetric set, identical men
    /// told apart.
    Table,
}

impl Counting {
    /// A number of positions in this counting.
    #[must_use]
    pub fn number(self, material: &Material, count: Count) -> u64 {
        match self {
            Counting::Board => count.positions,
            Counting::Table => {
                let identical: u64 = Color::ALL
                    .into_iter()
                    .flat_map(|color| Role::ALL.map(|role| factorial(material.count(color, role))))
                    .product();
                let elsewhere = count.positions - count.on_diagonal;
                match material.has_pawns() {
                    true => identical * count.positions / 2,
                    false => identical * elsewhere / 8 + identical * count.on_diagonal / 4,
                }
            }
        }
    }
}

fn factorial(n: usize) -> u64 {
    (1..=n as u64).product()
}

/// In how many orders the identical pieces of a material can be addressed.
fn orders_of_identical(material: &Material) -> u64 {
    let pieces = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
    Color::ALL
        .into_iter()
        .flat_map(|color| pieces.map(|role| factorial(material.count(color, role))))
        .product()
}

/// All placements of the men of a material on squares of their own, kings side by side among them.
fn placements(material: &Material) -> Count {
    let choose = |n: u64, k: usize| {
        (0..k as u64).fold(1, |ways, taken| {
            ways * n.saturating_sub(taken) / (taken + 1)
        })
    };
    let mut ways = 1;
    let mut free = 48;
    for color in Color::ALL {
        let pawns = material.count(color, Role::Pawn);
        ways *= choose(free, pawns);
        free -= pawns as u64;
    }
    // The pawns' squares are behind; now the ranks of the back are free too, and the kings come
    // first.
    free += 16;
    let ways_on = |squares: u64| {
        let mut ways = squares * (squares - 1);
        let mut free = squares - 2;
        for color in Color::ALL {
            for role in [Role::Queen, Role::Rook, Role::Bishop, Role::Knight] {
                let count = material.count(color, role);
                ways *= choose(free, count);
                free = free.saturating_sub(count as u64);
            }
        }
        ways
    };
    Count {
        positions: ways * ways_on(free),
        on_diagonal: match material.has_pawns() {
            true => 0,
            false => 2 * ways_on(8),
        },
    }
}
