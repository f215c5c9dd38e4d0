//! The same for xiangqi.

use std::collections::HashSet;
use std::io::Write;
use std::time::Instant;

use anyhow::{Result, bail};
use retrograde::game::xiangqi::{Move, Position, wxf};
use retrograde::metric::Wdl;
use retrograde::probe::xiangqi::{XiangqiProbeError, XiangqiTables, XiangqiValue};
use retrograde::reach::xiangqi::{
    Analysed, LeafError, Leaves, LineEnd, MoveValue, Options, Solved, bytes_per_position, solve,
};
use retrograde::xiangqi::{Material, Metric, Rules};
use serde::Serialize;

use super::answer::{Bounds, Explored, unproved};
use super::print::print_exploration;
use super::{LAST_SECONDS, Solve, describe, outcome, with_the_error_of_a_leaf};
use crate::cli::print::{plies_or_dash, those_that_hold};
use crate::cli::xiangqi::{LineAnswer, MoveRow, line, listed, move_rows, name, print_line};
use crate::cli::{Outcome, TableDirectory, progress};

/// A position, what is proved of it for the side to move, and its moves, best first.
#[derive(Debug, Serialize)]
struct Answer {
    fen: String,
    game: &'static str,
    rules: &'static str,
    material: String,
    /// Why the category is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(flatten)]
    value: ValueAnswer,
    /// Whether distances are exact, or those of a way that was found and may not be the shortest.
    exact: bool,
    moves: Vec<MoveAnswer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<LineAnswer>,
    #[serde(flatten)]
    explored: Explored,
}

#[derive(Debug, Serialize)]
struct ValueAnswer {
    category: &'static str,
    #[serde(flatten)]
    bounds: Bounds,
    dtc: Option<i32>,
    dtm: Option<i32>,
    round: Option<u8>,
    checkmate: bool,
    stalemate: bool,
    insufficient_material: bool,
}

/// A move; values are for the side to move after it.
#[derive(Debug, Serialize)]
struct MoveAnswer {
    uci: String,
    wxf: String,
    zeroing: bool,
    #[serde(flatten)]
    value: ValueAnswer,
}

/// The materials that a directory has results of, but for that of the position itself.
struct TableLeaves<'a> {
    tables: &'a XiangqiTables,
    covered: HashSet<Material>,
    has_mates: bool,
}

impl<'a> TableLeaves<'a> {
    fn new(
        tables: &'a XiangqiTables,
        root: &Position,
        directory: &TableDirectory,
        rules: Rules,
    ) -> Result<TableLeaves<'a>> {
        let of_root = Material::of(root).normal_form();
        let files = listed(directory)?;
        let has = |metric: Metric| -> HashSet<Material> {
            let of_metric = (files.iter())
                .filter(|file| file.rules == rules && file.metric == metric)
                .map(|file| file.material.normal_form());
            of_metric.filter(|material| *material != of_root).collect()
        };
        let covered = has(Metric::Wdl);
        Ok(TableLeaves {
            tables,
            has_mates: covered.is_subset(&has(Metric::Dtm)),
            covered,
        })
    }

    fn none(tables: &'a XiangqiTables) -> TableLeaves<'a> {
        TableLeaves {
            tables,
            covered: HashSet::new(),
            has_mates: true,
        }
    }

    fn max_men(&self) -> usize {
        self.covered.iter().map(Material::men).max().unwrap_or(0)
    }
}

impl Leaves for TableLeaves<'_> {
    fn covers(&self, position: &Position) -> bool {
        !self.covered.is_empty() && self.covered.contains(&Material::of(position).normal_form())
    }

    fn value(&self, position: &Position) -> Result<XiangqiValue, LeafError> {
        Ok(self.tables.probe(position)?)
    }

    fn has_mates(&self) -> bool {
        self.has_mates
    }
}

