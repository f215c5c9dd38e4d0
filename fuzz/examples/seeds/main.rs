//! Makes a small corpus: `cargo run --release --example seeds -- corpus tables ~/syzygy`, the
//! folder for the corpus first, then folders of tables of either format and either game.
//! `../tables` alone is enough for a seed of every target but the Syzygy ones.

mod syzygy;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use indicatif::ProgressBar;
use retrograde::generate::{GenerateOptions, Plan};
use retrograde::probe::solved::{Recorded, save};
use retrograde::reach::{NoLeaves, Options, Reach, solve};
use retrograde::table::Compression;
use retrograde::{chess, xiangqi};
use retrograde_fuzz::manifest::Manifest;
use retrograde_fuzz::{PAWNFUL, PAWNLESS, TABLES};

type Outcome = Result<(), Box<dyn Error>>;

/// Positions that may be found of one that is solved.
const FEW: usize = 100_000;

const FEN: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 99 150",
    "8/1P6/8/8/2k5/8/4p3/1K6 b - -",
    "4k3/8/8/8/8/8/8/4K3 b - - 65535 1000000000",
];

const XIANGQI_FEN: &[&str] = &[
    "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
    "4k4/4P4/4P4/4P4/9/9/9/9/9/3K5 w",
    "3k5/9/9/9/9/9/9/9/4A4/R3K3c b - - 30 90",
    "5k3/9/9/9/9/9/9/9/4A4/R3K3c b - - 65535 1000000000",
];

const MOVES: &[&str] = &[
    "e1g1",
    "O-O-O",
    "exd3",
    "c7b8q",
    "cxb8=N+",
    "Q2d5",
    "Qa5xd5#",
    "h2e2",
    "C2=5",
    "+P=4",
    "前兵平四",
    "b7c5",
];

const NAMES: &[&str] = &[
    "KQvKR",
    "krpvkr",
    "KQvKR.wdl",
    "KRvKN.dtc",
    "KRvKAABB.rounds",
    "KNNvKQ.rtbw",
    "KvK",
    "KRNCPvKAABB",
];

/// The first byte chooses game and line.
const EPD: &[&str] = &[
    "\x008/8/8/8/8/2k5/1R6/K7 w - - 0 1\n# comment\n\nnonsense\n8/8/8/8/8/2k5/1Q6/K7 b - - acd 12; id \"a\";\r\n",
    "\x018/8/8/8/8/2k5/1P6/K7 w - -\n\u{feff}8/8/8/8/8/2k5/1R6/K7_b_-_-_0_1 x\n",
    "\x043k5/9/9/9/9/9/9/9/9/3K4R w\n3k5/9/9/9/9/9/9/9/9/3K4R w - - 0 1 c0 \"x\";\n",
];

/// The first byte chooses the method and what the second line is; the third is the body.
const HTTP: &[&str] = &[
    "\0standard?fen=8/8/8/8/8/2k5/1R6/K7_w_-_-_0_1\napplication/cbor\n",
    "\x20standard/mainline?fen=8/8/8/8/8/2k5/1R6/K7_w_-_-_0_1&metric=dtm\ngzip\n",
    "\x40standard/squares?fen=8/8/8/8/8/2k5/1R6/K7_w_-_-_0_1&from=b2\nhttps://example.org\n",
    "\0standard/random?material=KRvK&wdl=win&seed=3\n\n",
    "\x68standard/batch\napplication/json\n{\"fens\":[\"8/8/8/8/8/2k5/1R6/K7 w - - 0 1\"]}",
    "\0xiangqi?fen=3k5/9/9/9/9/9/9/9/9/3K4R_w&rules=cycles-draw\n\n",
    "\0tables/KRvK\n\n",
    "\0metrics\n\n",
    "\x0cmonitor\n\n",
    "\x10standard\nhttps://example.org\n",
    "\x03GET /standard?fen=8/8/8/8/8/2k5/1R6/K7_w HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HTTP/1.0\r\n\r\n",
    "\x03POST /standard/batch HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n[1]\r\n0\r\n\r\n",
];

