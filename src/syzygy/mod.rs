//! Syzygy tables, the format of Ronald de Man that engines, web sites and programs with a board
//! speak.
//!
//! A material has two files. `KQvKR.rtbw` has the *result* of every position, under the fifty-move
//! rule with its clock at zero; `KQvKR.rtbz` the *distance to zeroing* of those that are won or
//! lost, with one side to move. Both are made of the same parts:
//!
//! | part | what it is | module |
//! |---|---|---|
//! | index | a number for every placement of the men, up to the symmetries of the board | `index`, `numbering` |
//! | layout | the header: orders of men, flags, codes, maps, and where the blocks are | `layout` |
//! | blocks | which of them has an index | `find` |
//! | | runs of values, replaced by symbols for pairs of pairs, in a canonical Huffman code | `pairs`, `checkpoints` |
//! | | all values of small tables side by side, in memory | `preloaded` |
//!
//! As in our own tables, values that a prober finds by itself may be anything: where a capture
//! decides, a result need not be that of the position, and distances are kept only where no capture
//! or pawn move wins. `probe` has the search for both formats. En-passant and castling rights are
//! left aside.
//!
//! A table that is opened is checked as far as its header goes; everything else is checked when it
//! is read. Damage is an error, or a wrong value: the format has one checksum for the whole file,
//! which probers do not look at.
//!
//! # Examples
//!
//! ```no_run
//! use retrograde::game::Color;
//! use retrograde::chess::rules::Position;
//! use retrograde::chess::index::Placement;
//! use retrograde::metric::{Metric, Wdl};
//! use retrograde::syzygy::Table;
//!
//! let material = "KQvKR".parse()?;
//! let table = Table::open("syzygy/KQvKR.rtbw".as_ref(), &material, Metric::Wdl)?;
//! let position = Position::from_fen("8/8/8/3k4/3r4/8/1Q6/K7 w - - 0 1")?;
//! assert_eq!(table.wdl(&Placement::from(&position), Color::White)?, Wdl::Win);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod checkpoints;
mod checksum;
#[cfg(feature = "generate")]
mod encode;
mod find;
#[cfg(test)]
mod forgery;
mod index;
mod layout;
mod memory;
mod numbering;
mod order;
mod pairs;
mod preload;
mod preloaded;
mod sequence;
mod table;

mod walk;
#[cfg(feature = "generate")]
mod write;

use std::path::{Path, PathBuf};

use crate::chess::material::Material;
use crate::metric::Metric;

pub use crate::error::SyzygyError;
#[cfg(feature = "generate")]
pub(crate) use encode::{EncodedStream, LongStream, PIECE};
#[cfg(test)]
pub(crate) use forgery::Forgery;
pub use index::{Encoder, LeadingPawns};
pub(crate) use layout::map_number;
pub use layout::{DTZ_MAGIC, Flags, WDL_MAGIC};
pub(crate) use memory::{Kept, Memory};
pub(crate) use order::{MenOrder, files};
pub(crate) use sequence::Sequence;
pub use table::Table;
pub(crate) use walk::{Listed, Run, Squares};
#[cfg(feature = "generate")]
pub(crate) use write::{Maps, Stream, write_table};
#[cfg(feature = "generate")]
#[doc(hidden)]
pub use write::{WrittenStream, written_for_test};

/// The metrics that have files, and their extensions.
const EXTENSIONS: [(Metric, &str); 2] = [(Metric::Wdl, "rtbw"), (Metric::Dtz, "rtbz")];

/// The published name of the file of a material in either colours: `KNNvKQ.rtbw`. Distances to mate
/// have none.
#[must_use]
pub fn file_name(material: &Material, metric: Metric) -> Option<String> {
    let (_, extension) = EXTENSIONS.into_iter().find(|&(known, _)| known == metric)?;
    Some(format!("{}.{extension}", material.normal_form()))
}

/// The file of a material in either colours in a directory. Either side may come first in its name.
pub(crate) fn find_file(directory: &Path, material: &Material, metric: Metric) -> Option<PathBuf> {
    let (_, extension) = EXTENSIONS.into_iter().find(|&(known, _)| known == metric)?;
    let mut names = [*material, material.with_colors_exchanged()]
        .map(|material| directory.join(format!("{material}.{extension}")));
    names.sort();
    names.into_iter().find(|path| path.exists())
}

/// The material, in the colours of the name, and metric that a file name stands for: `KQvKR.rtbw`.
///
/// Either side may come first, but the men of a side are in the order king, queen, rook, bishop,
/// knight, pawn. Nothing for names of another form.
#[must_use]
pub fn parse_file_name(name: &str) -> Option<(Material, Metric)> {
    let (stem, extension) = name.rsplit_once('.')?;
    let (metric, _) = EXTENSIONS
        .into_iter()
        .find(|&(_, known)| known == extension)?;
    let material: Material = stem.parse().ok()?;
    (material.to_string() == stem).then_some((material, metric))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_their_published_names() {
        for (material, name) in [
            ("KQvKNN", "KNNvKQ.rtbw"),
            ("KNvKB", "KBvKN.rtbw"),
            ("KPvKQ", "KQvKP.rtbw"),
            ("KRvKBB", "KBBvKR.rtbw"),
            ("KNNvKBP", "KBPvKNN.rtbw"),
        ] {
            let material: Material = material.parse().unwrap();
            assert_eq!(file_name(&material, Metric::Wdl).as_deref(), Some(name));
        }
        let material: Material = "KQvK".parse().unwrap();
        assert_eq!(file_name(&material, Metric::Dtm), None);
    }

    #[test]
    fn names_may_have_either_side_first() {
        for name in ["KQvKNN.rtbw", "KNNvKQ.rtbw"] {
            let (material, metric) = parse_file_name(name).unwrap();
            assert_eq!(
                (material.normal_form().to_string().as_str(), metric),
                ("KNNvKQ", Metric::Wdl)
            );
        }
        assert_eq!(parse_file_name("KPvK.rtbz").unwrap().1, Metric::Dtz);
        for name in [
            "KvK.rtbw",
            "KQKR.rtbw",
            "KQvKR.wdl",
            "kqvkr.rtbw",
            "KQvKR.RTBW",
            "KRQvK.rtbw",
            ".rtbw",
        ] {
            assert!(parse_file_name(name).is_none(), "{name}");
        }
    }
}
