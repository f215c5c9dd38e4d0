//! A position by lot.

use std::ops::RangeInclusive;

use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, Response, Uri};
use axum::response::IntoResponse;
use retrograde::chess::material::Material;
use retrograde::chess::{self, Chess, ChessRules};
use retrograde::game::{Color, Game, TableGame};
use retrograde::metric::{Metric, Wdl};
use retrograde::probe::ProbeError;
use retrograde::xiangqi::{self, Rules, Xiangqi};
use serde::Deserialize;

use super::app::{App, Shared};
use super::caching;
use super::line::{chess_failure, xiangqi_failure};
use super::position::{self, Served};
use super::reply::{Answered, Failure};
use crate::cli::described::DescribedGame;

/// So many positions are drawn until one is as it was asked for. What is rarer is for `find`, which
/// looks at all of them.
const DRAWS: usize = 100_000;

/// Which positions are asked for.
#[derive(Debug, Deserialize)]
pub struct Wanted {
    material: Option<String>,
    #[serde(default)]
    rules: Option<String>,
    /// `w` or `b`.
    turn: Option<char>,
    category: Option<String>,
    dtz_min: Option<u32>,
    dtz_max: Option<u32>,
    dtm_min: Option<u32>,
    dtm_max: Option<u32>,
    /// The same number, the same position.
    seed: Option<u64>,
}

/// A value from a fresh clock, with plies to the next zeroing move and to mate where they are
/// known.
#[derive(Clone, Copy, Debug)]
pub struct Valued {
    wdl: Wdl,
    zeroing: Option<u32>,
    mate: Option<u32>,
}

/// A game of which positions are drawn.
pub trait Drawn: Served {
    /// The game as its tables know it.
    type Tabled: DescribedGame;

    fn tabled_rules(rules: Rules) -> <Self::Tabled as TableGame>::Rules;

    /// Whether it is worth while to number the positions of a material. For xiangqi it always is:
    /// its numbers take little memory.
    fn may_be_there(
        _tables: &Self::Tables,
        _material: &<Self::Tabled as TableGame>::Material,
    ) -> bool {
        true
    }

    /// What its tables say; nothing if one is missing.
    ///
    /// # Errors
    ///
    /// If one is damaged.
    fn valued(&self, tables: &Self::Tables) -> Result<Option<Valued>, Failure>;
}

impl Drawn for chess::Position {
    type Tabled = Chess;

    fn tabled_rules(_: Rules) -> ChessRules {
        ChessRules::default()
    }

    // Those of two men are drawn without a table.
    fn may_be_there(tables: &Self::Tables, material: &Material) -> bool {
        material.men() <= 2 || tables.table(&material.normal_form(), Metric::Wdl).is_some()
    }

    fn valued(&self, tables: &Self::Tables) -> Result<Option<Valued>, Failure> {
        let dtz = known(tables.probe_dtz_range(self))?;
        let dtm = known(tables.probe_dtm(self))?.flatten();
        Ok(dtz.map(|dtz| Valued {
            wdl: dtz.shortest.wdl(),
            zeroing: Some(dtz.shortest.0.unsigned_abs()),
            mate: dtm.map(|dtm| dtm.0.unsigned_abs()),
        }))
    }
}

/// A value; nothing where a table is missing.
fn known<T>(value: Result<T, ProbeError>) -> Result<Option<T>, Failure> {
    match value {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_missing_table() => Ok(None),
        Err(error) => Err(chess_failure(error)),
    }
}

impl Drawn for xiangqi::Position {
    type Tabled = Xiangqi;

    fn tabled_rules(rules: Rules) -> Rules {
        rules
    }

    fn valued(&self, tables: &Self::Tables) -> Result<Option<Valued>, Failure> {
        match tables.probe(self) {
            Ok(value) => Ok(Some(Valued {
                wdl: value.wdl,
                zeroing: value.dtc.map(i32::unsigned_abs),
                mate: value.dtm.map(|dtm| dtm.0.unsigned_abs()),
            })),
            Err(error) if error.is_missing_table() => Ok(None),
            Err(error) => Err(xiangqi_failure(error)),
        }
    }
}

