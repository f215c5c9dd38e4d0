//! The server: the contract of the public tablebase interface, our own routes, and requests that
//! mean no good.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::Place;

/// A server of its own for a test, on a port that was free.
struct Server {
    child: Child,
    address: SocketAddr,
    /// What is told on the standard error is in this file.
    place: Place,
}

struct Reply {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Reply {
    fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    fn json(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text());
        serde_json::from_slice(&self.body).unwrap()
    }

    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let found = lines.find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value)
    }
}

impl Server {
    fn start(place: Place, arguments: &[&str]) -> Server {
        Server::start_at("127.0.0.1:0", "tables", place, arguments)
    }

    fn start_at(listen: &str, tables: &str, place: Place, arguments: &[&str]) -> Server {
        let log = std::fs::File::create(place.path("log")).unwrap();
        let all = ["serve", "--listen", listen, "--tables", tables];
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_retrograde"));
        let mut child = command
            .args(all)
            .args(arguments)
            .current_dir(place.path(""))
            .env_remove("RETROGRADE_TABLES")
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut line = String::new();
        let out = child.stdout.take().unwrap();
        BufReader::new(out).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on http://").unwrap();
        let address = address.split('/').next().unwrap().parse().unwrap();
        Server {
            child,
            address,
            place,
        }
    }

    fn with_tables() -> Server {
        Server::start(Place::with_tables(), &[])
    }

    /// Sends bytes and reads what comes back until the server closes.
    fn raw(&self, request: &[u8]) -> Option<Reply> {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        // A server that refuses closes before all is sent.
        let _ = stream.write_all(request);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1)?.parse().ok()?;
        let mut body = bytes[end + 4..].to_vec();
        if head
            .to_ascii_lowercase()
            .contains("transfer-encoding: chunked")
        {
            body = unchunked(&body);
        }
        Some(Reply { status, head, body })
    }

    fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> Reply {
        let length = body.len();
        let host = self.address;
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        );
        self.raw(request.as_bytes()).unwrap()
    }

    fn get(&self, path: &str) -> Reply {
        self.ask("GET", path, "", "")
    }

    fn standard(&self, fen: &str) -> Value {
        self.get(&format!("/standard?fen={}", fen.replace(' ', "_")))
            .json()
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.place.path("log")).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = bytes.windows(2).position(|window| window == b"\r\n") {
        let length = std::str::from_utf8(&bytes[..end]).unwrap();
        let length = usize::from_str_radix(length, 16).unwrap();
        whole.extend_from_slice(&bytes[end + 2..end + 2 + length]);
        bytes = &bytes[end + 4 + length..];
        if length == 0 {
            break;
        }
    }
    whole
}

const ROOK: &str = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1";

#[test]
fn answers_are_those_of_the_public_interface() {
    let server = Server::with_tables();
    let answer = server.standard(ROOK);
    assert_eq!(answer["category"], "win");
    assert_eq!(
        (&answer["dtz"], &answer["precise_dtz"], &answer["dtm"]),
        (&json!(31), &json!(31), &json!(31))
    );
    let best = &answer["moves"][0];
    assert_eq!(
        (&best["category"], &best["dtm"]),
        (&json!("loss"), &json!(-30))
    );
    for position in answer["moves"].as_array().unwrap().iter().chain([&answer]) {
        for name in [
            "checkmate",
            "stalemate",
            "variant_win",
            "variant_loss",
            "insufficient_material",
            "dtz",
            "precise_dtz",
            "dtm",
            "dtw",
            "dtc",
            "category",
        ] {
            assert!(position.get(name).is_some(), "{name} of {position}");
        }
    }
    // Every field after the board may be missing; a board alone is White's turn.
    for fen in [
        "8/8/8/8/8/2k5/1R6/K7",
        "8/8/8/8/8/2k5/1R6/K7_w",
        "8/8/8/8/8/2k5/1R6/K7%20w%20KQkq%20e3%200%200",
    ] {
        let other = server.get(&format!("/standard?fen={fen}")).json();
        assert_eq!(other["moves"], answer["moves"], "{fen}");
    }
    // A mate on the board is a ply over and has no distance to mate; the clock before the mating
    // move counts.
    let mated = server.standard("8/8/8/8/8/1k6/1q6/K7 w - - 5 1");
    assert_eq!(
        (&mated["category"], &mated["dtz"], &mated["dtm"]),
        (&json!("loss"), &json!(-1), &Value::Null)
    );
    assert_eq!(mated["moves"], json!([]));
    for (clock, category, after) in [
        (99, "win", "loss"),
        (100, "cursed-win", "blessed-loss"),
        (101, "cursed-win", "blessed-loss"),
    ] {
        let mates = server.standard(&format!("8/8/8/8/8/1k6/7q/K7 b - - {clock} 90"));
        let best = &mates["moves"][0];
        assert_eq!(
            (&mates["category"], &best["checkmate"]),
            (&json!(category), &json!(true)),
            "{clock}"
        );
        assert_eq!(
            (&best["category"], &best["dtz"]),
            (&json!(after), &json!(-1)),
            "{clock}"
        );
    }
    // Draws are 0 in every metric.
    let drawn = server.standard("8/8/8/8/4k3/8/4P3/4K3 w - - 0 1");
    assert_eq!(
        (&drawn["category"], &drawn["dtz"], &drawn["dtm"]),
        (&json!("draw"), &json!(0), &json!(0))
    );
    let stalemate = server.standard("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1");
    assert_eq!(
        (&stalemate["category"], &stalemate["stalemate"]),
        (&json!("draw"), &json!(true))
    );
}

