//! What every request goes through, and what every answer says.

use std::sync::atomic::{AtomicU64, Ordering};

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Response, StatusCode};
use axum::middleware::Next;
use axum::response::IntoResponse;

use super::app::{App, Shared};
use super::reply::Failure;

/// Bytes of a request's body, at most: a thousand positions and some room.
pub const BODY_BYTES: usize = 256 << 10;

/// What every request goes through: who may ask, what every answer says, what is counted.
pub async fn guard(State(app): State<Shared>, request: Request, next: Next) -> Response<Body> {
    let add = |count: &AtomicU64| count.fetch_add(1, Ordering::Relaxed);
    add(&app.counts.requests);
    let headers = request.headers();
    let mut response = if !may_ask(&app, headers) {
        let why = "this server answers on the loopback only: ask for localhost, or start it with another --listen";
        Failure::new(StatusCode::FORBIDDEN, why).into_response()
    } else if announced(headers).is_some_and(|bytes| bytes > BODY_BYTES as u64) {
        // Said before the body has come, which it may never do.
        let why = format!(
            "a body of more than {} KiB; send less at once",
            BODY_BYTES >> 10
        );
        Failure::new(StatusCode::PAYLOAD_TOO_LARGE, why).into_response()
    } else {
        next.run(request).await
    };
    match response.status() {
        status if status.is_client_error() => add(&app.counts.client_errors),
        status if status.is_server_error() => add(&app.counts.server_errors),
        _ => 0,
    };
    make_safe(&app, &mut response);
    response
}

/// The bytes of a body, where a request says how many there will be.
fn announced(headers: &HeaderMap) -> Option<u64> {
    let length = headers.get(header::CONTENT_LENGTH)?.to_str().ok()?;
    length.parse().ok()
}

/// What every answer says: what a page may do with it, and by what it differs.
pub fn make_safe(app: &App, response: &mut Response<Body>) {
    let vary = match app.cors.is_empty() {
        true => "Accept, Accept-Encoding",
        false => "Accept, Accept-Encoding, Origin",
    };
    let safe = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::VARY, vary),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
             connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
    ];
    for (name, value) in safe {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
}

/// Whether a request is answered: on the loopback only if it asks for it by name. A page elsewhere
/// whose name was made to mean this machine would otherwise read what the tables of this machine
/// are.
pub fn may_ask(app: &App, headers: &HeaderMap) -> bool {
    if !app.is_local {
        return true;
    }
    let Some(host) = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok())
    else {
        return false;
    };
    let has_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let name = match host.rsplit_once(':') {
        Some((name, port)) if has_port(port) => name,
        _ => host,
    };
    let name = name.trim_start_matches('[').trim_end_matches(']');
    let is_loopback = |address: std::net::IpAddr| address.is_loopback();
    name.eq_ignore_ascii_case("localhost") || name.parse().is_ok_and(is_loopback)
}
