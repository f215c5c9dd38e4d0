//! Tables whose names earlier versions gave them, with the other side as White.

use retrograde::chess::index::IndexSpace;
use retrograde::game::Game;
use retrograde::metric::{Metric, Wdl};
use retrograde::table::layout::ORDER_LEN;
use retrograde::table::{
    Counts, Description, Longest, StreamSource, ValueSource, WriteOptions, write_table,
};

use super::Place;

/// A stream of one value, which takes no room.
struct Everywhere(Wdl);

impl ValueSource for Everywhere {
    fn fill(&self, _: u64, out: &mut [u8]) {
        out.fill(self.0.index() as u8);
    }
}

/// No material of up to four men had another name. That of five here says that its White, a bishop,
/// always draws, and that two knights always win if it is their turn. The longest win is what
/// somebody says.
fn write_former_table(place: &Place, longest: Option<Longest>) {
    let space = IndexSpace::new("KBvKNN".parse().unwrap());
    let description = Description {
        game: Game::Chess.number(),
        metric: Metric::Wdl.number(),
        material: space.material().to_string(),
        counts: [
            Counts {
                draw: 3,
                ..Counts::default()
            },
            Counts {
                win: 5,
                ..Counts::default()
            },
        ],
        longest: [None, longest],
        ..Description::default()
    };
    let mut order = [u8::MAX; ORDER_LEN];
    let dimensions = space.natural_order();
    order[..space.dimensions()].copy_from_slice(&dimensions.dimensions()[..space.dimensions()]);
    let values = [Everywhere(Wdl::Draw), Everywhere(Wdl::Win)];
    let streams = [0, 1].map(|side: usize| StreamSource {
        order,
        values_present: Some(std::array::from_fn(|value| value == values[side].0.index())),
        ..StreamSource::new(side as u8, space.len(), &values[side])
    });
    let path = place.path("old").join("KBvKNN.wdl");
    let options = WriteOptions::default();
    write_table(&path, &description, &streams, &options, &|_, _| true).unwrap();
}

/// Checksums of forged files are right.
#[test]
fn a_longest_win_where_no_index_is_does_no_harm() {
    let place = Place::new();
    let (status, _, err) = place.run(["generate", "KNvK", "--metric", "wdl", "--tables", "old"]);
    assert_eq!((status, err.as_str()), (0, ""));
    let space = IndexSpace::new("KBvKNN".parse().unwrap());
    for index in [space.len(), 1 << 48, u64::MAX - 1] {
        write_former_table(&place, Some(Longest { plies: 3, index }));
        for command in [&["list"][..], &["info", "KNNvKB"]] {
            let (status, out, err) = place.run(command.iter().chain(&["--tables", "old"]).copied());
            assert_eq!((status, err.as_str()), (0, ""), "{index}");
            assert!(out.contains("KNNvKB"), "{out}");
        }
    }
}

#[test]
fn tables_of_former_names_are_found_under_both() {
    let place = Place::new();
    let options = ["--tables", "old"];
    let run = |command: &[&str]| place.run(command.iter().chain(&options).copied());
    let (status, _, err) = run(&["generate", "KNNvK", "KBvKN", "--metric", "wdl"]);
    assert_eq!((status, err.as_str()), (0, ""));
    write_former_table(&place, None);
    let files = std::fs::read_dir(place.path("old")).unwrap().count();
    for name in ["KBvKNN", "KNNvKB"] {
        let info = run(&["info", name]);
        assert!(
            info.0 == 0 && info.1.starts_with("KNNvKB (chess)"),
            "{info:?}"
        );
        let asked = "asked for as KBvKNN: white has KNN here and black KB";
        assert_eq!(info.1.contains(asked), name == "KBvKNN", "{}", info.1);
        let json = place.json(["info", name, "--json"].into_iter().chain(options));
        assert_eq!(json["counts"]["white"]["win"], 5);
        assert_eq!(json["counts"]["black"]["draw"], 3);
        let (status, out, _) = run(&["generate", name, "--metric", "wdl"]);
        assert!(status == 0 && out.contains("nothing to do"), "{out}");
    }
    assert!(run(&["list"]).1.contains("\nKNNvKB"));
    // Two knights and a bishop on squares where nothing can be taken.
    for (fen, category) in [
        ("4k3/8/8/7b/8/8/N7/KN6 w - - 0 1", "win"),
        ("4k3/8/8/7b/8/8/N7/KN6 b - - 0 1", "draw"),
        ("4K3/8/8/7B/8/8/n7/kn6 b - - 0 1", "win"),
        ("4K3/8/8/7B/8/8/n7/kn6 w - - 0 1", "draw"),
    ] {
        let answer = place.json(["probe", fen, "--json"].into_iter().chain(options));
        assert_eq!(answer["category"], category, "{fen}");
    }
    assert_eq!(std::fs::read_dir(place.path("old")).unwrap().count(), files);
}