/// Solves and prints.
///
/// # Errors
///
/// As for chess; and for what only chess has.
pub fn run(command: &Solve, directory: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
    refuse_what_only_chess_has(command)?;
    let position = crate::cli::input::xiangqi_position(&command.fen)?;
    let men = position.occupied().count_ones() as usize;
    let max_positions = command.max_positions(men, bytes_per_position(&position))?;
    let rules = command.rules;
    let tables = XiangqiTables::open(directory.path(), rules);
    let leaves = match command.without_tables {
        true => TableLeaves::none(&tables),
        false => TableLeaves::new(&tables, &position, directory, rules)?,
    };
    progress::use_threads(command.threads)?;
    let [stop, cancel] = progress::stop_on_interrupt(LAST_SECONDS)?;
    let bar = progress::spinner();
    let start = Instant::now();
    let solved = solve(
        &position,
        &leaves,
        &Options {
            rules,
            max_positions,
            side: command.prove.map(Into::into),
            mates: !command.without_dtm,
            stop: &stop,
            cancel: &cancel,
            report: &|progress| bar.set_message(describe(progress)),
            ..Options::default()
        },
    );
    bar.finish_and_clear();
    let solved = solved.map_err(with_the_error_of_a_leaf::<XiangqiProbeError>)?;
    let mut answer = Answer::new(&solved, rules);
    answer.explored.table_men = leaves.max_men();
    answer.explored.seconds = start.elapsed().as_secs_f64();
    if command.line {
        answer.line = Some(line_of(&solved, &tables)?);
    }
    if command.json {
        writeln!(out, "{}", serde_json::to_string(&answer)?)?;
    } else {
        print(&answer, &position, out)?;
    }
    outcome(solved.end, answer.reason)
}

/// Options that mean nothing here are not passed over in silence.
fn refuse_what_only_chess_has(command: &Solve) -> Result<()> {
    let given = [
        (command.promote.is_some(), "--promote"),
        (command.max_pieces.is_some(), "--max-pieces"),
        (command.concede_promotions, "--concede-promotions"),
        (command.keep_men.is_some(), "--keep-men"),
        (command.pgn, "--pgn"),
        (command.save.is_some(), "--save"),
    ];
    match given.into_iter().find(|(is_given, _)| *is_given) {
        Some((_, option)) => bail!("{option} is for chess, and this is xiangqi; leave it out"),
        None => Ok(()),
    }
}

/// The analysis whose distances, order of moves and line are those of the result.
fn decisive(solved: &Solved) -> Option<&Analysed> {
    let is_loss = |found: &&Analysed| found.root.wdl == Wdl::Loss;
    let upper = solved.upper();
    upper.filter(is_loss).or(solved.lower()).or(upper)
}

impl ValueAnswer {
    /// What is proved of a position, and the value from which its distances are.
    fn new(position: &Position, bounds: Bounds, value: Option<XiangqiValue>) -> ValueAnswer {
        let value = value.filter(|value| Some(value.wdl) == bounds.result);
        ValueAnswer {
            category: bounds.category(),
            bounds,
            dtc: value.and_then(|value| value.dtc),
            dtm: value.and_then(|value| value.dtm).map(|dtm| dtm.0),
            round: value.map(|value| value.round),
            checkmate: position.is_checkmate(),
            stalemate: position.is_stalemate(),
            insufficient_material: position.is_insufficient_material(),
        }
    }
}

impl Answer {
    fn new(solved: &Solved, rules: Rules) -> Answer {
        let position = &solved.root;
        let result = |found: Option<&Analysed>| found.map(|found| found.root.wdl);
        let at_least = result(solved.lower()).unwrap_or(Wdl::Loss);
        let at_most = match at_least {
            // Nothing is better.
            Wdl::Win => Wdl::Win,
            _ => result(solved.upper()).unwrap_or(Wdl::Win),
        };
        let bounds = Bounds::new(at_least, at_most);
        let reason = bounds.result.is_none();
        Answer {
            fen: position.to_fen(),
            game: "xiangqi",
            rules: rules.name(),
            material: Material::of(position).normal_form().to_string(),
            reason: reason.then(|| unproved(solved.end, &bounds)),
            value: ValueAnswer::new(position, bounds, decisive(solved).map(|found| found.root)),
            exact: solved.exact().is_some(),
            moves: moves(solved),
            line: None,
            explored: Explored::new(solved.end, solved.progress, solved.peak_memory),
        }
    }
}

/// What an analysis says of the position after a move.
fn after(found: Option<&Analysed>, played: Move) -> Option<XiangqiValue> {
    found?.moves.iter().find_map(|m| match m {
        MoveValue::Known(known) if known.played == played => Some(known.value),
        _ => None,
    })
}

