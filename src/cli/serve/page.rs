//! The page: a board in the browser. A few files that are part of the program, packed once.

use std::io::Write;
use std::sync::LazyLock;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;
use axum::routing::get;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::app::Shared;

struct File {
    path: &'static str,
    kind: &'static str,
    text: &'static str,
}

const FILES: [File; 6] = [
    File {
        path: "/index.html",
        kind: "text/html; charset=utf-8",
        text: include_str!("page/index.html"),
    },
    File {
        path: "/page.css",
        kind: "text/css; charset=utf-8",
        text: include_str!("page/page.css"),
    },
    File {
        path: "/page.js",
        kind: "text/javascript; charset=utf-8",
        text: include_str!("page/page.js"),
    },
    File {
        path: "/board.js",
        kind: "text/javascript; charset=utf-8",
        text: include_str!("page/board.js"),
    },
    File {
        path: "/games.js",
        kind: "text/javascript; charset=utf-8",
        text: include_str!("page/games.js"),
    },
    File {
        path: "/icon.svg",
        kind: "image/svg+xml",
        text: include_str!("page/icon.svg"),
    },
];

/// Packed, and with a tag that changes with the text.
struct Packed {
    bytes: Bytes,
    tag: HeaderValue,
}

static PACKED: LazyLock<Vec<Packed>> = LazyLock::new(|| FILES.iter().map(pack).collect());

fn pack(file: &File) -> Packed {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let packed = encoder.write_all(file.text.as_bytes());
    let bytes = packed.and_then(|()| encoder.finish()).unwrap_or_default();
    let tag = format!("\"{:08x}\"", crc(file.text));
    Packed {
        bytes: bytes.into(),
        tag: HeaderValue::try_from(tag).unwrap_or(HeaderValue::from_static("\"\"")),
    }
}

fn crc(text: &str) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(text.as_bytes());
    crc.sum()
}

/// The files of the page.
pub fn routes() -> Router<Shared> {
    let add = |router: Router<Shared>, (number, file): (usize, &File)| {
        router.route(
            file.path,
            get(move |headers: HeaderMap| async move { send(number, &headers) }),
        )
    };
    FILES.iter().enumerate().fold(Router::new(), add)
}

/// The page itself, at the address that browsers begin with.
pub async fn index(headers: HeaderMap) -> Response<Body> {
    send(0, &headers)
}

fn send(number: usize, headers: &HeaderMap) -> Response<Body> {
    let (file, packed) = (&FILES[number], &PACKED[number]);
    let mut answer = match headers.get(header::IF_NONE_MATCH) {
        Some(known) if *known == packed.tag => StatusCode::NOT_MODIFIED.into_response(),
        _ => {
            let accepted = headers
                .get(header::ACCEPT_ENCODING)
                .and_then(|it| it.to_str().ok());
            let takes_packed = accepted.is_some_and(|accepted| accepted.contains("gzip"));
            let kind = (header::CONTENT_TYPE, HeaderValue::from_static(file.kind));
            match takes_packed && !packed.bytes.is_empty() {
                true => {
                    let gzip = HeaderValue::from_static("gzip");
                    (
                        [kind, (header::CONTENT_ENCODING, gzip)],
                        packed.bytes.clone(),
                    )
                        .into_response()
                }
                false => ([kind], file.text).into_response(),
            }
        }
    };
    let headers = answer.headers_mut();
    headers.insert(header::ETAG, packed.tag.clone());
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    answer
}
