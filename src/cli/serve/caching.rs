//! Answers that need not be made: those that the client has, and those that were made before.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::Ordering;

use axum::body::Body;
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Method, Request, Response, StatusCode, Uri};
use axum::response::IntoResponse;
use hyper::body::Incoming;
use serde::Serialize;

use super::app::{App, Shared};
use super::guard;
use super::reply::{Answered, DO_NOT_KEEP, Encoding, Failure};

/// A day: tables do not change under their name.
const KEEP: HeaderValue = HeaderValue::from_static("public, max-age=86400");

/// Answers what was asked with an address: from the cache of the client, from ours, or by asking
/// the tables.
pub async fn answer<T: Serialize>(
    app: Shared,
    uri: &Uri,
    headers: &HeaderMap,
    work: impl FnOnce(&Shared) -> Result<Answered<T>, Failure> + Send + 'static,
) -> Response<Body> {
    match try_answer(app, uri, headers, work).await {
        Ok(response) => response,
        Err(failure) => failure.into_response(),
    }
}

async fn try_answer<T: Serialize>(
    app: Shared,
    uri: &Uri,
    headers: &HeaderMap,
    work: impl FnOnce(&Shared) -> Result<Answered<T>, Failure> + Send + 'static,
) -> Result<Response<Body>, Failure> {
    let encoding = Encoding::of(headers)?;
    let asked = uri.path_and_query().map_or("", |asked| asked.as_str());
    let tag = tag(app.version(), asked, encoding);
    let has_it = |known: &HeaderValue| {
        let mut tags = known.as_bytes().split(|&byte| byte == b',');
        tags.any(|known| known.trim_ascii() == tag.as_bytes())
    };
    if headers.get(header::IF_NONE_MATCH).is_some_and(has_it) {
        return Ok((StatusCode::NOT_MODIFIED, kept_headers(tag, encoding)).into_response());
    }
    if let Some(body) = app.kept(asked, encoding) {
        return Ok((kept_headers(tag, encoding), body).into_response());
    }
    app.counts.cache_misses.fetch_add(1, Ordering::Relaxed);
    let key = (asked.to_owned(), encoding);
    let (body, is_known) = app
        .clone()
        .work(move |app| {
            let answered = work(app)?;
            Ok((encoding.write(&answered.answer)?, answered.is_known))
        })
        .await?;
    if !is_known {
        let headers = [
            (header::CONTENT_TYPE, encoding.content_type()),
            (header::CACHE_CONTROL, DO_NOT_KEEP),
        ];
        return Ok((headers, body).into_response());
    }
    app.keep(key, body.clone());
    Ok((kept_headers(tag, encoding), body).into_response())
}

/// An answer that was made before, for a request of the plainest kind; nothing for all others. It
/// is what the routes would answer, in half of the time.
pub fn at_hand(app: &App, request: &Request<Incoming>) -> Option<Response<Body>> {
    let headers = request.headers();
    let others = [
        header::IF_NONE_MATCH,
        header::ORIGIN,
        header::ACCEPT_ENCODING,
    ];
    let is_plain = request.method() == Method::GET
        && !others.iter().any(|name| headers.contains_key(name))
        && guard::may_ask(app, headers);
    if !is_plain {
        return None;
    }
    let asked = request.uri().path_and_query()?.as_str();
    let asked = asked.strip_prefix(app.base_path.as_str())?;
    let encoding = Encoding::of(headers).ok()?;
    let body = app.kept(asked, encoding)?;
    app.counts.requests.fetch_add(1, Ordering::Relaxed);
    let mut response = Response::new(Body::from(body));
    let kept = kept_headers(tag(app.version(), asked, encoding), encoding);
    response.headers_mut().extend(kept);
    guard::make_safe(app, &mut response);
    Some(response)
}

/// Says which tables gave the answer to which question.
fn tag(version: u64, asked: &str, encoding: Encoding) -> HeaderValue {
    let mut hasher = DefaultHasher::new();
    (version, asked, encoding).hash(&mut hasher);
    let tag = format!("W/\"{:016x}\"", hasher.finish());
    HeaderValue::try_from(tag).unwrap_or(HeaderValue::from_static("W/\"\""))
}

fn kept_headers(tag: HeaderValue, encoding: Encoding) -> [(header::HeaderName, HeaderValue); 3] {
    [
        (header::CONTENT_TYPE, encoding.content_type()),
        (header::CACHE_CONTROL, KEEP),
        (header::ETAG, tag),
    ]
}
