//! `retrograde info` for xiangqi.

use std::io::Write;

use anyhow::{Result, bail};
use indicatif::{HumanBytes, HumanCount};
use retrograde::game::{Color, Game};
use retrograde::probe::xiangqi::{XiangqiProbeError, is_about};
use retrograde::table::{Counts, Longest, Table};
use retrograde::xiangqi::{IndexSpace, Metric, Rules};
use serde_json::{Value, json};

use super::files;
use crate::cli::directory::TableDirectory;
use crate::cli::{Outcome, input};

fn counts_answer(counts: &Counts) -> Value {
    json!({"win": counts.win, "cursed_win": 0, "draw": counts.draw, "blessed_loss": 0, "loss": counts.loss})
}

fn longest_answer(space: &IndexSpace, longest: Option<Longest>, turn: Color) -> Value {
    let fen = longest
        .and_then(|longest| space.placement(longest.index))
        .and_then(|placement| placement.position(turn))
        .map(|position| position.to_fen());
    json!({"plies": longest.map_or(0, |longest| longest.plies), "fen": fen})
}

/// Reads the headers and prints.
pub fn info(
    signature: &str,
    rules: Rules,
    json: bool,
    directory: &TableDirectory,
    out: &mut dyn Write,
) -> Result<Outcome> {
    let material = input::xiangqi_material(signature)?;
    let files = files(directory, rules, &material);
    if files.is_empty() {
        return Err(XiangqiProbeError::Missing {
            material,
            metric: Metric::Wdl,
            rules,
            directory: directory.path().to_owned(),
        }
        .into());
    }
    let Some(space) = IndexSpace::new(material) else {
        bail!("{material} has too many positions for a table; name a smaller material");
    };
    let mut tables = Vec::new();
    let mut longest = json!({"dtm": null, "dtc": null});
    let mut counts = [Counts::default(); 2];
    for (metric, path) in files {
        let table = Table::open(&path)?;
        let description = table.description();
        if !is_about(description, &material, metric, rules) {
            return Err(retrograde::Error::Foreign {
                path,
                material: material.to_string(),
                difference: "the header says something else".to_owned(),
            }
            .into());
        }
        counts = description.counts;
        if matches!(metric, Metric::Dtc | Metric::Dtm) {
            let [red, black] = Color::ALL
                .map(|color| longest_answer(&space, description.longest[color.index()], color));
            longest[metric.name()] = json!({"red": red, "black": black});
        }
        tables.push(json!({
            "metric": metric.name(),
            "format": "native",
            "file": path,
            "bytes": table.file_len(),
        }));
    }
    if json {
        let [red, black] = counts.each_ref().map(counts_answer);
        let answer = json!({
            "material": material.to_string(),
            "game": "xiangqi",
            "rules": rules.name(),
            "tables": tables,
            "counts": {"red": red, "black": black},
            "longest": longest,
        });
        writeln!(out, "{answer}")?;
        return Ok(Outcome::Done);
    }
    writeln!(out, "{material} (xiangqi, {rules})")?;
    for table in &tables {
        let size = HumanBytes(table["bytes"].as_u64().unwrap_or(0)).to_string();
        let text = |key: &str| table[key].as_str().unwrap_or_default().to_owned();
        writeln!(out, "  {:<6} {size:>12}  {}", text("metric"), text("file"))?;
    }
    let [red, black] = &counts;
    writeln!(
        out,
        "\n{:<6} {:>18} {:>18}",
        "", "red to move", "black to move"
    )?;
    for (what, red, black) in [
        ("win", red.win, black.win),
        ("draw", red.draw, black.draw),
        ("loss", red.loss, black.loss),
    ] {
        let [red, black] = [red, black].map(|count| HumanCount(count).to_string());
        writeln!(out, "{what:<6} {red:>18} {black:>18}")?;
    }
    writeln!(out)?;
    for metric in ["dtm", "dtc"] {
        for color in Color::ALL {
            let side = Game::Xiangqi.name_of(color);
            let entry = &longest[metric][side];
            if let (Some(plies), Some(fen)) = (entry["plies"].as_u64(), entry["fen"].as_str()) {
                writeln!(
                    out,
                    "longest win of {side} by {metric}: {plies} plies, {fen}"
                )?;
            }
        }
    }
    Ok(Outcome::Done)
}