/// Writes texts into the folder of a target.
fn texts<T: AsRef<[u8]>>(target: PathBuf, texts: &[T]) -> Outcome {
    fs::create_dir_all(&target)?;
    for (number, text) in texts.iter().enumerate() {
        fs::write(target.join(number.to_string()), text)?;
    }
    Ok(())
}

/// Small tables of our own, under names that begin alike.
fn native(target: &Path, folders: &[PathBuf], begin: &str) -> Outcome {
    fs::create_dir_all(target)?;
    for folder in folders {
        for file in fs::read_dir(folder)? {
            let path = file?.path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            let is_table = matches!(extension, Some("wdl" | "dtz" | "dtm" | "dtc" | "rounds"));
            if !is_table || fs::metadata(&path)?.len() > syzygy::SMALL as u64 {
                continue;
            }
            let name = path.file_name().ok_or("a file without a name")?;
            for choice in [0u8, 1, 6, 8, 10] {
                let bytes = [&[choice], &fs::read(&path)?[..]].concat();
                let name = format!("{begin}{choice}-{}", name.to_string_lossy());
                fs::write(target.join(name), bytes)?;
            }
        }
    }
    Ok(())
}

/// Tables that are compressed by LZMA.
fn archives(target: &Path) -> Outcome {
    let place = tempfile::tempdir()?;
    let options = GenerateOptions {
        compression: Compression::Smallest,
        ..GenerateOptions::new(place.path(), vec!["KPvK".parse()?])
    };
    Plan::new(&options)?.run(&AtomicBool::new(false), &())?;
    native(target, &[place.path().to_owned()], "lzma-")
}

/// The positions that one leads to, as a file.
fn solved<P: Recorded + Reach>(target: &Path, name: &str, position: P) -> Outcome {
    let options = Options {
        max_positions: FEW,
        ..Options::default()
    };
    let solved = solve(&position, &NoLeaves, &options)?;
    let file = target.join(name);
    save(&solved, &file)?;
    let bytes = fs::read(&file)?;
    fs::remove_file(&file)?;
    for choice in [0u8, 1, 6] {
        let bytes = [&[choice], &bytes[..]].concat();
        fs::write(target.join(format!("{choice}-{name}")), bytes)?;
    }
    Ok(())
}

fn records(target: &Path) -> Outcome {
    fs::create_dir_all(target)?;
    let wall = chess::Position::from_fen("4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1")?;
    solved(target, "chess", wall)?;
    let edge = xiangqi::Position::from_fen("P8/3k5/9/9/9/9/9/9/9/4K4 w")?;
    solved(target, "xiangqi", edge)
}

fn main() -> Outcome {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let corpus = arguments.next().ok_or("usage: seeds CORPUS FOLDER...")?;
    let folders: Vec<PathBuf> = arguments.collect();
    syzygy::seeds(&corpus.join("syzygy_pawnless"), PAWNLESS, &folders)?;
    syzygy::seeds(&corpus.join("syzygy_pawnful"), PAWNFUL, &folders)?;
    let written: Vec<Vec<u8>> = (0..12u8)
        .map(|number| vec![number, 3 * number, 0x13, 0x22, 0x79])
        .collect();
    texts(corpus.join("syzygy_writer"), &written)?;
    native(&corpus.join("native_table"), &folders, "")?;
    archives(&corpus.join("native_table"))?;
    records(&corpus.join("records"))?;
    let manifest = Manifest::of(
        TABLES.as_ref(),
        &AtomicBool::new(false),
        &ProgressBar::hidden(),
    )?;
    let mut printed = Vec::new();
    manifest.print(&mut printed)?;
    texts(corpus.join("manifest"), &[printed])?;
    texts(corpus.join("fen"), FEN)?;
    texts(corpus.join("xiangqi_fen"), XIANGQI_FEN)?;
    texts(corpus.join("moves"), MOVES)?;
    texts(corpus.join("names"), NAMES)?;
    texts(corpus.join("epd"), EPD)?;
    texts(corpus.join("http"), HTTP)
}
