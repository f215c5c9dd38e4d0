//! What goes back: JSON or CBOR, and errors as a line of text.

use axum::body::{Body, Bytes};
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;
use serde::Serialize;

/// Nobody may keep what may be there tomorrow: an answer that a missing table would have given.
pub const DO_NOT_KEEP: HeaderValue = HeaderValue::from_static("no-store");

/// How an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    Json,
    Cbor,
}

impl Encoding {
    const ALL: [(Encoding, &str); 2] = [
        (Encoding::Json, "application/json"),
        (Encoding::Cbor, "application/cbor"),
    ];

    /// What the client accepts; JSON unless it says otherwise.
    ///
    /// # Errors
    ///
    /// If it accepts neither.
    pub fn of(headers: &HeaderMap) -> Result<Encoding, Failure> {
        let Some(accepted) = headers.get(header::ACCEPT) else {
            return Ok(Encoding::Json);
        };
        let accepted = accepted.to_str().unwrap_or_default();
        for range in accepted.split(',') {
            let (range, parameters) = range.split_once(';').unwrap_or((range, ""));
            if parameters
                .trim()
                .trim_start_matches("q=")
                .trim_matches(['0', '.'])
                .is_empty()
                && !parameters.trim().is_empty()
            {
                continue;
            }
            let range = range.trim().to_ascii_lowercase();
            if matches!(range.as_str(), "*/*" | "application/*") {
                return Ok(Encoding::Json);
            }
            if let Some((encoding, _)) = Encoding::ALL.into_iter().find(|(_, name)| *name == range)
            {
                return Ok(encoding);
            }
        }
        Err(Failure::new(
            StatusCode::NOT_ACCEPTABLE,
            "answers are application/json or application/cbor; accept one of them",
        ))
    }

    pub fn content_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Encoding::Json => "application/json",
            Encoding::Cbor => "application/cbor",
        })
    }

    /// The answer in this encoding.
    ///
    /// # Errors
    ///
    /// If it cannot be written so.
    pub fn write(self, answer: &impl Serialize) -> Result<Bytes, Failure> {
        let mut bytes = Vec::new();
        let written = match self {
            Encoding::Json => {
                serde_json::to_writer(&mut bytes, answer).map_err(|error| error.to_string())
            }
            Encoding::Cbor => {
                ciborium::into_writer(answer, &mut bytes).map_err(|error| error.to_string())
            }
        };
        written.map_err(|error| Failure::new(StatusCode::INTERNAL_SERVER_ERROR, error))?;
        Ok(bytes.into())
    }
}

/// Why there is no answer, as a status and a sentence.
#[derive(Clone, Debug)]
pub struct Failure {
    status: StatusCode,
    why: String,
    /// What the client is told, if that is something else.
    told: Option<String>,
}

impl Failure {
    pub fn new(status: StatusCode, why: impl Into<String>) -> Failure {
        Failure {
            status,
            why: why.into(),
            told: None,
        }
    }

    /// Tells the client what a function makes of the sentence.
    pub fn tell(self, tell: impl FnOnce(String) -> String) -> Failure {
        let told = Some(tell(self.why.clone()));
        Failure { told, ..self }
    }

    /// What was asked makes no sense.
    pub fn bad(why: impl ToString) -> Failure {
        Failure::new(StatusCode::BAD_REQUEST, why.to_string())
    }

    /// What was asked for is not there.
    pub fn not_found(why: impl ToString) -> Failure {
        Failure::new(StatusCode::NOT_FOUND, why.to_string())
    }

    /// A table is damaged, or something else is wrong here.
    pub fn ours(why: impl ToString) -> Failure {
        Failure::new(StatusCode::INTERNAL_SERVER_ERROR, why.to_string())
    }

    /// What the client is told.
    pub fn told(&self) -> &str {
        self.told.as_deref().unwrap_or(&self.why)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for Failure {}

impl IntoResponse for Failure {
    fn into_response(self) -> Response<Body> {
        if self.status.is_server_error() {
            tracing::error!("{}", self.why);
        }
        let keep = (header::CACHE_CONTROL, DO_NOT_KEEP);
        (self.status, [keep], format!("{}\n", self.told())).into_response()
    }
}

/// An answer, and whether all of it is known.
pub struct Answered<T> {
    pub answer: T,
    pub is_known: bool,
}

/// Key of the answers that are kept: what was asked, and how the answer is written.
pub type Key = (String, Encoding);

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(text: &'static str) -> Option<Encoding> {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, HeaderValue::from_static(text));
        Encoding::of(&headers).ok()
    }

    #[test]
    fn answers_are_json_unless_cbor_is_wanted() {
        assert_eq!(Encoding::of(&HeaderMap::new()).ok(), Some(Encoding::Json));
        for (text, encoding) in [
            ("*/*", Some(Encoding::Json)),
            ("text/html, application/json;q=0.9", Some(Encoding::Json)),
            ("application/cbor", Some(Encoding::Cbor)),
            (
                "application/json;q=0, application/cbor",
                Some(Encoding::Cbor),
            ),
            ("text/html", None),
        ] {
            assert_eq!(accepted(text), encoding, "{text}");
        }
    }
}
