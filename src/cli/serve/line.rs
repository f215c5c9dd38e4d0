//! Best play from a position.

use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, Response, Uri};
use axum::response::IntoResponse;
use retrograde::chess::{self, san};
use retrograde::game::{Color, Game};
use retrograde::metric::FIFTY_MOVES;
use retrograde::probe::{ProbeError, RootMove};
use retrograde::xiangqi;
use retrograde::{Tablebase, probe::xiangqi::XiangqiProbeError};
use serde::{Serialize, Serializer};

use super::app::Shared;
use super::caching;
use super::position::{Asked, Served, as_published};
use super::reply::{Answered, Failure};
use crate::cli::answer::{Distances, Names};
use crate::cli::game::CliGame;

/// A line ends here even if the game does not; the longest known mates are shorter.
const MAX_LINE: usize = 1200;

/// Best play, and who wins by it.
#[derive(Debug, Serialize)]
pub struct Mainline {
    /// Of the position that was asked for.
    #[serde(flatten)]
    distances: Distances,
    mainline: Vec<Step>,
    /// `w` or `b`, if the line ends with a mate.
    #[serde(serialize_with = "letter")]
    winner: Option<Color>,
}

fn letter<S: Serializer>(winner: &Option<Color>, serializer: S) -> Result<S::Ok, S::Error> {
    winner.map(Color::letter).serialize(serializer)
}

/// A move, and the distances after it, for whose turn it is then.
#[derive(Debug, Serialize)]
struct Step {
    #[serde(flatten)]
    names: Names<String>,
    #[serde(flatten)]
    distances: Distances,
}

/// By which metric both sides choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Zeroing,
    Mate,
}

/// A game with lines.
pub trait Lines: Served {
    /// Best play.
    ///
    /// # Errors
    ///
    /// If a table is missing or damaged.
    fn mainline(&self, tables: &Self::Tables, by: By) -> Result<Mainline, Failure>;
}

/// `GET /standard/mainline`, `GET /xiangqi/mainline`.
pub async fn mainline<P: Lines>(
    State(app): State<Shared>,
    uri: Uri,
    headers: HeaderMap,
    asked: Result<Query<Asked>, QueryRejection>,
) -> Response<Body> {
    let asked = match asked {
        Ok(Query(asked)) => asked,
        Err(error) => return Failure::bad(error).into_response(),
    };
    caching::answer(app, &uri, &headers, move |app| {
        let by = match asked.metric.as_deref() {
            None | Some("dtz" | "dtc") => By::Zeroing,
            Some("dtm") => By::Mate,
            Some(other) => {
                let why = format!("no line by `{other}`: write metric=dtm, or leave it out");
                return Err(Failure::bad(why));
            }
        };
        let position = asked.position::<P>()?;
        let answer = position.mainline(P::of(app, asked.rules()?), by)?;
        Ok(Answered {
            answer,
            is_known: true,
        })
    })
    .await
}

/// What a probe that failed is for the client.
pub fn chess_failure(error: ProbeError) -> Failure {
    match error {
        ProbeError::MissingTable { .. }
        | ProbeError::TooManyMen { .. }
        | ProbeError::CastlingRights => Failure::not_found(error),
        error => Failure::ours(error),
    }
}

/// As [`chess_failure`].
pub fn xiangqi_failure(error: XiangqiProbeError) -> Failure {
    match error.is_missing_table() {
        true => Failure::not_found(error),
        false => Failure::ours(error),
    }
}

/// The distances of a move of which tables know something.
fn distances(m: &RootMove, position: &chess::Position) -> Distances {
    let mut distances = Distances {
        game: Game::Chess,
        zeroing: m.dtz.map(|dtz| dtz.shortest.0),
        precise: Some(m.dtz.and_then(|dtz| dtz.exact()).map(|dtz| dtz.0)),
        mate: m.dtm.map(|dtm| dtm.0),
        round: None,
    };
    as_published(&mut distances, m.wdl, position.traits());
    distances
}

/// The first of the moves, best first by plies to zeroing; nothing if the game is over.
fn best_by_zeroing(
    tables: &Tablebase,
    position: &chess::Position,
) -> Result<Option<RootMove>, ProbeError> {
    let moves = tables.root_moves(position)?;
    for m in &moves {
        if m.dtz.is_none() {
            // Says which table is missing.
            tables.probe_dtz_range(&position.play(m.played))?;
        }
    }
    Ok(moves.into_iter().next())
}

impl Lines for chess::Position {
    fn mainline(&self, tables: &Tablebase, by: By) -> Result<Mainline, Failure> {
        let root = tables.probe_dtz_range(self).map_err(chess_failure)?;
        let mate = match tables.probe_dtm(self) {
            Ok(mate) => mate,
            Err(error) if error.is_missing_table() && by == By::Zeroing => None,
            Err(error) => return Err(chess_failure(error)),
        };
        let mut line = Mainline {
            distances: Distances {
                game: Game::Chess,
                zeroing: Some(root.shortest.0),
                precise: Some(root.exact().map(|dtz| dtz.0)),
                mate: mate.map(|dtm| dtm.0),
                round: None,
            },
            mainline: Vec::new(),
            winner: None,
        };
        let is_drawn = root.shortest.0 == 0 && !self.is_checkmate();
        let wdl = is_drawn.then_some(retrograde::metric::Wdl::Draw);
        as_published(&mut line.distances, wdl, self.traits());
        let mut position = *self;
        if by == By::Mate {
            let best = tables.line(self, MAX_LINE).map_err(chess_failure)?;
            for m in best.moves {
                let after = tables
                    .root_move(&position, m.played)
                    .map_err(chess_failure)?;
                line.step(&mut position, &after);
            }
        } else if !is_drawn {
            while u32::from(position.halfmoves()) < FIFTY_MOVES.0 && line.mainline.len() < MAX_LINE
            {
                match best_by_zeroing(tables, &position).map_err(chess_failure)? {
                    Some(best) => line.step(&mut position, &best),
                    None => break,
                }
            }
        }
        line.winner = position.is_checkmate().then(|| !position.turn());
        Ok(line)
    }
}

impl Mainline {
    fn step(&mut self, position: &mut chess::Position, best: &RootMove) {
        let names = Names {
            game: Game::Chess,
            uci: best.played.to_uci(),
            book: san(position, best.played),
        };
        *position = position.play(best.played);
        self.mainline.push(Step {
            names,
            distances: distances(best, position),
        });
    }
}

impl Lines for xiangqi::Position {
    fn mainline(&self, tables: &Self::Tables, _: By) -> Result<Mainline, Failure> {
        let distances = |position: &xiangqi::Position| {
            let value = tables.probe(position).map_err(xiangqi_failure)?;
            let mut distances = xiangqi::Position::distances(Some(value));
            as_published(&mut distances, Some(value.wdl), position.traits());
            Ok::<Distances, Failure>(distances)
        };
        let line = tables.line(self, MAX_LINE).map_err(xiangqi_failure)?;
        let mut position = *self;
        let mut mainline = Vec::new();
        for m in line.moves {
            position = position.play(m.played);
            mainline.push(Step {
                names: Names {
                    game: Game::Xiangqi,
                    uci: m.iccs,
                    book: m.wxf,
                },
                distances: distances(&position)?,
            });
        }
        let is_over = position.is_checkmate() || position.is_stalemate();
        Ok(Mainline {
            distances: distances(self)?,
            mainline,
            winner: is_over.then(|| !position.turn()),
        })
    }
}
