//! Which address is answered by whom, and what every request goes through.

use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, Response, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Redirect};
use axum::routing::{get, post};
use retrograde::{chess, xiangqi};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::SizeAbove;
use tower_http::cors::{AllowOrigin, CorsLayer};
use tower_http::timeout::TimeoutLayer;

use super::app::{App, Shared};
use super::reply::Failure;
use super::{about, line, many, page, position, random};

/// Bytes of a request's body, at most: a thousand positions and some room.
const BODY_BYTES: usize = 256 << 10;

/// An answer that takes longer is not given.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Everything that is answered.
pub fn router(app: Shared) -> Router {
    let api = Router::new()
        .route("/standard", get(position::probe::<chess::Position>))
        .route("/standard/mainline", get(line::mainline::<chess::Position>))
        .route("/standard/squares", get(many::squares::<chess::Position>))
        .route("/standard/random", get(random::random::<chess::Position>))
        .route("/standard/batch", post(many::batch::<chess::Position>))
        .route("/xiangqi", get(position::probe::<xiangqi::Position>))
        .route(
            "/xiangqi/mainline",
            get(line::mainline::<xiangqi::Position>),
        )
        .route("/xiangqi/squares", get(many::squares::<xiangqi::Position>))
        .route("/xiangqi/random", get(random::random::<xiangqi::Position>))
        .route("/xiangqi/batch", post(many::batch::<xiangqi::Position>))
        .route("/tables", get(about::tables))
        .route("/tables/{material}", get(about::material))
        .layer(cors(&app.cors));
    let compressed = CompressionLayer::new().compress_when(SizeAbove::new(1024));
    let all = api
        .route("/monitor", get(about::monitor))
        .route("/metrics", get(about::metrics))
        .route("/healthz", get(about::healthz))
        .route("/openapi.json", get(about::openapi))
        .merge(page::routes())
        .fallback(about::unknown)
        .method_not_allowed_fallback(about::wrong_method)
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .layer(compressed);
    let all = match app.base_path.as_str() {
        "" => all.route("/", get(page::index)),
        // The page asks for what lies beside it, so its address has to end with a slash.
        path => Router::new()
            .nest(path, all)
            .route(path, get(Redirect::permanent(&format!("{path}/"))))
            .route(&format!("{path}/"), get(page::index))
            .fallback(about::unknown),
    };
    all.layer(middleware::from_fn_with_state(app.clone(), guard))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(TimeoutLayer::with_status_code(
            StatusCode::REQUEST_TIMEOUT,
            TIMEOUT,
        ))
        .with_state(app)
}

fn cors(origins: &[HeaderValue]) -> CorsLayer {
    let origins = match origins {
        [one] if one == "*" => AllowOrigin::any(),
        origins => AllowOrigin::list(origins.iter().filter(|origin| *origin != "*").cloned()),
    };
    CorsLayer::new()
        .allow_methods([Method::GET])
        .allow_origin(origins)
}

/// What every request goes through: who may ask, what every answer says, what is counted.
async fn guard(State(app): State<Shared>, request: Request, next: Next) -> Response<Body> {
    let add = |count: &AtomicU64| count.fetch_add(1, Ordering::Relaxed);
    add(&app.counts.requests);
    let mut response = match may_ask(&app, request.headers()) {
        true => next.run(request).await,
        false => Failure::new(
            StatusCode::FORBIDDEN,
            "this server answers on the loopback only: ask for localhost, or start it with another --listen",
        )
        .into_response(),
    };
    match response.status() {
        status if status.is_client_error() => add(&app.counts.client_errors),
        status if status.is_server_error() => add(&app.counts.server_errors),
        _ => 0,
    };
    const SAFE: [(HeaderName, &str); 4] = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::VARY, "Accept, Accept-Encoding"),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
             connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
    ];
    for (name, value) in SAFE {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}

/// On the loopback only whoever asks for it by name. A page elsewhere whose name was made to mean this machine would otherwise
/// read what the tables of this machine are.
fn may_ask(app: &App, headers: &HeaderMap) -> bool {
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

fn panicked(panic: Box<dyn Any + Send + 'static>) -> Response<Body> {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or(panic.downcast_ref::<&str>().copied());
    tracing::error!("panicked: {}", text.unwrap_or("without words"));
    Failure::ours("the answer could not be made; the log says why").into_response()
}
