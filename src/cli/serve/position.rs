//! One position and its moves, in the words and in the order of the public tablebase interface.

use std::cmp::Reverse;
use std::path::PathBuf;

use anyhow::Result;
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, Response, Uri};
use axum::response::IntoResponse;
use retrograde::chess;
use retrograde::game::{Color, Game};
use retrograde::metric::Wdl;
use retrograde::probe::Category;
use retrograde::xiangqi::{self, Rules};
use serde::Deserialize;

use super::app::{App, Shared};
use super::caching;
use super::fen;
use super::reply::{Answered, Failure};
use crate::cli::answer::{Answer, Distances, MoveAnswer, Traits};
use crate::cli::game::CliGame;
use crate::cli::show::By;

/// A game that is served.
pub trait Served: CliGame + Send {
    /// The tables that answer.
    fn of(app: &App, rules: Rules) -> &Self::Tables;

    /// A position as clients write it.
    ///
    /// # Errors
    ///
    /// If it is none.
    fn lenient(text: &str) -> Result<Self>;

    /// The man on a square, and the positions with him on each other square, or why he cannot stand
    /// there.
    ///
    /// # Errors
    ///
    /// If the square is none, or empty.
    fn elsewhere(&self, square: &str) -> Result<(char, Elsewhere<Self>)>;

    /// Which man a move takes, the more the dearer; of games whose order of moves asks for it.
    fn taken(&self, uci: &str) -> Option<usize>;
}

/// The squares on which a man could stand, and the positions with him there, or why he cannot.
pub type Elsewhere<P> = Vec<(String, Result<P>)>;

impl Served for chess::Position {
    fn of(app: &App, _: Rules) -> &Self::Tables {
        app.chess()
    }

    fn lenient(text: &str) -> Result<chess::Position> {
        fen::chess(text)
    }

    fn elsewhere(&self, square: &str) -> Result<(char, Elsewhere<Self>)> {
        let square: chess::Square = square.parse()?;
        let setup = self.to_setup();
        let mut on_square = Color::ALL
            .into_iter()
            .flat_map(|color| chess::Role::ALL.map(|role| (color, role)));
        let found = on_square
            .find(|&(color, role)| setup.pieces[color.index()][role.index()] & square.bit() != 0);
        let (color, role) = found.ok_or_else(|| anyhow::anyhow!("nobody stands on {square}"))?;
        let free = chess::Square::all().filter(|other| setup.occupied() & other.bit() == 0);
        let moved = |other: chess::Square| {
            let mut setup = setup;
            setup.pieces[color.index()][role.index()] ^= square.bit() | other.bit();
            setup.castling = chess::CastlingRights::NONE;
            setup.en_passant = None;
            (
                other.to_string(),
                chess::Position::from_setup(&setup).map_err(Into::into),
            )
        };
        Ok((role.of(color).letter(), free.map(moved).collect()))
    }

    fn taken(&self, uci: &str) -> Option<usize> {
        let to: chess::Square = uci.get(2..4)?.parse().ok()?;
        let setup = self.to_setup();
        if setup.en_passant == Some(to) && uci.get(..1) != uci.get(2..3) {
            return Some(chess::Role::Pawn.index());
        }
        let of_opponent = &setup.pieces[(!setup.turn).index()];
        of_opponent.iter().position(|set| set & to.bit() != 0)
    }
}

impl Served for xiangqi::Position {
    fn of(app: &App, rules: Rules) -> &Self::Tables {
        app.xiangqi(rules)
    }

    fn lenient(text: &str) -> Result<xiangqi::Position> {
        fen::xiangqi(text)
    }

    fn elsewhere(&self, square: &str) -> Result<(char, Elsewhere<Self>)> {
        let square: xiangqi::Square = square.parse()?;
        let man = self
            .piece_at(square)
            .ok_or_else(|| anyhow::anyhow!("nobody stands on {square}"))?;
        let (color, role) = (man.color, man.role);
        let setup = self.to_setup();
        let free = xiangqi::Square::all().filter(|other| setup.occupied() & other.bit() == 0);
        let moved = |other: xiangqi::Square| {
            let mut setup = setup;
            setup.pieces[color.index()][role.index()] ^= square.bit() | other.bit();
            (
                other.to_string(),
                xiangqi::Position::from_setup(&setup).map_err(Into::into),
            )
        };
        Ok((man.letter(), free.map(moved).collect()))
    }

    fn taken(&self, _: &str) -> Option<usize> {
        None
    }
}

