//! Several materials named by one pattern.

use serde_json::Value;

use super::Place;

/// The materials of a plan.
fn planned(place: &Place, arguments: &[&'static str]) -> Vec<String> {
    let before = ["generate"].iter();
    let after = ["--dry-run", "--json", "--tables", "new"].iter();
    materials_of(&place.json(before.chain(arguments).chain(after).copied()))
}

fn materials_of(plan: &Value) -> Vec<String> {
    let steps = plan["steps"].as_array().unwrap().iter();
    let materials = steps.map(|step| step["material"].as_str().unwrap().to_owned());
    materials.collect()
}

#[test]
fn all_that_a_pattern_fits_is_generated_with_what_that_leads_to() {
    let place = Place::new();
    let four = ["KRvK", "KQRvK", "KRRvK", "KRBvK", "KRNvK", "KRPvK"];
    let steps = planned(&place, &four);
    assert!(
        steps.contains(&"KQvK".to_owned()) && steps.len() == 10,
        "{steps:?}"
    );
    assert_eq!(planned(&place, &["KR*vK", "--men", "4"]), steps);
    assert_eq!(planned(&place, &["kr*k", "KRPvK", "--men", "4"]), steps);
    // Up to six men unless the number is said; a plan does not ask for room on the disk.
    let (status, plan, err) = place.run(["plan", "KNN*vKN*", "--tables", "new"]);
    assert_eq!(status, 0, "{err}");
    let six = materials_of(&serde_json::from_str(&plan).unwrap());
    for material in ["KNNvKN", "KNNvKNN", "KNNPvKN", "KQNNvKN"] {
        assert!(six.contains(&material.to_owned()), "{material}");
    }
    let xiangqi = ["KRvK", "KRvKA", "KRvKB", "--game", "xiangqi"];
    let pattern = ["KRvK*", "--game", "xiangqi", "--men", "4"];
    let (named, fitted) = (planned(&place, &xiangqi), planned(&place, &pattern));
    assert!(named.iter().all(|material| fitted.contains(material)));
    // A rook against a man that attacks as well.
    assert!(fitted.contains(&"KRvKC".to_owned()), "{fitted:?}");
    for (wrong, why) in [
        (
            ["KR?vKQ", "--men", "4"],
            "`KR?vKQ` fits no material of up to 4 men; allow more with --men 5",
        ),
        (["KX*vK", "--men", "4"], "there is no man `X`"),
        (["KR*", "--men", "4"], "each side starts with its one king"),
    ] {
        let (status, _, err) = place.run(["generate"].into_iter().chain(wrong));
        assert_eq!(status, 2);
        assert!(err.contains(why), "{err}");
    }
}

#[test]
fn of_tables_that_are_there_a_pattern_means_those_that_it_fits() {
    let place = Place::with_tables();
    let listed = |arguments: &[&'static str]| -> usize {
        let answer = place.json(["list", "--json"].iter().chain(arguments).copied());
        answer["tables"].as_array().unwrap().len()
    };
    assert_eq!(listed(&["K?vK"]), 15);
    assert_eq!(listed(&["K?vK", "--metric", "wdl"]), 5);
    assert_eq!(listed(&["K??vK"]), 0);
    let verified = place.json(["verify", "K?vK", "--json"]);
    assert_eq!(verified["tables"], 15, "{verified}");
    let (status, _, err) = place.run(["verify", "K??vK"]);
    assert_eq!(status, 2);
    assert!(err.contains("`K??vK` fits no table in"), "{err}");
    let (status, _, err) = place.run(["convert", "--to", "syzygy", "K*vK"]);
    assert_eq!(status, 0, "{err}");
    assert_eq!(listed(&["--format", "syzygy"]), 10);
    let anew = [
        "convert", "--from", "native", "--to", "native", "K?vK", "--json",
    ];
    assert_eq!(place.json(anew)["files"], 15);
    let (status, _, err) = place.run(["convert", "--from", "native", "--to", "native", "K?vK?"]);
    assert_eq!(status, 2);
    assert!(err.contains("`K?vK?` fits no table of our own in"), "{err}");
    let (status, _, err) = place.run(["info", "K?vK"]);
    assert_eq!(status, 2);
    assert!(err.contains("`retrograde list 'K?vK'`"), "{err}");
    // The command that mends it can be pasted.
    std::fs::write(place.path("tables/KRvK.dtz"), "damaged").unwrap();
    let (status, _, err) = place.run(["verify", "K?vK"]);
    assert_eq!(status, 1);
    assert!(err.contains("verify --repair 'K?vK' "), "{err}");
}

#[test]
fn a_pattern_of_both_games_means_the_one_that_has_tables() {
    let place = Place::new();
    let made = place.run([
        "generate", "KRvKN", "--game", "xiangqi", "--tables", "tables",
    ]);
    assert_eq!(made.0, 0, "{}", made.2);
    let verified = |name: &'static str| -> u64 {
        let answer = place.json(["verify", name, "--tables", "tables", "--json"]);
        assert_eq!(answer["game"], "xiangqi", "{answer}");
        answer["tables"].as_u64().unwrap()
    };
    // Under other rules there are none.
    let (status, _, err) = place.run([
        "verify",
        "KR*vK*",
        "--tables",
        "tables",
        "--rules",
        "cycles-draw",
    ]);
    assert_eq!(status, 2);
    assert!(
        err.contains("under cycles-draw in") && err.contains("--rules perpetual-check"),
        "{err}"
    );
    // Not KNvK, which is there as well.
    assert_eq!(verified("KR*vK*"), verified("KRvK") + verified("KRvKN"));
    assert!(verified("KNvK") > 0);
    // What is to be made may be of either.
    let (status, _, err) = place.run(["generate", "KR*vK", "--tables", "tables", "--men", "4"]);
    assert_eq!(status, 2);
    assert!(err.contains("add --game chess or --game xiangqi"), "{err}");
}