#[test]
fn moves_are_in_the_order_of_the_public_interface() {
    let server = Server::with_tables();
    // Black takes the rook, or does not.
    let answer = server.standard("8/8/8/8/8/1k6/1R6/7K b - - 0 1");
    let categories: Vec<&str> = answer["moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["category"].as_str().unwrap())
        .collect();
    assert_eq!(answer["moves"][0]["uci"], "b3b2");
    assert_eq!(
        (
            &answer["moves"][0]["conversion"],
            answer["category"].as_str()
        ),
        (&json!(true), Some("draw"))
    );
    assert!(
        categories[1..].iter().all(|category| *category == "win"),
        "{categories:?}"
    );
    // Who loses resists: the longest way to mate first.
    let distances: Vec<i64> = answer["moves"].as_array().unwrap()[1..]
        .iter()
        .map(|m| m["dtm"].as_i64().unwrap())
        .collect();
    assert!(distances.is_sorted_by(|a, b| a >= b), "{distances:?}");
    // Who wins does not lose time.
    let answer = server.standard(ROOK);
    let winning = answer["moves"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|m| m["category"] == "loss");
    let distances: Vec<i64> = winning.map(|m| m["dtm"].as_i64().unwrap()).collect();
    assert!(
        distances.len() > 3 && distances.is_sorted_by(|a, b| a >= b),
        "{distances:?}"
    );
}

#[test]
fn lines_go_to_the_end() {
    let server = Server::with_tables();
    let path = format!("/standard/mainline?fen={}", ROOK.replace(' ', "_"));
    for metric in ["", "&metric=dtm"] {
        let line = server.get(&format!("{path}{metric}")).json();
        let moves = line["mainline"].as_array().unwrap();
        assert_eq!(
            (moves.len(), &line["winner"], &line["dtz"]),
            (31, &json!("w"), &json!(31))
        );
        assert_eq!(moves[30]["dtz"], -1);
        assert!(moves[30]["san"].as_str().unwrap().ends_with('#'));
        assert_eq!(moves[0]["precise_dtz"], -30);
    }
    let late = server
        .get("/standard/mainline?fen=8/8/8/8/8/2k5/1R6/K7_w_-_-_90_1")
        .json();
    assert_eq!(
        (late["mainline"].as_array().unwrap().len(), &late["winner"]),
        (10, &Value::Null)
    );
    let drawn = server
        .get("/standard/mainline?fen=8/8/8/8/4k3/8/4P3/4K3")
        .json();
    assert_eq!(
        (&drawn["mainline"], &drawn["winner"], &drawn["dtz"]),
        (&json!([]), &Value::Null, &json!(0))
    );
    let missing = server.get("/standard/mainline?fen=8/8/8/8/8/2k5/1R6/K6q");
    assert!(
        missing.status == 404 && missing.text().contains("KQvKR"),
        "{}",
        missing.text()
    );
    let castling = server.get("/standard/mainline?fen=4k3/8/8/8/8/8/8/4K2R_w_K");
    assert_eq!(castling.status, 404);
    assert_eq!(server.get(&format!("{path}&metric=x")).status, 400);
}

#[test]
fn what_is_missing_is_unknown_and_says_how_to_get_it() {
    let server = Server::with_tables();
    let reply = server.get("/standard?fen=8/8/8/8/8/2k5/1R6/K6q");
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    let answer = reply.json();
    assert_eq!(
        (&answer["category"], &answer["dtz"], &answer["wdl"]),
        (&json!("unknown"), &Value::Null, &Value::Null)
    );
    assert!(
        answer["reason"]
            .as_str()
            .unwrap()
            .contains("`retrograde generate KQvKR --tables tables`"),
        "{answer}"
    );
    // A capture leads where there are tables: the best known move decides.
    let answer = server.standard("8/8/8/8/8/2k5/8/K5Rq w - - 0 1");
    assert_eq!(
        (&answer["category"], &answer["moves"][0]["uci"]),
        (&json!("win"), &json!("g1h1"))
    );
    // Without any tables the server runs.
    let place = Place::new();
    std::fs::create_dir(place.path("tables")).unwrap();
    let empty = Server::start(place, &[]);
    let reply = empty.get(&format!("/standard?fen={}", ROOK.replace(' ', "_")));
    assert_eq!(
        (reply.status, &reply.json()["category"]),
        (200, &json!("unknown"))
    );
}

#[test]
fn clients_elsewhere_are_not_told_where_the_tables_lie() {
    let place = Place::with_tables();
    let tables = place.path("tables").into_os_string().into_string().unwrap();
    std::fs::write(place.path("tables/KBvKN.wdl"), "no table").unwrap();
    let server = Server::start_at("0.0.0.0:0", &tables, place, &[]);
    let queen = "8/8/8/8/8/2k5/1R6/K6q";
    let knight = "8/8/8/8/8/2k5/8/KB5n_w";
    let batch = server.ask("POST", "/standard/batch", "", &format!("[\"{knight}\"]"));
    for (reply, words) in [
        (
            server.get(&format!("/standard?fen={queen}")),
            "no wdl table for KQvKR in the tables; generate it with `retrograde generate KQvKR`",
        ),
        (
            server.get(&format!("/standard/mainline?fen={queen}")),
            "KQvKR in the tables;",
        ),
        (
            server.get(&format!("/standard?fen={knight}")),
            "KBvKN.wdl: ",
        ),
        (server.get("/standard/random?material=KBvKN"), "KBvKN.wdl: "),
        (batch, "KBvKN.wdl: "),
    ] {
        let text = reply.text();
        assert!(text.contains(words) && !text.contains(&tables), "{text}");
    }
    // Whoever runs it is.
    assert!(
        server.log().contains(&format!("{tables}/KBvKN.wdl: ")),
        "{}",
        server.log()
    );
}

#[test]
fn errors_are_sentences_with_their_status() {
    let server = Server::with_tables();
    for (method, path, headers, status, word) in [
        ("GET", "/standard", "", 400, "fen"),
        ("GET", "/standard?fen=", "", 400, "fen"),
        ("GET", "/standard?fen=8/8", "", 400, "ranks"),
        ("GET", "/standard?fen=8/8/8/8/8/8/8/8", "", 400, "king"),
        ("GET", "/standard?fen=%ff", "", 400, ""),
        (
            "GET",
            "/atomic?fen=8/8/8/8/8/8/8/8",
            "",
            404,
            "nothing at /atomic",
        ),
        ("GET", "/../../etc/passwd", "", 404, "nothing"),
        (
            "GET",
            "/standard/squares?fen=8/8/8/8/8/2k5/1R6/K7",
            "",
            400,
            "square",
        ),
        (
            "GET",
            "/standard/squares?fen=8/8/8/8/8/2k5/1R6/K7&square=e5",
            "",
            400,
            "nobody",
        ),
        (
            "GET",
            "/xiangqi?fen=3k5/9/9/9/9/9/9/9/9/R3K4&rules=mine",
            "",
            400,
            "rules",
        ),
        ("GET", "/tables/KXvK", "", 400, "KXvK"),
        ("GET", "/tables/KQvKR", "", 404, "KQvKR"),
        ("GET", "/tables/KRvK?rules=none", "", 400, "none"),
        ("GET", "/tables/KvKB?game=xiangqi", "", 400, "no table"),
        (
            "GET",
            "/tables/KRvK?game=xiangqi&rules=cycles-draw",
            "",
            404,
            "cycles-draw",
        ),
        ("DELETE", "/standard", "", 405, "GET"),
        ("POST", "/standard", "", 405, "GET"),
        (
            "GET",
            "/standard?fen=8/8/8/8/8/2k5/1R6/K7",
            "Accept: text/html\r\n",
            406,
            "application/json",
        ),
        ("POST", "/standard/batch", "", 400, "list"),
    ] {
        let reply = server.ask(method, path, headers, "");
        let text = reply.text();
        assert!(
            reply.status == status && text.contains(word),
            "{method} {path}: {} {text}",
            reply.status
        );
        assert!(text.lines().count() == 1 && !text.contains('{'), "{text}");
    }
    assert!(!server.log().contains("panicked"), "{}", server.log());
}

#[test]
fn answers_may_be_kept_and_be_cbor() {
    let server = Server::with_tables();
    let path = format!("/standard?fen={}", ROOK.replace(' ', "_"));
    let first = server.get(&path);
    let tag = first.header("etag").unwrap().to_owned();
    assert!(first.header("cache-control").unwrap().contains("max-age"));
    assert_eq!(server.get(&path).body, first.body);
    let again = server.ask("GET", &path, &format!("If-None-Match: {tag}\r\n"), "");
    assert_eq!((again.status, again.body.len()), (304, 0));
    let cbor = server.ask("GET", &path, "Accept: application/cbor\r\n", "");
    assert_eq!(cbor.header("content-type"), Some("application/cbor"));
    let value: Value = ciborium::from_reader(&cbor.body[..]).unwrap();
    assert_eq!(value, first.json());
    assert_ne!(cbor.header("etag"), Some(tag.as_str()));
    let packed = server.ask("GET", &path, "Accept-Encoding: gzip\r\n", "");
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    assert!(packed.body.len() < first.body.len() / 2);
    let metrics = server.get("/metrics").text();
    assert!(
        metrics.contains("\nretrograde_answer_cache_hits_total 2\n"),
        "{metrics}"
    );
    assert!(
        server
            .get("/monitor")
            .text()
            .starts_with("tablebase cache=2u")
    );
}

#[test]
fn what_is_at_hand_is_answered_as_the_routes_do() {
    for base in ["", "/tb"] {
        let server = Server::start(Place::with_tables(), &["--base-path", base, "--cors", "*"]);
        let path = format!("{base}/standard?fen=8/8/8/8/8/2k5/1R6/K7_w");
        let first = server.get(&path);
        let [at_hand, through_routes] = ["", "Accept-Encoding: identity\r\n"]
            .map(|headers| server.ask("GET", &path, headers, ""));
        assert_eq!(at_hand.json(), through_routes.json());
        assert_eq!(at_hand.body, first.body);
        for name in [
            "content-type",
            "content-length",
            "cache-control",
            "etag",
            "vary",
            "content-security-policy",
            "x-content-type-options",
            "referrer-policy",
        ] {
            let value = at_hand.header(name);
            assert!(value.is_some(), "{name}");
            assert_eq!(value, through_routes.header(name), "{name}");
        }
        let cross = server.ask("GET", &path, "Origin: http://elsewhere\r\n", "");
        assert_eq!(cross.header("access-control-allow-origin"), Some("*"));
        assert_eq!(server.ask("HEAD", &path, "", "").status, 200);
        let other_host =
            format!("GET {path} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
        assert_eq!(server.raw(other_host.as_bytes()).unwrap().status, 403);
        let metrics = server.get(&format!("{base}/metrics")).text();
        assert!(metrics.contains("answer_cache_hits_total 4\n"), "{metrics}");
    }
}

#[test]
fn decoded_blocks_are_kept_within_a_limit() {
    let path = "/standard?fen=8/8/8/8/8/2k5/1R6/K7_w";
    let found = |size: &str| {
        let options = ["--cache", "0", "--block-cache", size];
        let server = Server::start(Place::with_tables(), &options);
        assert_eq!(server.get(path).body, server.get(path).body);
        let metrics = server.get("/metrics").text();
        ["hits_total", "misses_total", "bytes"].map(|name| {
            let name = format!("retrograde_block_cache_{name} ");
            let mut lines = metrics.lines();
            let value = lines.find_map(|line| line.strip_prefix(&name)).unwrap();
            value.parse::<u64>().unwrap()
        })
    };
    let [hits, misses, bytes] = found("4M");
    assert!(hits > misses && misses > 0 && (1..=4 << 20).contains(&bytes));
    let [hits, _, bytes] = found("0");
    assert_eq!((hits, bytes), (0, 0));
}

#[test]
fn batches_answer_in_order() {
    let server = Server::with_tables();
    let fens: Vec<String> = (0..100)
        .map(|number| match number % 3 {
            0 => ROOK.to_owned(),
            1 => "8/8/8/8/4k3/8/4P3/4K3 w - - 0 1".to_owned(),
            _ => "nonsense".to_owned(),
        })
        .collect();
    let body = json!(fens).to_string();
    let whole = server.ask("POST", "/standard/batch", "", &body).json();
    let lines = server
        .ask(
            "POST",
            "/standard/batch",
            "Accept: application/x-ndjson\r\n",
            &body,
        )
        .text();
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(whole, json!(lines));
    for (number, answer) in lines.iter().enumerate() {
        match number % 3 {
            0 => assert_eq!(answer["category"], "win"),
            1 => assert_eq!(answer["category"], "draw"),
            _ => assert!(
                answer["error"].as_str().unwrap().contains("FEN"),
                "{answer}"
            ),
        }
    }
    let object = json!({"fens": [ROOK]}).to_string();
    assert_eq!(
        server.ask("POST", "/standard/batch", "", &object).json()[0],
        lines[0]
    );
    let too_many = json!(vec!["8/8/8/8/8/2k5/1R6/K7"; 1001]).to_string();
    let reply = server.ask("POST", "/standard/batch", "", &too_many);
    assert!(
        reply.status == 413 && reply.text().contains("1000"),
        "{}",
        reply.text()
    );
    let too_long = format!("[\"{}\"]", "x".repeat(1 << 20));
    assert_eq!(
        server.ask("POST", "/standard/batch", "", &too_long).status,
        413
    );
    // At once, before a body that never comes.
    let announced = format!(
        "POST /standard/batch HTTP/1.1\r\nHost: {}\r\nContent-Length: 9999999\r\n\r\n[",
        server.address
    );
    assert_eq!(server.raw(announced.as_bytes()).unwrap().status, 413);
}

#[test]
fn a_man_is_valued_on_every_square() {
    let server = Server::with_tables();
    let path = "/standard/squares?square=b2&fen=8/8/8/8/8/2k5/1R6/K7_w_-_-_0_1";
    let answer = server.get(path).json();
    let squares = answer["squares"].as_array().unwrap();
    assert_eq!((&answer["man"], squares.len()), (&json!("R"), 61));
    for square in squares {
        let name = square["square"].as_str().unwrap();
        let (file, rank) = (name.as_bytes()[0] - b'a', name.as_bytes()[1] - b'1');
        let mut board = [[' '; 8]; 8];
        board[0][0] = 'K';
        board[2][2] = 'k';
        board[usize::from(rank)][usize::from(file)] = 'R';
        let rows: Vec<String> = board
            .iter()
            .rev()
            .map(|row| {
                let row: String = row
                    .iter()
                    .map(|&man| if man == ' ' { '1' } else { man })
                    .collect();
                row
            })
            .collect();
        let reply = server.get(&format!("/standard?fen={}_w", rows.join("/")));
        match reply.status {
            200 => assert_eq!(
                (&reply.json()["category"], &reply.json()["dtm"]),
                (&square["category"], &square["dtm"]),
                "{name}"
            ),
            _ => assert_eq!(square["category"], "illegal", "{name}"),
        }
    }
}

#[test]
fn the_other_game_and_the_tables_are_served() {
    let place = Place::with_tables();
    let (status, _, err) = place.run([
        "generate", "--game", "xiangqi", "KRvK", "--tables", "tables",
    ]);
    assert_eq!((status, err.as_str()), (0, ""));
    let server = Server::start(place, &["--base-path", "/tb/", "--log", "json"]);
    let answer = server
        .get("/tb/xiangqi?fen=3k5/9/9/9/9/9/9/9/9/R3K4")
        .json();
    assert_eq!(
        (&answer["category"], &answer["game"]),
        (&json!("win"), &json!("xiangqi"))
    );
    let line = server
        .get("/tb/xiangqi/mainline?fen=3k5/9/9/9/9/9/9/9/9/R3K4")
        .json();
    assert_eq!(line["winner"], "w");
    assert_eq!(
        line["mainline"].as_array().unwrap().len() as i64,
        answer["dtc"].as_i64().unwrap()
    );
    let tables = server.get("/tb/tables").json();
    assert_eq!(tables["tables"].as_array().unwrap().len(), 15);
    let stats = server.get("/tb/tables/KRvK").json();
    assert_eq!(stats["white"]["dtm"]["longest"]["plies"], 31);
    let stats = server.get("/tb/tables/KRvK?game=xiangqi").json();
    assert_eq!(stats["game"], "xiangqi");
    let page = server.get("/tb/");
    assert!(page.status == 200 && page.text().contains("<title>retrograde</title>"));
    assert!(
        page.header("content-security-policy")
            .unwrap()
            .contains("default-src 'none'")
    );
    assert_eq!(server.get("/standard").status, 404);
    for line in server.log().lines() {
        assert!(serde_json::from_str::<Value>(line).is_ok(), "{line}");
    }
}

#[test]
fn positions_are_drawn_by_lot() {
    let server = Server::with_tables();
    let ask = |query: &str| server.get(&format!("/standard/random?material=KPvK{query}"));
    for seed in 0..20 {
        let answer = ask(&format!(
            "&category=win&turn=w&dtm_min=20&dtm_max=30&seed={seed}"
        ));
        let answer = answer.json();
        assert_eq!(answer["category"], "win", "{answer}");
        assert!((20..=30).contains(&answer["dtm"].as_i64().unwrap()));
        let fen = answer["fen"].as_str().unwrap();
        assert!(fen.contains(" w "), "{fen}");
        // As it is answered for by its FEN.
        assert_eq!(server.standard(fen), answer);
    }
    let same = [7, 7].map(|seed| ask(&format!("&seed={seed}")).text());
    assert_eq!(same[0], same[1]);
    let fens: std::collections::BTreeSet<String> = (0..20)
        .map(|_| ask("&category=draw").json()["fen"].to_string())
        .collect();
    assert!(fens.len() > 10, "{fens:?}");
    for (query, status, words) in [
        (
            "&dtm_min=1000",
            404,
            "`retrograde find KPvK --random 1 --tables tables`",
        ),
        ("&category=lucky", 400, "category=win"),
        ("&turn=x", 400, "turn=w"),
        ("&dtm_min=-1", 400, "dtm_min"),
    ] {
        let reply = ask(query);
        assert!(
            reply.status == status && reply.text().contains(words),
            "{query} {}",
            reply.text()
        );
    }
    let missing = server.get("/standard/random?material=KRPvKR");
    let command = "`retrograde generate KRPvKR --tables tables`";
    assert!(missing.status == 404 && missing.text().contains(command));
    assert_eq!(server.get("/standard/random").status, 400);
}

#[test]
fn every_route_is_described() {
    let server = Server::with_tables();
    let described = server.get("/openapi.json").json();
    for (path, methods) in described["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let asked = path.replace("{material}", "KRvK");
            let asked = format!("{asked}?fen=8/8/8/8/8/2k5/1R6/K7&square=b2");
            let asked = match path.starts_with("/xiangqi") {
                true => format!("{path}?fen=3k5/9/9/9/9/9/9/9/9/R3K4&square=a0"),
                false => asked,
            };
            let reply = server.ask(&method.to_uppercase(), &asked, "", "[]");
            let statuses = methods[method]["responses"].as_object().unwrap();
            assert!(
                statuses.contains_key(&reply.status.to_string()),
                "{method} {path}: {} {}",
                reply.status,
                reply.text()
            );
            assert_ne!(reply.status, 405, "{method} {path}");
        }
    }
    // And each that the program has is there.
    let source = include_str!("../../src/cli/serve/routes.rs");
    let routes = source
        .split(".route(\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap());
    for route in routes {
        assert!(
            described["paths"].get(route).is_some(),
            "{route} is not described"
        );
    }
}

#[test]
fn requests_that_mean_no_good_get_a_status_and_harm_nobody() {
    let server = Server::with_tables();
    let long = format!(
        "GET /standard?fen={} HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "x".repeat(1 << 20)
    );
    let reply = server.raw(long.as_bytes());
    assert!(reply.is_none_or(|reply| matches!(reply.status, 400 | 414 | 431)));
    assert!(
        server
            .raw(b"\x00\x01\x02\r\n\r\n")
            .is_none_or(|reply| reply.status == 400)
    );
    // A page elsewhere whose name was made to mean this machine.
    let rebound = server
        .raw(b"GET /tables HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
        .unwrap();
    assert!(
        rebound.status == 403 && rebound.text().contains("localhost"),
        "{}",
        rebound.text()
    );
    let nameless = server.raw(b"GET /tables HTTP/1.0\r\n\r\n").unwrap();
    assert_eq!(nameless.status, 403);
    for host in ["localhost", "LOCALHOST:1", "[::1]:80", "127.0.0.2"] {
        let request = format!("GET /healthz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        assert_eq!(
            server.raw(request.as_bytes()).unwrap().status,
            200,
            "{host}"
        );
    }
    // Connections that say nothing, or half of something, while others are served; two requests at
    // once.
    let idle: Vec<TcpStream> = (0..200)
        .map(|_| TcpStream::connect(server.address).unwrap())
        .collect();
    let mut half = TcpStream::connect(server.address).unwrap();
    half.write_all(b"GET /standard?fen=8/8").unwrap();
    let two = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.write_all(two).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert_eq!(text.matches("\r\n\r\nok\n").count(), 2, "{text}");
    assert_eq!(server.standard(ROOK)["dtm"], 31);
    drop((idle, half));
    assert!(!server.log().contains("panicked"), "{}", server.log());
}

#[test]
fn a_damaged_table_is_named_and_the_others_answer() {
    let place = Place::with_tables();
    let path = place.path("tables/KQvK.dtm");
    let mut bytes = std::fs::read(&path).unwrap();
    let end = bytes.len() * 3 / 4;
    for byte in &mut bytes[300..end] {
        *byte ^= 0x55;
    }
    std::fs::write(&path, bytes).unwrap();
    let server = Server::start(place, &[]);
    let reply = server.get("/standard?fen=8/8/8/8/8/2k5/Q7/K7_w");
    assert!(
        reply.status == 500 && reply.text().contains("KQvK.dtm"),
        "{} {}",
        reply.status,
        reply.text()
    );
    assert!(server.log().contains("KQvK.dtm"), "{}", server.log());
    assert_eq!(server.standard(ROOK)["dtm"], 31);
}

#[test]
fn a_table_that_is_removed_while_it_serves_takes_no_other_along() {
    let server = Server::with_tables();
    assert_eq!(server.standard(ROOK)["dtm"], 31);
    for name in ["KRvK.wdl", "KRvK.dtm", "KQvK.wdl", "KQvK.dtm"] {
        std::fs::remove_file(server.place.path("tables").join(name)).unwrap();
    }
    // One that was in use may go on; one that was not is told of.
    for (position, dtm) in [(ROOK, 31), ("8/8/8/8/8/2k5/1R6/1K6 w - - 0 1", 29)] {
        let reply = server.get(&format!("/standard?fen={}", position.replace(' ', "_")));
        assert!(
            reply.status == 500 || reply.json()["dtm"] == dtm,
            "{}",
            reply.text()
        );
    }
    let reply = server.get("/standard?fen=8/8/8/8/8/2k5/Q7/K7_w");
    assert!(
        reply.status == 500 && reply.text().contains("KQvK.wdl"),
        "{} {}",
        reply.status,
        reply.text()
    );
    assert!(server.log().contains("KQvK.wdl"), "{}", server.log());
    let pawn = server.standard("8/8/8/8/8/2k5/P7/K7 w - - 0 1");
    assert!(pawn["category"] != "unknown" || pawn["reason"].is_string());
}

#[cfg(unix)]
#[test]
fn a_server_that_is_asked_to_end_ends_well() {
    let mut server = Server::with_tables();
    let idle = TcpStream::connect(server.address).unwrap();
    assert_eq!(server.standard(ROOK)["dtm"], 31);
    let id = server.child.id().to_string();
    assert!(
        std::process::Command::new("kill")
            .args(["-TERM", &id])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(
        server.child.wait().unwrap().code(),
        Some(0),
        "{}",
        server.log()
    );
    assert!(
        server.log().contains("listening") && server.log().contains("ending"),
        "{}",
        server.log()
    );
    drop(idle);
    // An address that is taken, and one that is none.
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let (status, _, err) = server.place.run(["serve", "--listen", &address]);
    assert!(status == 2 && err.contains("--listen"), "{err}");
    let (status, _, err) = server.place.run(["serve", "--listen", "nowhere"]);
    assert!(status == 2 && err.lines().count() == 1, "{err}");
}
