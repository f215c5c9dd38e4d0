"""What stands in for python-chess, without python-chess."""

from __future__ import annotations

import pytest
import retrograde.compat.gaviota as gaviota
import retrograde.compat.syzygy as syzygy
from conftest import ROOK, Board


def test_syzygy_has_the_meaning_of_python_chess(directory, tmp_path):
    board = Board.from_fen(ROOK)
    with syzygy.open_tablebase(directory, max_fds=None) as tables:
        assert (tables.probe_wdl(board), tables.probe_dtz(board)) == (2, 31)
        assert (tables.get_wdl(board), tables.get_dtz(board)) == (2, 31)
        missing = Board.from_fen("8/8/8/8/3q4/k7/8/KR6 w - - 0 1")
        with pytest.raises(syzygy.MissingTableError):
            tables.probe_wdl(missing)
        assert tables.get_wdl(missing) is None and tables.get_dtz(missing, 7) == 7
        for other in (
            Board.from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
            Board(),
            Board(kings=3, occupied_co=(1, 2)),
        ):
            with pytest.raises(KeyError):
                tables.probe_wdl(other)
            assert tables.get_wdl(other, default=5) == 5
        with pytest.raises(TypeError):
            tables.get_wdl(None)
    with pytest.raises(KeyError):
        tables.probe_wdl(board)
    tables = syzygy.Tablebase()
    assert tables.add_directory(tmp_path) == 0
    assert tables.add_directory(directory, load_dtz=False) == 5
    assert tables.probe_wdl(board) == 2 and tables.get_dtz(board) is None
    assert tables.add_directory(directory) == 10
    assert tables.probe_dtz(board) == 31
    with pytest.raises(OSError):
        syzygy.open_tablebase(tmp_path / "nowhere")


def test_gaviota_has_the_meaning_of_python_chess(directory, tmp_path):
    board = Board.from_fen(ROOK)
    mated = Board.from_fen("8/8/8/8/8/1k6/8/K3r3 w - - 0 1")
    with gaviota.open_tablebase(directory, LibraryLoader=None) as tables:
        assert set(tables.available_tables) == {"kqk", "krk", "kbk", "knk", "kpk"}
        assert (tables.probe_dtm(board), tables.probe_wdl(board)) == (31, 1)
        assert (tables.probe_dtm(mated), tables.probe_wdl(mated)) == (0, -1)
        board.turn = False
        assert (tables.get_dtm(board), tables.get_wdl(board)) == (-32, -1)
        drawn = Board.from_fen("K7/8/8/8/8/2k5/1R6/8 b - - 0 1")
        assert (tables.get_dtm(drawn), tables.get_wdl(drawn)) == (0, 0)
        assert tables.get_dtm(Board(), 3) == 3
    assert not tables.available_tables
    with pytest.raises(gaviota.MissingTableError):
        tables.probe_dtm(board)
    with pytest.raises(OSError):
        gaviota.open_tablebase(tmp_path / "nowhere")


def test_names_of_tables():
    names = list(syzygy.tablenames(piece_count=5))
    assert len(names) == len(set(names)) == 5 + 30 + 110
    assert all(syzygy.normalize_tablename(name) == name for name in names)
    assert all(syzygy.is_tablename(name) for name in names)
    assert syzygy.normalize_tablename("KNNvKBB") == "KBBvKNN"
    assert syzygy.normalize_tablename("KRvKQ", mirror=True) == "KRvKQ"
    assert set(syzygy.dependencies("KPvK")) == {"KQvK", "KRvK", "KBvK", "KNvK"}
    assert not any(
        syzygy.is_tablename(name) for name in ["", "KvK1", "KQK", "QvK", "KRvKQ", "kqvk"]
    )
    board = Board.from_fen("8/8/8/8/3q4/k7/8/KR6 w - - 0 1")
    assert (syzygy.calc_key(board), syzygy.calc_key(board, mirror=True)) == ("KQvKR", "KRvKQ")
