//! Positions solved by what they reach, against tables, publications, and each other.

mod bounds;
mod published;
mod saved;
mod tables;
mod xiangqi;

use retrograde::Tablebase;
use retrograde::chess::Position;
use retrograde::chess::zobrist::MaterialKey;
use retrograde::metric::{Dtz, Wdl};
use retrograde::reach::{LeafError, Leaves, Options, Solved, Value, solve};

/// Tables of all materials with few men but one.
struct Tables<'a> {
    tables: &'a Tablebase,
    men: u32,
    /// The material that is solved although there is a table; the same with colours exchanged.
    except: Option<MaterialKey>,
}

impl Leaves for Tables<'_> {
    fn covers(&self, position: &Position) -> bool {
        let key = position.material_key();
        position.castling_rights().is_empty()
            && key.men() <= self.men
            && self
                .except
                .is_none_or(|except| key != except && key.swapped() != except)
    }

    fn value(&self, position: &Position, after_zeroing: bool) -> Result<Value, LeafError> {
        let wdl = self.tables.probe_wdl_after_zeroing(position)?;
        let dtz = match after_zeroing {
            true => wdl.dtz_of_zeroing_move(),
            false => self.tables.probe_dtz(position)?,
        };
        let dtm = match wdl {
            Wdl::Draw => None,
            _ => self.tables.probe_dtm(position)?,
        };
        Ok(Value { dtz, dtm })
    }

    fn has_mates(&self) -> bool {
        true
    }
}

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// Solves a position as far as it can be explored.
fn solved(fen: &str, leaves: &dyn Leaves) -> Solved {
    solve(&position(fen), leaves, &Options::default())
        .unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// The result for the side to move, clock at zero.
fn wdl(solved: &Solved) -> Wdl {
    let Dtz(plies) = solved.exact().expect("everything was explored").dtz;
    Dtz(plies).wdl()
}