/// What is asked with an address. Not everything is used everywhere.
#[derive(Debug, Deserialize)]
pub struct Asked {
    pub fen: Option<String>,
    #[serde(default)]
    pub rules: Option<String>,
    #[serde(default)]
    pub metric: Option<String>,
    #[serde(default)]
    pub square: Option<String>,
}

impl Asked {
    /// The position.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn position<P: Served>(&self) -> Result<P, Failure> {
        let given = self.fen.as_deref().filter(|fen| !fen.trim().is_empty());
        let fen = given.ok_or_else(|| {
            Failure::bad("no position: add ?fen= with a FEN, where _ may stand for a space")
        })?;
        P::lenient(fen).map_err(Failure::bad)
    }

    /// The rules of xiangqi tables.
    ///
    /// # Errors
    ///
    /// If there are none of that name.
    pub fn rules(&self) -> Result<Rules, Failure> {
        let rules = self.rules.as_deref().map(str::parse);
        Ok(rules.transpose().map_err(Failure::bad)?.unwrap_or_default())
    }
}

/// `GET /standard`, `GET /xiangqi`.
pub async fn probe<P: Served>(
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
        let answer = answer(app, &asked.position::<P>()?, asked.rules()?)?;
        let is_known =
            answer.reason.is_none() && answer.moves.iter().all(|m| m.bounds.wdl.is_some());
        Ok(Answered { answer, is_known })
    })
    .await
}

/// What the tables say of a position and its moves.
///
/// # Errors
///
/// If a table is damaged.
pub fn answer<P: Served>(app: &App, position: &P, rules: Rules) -> Result<Answer, Failure> {
    let mut answer = position
        .probe(P::of(app, rules), By::default())
        .map_err(Failure::ours)?;
    answer.reason = answer.reason.map(|reason| app.told(reason));
    let (wdl, traits) = (answer.bounds.result, answer.traits);
    as_published(&mut answer.distances, wdl, traits);
    for m in &mut answer.moves {
        as_published(&mut m.distances, m.bounds.result, m.traits);
    }
    for table in answer.tables.iter_mut().flatten() {
        // Only the name: where the tables lie is nobody's business.
        table.file = table.file.file_name().map_or(PathBuf::new(), PathBuf::from);
    }
    if P::GAME == Game::Chess {
        answer
            .moves
            .sort_by_cached_key(|m| order(m, position.taken(&m.names.uci)));
        if let Some(best) = answer.moves.first() {
            answer.category = category(best).negated().name();
        }
    }
    Ok(answer)
}

/// Distances as clients of the public interface know them: a mate on the board is a ply over, and
/// has no distance of its own; that of a draw is 0.
pub fn as_published(distances: &mut Distances, wdl: Option<Wdl>, traits: Traits) {
    if traits.checkmate {
        if traits.game == Game::Chess {
            distances.zeroing = distances.zeroing.map(|_| -1);
            distances.precise = distances.precise.map(|precise| precise.map(|_| -1));
        }
        distances.mate = None;
    } else if wdl == Some(Wdl::Draw) {
        distances.mate = Some(0);
    }
}

const CATEGORIES: [Category; 10] = [
    Category::Loss,
    Category::Unknown,
    Category::SyzygyLoss,
    Category::MaybeLoss,
    Category::BlessedLoss,
    Category::Draw,
    Category::CursedWin,
    Category::MaybeWin,
    Category::SyzygyWin,
    Category::Win,
];

fn category(m: &MoveAnswer) -> Category {
    let named = CATEGORIES.into_iter().find(|it| it.name() == m.category);
    named.unwrap_or(Category::Unknown)
}

/// Moves that are less come first.
fn order(m: &MoveAnswer, taken: Option<usize>) -> impl Ord + use<> {
    let category = category(m);
    // Who wins takes the shortest way and gives up material; who loses does neither.
    let wins_after = category > Category::Draw;
    let mate = match m.distances.mate {
        Some(plies) if plies < 0 => (0, -plies),
        None | Some(0) => (1, 0),
        Some(plies) => (2, -plies),
    };
    let promotion = m.names.uci.chars().nth(4);
    let promotion = promotion.and_then(|letter| "nbrq".find(letter));
    (
        (category, Reverse(m.traits.checkmate)),
        (
            Reverse(m.traits.stalemate),
            Reverse(m.traits.insufficient_material),
        ),
        mate,
        (m.conversion == wins_after, m.zeroing == wins_after),
        m.distances.zeroing.map(Reverse),
        (Reverse(taken), Reverse(promotion)),
    )
}
