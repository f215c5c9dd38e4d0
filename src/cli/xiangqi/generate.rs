//! `retrograde generate --game xiangqi`.

use std::io::Write;
use std::time::Instant;

use anyhow::{Result, bail};
use retrograde::Error;
use retrograde::generate::xiangqi::{XiangqiOptions, XiangqiPlan, xiangqi_materials};
use retrograde::xiangqi::{Material, Metric, Rules};
use serde_json::json;

use super::parse;
use crate::cli::generate::{Generate, Set};
use crate::cli::{Outcome, TableDirectory, print, progress};

fn materials(arguments: &Generate) -> Result<Vec<Material>> {
    let mut all: Vec<Material> = (arguments.materials.iter())
        .map(|signature| parse(signature))
        .collect::<Result<_>>()?;
    match arguments.set {
        Some(Set::OneAttacker) => all.extend(Material::one_attacker()),
        Some(Set::OneAttackerGuarded) => all.extend(Material::one_attacker_guarded()),
        None => {}
    }
    if let Some(men) = arguments.men {
        all.extend(xiangqi_materials(men));
    }
    if all.is_empty() {
        bail!(
            "nothing to generate: name a material such as KRvKAABB, or add --set one-attacker or --men 4"
        );
    }
    Ok(all)
}

/// What is stored: results always, and rounds where the rule decides something.
fn metrics(arguments: &Generate, rules: Rules) -> Result<Vec<Metric>> {
    let mut metrics = match (&arguments.metric, rules) {
        (Some(names), _) => names
            .iter()
            .map(|name| name.parse())
            .collect::<Result<Vec<Metric>, _>>()?,
        (None, Rules::CyclesDraw) => vec![Metric::Dtc, Metric::Dtm],
        (None, Rules::PerpetualCheck) => vec![Metric::Dtc],
    };
    if rules == Rules::PerpetualCheck {
        if metrics.contains(&Metric::Dtm) {
            bail!(
                "distances to mate are defined under --rules cycles-draw only; add that, or leave dtm out of --metric"
            );
        }
        metrics.push(Metric::Rounds);
    }
    metrics.push(Metric::Wdl);
    metrics.sort_unstable();
    metrics.dedup();
    Ok(metrics)
}

/// Generates what is missing.
pub fn generate(
    arguments: &Generate,
    tables: &TableDirectory,
    out: &mut dyn Write,
) -> Result<Outcome> {
    let rules = arguments.rules.unwrap_or_default();
    let directory = tables.path();
    let plan = XiangqiPlan::new(XiangqiOptions {
        directory: directory.to_owned(),
        materials: materials(arguments)?,
        rules,
        metrics: metrics(arguments, rules)?,
        compression: arguments.compression.into(),
    });
    if arguments.dry_run {
        return show_plan(&plan, arguments.json, out);
    }
    let cancel = progress::cancel_on_interrupt()?;
    let bar = progress::bar(plan.steps().len() as u64, "materials");
    let start = Instant::now();
    let written = plan.run(&cancel, &|material| {
        bar.set_message(material.to_string());
        bar.inc(1);
    });
    bar.finish_and_clear();
    let written = match written {
        Err(Error::Cancelled) => {
            bail!("stopped; the tables that were finished stay, and the same command carries on")
        }
        other => other?,
    };
    let seconds = start.elapsed().as_secs_f64();
    if arguments.json {
        let answer = json!({
            "directory": directory,
            "game": "xiangqi",
            "rules": rules.name(),
            "present": plan.present(),
            "files": written.files,
            "bytes": written.bytes,
            "seconds": seconds,
        });
        writeln!(out, "{answer}")?;
    } else if plan.is_empty() {
        print::nothing_to_do(plan.present(), directory, out)?;
    } else {
        print::written(written.files, written.bytes, directory, seconds, out)?;
    }
    Ok(Outcome::Done)
}

fn show_plan(plan: &XiangqiPlan, json: bool, out: &mut dyn Write) -> Result<Outcome> {
    let names = |metrics: &[Metric]| -> Vec<&str> { metrics.iter().map(|m| m.name()).collect() };
    if json {
        let steps: Vec<_> = plan
            .steps()
            .iter()
            .map(|(material, write)| json!({"material": material.to_string(), "write": names(write)}))
            .collect();
        let answer = json!({"game": "xiangqi", "present": plan.present(), "steps": steps});
        writeln!(out, "{answer}")?;
        return Ok(Outcome::Done);
    }
    for (material, write) in plan.steps() {
        writeln!(
            out,
            "{:<20} {}",
            material.to_string(),
            names(write).join(" ")
        )?;
    }
    writeln!(
        out,
        "{} materials to solve, {} there already",
        plan.steps().len(),
        plan.present()
    )?;
    Ok(Outcome::Done)
}
