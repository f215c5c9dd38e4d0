//! Against real Syzygy tables, read by another program.

use retrograde::chess::Position;
use retrograde::probe::LineEnd;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position as _, PositionError};
use shakmaty_syzygy::{AmbiguousWdl, MaybeRounded};

use super::random::{Random, en_passant_positions};
use super::{all_materials, tables};
use crate::reference::syzygy_folder;

/// Where the tables are, if they are anywhere; says so if the test is skipped.
fn syzygy() -> Option<shakmaty_syzygy::Tablebase<Chess>> {
    let directory = syzygy_folder()?;
    let mut tables = shakmaty_syzygy::Tablebase::new();
    tables.add_directory(&directory).unwrap();
    Some(tables)
}

fn assert_same(syzygy: &shakmaty_syzygy::Tablebase<Chess>, position: &Position) {
    let fen = position.to_fen();
    let theirs: Chess = fen
        .parse::<Fen>()
        .unwrap()
        .into_position(CastlingMode::Standard)
        // Random men may give a check that no last move explains.
        .or_else(PositionError::ignore_impossible_check)
        .unwrap();
    let wdl = tables().probe_wdl(position).unwrap();
    let their_wdl = match syzygy.probe_wdl(&theirs).unwrap() {
        AmbiguousWdl::Win => 2,
        AmbiguousWdl::CursedWin => 1,
        AmbiguousWdl::Draw => 0,
        AmbiguousWdl::BlessedLoss => -1,
        AmbiguousWdl::Loss => -2,
        other => panic!("{fen}: {other:?}"),
    };
    assert_eq!(wdl.signum2(), their_wdl, "{fen}");
    let dtz = tables().probe_dtz(position).unwrap().0;
    let plies = syzygy.probe_dtz(&theirs).unwrap();
    let shortest = i32::from(plies.ignore_rounding());
    let longest = i32::from(plies.add_plies(1).ignore_rounding());
    if dtz != shortest {
        // Theirs may be one ply short where it is rounded. When it comes from one ply ahead, and a
        // rounded and a precise distance seem equally good there, `shakmaty-syzygy` may call the
        // better of them precise.
        let is_rounded = |plies: MaybeRounded<_>| plies.precise().is_none();
        let comes_from_rounded = || {
            theirs
                .legal_moves()
                .into_iter()
                .map(|m| theirs.clone().play(m).unwrap())
                .any(|next| is_rounded(syzygy.probe_dtz(&next).unwrap()))
        };
        assert_eq!(dtz, longest, "{fen}");
        assert!(is_rounded(plies) || comes_from_rounded(), "{fen}");
    }
}

#[test]
fn random_positions_of_every_material_agree() {
    let Some(syzygy) = syzygy() else { return };
    let mut random = Random(20_260_101);
    for material in all_materials() {
        for _ in 0..3_000 {
            assert_same(&syzygy, &random.position(&material));
        }
    }
}

#[test]
fn positions_with_an_en_passant_capture_agree() {
    let Some(syzygy) = syzygy() else { return };
    let positions = en_passant_positions(&mut Random(5), 2_000);
    assert!(positions.len() > 30_000);
    for position in positions {
        assert_same(&syzygy, &position);
    }
}

#[test]
fn we_read_syzygy_tables_as_our_own() {
    let Some(directory) = syzygy_folder() else {
        return;
    };
    let read = retrograde::Tablebase::open(directory).unwrap();
    let mut random = Random(9);
    let mut positions = en_passant_positions(&mut random, 300);
    assert!(positions.len() > 4_000);
    for material in all_materials() {
        positions.extend((0..100).map(|_| random.position(&material)));
    }
    for position in positions {
        let fen = position.to_fen();
        let wdl = tables().probe_wdl(&position).unwrap();
        assert_eq!(read.probe_wdl(&position).unwrap(), wdl, "{fen}");
        let dtz = tables().probe_dtz_range(&position).unwrap();
        let exact = dtz.exact().expect("our own tables are exact");
        let range = read.probe_dtz_range(&position).unwrap();
        assert!(
            [range.shortest, range.longest].contains(&exact),
            "{fen}: {exact}, read {range:?}"
        );
        let moves = read.root_moves(&position).unwrap();
        assert_eq!(moves.len(), position.legal_moves().into_iter().count());
        let keeps_result = moves.first().and_then(|best| best.wdl).map(|wdl| -wdl);
        assert!(keeps_result.is_none_or(|best| best == wdl), "{fen}");
    }
}

#[test]
fn lines_by_rounded_distances_end_in_mate() {
    let Some(directory) = syzygy_folder() else {
        return;
    };
    let read = retrograde::Tablebase::open(directory).unwrap();
    for fen in [
        "8/8/8/4k3/8/8/8/KBN5 w - - 0 1",
        "8/8/8/8/8/2k5/1R6/K7 w - - 0 1",
        "8/8/8/3qk3/8/8/8/KR6 b - - 0 1",
        "8/8/8/4k3/8/8/P7/KR6 w - - 0 1",
    ] {
        let position = Position::from_fen(fen).unwrap();
        let line = read.line(&position, 300).unwrap();
        assert_eq!(line.end, LineEnd::Checkmate, "{fen}");
    }
}
