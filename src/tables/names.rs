//! Names of files and of directories.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use crate::game::{Game, Signature, TableGame};

/// How the bytes of a table are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Our own, described in `docs/FORMAT.md`.
    Native,
    /// `.rtbw` and `.rtbz` files; see [`syzygy`](crate::syzygy).
    Syzygy,
}

impl Format {
    /// The word used on the command line and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Format::Native => "native",
            Format::Syzygy => "syzygy",
        }
    }
}

/// The name of the file of a table of ours, of any game: `KQvKR.wdl`.
#[must_use]
pub fn file_name(material: &impl Display, metric: impl Display) -> String {
    format!("{material}.{metric}")
}

/// The file of a table in the directory of its rules.
#[must_use]
pub fn table_path(directory: &Path, material: &impl Display, metric: impl Display) -> PathBuf {
    directory.join(file_name(material, metric))
}

/// Where the tables of a game under some rules are, below the directory of all tables. Names such
/// as KRvKN are those of tables of both games, so they are kept apart.
#[must_use]
pub fn rules_directory<G: TableGame>(directory: &Path, rules: G::Rules) -> PathBuf {
    match G::subdirectory(rules) {
        "" => directory.to_owned(),
        below => directory.join(below),
    }
}

/// What `retrograde generate` has to be told to make the tables of a material: of chess its name,
/// of other games also the game and the rules. For messages, whose commands can be used as they
/// stand.
#[must_use]
pub fn generate_arguments<G: TableGame>(material: &G::Material, rules: G::Rules) -> String {
    match G::GAME {
        Game::Chess => material.to_string(),
        game => format!("--game {game} --rules {rules} {material}"),
    }
}

/// The material and metric that a file name stands for, the material as it is written there.
///
/// `None` for names that are not exactly as [`file_name`] writes them, in a form under which tables
/// are or once were stored: `kqkr.wdl` and `KRvKQ.wdl` are not.
#[must_use]
pub fn parse_file_name<G: TableGame>(name: &str) -> Option<(G::Material, G::Metric)> {
    let (stem, extension) = name.rsplit_once('.')?;
    let material: G::Material = stem.parse().ok()?;
    let metric: G::Metric = extension.parse().ok()?;
    let is_exact = file_name(&material, metric) == name;
    (is_exact && material.may_be_stored()).then_some((material, metric))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Chess, ChessRules};
    use crate::metric::Metric;
    use crate::xiangqi::{Rules, Xiangqi};

    #[test]
    fn only_exact_names_are_tables() {
        let (material, metric) = parse_file_name::<Chess>("KQvKR.dtz").unwrap();
        assert_eq!(
            (material.to_string().as_str(), metric),
            ("KQvKR", Metric::Dtz)
        );
        for name in [
            "KRvKQ.dtz",
            "kqvkr.dtz",
            "KQKR.dtz",
            "KQvKR.DTZ",
            "KQvKR.rtbw",
            "KvK.wdl",
            "KQvKR",
            "KQvKR.dtz.tmp",
            ".wdl",
            "",
        ] {
            assert!(parse_file_name::<Chess>(name).is_none(), "{name}");
        }
    }

    #[test]
    fn commands_in_messages_say_which_game_and_rules() {
        let chess = "KQvKR".parse().unwrap();
        let arguments = generate_arguments::<Chess>(&chess, ChessRules::FiftyMoves);
        assert_eq!(arguments, "KQvKR");
        let xiangqi = "KRvKN".parse().unwrap();
        let arguments = generate_arguments::<Xiangqi>(&xiangqi, Rules::CyclesDraw);
        assert_eq!(arguments, "--game xiangqi --rules cycles-draw KRvKN");
    }

    #[test]
    fn former_names_are_names_and_no_other_exchanged_ones_are() {
        for name in ["KNPvKB.wdl", "KBvKNP.wdl", "KQvKPP.dtz", "KPPvKQ.dtm"] {
            assert!(parse_file_name::<Chess>(name).is_some(), "{name}");
        }
        assert!(parse_file_name::<Chess>("KBvKQN.wdl").is_none());
        assert!(parse_file_name::<Xiangqi>("KRvKAABB.rounds").is_some());
        assert!(parse_file_name::<Xiangqi>("KAABBvKR.rounds").is_none());
    }

    #[test]
    fn rules_of_xiangqi_have_directories_of_their_own() {
        for rules in Rules::ALL {
            let directory = rules_directory::<Xiangqi>(Path::new("tables"), rules);
            assert_eq!(
                directory,
                Path::new("tables").join("xiangqi").join(rules.name())
            );
        }
    }
}
