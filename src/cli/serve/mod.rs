//! `retrograde serve`: the tables over HTTP, with a board in the browser.
//!
//! The routes below `/standard` and their answers are those of the public tablebase interface, so
//! that existing clients work; `docs/serve.md` describes them and ours. A request goes through
//! `listen` (connections), `guard` (who may ask), `routes` (who answers) and `caching`; what it
//! asks is answered in `position`, `line`, `many`, `random` and `about`, and written by `reply`.

mod about;
mod app;
mod caching;
mod fen;
mod guard;
mod line;
mod listen;
mod many;
mod page;
mod position;
mod random;
mod reply;
mod routes;

use std::io::Write;
use std::net::SocketAddr;

use anyhow::{Result, anyhow};
use clap::{Args, ValueEnum};

use super::directory::TableDirectory;
use super::{Outcome, input};
use app::App;
use listen::Listener;

/// Answer over HTTP, with a board in the browser
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    retrograde serve --open\n  \
    retrograde serve --listen 0.0.0.0:8080 --cors '*' --tables /srv/tables\n  \
    curl 'http://127.0.0.1:8080/standard?fen=8/8/8/8/8/2k5/1R6/K7_w'\n\n\
    Answers below /standard are those of the public tablebase interface. While the address is one of this machine's own\n\
    loopback, only requests to a loopback name are answered.")]
pub struct Serve {
    /// The address to listen on; port 0 takes a free one and prints it
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,

    /// Where all routes begin, behind a proxy: /tb
    #[arg(long, value_name = "PATH", value_parser = base_path, default_value = "")]
    base_path: String,

    /// Open the page in the browser
    #[arg(long)]
    open: bool,

    /// Let pages of that origin ask; * lets all. May be repeated
    #[arg(long, value_name = "ORIGIN")]
    cors: Vec<String>,

    /// Bytes of answers that are kept; 0 keeps none
    #[arg(long, value_name = "SIZE", value_parser = cache_size, default_value = "64M")]
    cache: u64,

    /// Bytes of decoded blocks of our own tables that are kept
    #[arg(long, value_name = "SIZE", value_parser = cache_size, default_value = "256M")]
    block_cache: u64,

    /// How many connections are served at once; more wait
    #[arg(long, value_name = "N", default_value_t = 16384, value_parser = clap::value_parser!(u32).range(1..))]
    connections: u32,

    /// How what happens is told on the standard error
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    log: LogFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    #[default]
    Text,
    Json,
    None,
}

fn cache_size(text: &str) -> Result<u64, String> {
    match text {
        "0" => Ok(0),
        text => input::size(text),
    }
}

fn base_path(text: &str) -> Result<String, String> {
    let path = text.trim_end_matches('/');
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.".contains(&byte);
    match path.is_empty() || path.starts_with('/') && path.bytes().all(is_plain) {
        true => Ok(path.to_owned()),
        false => Err("write a path such as /tb, of letters, digits, - _ and .".to_owned()),
    }
}

impl Serve {
    /// Answers until it is interrupted.
    pub fn run(self, directory: &TableDirectory, out: &mut dyn Write) -> Result<Outcome> {
        start_log(self.log);
        let app = App::open(directory, &self)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()?;
        runtime.block_on(async {
            let listener = Listener::bind(self.listen, self.connections as usize)
                .await
                .map_err(|error| {
                    anyhow!(
                        "cannot listen on {}: {error}; choose another with --listen",
                        self.listen
                    )
                })?;
            let address = listener.address();
            let page = format!("http://{address}{}/", self.base_path);
            writeln!(out, "listening on {page}")?;
            out.flush()?;
            tracing::info!(%address, tables = %app.describe_tables(), "listening");
            if self.open {
                open_browser(&page);
            }
            let router = routes::router(app.clone());
            listener
                .serve(router, move |request| caching::at_hand(&app, request))
                .await;
            Ok(Outcome::Done)
        })
    }
}

fn start_log(format: LogFormat) {
    let log = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_target(false);
    // Where something has started a log already, its own is as good.
    let _ = match format {
        LogFormat::Text => log.try_init(),
        LogFormat::Json => log.json().try_init(),
        LogFormat::None => Ok(()),
    };
}

/// Opens the page. If that does not work, the address has been printed.
fn open_browser(page: &str) {
    let opener = match () {
        () if cfg!(target_os = "macos") => "open",
        () if cfg!(windows) => "explorer",
        () => "xdg-open",
    };
    if let Err(error) = std::process::Command::new(opener).arg(page).spawn() {
        tracing::warn!("cannot start {opener} ({error}); open {page} yourself");
    }
}