/// The moves, those with the better bounds for the side to move first.
fn moves(solved: &Solved) -> Vec<MoveAnswer> {
    let position = &solved.root;
    let Some(first) = decisive(solved) else {
        return Vec::new();
    };
    let mut answers: Vec<([Wdl; 2], MoveAnswer)> = Vec::new();
    for m in &first.moves {
        let played = match m {
            MoveValue::Known(known) => known.played,
            MoveValue::Unexplored(played) => *played,
        };
        // What the side to move has at least, the opponent has at most.
        let (upper, lower) = (after(solved.lower(), played), after(solved.upper(), played));
        let at_most = upper.map_or(Wdl::Win, |value| value.wdl);
        let at_least = match at_most {
            Wdl::Loss => Wdl::Loss,
            _ => lower.map_or(Wdl::Loss, |value| value.wdl),
        };
        let value = match at_most {
            Wdl::Loss => upper,
            _ => lower.or(upper),
        };
        let answer = MoveAnswer {
            uci: played.to_iccs(),
            wxf: wxf(position, played),
            zeroing: played.is_capture(),
            value: ValueAnswer::new(
                &position.play(played),
                Bounds::new(at_least, at_most),
                value,
            ),
        };
        answers.push(([at_most, at_least], answer));
    }
    // A stable sort keeps the order of the distances.
    answers.sort_by_key(|&(bounds, _)| bounds);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

/// Best play: what was solved, and from where tables know more, what they say.
fn line_of(solved: &Solved, tables: &XiangqiTables) -> Result<LineAnswer> {
    let metric = match solved.has_mates {
        true => Metric::Dtm,
        false => Metric::Dtc,
    };
    let mut answer = LineAnswer {
        uci: Vec::new(),
        wxf: Vec::new(),
        end: "unknown",
        reason: None,
        metric: metric.name(),
    };
    let Some(found) = decisive(solved) else {
        return Ok(answer);
    };
    let mut position = solved.root;
    for &played in &found.line.moves {
        answer.uci.push(played.to_iccs());
        answer.wxf.push(wxf(&position, played));
        position = position.play(played);
    }
    answer.end = match found.line.end {
        LineEnd::Checkmate => "checkmate",
        LineEnd::Stalemate => "stalemate",
        LineEnd::Draw => "draw",
        LineEnd::PerpetualCheck => "perpetual-check",
        LineEnd::TooLong => "unfinished",
        _ => "unknown",
    };
    match found.line.end {
        LineEnd::Leaf => {
            let rest = line(tables, &position)?;
            answer.uci.extend(rest.uci);
            answer.wxf.extend(rest.wxf);
            answer.end = rest.end;
            answer.reason = rest.reason;
        }
        LineEnd::Unexplored => answer.reason = Some("what follows was not explored".to_owned()),
        _ => {}
    }
    Ok(answer)
}

fn print(answer: &Answer, position: &Position, out: &mut dyn Write) -> Result<()> {
    let value = &answer.value;
    let distance = |plies: Option<i32>| match plies {
        // A draw has no way that could be shorter.
        Some(plies) if plies != 0 && !answer.exact => format!("{plies} or less"),
        plies => plies_or_dash(plies),
    };
    writeln!(
        out,
        "{} under {}, {} to move: {}, dtc {}, dtm {}",
        answer.material,
        answer.rules,
        name(position.turn()),
        value.bounds.describe(),
        distance(value.dtc),
        distance(value.dtm)
    )?;
    let remarks = [
        (value.round > Some(0), "decided by perpetual check"),
        (value.checkmate, "checkmate"),
        (value.stalemate, "no legal move"),
        (value.insufficient_material, "nobody can attack"),
    ];
    those_that_hold(&remarks, out)?;
    print_exploration(&answer.explored, out)?;
    let rows = answer.moves.iter().map(|m| MoveRow {
        iccs: &m.uci,
        wxf: &m.wxf,
        result: m.value.bounds.describe(),
        dtc: m.value.dtc,
        dtm: m.value.dtm,
        checkmate: m.value.checkmate,
        stalemate: m.value.stalemate,
        capture: m.zeroing,
    });
    move_rows(rows, out)?;
    if let Some(line) = &answer.line {
        print_line(line, position, out)?;
    }
    Ok(())
}
