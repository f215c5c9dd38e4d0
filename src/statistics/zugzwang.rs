//! Mutual zugzwangs: whoever is to move does worse than if it were the opponent's turn.

use crate::chess::index::{IndexSpace, Placement};
use crate::chess::symmetry::mirror;
use crate::metric::Wdl;

/// What the two sides get who would rather not move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// White to move draws, Black to move loses.
    BlackLoses,
    /// White to move loses, Black to move draws.
    WhiteLoses,
    /// Whoever is to move loses: a full point is lost by it.
    BothLose,
}

impl Kind {
    /// All of them, in the order of table files.
    pub const ALL: [Kind; 3] = [Kind::BlackLoses, Kind::WhiteLoses, Kind::BothLose];

    /// From the results of White to move and of Black to move, each from the mover's point of view;
    /// nothing if one of them does not mind moving. The fifty-move rule is ignored.
    #[must_use]
    pub fn new(white: Wdl, black: Wdl) -> Option<Kind> {
        match [white, black].map(|wdl| wdl.signum2().signum()) {
            [0, -1] => Some(Kind::BlackLoses),
            [-1, 0] => Some(Kind::WhiteLoses),
            [-1, -1] => Some(Kind::BothLose),
            _ => None,
        }
    }
}

/// Whether no placement that counts as the same has a smaller index, in natural order. Where pawns
/// are their own mirror image, two placements that are each other's have an index each; where both
/// sides have the same men and lose, exchanging the colours does not make a zugzwang a different
/// one.
#[must_use]
pub fn is_first(space: &IndexSpace, index: u64, kind: Kind, placement: &Placement) -> bool {
    let natural = space.natural_order();
    let is_not_before = |same: &Placement| {
        let mirrored = Placement {
            men: same.men.map(|side| side.map(mirror)),
        };
        [*same, mirrored]
            .iter()
            .all(|image| natural.index(&space.digits(image)) >= index)
    };
    let are_colors_alike = kind == Kind::BothLose && space.material().is_symmetric();
    is_not_before(placement)
        && (!are_colors_alike || is_not_before(&placement.with_colors_exchanged()))
}

/// The index of a position with the colours exchanged.
pub fn exchanged_index(space: &IndexSpace, placement: &Placement) -> u64 {
    let exchanged = placement.with_colors_exchanged();
    space.natural_order().index(&space.digits(&exchanged))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zugzwang_costs_something_and_a_win_is_none() {
        let points = |wdl: Wdl| wdl.signum2().signum();
        for white in Wdl::ALL {
            for black in Wdl::ALL {
                // What White gets from either side's move.
                let costs = points(white) < -points(black);
                assert_eq!(Kind::new(white, black).is_some(), costs);
            }
        }
        assert_eq!(
            Kind::new(Wdl::BlessedLoss, Wdl::Loss),
            Some(Kind::BothLose),
            "the fifty-move rule is ignored"
        );
    }

    #[test]
    fn of_images_one_comes_first() {
        // Pawns that are their own mirror image, and sides with the same men.
        for (signature, kind, images) in [
            ("KPPvK", Kind::BlackLoses, 1),
            ("KPvKP", Kind::BothLose, 2),
            ("KPvKP", Kind::BlackLoses, 1),
        ] {
            let space = IndexSpace::new(signature.parse().unwrap());
            let natural = space.natural_order();
            for index in (0..space.len()).step_by(61) {
                let Some(placement) = space.placement(&natural.digits(index)) else {
                    continue;
                };
                let exchanged = placement.with_colors_exchanged();
                let mut indices: Vec<u64> = [placement, exchanged][..images]
                    .iter()
                    .flat_map(|same| {
                        let men = same.men.map(|side| side.map(mirror));
                        [*same, Placement { men }]
                    })
                    .map(|image| natural.index(&space.digits(&image)))
                    .collect();
                indices.sort_unstable();
                indices.dedup();
                let first: Vec<u64> = indices
                    .iter()
                    .copied()
                    .filter(|&index| {
                        let placement = space.placement(&natural.digits(index)).unwrap();
                        is_first(&space, index, kind, &placement)
                    })
                    .collect();
                assert_eq!(first, indices[..1], "{signature}");
            }
        }
    }
}
