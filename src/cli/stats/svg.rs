//! The histograms as a drawing.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::histogram::Distances;

/// Size of one histogram in pixels, and what is around it.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 180.0;
const MARGIN: f64 = 48.0;
const WIN: &str = "#3b7a57";
const LOSS: &str = "#a23b3b";

/// One histogram for each of some titled distances: positions by plies, on a logarithmic scale, since a few long wins
/// stand beside a great many short ones.
pub fn draw<'a>(titled: impl Iterator<Item = (String, &'a Distances)>) -> String {
    let panels: Vec<(String, &BTreeMap<i32, u64>)> = titled
        .map(|(title, distances)| (title, &distances.histogram))
        .filter(|(_, histogram)| !histogram.is_empty())
        .collect();
    let width = WIDTH + 2.0 * MARGIN;
    let height = panels.len().max(1) as f64 * (HEIGHT + 2.0 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (number, (title, histogram)) in panels.iter().enumerate() {
        let top = number as f64 * (HEIGHT + 2.0 * MARGIN) + MARGIN;
        panel(&mut svg, top, title, histogram);
    }
    svg.push_str("</svg>\n");
    svg
}

fn panel(svg: &mut String, top: f64, title: &str, histogram: &BTreeMap<i32, u64>) {
    let longest = histogram
        .keys()
        .map(|plies| plies.unsigned_abs())
        .max()
        .unwrap_or(0)
        .max(1);
    let highest = histogram.values().copied().max().unwrap_or(0).max(1);
    let height_of = |count: u64| (1.0 + count as f64).ln() / (1.0 + highest as f64).ln() * HEIGHT;
    let bottom = top + HEIGHT;
    let step = WIDTH / f64::from(longest + 1);
    // Writing to a string cannot fail.
    let _ = writeln!(
        svg,
        "<text x=\"{MARGIN}\" y=\"{:.1}\" font-size=\"14\">{title}</text>\n\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\"><tspan fill=\"{WIN}\">won</tspan> and \
         <tspan fill=\"{LOSS}\">lost</tspan> positions, logarithmic; highest {highest}</text>",
        top - 12.0,
        MARGIN + WIDTH,
        top - 12.0
    );
    for (&plies, &count) in histogram {
        let height = height_of(count);
        let color = if plies > 0 { WIN } else { LOSS };
        let _ = writeln!(
            svg,
            "<rect x=\"{:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{height:.2}\" fill=\"{color}\" \
             fill-opacity=\"0.8\"><title>{plies}: {count}</title></rect>",
            MARGIN + f64::from(plies.unsigned_abs()) * step,
            bottom - height,
            step * 0.9
        );
    }
    let _ = writeln!(
        svg,
        "<path d=\"M{MARGIN} {bottom}h{WIDTH}\" stroke=\"black\"/>"
    );
    let every = longest.div_ceil(10).max(1) as usize;
    for plies in (0..=longest).step_by(every) {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{plies}</text>",
            MARGIN + (f64::from(plies) + 0.5) * step,
            bottom + 16.0
        );
    }
}
