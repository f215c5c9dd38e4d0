//! What the server says of its tables and of itself.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::header;
use axum::http::{HeaderMap, Response, StatusCode, Uri};
use axum::response::IntoResponse;
use retrograde::chess::{Chess, ChessRules};
use retrograde::game::Game;
use retrograde::xiangqi::Xiangqi;
use serde::Deserialize;
use serde_json::{Value, json};

use super::app::{App, Shared};
use super::caching;
use super::position::Asked;
use super::reply::{Answered, Failure};
use crate::cli::described::DescribedGame;
use crate::cli::directory::NoTables;
use crate::cli::{is_missing, list, stats};

const OPENAPI: &str = include_str!("openapi.json");

/// Of which game tables are asked for.
#[derive(Debug, Deserialize)]
pub struct OfGame {
    game: Option<String>,
    #[serde(default)]
    rules: Option<String>,
}

impl OfGame {
    fn game(&self) -> Result<Game, Failure> {
        let game = self.game.as_deref().map(str::parse);
        Ok(game.transpose().map_err(Failure::bad)?.unwrap_or_default())
    }
}

/// `GET /tables`: those that are there.
pub async fn tables(
    State(app): State<Shared>,
    uri: Uri,
    headers: HeaderMap,
    asked: Result<Query<OfGame>, QueryRejection>,
) -> Response<Body> {
    let asked = match asked {
        Ok(Query(asked)) => asked,
        Err(error) => return Failure::bad(error).into_response(),
    };
    caching::answer(app, &uri, &headers, move |app| {
        let game = asked.game()?;
        let rows = match list::rows(game, app.directory()) {
            Err(error) if error.is::<NoTables>() => Vec::new(),
            rows => rows.map_err(Failure::ours)?,
        };
        Ok(Answered {
            answer: json!({"game": game.to_string(), "tables": rows}),
            // Others may be made while the server runs.
            is_known: false,
        })
    })
    .await
}

/// `GET /tables/KRPvKR`: counts, histograms and longest wins.
pub async fn material(
    State(app): State<Shared>,
    uri: Uri,
    headers: HeaderMap,
    Path(material): Path<String>,
    asked: Result<Query<OfGame>, QueryRejection>,
) -> Response<Body> {
    let asked = match asked {
        Ok(Query(asked)) => asked,
        Err(error) => return Failure::bad(error).into_response(),
    };
    caching::answer(app, &uri, &headers, move |app| {
        let rules = Asked {
            fen: None,
            rules: asked.rules.clone(),
            metric: None,
            square: None,
        };
        let rules = rules.rules()?;
        let answer = match asked.game()? {
            Game::Chess => statistics::<Chess>(ChessRules::default(), app, &material),
            Game::Xiangqi => statistics::<Xiangqi>(rules, app, &material),
        }?;
        Ok(Answered {
            answer,
            is_known: true,
        })
    })
    .await
}

/// What the tables of a material keep.
fn statistics<G: DescribedGame>(
    rules: G::Rules,
    app: &App,
    signature: &str,
) -> Result<Value, Failure> {
    let material = G::material(signature).map_err(Failure::bad)?;
    stats::kept::<G>(rules, app.directory(), material).map_err(|error| match is_missing(&error) {
        true => Failure::not_found(error),
        false => Failure::ours(error),
    })
}

/// `GET /monitor`: a line for programs that watch servers.
pub async fn monitor(State(app): State<Shared>) -> String {
    let (answers, _) = app.kept_size();
    let missed = app.counts.cache_misses.load(Ordering::Relaxed);
    format!("tablebase cache={answers}u,cache_miss={missed}u")
}

/// `GET /metrics`, in the format of Prometheus.
pub async fn metrics(State(app): State<Shared>) -> Response<Body> {
    let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
    let counts = &app.counts;
    let (answers, bytes) = app.kept_size();
    let blocks = app.chess().cache_statistics();
    let mut text = String::new();
    for (name, kind, help, value) in [
        (
            "requests_total",
            "counter",
            "Requests.",
            load(&counts.requests),
        ),
        (
            "client_errors_total",
            "counter",
            "Requests that made no sense.",
            load(&counts.client_errors),
        ),
        (
            "server_errors_total",
            "counter",
            "Requests that failed here.",
            load(&counts.server_errors),
        ),
        (
            "answer_cache_hits_total",
            "counter",
            "Answers that had been kept.",
            load(&counts.cache_hits),
        ),
        (
            "answer_cache_misses_total",
            "counter",
            "Answers that had not.",
            load(&counts.cache_misses),
        ),
        (
            "answer_cache_entries",
            "gauge",
            "Answers that are kept.",
            answers as u64,
        ),
        ("answer_cache_bytes", "gauge", "Bytes of them.", bytes),
        (
            "block_cache_hits_total",
            "counter",
            "Blocks of tables that had been kept.",
            blocks.hits,
        ),
        (
            "block_cache_misses_total",
            "counter",
            "Blocks of tables that had not.",
            blocks.misses,
        ),
        (
            "block_cache_bytes",
            "gauge",
            "Bytes of memory for them.",
            blocks.bytes as u64,
        ),
    ] {
        // A string takes whatever is written.
        let _ = write!(
            text,
            "# HELP retrograde_{name} {help}\n# TYPE retrograde_{name} {kind}\nretrograde_{name} {value}\n"
        );
    }
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
}

/// `GET /healthz`.
pub async fn healthz() -> &'static str {
    "ok\n"
}

/// `GET /openapi.json`.
pub async fn openapi() -> Response<Body> {
    ([(header::CONTENT_TYPE, "application/json")], OPENAPI).into_response()
}

/// What is not there.
pub async fn unknown(uri: Uri) -> Failure {
    let path: String = uri.path().chars().take(100).collect();
    Failure::not_found(format!(
        "nothing at {path}; /standard?fen= and /xiangqi?fen= answer for positions, /openapi.json tells the rest"
    ))
}

/// What is there, but not to be done so.
pub async fn wrong_method() -> Failure {
    Failure::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "this is not done here; use GET, and POST for a batch",
    )
}
