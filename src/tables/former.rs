//! Tables of earlier versions, whose White is the other side.

use crate::chess::index::IndexSpace;
use crate::table::{Description, Longest};

/// What a header says of a chess material, said of the material with the colours exchanged.
pub(crate) fn in_other_colors(
    description: &Description,
    from: &IndexSpace,
    to: &IndexSpace,
) -> Description {
    let [white, black] = description.counts;
    let [longest_white, longest_black] = description.longest;
    let exchanged = |longest: Longest| {
        // The header may say anything.
        if longest.index >= from.len() {
            return None;
        }
        let placement = from.placement(&from.natural_order().digits(longest.index))?;
        let digits = to.digits(&placement.with_colors_exchanged());
        let index = to.natural_order().index(&digits);
        Some(Longest { index, ..longest })
    };
    Description {
        material: to.material().to_string(),
        counts: [black, white],
        longest: [longest_black, longest_white].map(|longest| longest.and_then(exchanged)),
        ..description.clone()
    }
}
