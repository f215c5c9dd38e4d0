//! Numbers in a file that are wrong whatever the moves lead to.

use crate::chess::index::Placement;
use crate::chess::material::Material;
use crate::chess::rules::Role;
use crate::game::Color;
use crate::metric::Metric;
use crate::probe::Format;
use crate::verify::report::Difference;

/// What is wrong with a number.
#[derive(Clone, Copy, Debug)]
pub(super) enum Strangeness {
    /// It stands for nothing.
    Meaningless,
    /// A mirror image of the position has another number, and another value.
    UnlikeMirrorImage,
}

/// Whose numbers they are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strange {
    pub material: Material,
    pub format: Format,
}

impl Strange {
    /// A number of some men and a square of the black king, as a report has it.
    pub fn told(
        self,
        metric: Metric,
        placement: &Placement,
        side: Color,
        king: u32,
        what: Strangeness,
    ) -> Difference {
        let (stored, expected) = match what {
            Strangeness::Meaningless => ("a number without meaning", "a value"),
            Strangeness::UnlikeMirrorImage => {
                ("another value for a mirror image", "the same value")
            }
        };
        Difference {
            subject: self.material.into(),
            format: self.format,
            metric: metric.name(),
            fen: fen(placement, side, king),
            stored: stored.to_owned(),
            expected: expected.to_owned(),
        }
    }
}

/// A position as text; empty if it is none.
pub(super) fn fen(placement: &Placement, side: Color, king: u32) -> String {
    let mut placement = *placement;
    placement.men[1][Role::King.index()] = 1 << king;
    placement
        .position(side)
        .map(|position| position.to_fen())
        .unwrap_or_default()
}
