use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::Place;

#[test]
fn a_file_that_is_cut_short_while_it_is_open_is_an_error_where_it_is_read() {
    let place = Place::with_tables();
    let generate = ["generate", "KQvKR", "--tables", "tables"];
    assert_eq!(place.run(generate).0, 0);
    let mut child = Command::new(place.retrograde([]).get_program())
        .args(["probe", "-", "--io", "read", "--tables", "tables"])
        .current_dir(place.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut ask = |fen: &str| -> Value {
        writeln!(input, "{fen}").unwrap();
        serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap()
    };
    assert_eq!(ask("8/8/8/4k3/8/2r5/3QK3/8 w - -")["wdl"], 2);
    assert_eq!(ask("8/8/8/4k3/8/8/3QK3/8 w - -")["wdl"], 2);
    for metric in ["wdl", "dtz", "dtm"] {
        let table = place.path(format!("tables/KQvKR.{metric}"));
        File::options()
            .write(true)
            .open(table)
            .unwrap()
            .set_len(0)
            .unwrap();
    }
    // Other blocks than those that were read before.
    let error = ask("1k6/r7/8/8/8/8/8/6QK w - -")["error"].to_string();
    assert!(
        error.contains("KQvKR.") && error.contains("disk"),
        "{error}"
    );
    assert_eq!(ask("8/8/8/4k3/8/8/3QK3/8 b - -")["wdl"], -2);
    drop(input);
    let status = child.wait().unwrap();
    assert_eq!((status.code(), status.signal()), (Some(2), None));
}