/// `GET /standard/random`, `GET /xiangqi/random`: a position of a material by lot, maybe with a
/// value of some kind.
pub async fn random<P: Drawn>(
    State(app): State<Shared>,
    uri: Uri,
    headers: HeaderMap,
    wanted: Result<Query<Wanted>, QueryRejection>,
) -> Response<Body> {
    let wanted = match wanted {
        Ok(Query(wanted)) => wanted,
        Err(error) => return Failure::bad(error).into_response(),
    };
    caching::answer(app, &uri, &headers, move |app| {
        let rules = wanted.rules.as_deref().map(str::parse).transpose();
        let rules: Rules = rules.map_err(Failure::bad)?.unwrap_or_default();
        let position: P = wanted.draw(app, rules)?;
        Ok(Answered {
            answer: position::answer(app, &position, rules)?,
            // Without a seed the next one is another.
            is_known: wanted.seed.is_some(),
        })
    })
    .await
}

impl Wanted {
    fn draw<P: Drawn>(&self, app: &App, rules: Rules) -> Result<P, Failure> {
        let wants = self.conditions()?;
        let name = self.material.as_deref().unwrap_or_default();
        if name.is_empty() {
            let why = "no material: add ?material= with one such as KRPvKR";
            return Err(Failure::bad(why));
        }
        let material = P::Tabled::material(name).map_err(Failure::bad)?;
        let missing = || {
            let rules = P::tabled_rules(rules);
            P::Tabled::missing(app.directory(), rules, &material, P::Tabled::RESULTS)
        };
        // The numbers of pawn placements of a large material are worth some memory.
        if !P::may_be_there(P::of(app, rules), &material) {
            return Err(Failure::not_found(missing()));
        }
        let too_large = || Failure::bad(format!("{material} has too many positions for a table"));
        let space = P::Tabled::space(material).ok_or_else(too_large)?;
        let count = P::Tabled::positions(&space);
        let mut lots = self
            .seed
            .map_or_else(fastrand::Rng::new, fastrand::Rng::with_seed);
        for _ in 0..DRAWS {
            let turn = wants.turn.unwrap_or(Color::ALL[lots.usize(..2)]);
            let Some(fen) = P::Tabled::fen(&space, lots.u64(..count), turn) else {
                continue;
            };
            let position = P::read(&[fen]).map_err(Failure::ours)?;
            let Some(value) = position.valued(P::of(app, rules))? else {
                return Err(Failure::not_found(missing()));
            };
            if wants.hold_for(value) {
                return Ok(position);
            }
        }
        let game = match P::GAME {
            Game::Chess => "",
            Game::Xiangqi => " --game xiangqi",
        };
        Err(Failure::not_found(format!(
            "none of {DRAWS} positions of {material} was like that; `retrograde find {material}{game} --random 1` looks at all of them"
        )))
    }

    fn conditions(&self) -> Result<Conditions, Failure> {
        let turn = match self.turn {
            None => None,
            Some('w' | 'r') => Some(Color::White),
            Some('b') => Some(Color::Black),
            Some(_) => return Err(Failure::bad("write turn=w or turn=b")),
        };
        let category = match self.category.as_deref() {
            None => None,
            Some(name) => {
                let found = Wdl::ALL.into_iter().find(|wdl| wdl.category() == name);
                let why = "write category=win, cursed-win, draw, blessed-loss or loss";
                Some(found.ok_or_else(|| Failure::bad(why))?)
            }
        };
        Ok(Conditions {
            turn,
            category,
            zeroing: plies(self.dtz_min, self.dtz_max),
            mate: plies(self.dtm_min, self.dtm_max),
        })
    }
}

fn plies(first: Option<u32>, last: Option<u32>) -> Option<RangeInclusive<u32>> {
    (first.is_some() || last.is_some()).then(|| first.unwrap_or(0)..=last.unwrap_or(u32::MAX))
}

struct Conditions {
    turn: Option<Color>,
    category: Option<Wdl>,
    zeroing: Option<RangeInclusive<u32>>,
    mate: Option<RangeInclusive<u32>>,
}

impl Conditions {
    fn hold_for(&self, value: Valued) -> bool {
        let is_draw = value.wdl == Wdl::Draw;
        let is_in = |range: &Option<RangeInclusive<u32>>, plies: Option<u32>| match range {
            None => true,
            // As in `find`, a draw has no distance.
            Some(range) => !is_draw && plies.is_some_and(|plies| range.contains(&plies)),
        };
        self.category.is_none_or(|wdl| wdl == value.wdl)
            && is_in(&self.zeroing, value.zeroing)
            && is_in(&self.mate, value.mate)
    }
}
