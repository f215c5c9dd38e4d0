//! Many positions at once: a list of them, or one man on every square.

use axum::body::{Body, Bytes};
use axum::extract::rejection::{BytesRejection, QueryRejection};
use axum::extract::{Query, State};
use axum::http::header::{self, HeaderMap};
use axum::http::{Response, StatusCode, Uri};
use axum::response::IntoResponse;
use futures_util::{StreamExt, TryStreamExt};
use retrograde::xiangqi::Rules;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::app::{App, Shared};
use super::caching;
use super::position::{self, Asked, Served};
use super::reply::{Answered, Failure};
use crate::cli::answer::Distances;

/// Positions of a batch, at most.
const MAX_BATCH: usize = 1000;

/// Positions of a batch that are answered one after the other, on one thread.
const CHUNK: usize = 32;

/// What a batch is asked with.
#[derive(Deserialize)]
#[serde(untagged)]
enum Batch {
    Fens(Vec<String>),
    Object { fens: Vec<String> },
}

/// `POST /standard/batch`, `POST /xiangqi/batch`: a list of FENs; answers in that order, each a
/// value or an error of its own.
pub async fn batch<P: Served>(
    State(app): State<Shared>,
    asked: Result<Query<Asked>, QueryRejection>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response<Body> {
    match try_batch::<P>(app, asked, &headers, body).await {
        Ok(response) => response,
        Err(failure) => failure.into_response(),
    }
}

async fn try_batch<P: Served>(
    app: Shared,
    asked: Result<Query<Asked>, QueryRejection>,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response<Body>, Failure> {
    let Query(asked) = asked.map_err(Failure::bad)?;
    let rules = asked.rules()?;
    let body = body.map_err(|error| Failure::new(error.status(), error.body_text()))?;
    let batch = serde_json::from_slice(&body);
    let (Batch::Fens(fens) | Batch::Object { fens }) = batch.map_err(|error| {
        Failure::bad(format!(
            "no list of positions ({error}); send [\"FEN\", ...]"
        ))
    })?;
    if fens.len() > MAX_BATCH {
        return Err(Failure::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("{} positions; send at most {MAX_BATCH} at once", fens.len()),
        ));
    }
    let accepts = |kind: &str| {
        let accepted = headers.get(header::ACCEPT).and_then(|it| it.to_str().ok());
        accepted.is_some_and(|accepted| accepted.contains(kind))
    };
    let in_lines = accepts("application/x-ndjson");
    let mut chunks = Vec::new();
    let mut rest = fens;
    while !rest.is_empty() {
        let later = rest.split_off(rest.len().min(CHUNK));
        chunks.push(std::mem::replace(&mut rest, later));
    }
    // A batch may have all processors. What is not begun when whoever asked goes away is not done;
    // nor is much more than he takes.
    let at_once = app.processors();
    let answered = futures_util::stream::iter(chunks)
        .map(move |chunk| {
            app.clone().work(move |app| {
                Ok(chunk
                    .iter()
                    .map(|fen| one::<P>(app, fen, rules))
                    .collect::<Vec<String>>())
            })
        })
        .buffered(at_once);
    if in_lines {
        let lines = answered.map_ok(|lines| -> String {
            lines
                .iter()
                .flat_map(|answer| [answer.as_str(), "\n"])
                .collect()
        });
        let kind = [(header::CONTENT_TYPE, "application/x-ndjson")];
        return Ok((kind, Body::from_stream(lines)).into_response());
    }
    let answers: Vec<Vec<String>> = answered.try_collect().await?;
    let answers = answers.concat();
    let kind = [(header::CONTENT_TYPE, "application/json")];
    Ok((kind, format!("[{}]", answers.join(","))).into_response())
}

/// The answer to one position of a batch, or what is wrong with it, as JSON.
fn one<P: Served>(app: &App, fen: &str, rules: Rules) -> String {
    let answer = P::lenient(fen)
        .map_err(Failure::bad)
        .and_then(|position| position::answer(app, &position, rules))
        .and_then(|answer| serde_json::to_string(&answer).map_err(Failure::ours));
    answer.unwrap_or_else(|failure| {
        let failure = failure.tell(|why| app.told(why));
        json!({"fen": fen, "error": failure.told()}).to_string()
    })
}

/// What a man is worth on a square.
#[derive(Serialize)]
struct Elsewhere {
    square: String,
    category: &'static str,
    #[serde(flatten)]
    distances: Option<Distances>,
    /// Why he cannot stand there, or why the value is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Serialize)]
struct Squares {
    fen: String,
    square: String,
    man: char,
    squares: Vec<Elsewhere>,
}

/// `GET /standard/squares`, `GET /xiangqi/squares`: the value of the position with the man of one
/// square on every other.
pub async fn squares<P: Served>(
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
        let position = asked.position::<P>()?;
        let rules = asked.rules()?;
        let square = asked.square.ok_or_else(|| {
            Failure::bad("no square: add &square= with the square of the man, such as e4")
        })?;
        let (man, positions) = position.elsewhere(&square).map_err(Failure::bad)?;
        let mut squares = Vec::new();
        for (name, position) in positions {
            squares.push(match position {
                Err(error) => Elsewhere {
                    square: name,
                    category: "illegal",
                    distances: None,
                    reason: Some(error.to_string()),
                },
                Ok(position) => {
                    let answer = position::answer(app, &position, rules)?;
                    Elsewhere {
                        square: name,
                        category: answer.category,
                        distances: Some(answer.distances),
                        reason: answer.reason,
                    }
                }
            });
        }
        let is_known = squares
            .iter()
            .all(|it| it.reason.is_none() || it.distances.is_none());
        let fen = position.fen();
        Ok(Answered {
            answer: Squares {
                fen,
                square,
                man,
                squares,
            },
            is_known,
        })
    })
    .await
}
