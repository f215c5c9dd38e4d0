//! The histograms as a drawing.

use std::collections::BTreeMap;
use std::fmt::Write;

use indicatif::HumanCount;

use super::histogram::Distances;

/// Size of one histogram in pixels, and what is around it.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 200.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 56.0;
const BOTTOM: f64 = 52.0;

/// Colours for paper and for dark screens; what is won and lost is told apart by lightness as well.
const STYLE: &str = "<style>\
    svg{color:#222;background:#fff}.won{fill:#2f7d5b}.lost{fill:#c98a8a}\
    text{fill:currentColor}.axis{stroke:currentColor}.grid{stroke:currentColor;stroke-opacity:.18}\
    .limit{stroke:currentColor;stroke-dasharray:4 3}\
    @media(prefers-color-scheme:dark){svg{color:#ddd;background:#181818}.won{fill:#3fa37a}.lost{fill:#b56a6a}}\
    @media print{svg{color:#000;background:#fff}}\
    </style>";

/// One histogram.
pub struct Panel<'a> {
    pub title: String,
    /// Which plies they are.
    pub metric: &'a str,
    pub distances: &'a Distances,
    /// Positions without a distance.
    pub draws: u64,
}

/// Histograms below each other: positions by plies, on a logarithmic scale, since a few long wins
/// stand beside a great many short ones.
pub fn draw<'a>(panels: impl Iterator<Item = Panel<'a>>) -> String {
    let panels: Vec<Panel<'_>> = panels
        .filter(|panel| !panel.distances.histogram.is_empty())
        .collect();
    let width = LEFT + WIDTH + RIGHT;
    let each = TOP + HEIGHT + BOTTOM;
    let height = panels.len().max(1) as f64 * each;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"sans-serif\" font-size=\"12\">\n{STYLE}\n"
    );
    for (number, panel) in panels.iter().enumerate() {
        panel.draw(number as f64 * each + TOP, &mut svg);
    }
    svg.push_str("</svg>\n");
    svg
}

impl Panel<'_> {
    fn draw(&self, top: f64, svg: &mut String) {
        let bars = bars(&self.distances.histogram);
        let last = bars.keys().copied().max().unwrap_or(0);
        let highest = bars
            .values()
            .map(|[won, lost]| won + lost)
            .max()
            .unwrap_or(1);
        let decades = f64::from(highest.max(1).ilog10() + 1);
        let height_of = |count: u64| (count as f64).log10().max(0.02) / decades * HEIGHT;
        let bottom = top + HEIGHT;
        let step = WIDTH / f64::from(last + 1);
        let place = |bar: u32| LEFT + f64::from(bar) * step;
        // Writing to a string cannot fail.
        let _ = writeln!(
            svg,
            "<text x=\"{LEFT}\" y=\"{:.1}\" font-size=\"15\">{}</text>\n\
             <rect class=\"won\" x=\"{LEFT}\" y=\"{:.1}\" width=\"10\" height=\"10\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\">won</text>\
             <rect class=\"lost\" x=\"{:.1}\" y=\"{:.1}\" width=\"10\" height=\"10\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\">lost</text>\
             <text x=\"{:.1}\" y=\"{:.1}\">drawn: {}</text>",
            top - 34.0,
            self.title,
            top - 23.0,
            LEFT + 15.0,
            top - 14.0,
            LEFT + 60.0,
            top - 23.0,
            LEFT + 75.0,
            top - 14.0,
            LEFT + 120.0,
            top - 14.0,
            HumanCount(self.draws)
        );
        for decade in 0..=decades as u32 {
            let y = bottom - f64::from(decade) / decades * HEIGHT;
            let _ = writeln!(
                svg,
                "<path class=\"grid\" d=\"M{LEFT} {y:.1}h{WIDTH}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 6.0,
                y + 4.0,
                HumanCount(10u64.saturating_pow(decade))
            );
        }
        for (&bar, &[won, lost]) in &bars {
            let all = height_of(won + lost);
            let of_won = all * won as f64 / (won + lost) as f64;
            let (x, width) = (place(bar), (step * 0.9).max(0.2));
            let plies = match bar {
                0 => "0 plies".to_owned(),
                _ => format!("{} and {} plies", 2 * bar - 1, 2 * bar),
            };
            let _ = write!(svg, "<g><title>{plies}: {won} won, {lost} lost</title>");
            for (class, y, height) in [
                ("won", bottom - of_won, of_won),
                ("lost", bottom - all, all - of_won),
            ] {
                if height > 0.0 {
                    let _ = write!(
                        svg,
                        "<rect class=\"{class}\" x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\"/>"
                    );
                }
            }
            svg.push_str("</g>\n");
        }
        let _ = writeln!(
            svg,
            "<path class=\"axis\" fill=\"none\" d=\"M{LEFT} {top}v{HEIGHT}h{WIDTH}\"/>"
        );
        let every = [5, 10, 20, 50, 100]
            .into_iter()
            .find(|every| last * 2 / every <= 12);
        for plies in (0..=last * 2).step_by(every.unwrap_or(200) as usize) {
            let x = place(plies.div_ceil(2)) + step / 2.0;
            let _ = writeln!(
                svg,
                "<path class=\"axis\" d=\"M{x:.1} {bottom}v5\"/>\
                 <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{plies}</text>",
                bottom + 18.0
            );
        }
        // What is behind it is cursed or blessed; distances to mate know nothing of that.
        if self.metric == "dtz" && last > 50 {
            let x = place(51);
            let _ = writeln!(
                svg,
                "<path class=\"limit\" d=\"M{x:.1} {top}v{HEIGHT}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\">100: fifty-move rule</text>",
                x + 4.0,
                top + 12.0
            );
        }
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{} in plies, two a bar</text>\n\
             <text transform=\"translate(14 {:.1}) rotate(-90)\" text-anchor=\"middle\">positions, logarithmic</text>",
            LEFT + WIDTH / 2.0,
            bottom + 36.0,
            self.metric,
            top + HEIGHT / 2.0
        );
    }
}

/// Won and lost positions, two plies together: wins mostly take an odd number and losses an even
/// one, so that every second bar of single plies would be empty.
fn bars(histogram: &BTreeMap<i32, u64>) -> BTreeMap<u32, [u64; 2]> {
    let mut bars: BTreeMap<u32, [u64; 2]> = BTreeMap::new();
    for (&plies, &count) in histogram.iter().filter(|&(_, &count)| count > 0) {
        let bar = bars.entry(plies.unsigned_abs().div_ceil(2)).or_default();
        bar[usize::from(plies <= 0)] += count;
    }
    bars
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_plies_are_one_bar_of_wins_and_losses() {
        let histogram = BTreeMap::from([(-2, 5), (1, 7), (3, 11), (-4, 13), (0, 2), (-6, 0)]);
        let expected = BTreeMap::from([(0, [0, 2]), (1, [7, 5]), (2, [11, 13])]);
        assert_eq!(bars(&histogram), expected);
    }
}
