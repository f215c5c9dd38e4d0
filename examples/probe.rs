//! Asks the tables about one position: its value, then every move with its value, best first.
//!
//! ```text
//! cargo run --release --example probe -- '8/8/8/8/8/2k5/1R6/K7 w - - 0 1' [DIRECTORY]
//! ```

use std::error::Error;

use retrograde::Tablebase;
use retrograde::chess::{Position, san};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let fen = arguments
        .next()
        .unwrap_or_else(|| "8/8/8/8/8/2k5/1R6/K7 w - - 0 1".to_owned());
    let directory = arguments.next().unwrap_or_else(|| "tables".to_owned());

    let tables = Tablebase::open(directory)?;
    let position = Position::from_fen(&fen)?;
    println!("{fen}: {}", tables.probe_wdl(&position)?);
    println!("dtz {}", tables.probe_dtz(&position)?);
    if let Some(mate) = tables.probe_dtm(&position)? {
        println!("dtm {mate}");
    }
    for ranked in tables.root_moves(&position)? {
        // Values after a move are the opponent's.
        let value = ranked.wdl.map_or("unknown", |wdl| (-wdl).category());
        println!("{:8} {value}", san(&position, ranked.played));
    }
    Ok(())
}
