//! Any bytes as requests to `retrograde serve`, which runs in this process: an answer that is no
//! fault of the server.
//!
//! The first byte chooses. Text becomes a request line, headers and a body on a connection that
//! stays; or the bytes go out as they are, on a connection of their own, and the server has to end
//! that.

#![no_main]

use std::cell::RefCell;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::LazyLock;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use libfuzzer_sys::{Corpus, fuzz_target};
use retrograde_fuzz::{TABLES, cli};

/// Longer than the server gives itself.
const PATIENCE: Duration = Duration::from_secs(45);

/// What the program prints is sent on.
struct Printed(Sender<Vec<u8>>);

impl Write for Printed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // After the first line nobody listens.
        let _ = self.0.send(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Starts the server, once.
static SERVER: LazyLock<SocketAddr> = LazyLock::new(|| {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let arguments = [
            "retrograde",
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--log",
            "none",
            "--cache",
            "1M",
            "--cors",
            "*",
            "--tables",
            TABLES,
        ];
        let served = cli::run(arguments.map(Into::into), &mut Printed(sender));
        panic!("the server has ended: {served:?}");
    });
    let mut line = Vec::new();
    while !line.ends_with(b"\n") {
        line.extend(receiver.recv().expect("the server says where it listens"));
    }
    let line = String::from_utf8(line).expect("an address");
    let address = line.trim().trim_start_matches("listening on http://");
    address.trim_end_matches('/').parse().expect("an address")
});

fn connect() -> TcpStream {
    let stream = TcpStream::connect(*SERVER).expect("the server listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time");
    stream.set_nodelay(true).expect("a socket");
    stream
}

thread_local! {
    static KEPT: RefCell<Option<BufReader<TcpStream>>> = const { RefCell::new(None) };
}

/// The status of an answer, read to its end; whether the connection stays.
fn read_answer(stream: &mut BufReader<TcpStream>, is_head: bool) -> io::Result<(u16, bool)> {
    let (mut status, mut length, mut is_chunked, mut stays) = (0, None, false, true);
    for number in 0.. {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let line = line.trim_end().to_ascii_lowercase();
        if number == 0 {
            let version = line.strip_prefix("http/1.1 ");
            let version = version.or_else(|| line.strip_prefix("http/1.0 "));
            status = version.expect("a status line")[..3]
                .parse()
                .expect("a status");
        }
        match line.split_once(": ") {
            Some(("content-length", bytes)) => length = bytes.parse::<usize>().ok(),
            Some(("transfer-encoding", "chunked")) => is_chunked = true,
            Some(("connection", "close")) => stays = false,
            _ => {}
        }
        if line.is_empty() {
            break;
        }
    }
    if is_head || matches!(status, 204 | 304) {
        return Ok((status, stays));
    }
    if is_chunked {
        loop {
            let mut line = String::new();
            stream.read_line(&mut line)?;
            let bytes = usize::from_str_radix(line.trim(), 16).expect("a chunk");
            let mut chunk = vec![0; bytes + 2];
            stream.read_exact(&mut chunk)?;
            if bytes == 0 {
                return Ok((status, stays));
            }
        }
    }
    match length {
        Some(length) => stream.read_exact(&mut vec![0; length])?,
        None => stays = false,
    }
    Ok((status, stays))
}

/// A well-formed request: its target, further headers and its body, one line each.
fn ask(choice: u8, text: &str) -> Option<()> {
    let mut lines = text.splitn(3, '\n');
    let target: String = lines
        .next()?
        .bytes()
        .map(|byte| match byte {
            // No URI has these. A request with one is malformed, and may be cut off without an
            // answer.
            b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' => format!("%{byte:02X}"),
            b'!'..=b'~' => char::from(byte).to_string(),
            byte => format!("%{byte:02X}"),
        })
        .collect();
    let is_visible = |byte: u8| (b' '..=b'~').contains(&byte);
    let accept = lines.next().filter(|accept| accept.bytes().all(is_visible));
    let body = lines.next().unwrap_or("");
    let method = ["GET", "GET", "POST", "HEAD", "OPTIONS", "DELETE"][usize::from(choice >> 2) % 6];
    let mut request = format!(
        "{method} /{target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n",
        body.len()
    );
    if let Some(accept) = accept.filter(|accept| !accept.is_empty()) {
        let name =
            ["Accept", "Accept-Encoding", "Origin", "Content-Type"][usize::from(choice >> 5) % 4];
        request.push_str(&format!("{name}: {accept}\r\n"));
    }
    request.push_str("\r\n");
    request.push_str(body);
    KEPT.with_borrow_mut(|kept| {
        // The server may close a connection between two requests.
        for _ in 0..2 {
            let stream = kept.get_or_insert_with(|| BufReader::new(connect()));
            let sent = stream.get_mut().write_all(request.as_bytes());
            match sent.and_then(|()| read_answer(stream, method == "HEAD")) {
                Ok((status, stays)) => {
                    assert!((200..500).contains(&status), "{status}: {request}");
                    if !stays {
                        *kept = None;
                    }
                    return;
                }
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
                    ) =>
                {
                    panic!("no answer: {request}");
                }
                Err(_) => *kept = None,
            }
        }
        panic!("the connection ended without an answer: {request}");
    });
    Some(())
}

/// Bytes as they are, and then the end of what the client says.
fn send_raw(bytes: &[u8]) {
    let mut stream = connect();
    // The server may have hung up before all was sent, and says so by a reset.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
            ) =>
        {
            panic!("the connection does not end");
        }
        _ => {}
    }
    let status = answer
        .strip_prefix(b"HTTP/1.")
        .and_then(|rest| rest.get(2..5));
    assert!(
        !status.is_some_and(|status| status.starts_with(b"5")),
        "a fault of the server"
    );
}

fuzz_target!(|data: &[u8]| -> Corpus {
    let Some((&choice, bytes)) = data.split_first() else {
        return Corpus::Reject;
    };
    if choice & 3 == 3 {
        send_raw(bytes);
        return Corpus::Keep;
    }
    let text = String::from_utf8_lossy(bytes);
    match ask(choice, &text) {
        Some(()) => Corpus::Keep,
        None => Corpus::Reject,
    }
});
