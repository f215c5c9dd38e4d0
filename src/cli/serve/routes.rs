//! Which address is answered by whom, and what every request goes through.

use std::any::Any;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::DefaultBodyLimit;
use axum::http::header::HeaderValue;
use axum::http::{Method, Response, StatusCode};
use axum::middleware;
use axum::response::{IntoResponse, Redirect};
use axum::routing::{get, post};
use retrograde::{chess, xiangqi};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::SizeAbove;
use tower_http::cors::{AllowOrigin, CorsLayer};
use tower_http::timeout::TimeoutLayer;

use super::app::Shared;
use super::guard::{BODY_BYTES, guard};
use super::reply::Failure;
use super::{about, line, many, page, position, random};

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

fn panicked(panic: Box<dyn Any + Send + 'static>) -> Response<Body> {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or(panic.downcast_ref::<&str>().copied());
    tracing::error!("panicked: {}", text.unwrap_or("without words"));
    Failure::ours("the answer could not be made; the log says why").into_response()
}
