//! The lock files of the crates beside the library name the versions that its own names, so that
//! one build directory serves all.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The versions of each crate that a lock file names.
fn versions(directory: &str) -> BTreeMap<String, BTreeSet<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(directory);
    let text = std::fs::read_to_string(path.join("Cargo.lock")).unwrap();
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in text.split("[[package]]\n").skip(1) {
        let field = |name: &str| {
            let value = package
                .lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(" = \""));
            value.unwrap().trim_end_matches('"').to_owned()
        };
        versions
            .entry(field("name"))
            .or_default()
            .insert(field("version"));
    }
    versions
}

/// The part of a version that has to be the same for one to stand in for the other.
fn compatible(version: &str) -> &str {
    let fixed = if version.starts_with("0.") { 2 } else { 1 };
    let end = version.match_indices('.').nth(fixed - 1);
    end.map_or(version, |(end, _)| &version[..end])
}

#[test]
fn what_is_compiled_beside_the_library_has_its_versions() {
    let own = versions(".");
    let mut compared = 0;
    for directory in ["fuzz", "bindings/python", "bindings/mpi"] {
        for (name, versions) in versions(directory) {
            for version in versions {
                let others = own.get(&name).into_iter().flatten();
                let same = others.filter(|own| compatible(own) == compatible(&version));
                for own in same {
                    compared += 1;
                    assert_eq!(
                        *own, version,
                        "{name} in {directory}/Cargo.lock: run `cargo update` in each directory that has one"
                    );
                }
            }
        }
    }
    assert!(compared > 100, "{compared}");
}
