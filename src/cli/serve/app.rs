//! What all requests share: the tables, how many probes run at once, and the answers that are kept.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;
use axum::body::Bytes;
use axum::http::header::HeaderValue;
use quick_cache::sync::Cache;
use quick_cache::{Equivalent, Weighter};
use retrograde::Tablebase;
use retrograde::chess;
use retrograde::probe::xiangqi::XiangqiTables;
use retrograde::xiangqi::{self, Rules};
use tokio::sync::Semaphore;

use super::Serve;
use super::reply::{Encoding, Failure, Key};
use crate::cli::directory::TableDirectory;
use crate::cli::game::CliGame;

/// Probes that run at once, for each processor: a disk serves several.
const PROBES_PER_PROCESSOR: usize = 4;

/// About what an answer of the cache costs beside its bytes.
const ENTRY_BYTES: u64 = 128;

/// What all requests share.
pub type Shared = Arc<App>;

/// The tables, and what goes on.
pub struct App {
    directory: TableDirectory,
    chess: Tablebase,
    /// By rules.
    xiangqi: Vec<XiangqiTables>,
    processors: usize,
    probes: Arc<Semaphore>,
    answers: Option<Cache<Key, Bytes, ByBytes>>,
    /// Of the set of tables.
    version: u64,
    pub base_path: String,
    /// Origins whose pages may ask.
    pub cors: Vec<HeaderValue>,
    /// Whether it answers on the loopback only.
    pub is_local: bool,
    pub counts: Counts,
}

/// How much a kept answer weighs.
#[derive(Clone)]
pub struct ByBytes;

impl Weighter<Key, Bytes> for ByBytes {
    fn weight(&self, (asked, _): &Key, body: &Bytes) -> u64 {
        asked.len() as u64 + body.len() as u64 + ENTRY_BYTES
    }
}

/// A key that is looked for.
#[derive(Hash)]
struct Borrowed<'a>(&'a str, Encoding);

impl Equivalent<Key> for Borrowed<'_> {
    fn equivalent(&self, (asked, encoding): &Key) -> bool {
        self.0 == asked && self.1 == *encoding
    }
}

/// What happened since the start.
#[derive(Debug, Default)]
pub struct Counts {
    pub requests: AtomicU64,
    pub client_errors: AtomicU64,
    pub server_errors: AtomicU64,
    pub cache_hits: AtomicU64,
    pub cache_misses: AtomicU64,
}

impl App {
    /// Opens the tables.
    ///
    /// # Errors
    ///
    /// If a directory was named that cannot be read, or if an origin is none.
    pub fn open(directory: &TableDirectory, options: &Serve) -> Result<Shared> {
        let rules = Rules::default();
        let keeping = directory.keeping(usize::try_from(options.block_cache).unwrap_or(usize::MAX));
        let chess = chess::Position::tables(Some(&keeping), rules)?;
        let xiangqi = Rules::ALL.map(|rules| xiangqi::Position::tables(Some(directory), rules));
        let xiangqi: Result<Vec<XiangqiTables>> = xiangqi.into_iter().collect();
        let cors: Result<Vec<HeaderValue>, _> =
            options.cors.iter().map(HeaderValue::try_from).collect();
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let kept = options.cache;
        let mut app = App {
            directory: directory.clone(),
            chess,
            xiangqi: xiangqi?,
            processors,
            probes: Arc::new(Semaphore::new(PROBES_PER_PROCESSOR * processors)),
            answers: (kept > 0)
                .then(|| Cache::with_weighter((kept / 2048) as usize, kept, ByBytes)),
            version: 0,
            base_path: options.base_path.clone(),
            cors: cors?,
            is_local: options.listen.ip().is_loopback(),
            counts: Counts::default(),
        };
        let mut hasher = DefaultHasher::new();
        for file in app.chess.tables() {
            (file.path(), file.bytes().ok()).hash(&mut hasher);
        }
        for file in directory.xiangqi_files()? {
            let bytes = std::fs::metadata(&file.path).map(|file| file.len());
            (&file.path, bytes.ok()).hash(&mut hasher);
        }
        env!("CARGO_PKG_VERSION").hash(&mut hasher);
        app.version = hasher.finish();
        Ok(Arc::new(app))
    }

    pub fn directory(&self) -> &TableDirectory {
        &self.directory
    }

    pub fn chess(&self) -> &Tablebase {
        &self.chess
    }

    /// The tables of some rules.
    ///
    /// # Panics
    ///
    /// Never: there are some for all rules.
    pub fn xiangqi(&self, rules: Rules) -> &XiangqiTables {
        let of_rules = self.xiangqi.iter().find(|tables| tables.rules() == rules);
        of_rules.unwrap_or(&self.xiangqi[0])
    }

    /// A number that changes with the set of tables.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// How many there are, and where.
    pub fn describe_tables(&self) -> String {
        let chess = self.chess.tables().len();
        let xiangqi = self
            .directory
            .xiangqi_files()
            .map_or(0, |files| files.len());
        let directory = self.directory.display();
        format!("{chess} of chess and {xiangqi} of xiangqi in {directory}")
    }

    /// An answer that was given before.
    pub fn kept(&self, asked: &str, encoding: Encoding) -> Option<Bytes> {
        let body = self.answers.as_ref()?.get(&Borrowed(asked, encoding))?;
        self.counts.cache_hits.fetch_add(1, Ordering::Relaxed);
        Some(body)
    }

    /// Keeps an answer.
    pub fn keep(&self, key: Key, body: Bytes) {
        if let Some(answers) = &self.answers {
            answers.insert(key, body);
        }
    }

    /// How many answers are kept, and their bytes.
    pub fn kept_size(&self) -> (usize, u64) {
        let answers = self.answers.as_ref();
        answers.map_or((0, 0), |answers| (answers.len(), answers.weight()))
    }

    /// A message of the library as clients are told it: on this machine its commands name the
    /// directory, elsewhere where the tables lie is nobody's business.
    pub fn told(&self, message: String) -> String {
        match self.is_local {
            true => self.directory.advised(message),
            false => self.directory.hidden_in(message),
        }
    }

    /// How many processors there are.
    pub fn processors(&self) -> usize {
        self.processors
    }

    /// Asks the tables, on a thread that may wait for a disk. Whoever asked may go away meanwhile:
    /// the work is done to its end, and counts until then as one of those that are done at once.
    ///
    /// # Errors
    ///
    /// What the work says.
    pub async fn work<T: Send + 'static>(
        self: Arc<App>,
        work: impl FnOnce(&Shared) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let app = Arc::clone(&self);
        let probes = Arc::clone(&self.probes);
        // Never closed.
        let permit = probes.acquire_owned().await.map_err(Failure::ours)?;
        let done = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            work(&self)
        });
        let done = done
            .await
            .map_err(|_| Failure::ours("the answer could not be made; the log says why"))?;
        done.map_err(|failure| failure.tell(|why| app.told(why)))
    }
}
