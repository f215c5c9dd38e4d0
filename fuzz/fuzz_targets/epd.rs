//! Any bytes as a file of positions for `retrograde probe --epd`: a line of JSON for each, whatever
//! it says.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use retrograde_fuzz::{Place, TABLES, run};
use serde_json::Value;

static PLACE: LazyLock<Place> = LazyLock::new(Place::new);

fuzz_target!(|data: &[u8]| {
    let Some((&choice, text)) = data.split_first() else {
        return;
    };
    let file = PLACE.write(text);
    let mut arguments: Vec<&dyn AsRef<std::ffi::OsStr>> =
        vec![&"probe", &"--epd", &file, &"--tables", &TABLES];
    if choice & 1 != 0 {
        arguments.push(&"--line");
    }
    match choice >> 1 & 3 {
        1 => arguments.extend([&"--game" as &dyn AsRef<_>, &"chess"]),
        2 => arguments.extend([&"--game" as &dyn AsRef<_>, &"xiangqi"]),
        _ => {}
    }
    let (out, _) = run(&arguments);
    let lines = text.split(|byte| b"\r\n".contains(byte));
    let most = lines.filter(|line| !line.is_empty()).count();
    let mut last = 0;
    for (number, answer) in out.split(|&byte| byte == b'\n').enumerate() {
        if answer.is_empty() {
            continue;
        }
        assert!(number < most);
        let answer: Value = serde_json::from_slice(answer).expect("JSON");
        let line = answer["line_number"].as_u64().expect("a number");
        assert!(line > last);
        last = line;
        // Tables that are whole know every position that has few enough men.
        let known = ["error", "reason", "fen"].map(|name| answer.get(name).is_some());
        assert_ne!(known, [false; 3], "{answer}");
    }
});
