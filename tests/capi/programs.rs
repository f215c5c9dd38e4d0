//! Programs in C of `tests/c`, compiled with warnings as errors and linked with the library.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use retrograde::tables::rules_directory;
use retrograde::xiangqi::{Rules, Xiangqi};

use super::{library_folder, run};
use crate::xiangqi::tables::generate;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The C compiler: `$CC`, or what every system calls it.
fn compiler() -> Command {
    Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()))
}

/// Compiles a program of this repository and links it with the library.
pub fn compile(source: &str, name: &str) -> PathBuf {
    let folder = library_folder();
    let source = Path::new(ROOT).join(source);
    let program = folder.join(name);
    let mut search = OsString::from("-Wl,-rpath,");
    search.push(folder);
    run(compiler()
        .args([
            "-std=c11",
            "-D_POSIX_C_SOURCE=200809L",
            "-pedantic",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-O1",
        ])
        .arg("-I")
        .arg(Path::new(ROOT).join("include"))
        .arg("-o")
        .arg(&program)
        .arg(source)
        .arg("-L")
        .arg(folder)
        .args(["-lretrograde", "-pthread", "-ldl"])
        .arg(search));
    program
}

/// A folder with the tables of three men that are part of the repository, whatever else its folder
/// holds by now.
fn three_men() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = library_folder().join("three-men");
        std::fs::create_dir_all(&folder).unwrap();
        for material in ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"] {
            for metric in ["wdl", "dtz", "dtm"] {
                let name = format!("{material}.{metric}");
                let table = Path::new(ROOT).join("tables").join(&name);
                std::fs::copy(table, folder.join(&name)).unwrap();
            }
        }
        folder
    })
}

#[test]
fn a_program_in_c_gets_values_moves_and_errors() {
    let damaged = library_folder().join("damaged");
    std::fs::create_dir_all(&damaged).unwrap();
    std::fs::write(damaged.join("KQvK.wdl"), "no table").unwrap();
    let xiangqi = rules_directory::<Xiangqi>(&damaged, Rules::CyclesDraw);
    std::fs::create_dir_all(&xiangqi).unwrap();
    std::fs::write(xiangqi.join("KRvK.wdl"), "no table").unwrap();
    for rules in Rules::ALL {
        generate(three_men(), &["KRvKN"], rules);
    }
    let program = compile("tests/c/retrograde.c", "retrograde");
    run(Command::new(program)
        .arg(three_men())
        .arg(damaged)
        .arg(env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_program_in_c_gets_the_same_by_the_names_of_fathom() {
    let program = compile("tests/c/fathom.c", "fathom");
    run(Command::new(program).arg(three_men()));
}

/// Smaller requests may end the process: paths, names, and what else cannot be asked for otherwise.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LEAST_REFUSED: &str = "256";

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn memory_that_is_refused_is_an_error_and_forgotten() {
    use retrograde::chess::material::Material;
    use retrograde::generate::{GenerateOptions, Plan};
    use retrograde::metric::Metric;
    use retrograde::probe::Format;
    use retrograde::table::Compression;

    let syzygy = library_folder().join("syzygy");
    std::fs::create_dir_all(&syzygy).unwrap();
    let options = GenerateOptions {
        format: Format::Syzygy,
        metrics: vec![Metric::Wdl, Metric::Dtz],
        ..GenerateOptions::new(&syzygy, Material::all_with_men(3))
    };
    let plan = Plan::new(&options).unwrap();
    plan.run(&Default::default(), &()).unwrap();
    // Blocks of zstd, and of LZMA.
    let smallest = library_folder().join("smallest");
    std::fs::create_dir_all(&smallest).unwrap();
    let options = GenerateOptions {
        compression: Compression::Smallest,
        ..GenerateOptions::new(&smallest, Material::all_with_men(3))
    };
    let plan = Plan::new(&options).unwrap();
    plan.run(&Default::default(), &()).unwrap();
    let program = compile("tests/c/memory.c", "memory");
    for native in [three_men(), &smallest] {
        generate(native, &["KRvKN"], Rules::PerpetualCheck);
        let printed = run(Command::new(&program)
            .arg(native)
            .arg(&syzygy)
            .arg(LEAST_REFUSED));
        assert!(printed.contains("refusals of 256 bytes"), "{printed}");
    }
}

#[test]
fn the_example_in_c_prints_the_value_and_the_best_moves() {
    let program = compile("examples/probe.c", "probe");
    let printed = run(Command::new(&program)
        .current_dir(ROOT)
        .arg("8/8/8/8/8/2k5/1R6/K7 w - - 0 1"));
    assert!(printed.starts_with("win, dtz 31, dtm 31\n"), "{printed}");
    assert!(printed.contains("a1b1"), "{printed}");
}

#[test]
fn programs_of_the_documents_print_what_is_said() {
    for (document, printed) in [
        ("README.md", "2\n".to_owned()),
        ("docs/c.md", block("docs/c.md", "text") + "\n"),
    ] {
        let source = library_folder().join("document.c");
        std::fs::write(&source, block(document, "c") + "\n").unwrap();
        let program = compile(source.to_str().unwrap(), "document");
        assert_eq!(run(Command::new(program).current_dir(ROOT)), printed);
    }
}

/// The first block of a document in a language.
fn block(document: &str, language: &str) -> String {
    let text = std::fs::read_to_string(Path::new(ROOT).join(document)).unwrap();
    let begin = format!("\n```{language}\n");
    let (_, block) = text.split_once(&begin).unwrap();
    block.split_once("\n```").unwrap().0.to_owned()
}

#[test]
fn headers_are_c_plus_plus_as_well() {
    let source = library_folder().join("headers.cpp");
    std::fs::write(
        &source,
        "#include \"retrograde.h\"\n#include \"tbprobe.h\"\n",
    )
    .unwrap();
    let output = Command::new("c++")
        .args([
            "-std=c++17",
            "-pedantic",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-fsyntax-only",
            "-I",
        ])
        .arg(Path::new(ROOT).join("include"))
        .arg(source)
        .output();
    match output {
        Err(error) => eprintln!("skipped: no C++ compiler: {error}"),
        Ok(output) => assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        ),
    }
}
