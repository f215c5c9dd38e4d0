"""One position at a time."""

from __future__ import annotations

import threading

import pytest
import retrograde
from conftest import ROOK, Board


def test_values_of_fens_and_boards(tables):
    for position in (ROOK, Board.from_fen(ROOK)):
        assert tables.probe_wdl(position) == 2
        assert tables.probe_dtz(position) == 31
        assert tables.probe_dtz_range(position) == (31, 31)
        assert tables.probe_dtm(position) == 31
    drawn = "K7/8/8/8/8/2k5/1R6/8 b - - 0 1"
    assert (tables.probe_wdl(drawn), tables.probe_dtz(drawn), tables.probe_dtm(drawn)) == (
        0,
        0,
        None,
    )


def test_a_probe_has_everything(tables):
    probe = tables.probe(ROOK)
    assert (probe.fen, probe.material, probe.category) == (ROOK, "KRvK", "win")
    assert (probe.wdl, probe.dtz, probe.precise_dtz, probe.dtm) == (2, 31, 31, 31)
    assert probe.reason is None and not probe.checkmate and not probe.stalemate
    best = probe.moves[0]
    assert (best.category, best.wdl, best.dtm, best.zeroing) == ("loss", -2, -30, False)
    assert [move.uci for move in tables.root_moves(ROOK)] == [move.uci for move in probe.moves]
    assert repr(probe) == f"<Probe {ROOK}: win, dtz 31, dtm 31>"


def test_a_line_ends_in_mate(tables):
    line = tables.line(ROOK)
    assert (len(line), line.end, line.metric, line.reason) == (31, "checkmate", "dtm", None)
    assert line.san[-1].endswith("#") and len(line.uci) == len(line.san)
    assert tables.line(ROOK, max_plies=3).end == "unfinished"


def test_statistics_of_a_table(tables):
    statistics = tables.statistics("KRvK")
    white, black = statistics.white, statistics.black
    assert (statistics.material, max(white.wins), max(black.losses)) == ("KRvK", 31, 32)
    assert sum(white.wins.values()) == white.results["win"] and white.results["loss"] == 0
    assert sum(black.losses.values()) + black.checkmates == black.results["loss"]
    assert [tables.probe_dtm(fen) for fen in white.longest] == [31] * len(white.longest)
    with pytest.raises(retrograde.MissingTableError):
        tables.statistics("KQvKR")
    with pytest.raises(retrograde.MaterialError):
        tables.statistics("KXvK")
    with pytest.raises(ValueError, match="elo"):
        tables.statistics("KRvK", "elo")


def test_a_result_alone_wants_a_clock_at_zero(tables):
    advanced = ROOK.replace(" 0 1", " 70 90")
    board = Board.from_fen(ROOK)
    board.halfmove_clock = 70
    for position in (advanced, board):
        with pytest.raises(retrograde.NotCoveredError, match="the clock .* stands at 70"):
            tables.probe_wdl(position)
        assert tables.probe_wdl_after_zeroing(position) == 2
        assert tables.probe_dtz(position) == 31
        assert tables.probe(position).wdl == 2


def test_what_tables_cannot_know_is_a_key_error(tables):
    with pytest.raises(
        retrograde.MissingTableError, match="^no wdl table for KQvKR in .*; generate it"
    ):
        tables.probe_wdl("8/8/8/8/3q4/k7/8/KR6 w - - 0 1")
    with pytest.raises(retrograde.NotCoveredError, match="castling"):
        tables.probe_wdl("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    with pytest.raises(retrograde.MissingTableError, match="men and tables have at most"):
        tables.probe_wdl("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1")
    board = Board.from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    with pytest.raises(KeyError):
        tables.probe_dtm(board)
    probe = tables.probe(board)
    assert probe.category == "unknown" and "castle" in probe.reason
    # A king's move gives up the right, a move of nobody else does.
    known = {move.uci for move in probe.moves if move.category != "unknown"}
    assert {move.uci for move in probe.moves if move.uci.startswith("e1")} <= known


@pytest.mark.parametrize(
    "fen",
    [
        "",
        "nonsense",
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "kk6/8/8/8/8/8/8/K7 w - - 0 1",
        "k7/R7/8/8/8/8/8/K7 w - - 0 1",
    ],
)
def test_what_is_no_position_is_a_value_error(tables, fen):
    for ask in (tables.probe, tables.probe_wdl, tables.probe_dtz, tables.root_moves, tables.line):
        with pytest.raises(retrograde.PositionError):
            ask(fen)


@pytest.mark.parametrize("wrong", [None, 5, b"bytes", ["a list"], object(), 1.5])
def test_what_is_neither_fen_nor_board_is_a_type_error(tables, wrong):
    for ask in (tables.probe, tables.probe_wdl, tables.probe_dtm, tables.line):
        with pytest.raises(TypeError, match="a position is a FEN or a board"):
            ask(wrong)


@pytest.mark.parametrize(
    "change",
    [
        {"occupied_co": ()},
        {"occupied_co": (1, "two")},
        {"pawns": "text"},
        {"kings": -1},
        {"queens": 1 << 64},
        {"ep_square": "e3"},
        {"castling_rights": None},
    ],
)
def test_a_board_with_odd_attributes_is_an_exception(tables, change):
    board = Board.from_fen(ROOK)
    for name, value in change.items():
        setattr(board, name, value)
    with pytest.raises((TypeError, ValueError, OverflowError, IndexError)):
        tables.probe_wdl(board)


def test_an_en_passant_square_that_nobody_passed_counts_for_nothing(tables):
    board = Board.from_fen("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1")
    for square in (0, 44, 63, 64, 1000):
        board.ep_square = square
        assert tables.probe_wdl(board) == 2


def test_boards_of_variants_have_no_tables(tables):
    board = Board.from_fen(ROOK)
    board.uci_variant = "atomic"
    with pytest.raises(retrograde.NotCoveredError, match="atomic"):
        tables.probe_wdl(board)


def test_a_closed_tablebase_answers_nothing(directory):
    with retrograde.Tablebase(directory) as tables:
        assert tables.max_men == 3 and len(tables.tables) == 15 and not tables.closed
        assert repr(tables) == "<Tablebase of 15 tables, up to 3 men>"
    assert tables.closed and repr(tables) == "<Tablebase, closed>"
    tables.close()
    for ask in (tables.probe, tables.probe_wdl, tables.line, lambda it: tables.probe_many([it])):
        with pytest.raises(ValueError, match="closed"):
            ask(ROOK)


def test_directories_and_options_are_checked(directory, tmp_path):
    with pytest.raises(retrograde.DirectoryError, match="nowhere"):
        retrograde.Tablebase(tmp_path / "nowhere")
    assert issubclass(retrograde.DirectoryError, OSError)
    with pytest.raises(TypeError, match="no directory given"):
        retrograde.Tablebase()
    with pytest.raises(TypeError):
        retrograde.Tablebase(5)
    with pytest.raises(ValueError, match="native"):
        retrograde.Tablebase(directory, format="gaviota")
    with pytest.raises(ValueError, match="cache_bytes"):
        retrograde.Tablebase(directory, cache_bytes=-1)
    assert retrograde.Tablebase(tmp_path, directory).probe_wdl(ROOK) == 2
    unmapped = retrograde.Tablebase(directory, map_files=False, cache_bytes=0)
    assert unmapped.probe_dtm(ROOK) == 31


def test_a_damaged_table_is_an_exception_that_names_it(directory, tmp_path):
    for name in ("KRvK.wdl", "KRvK.dtm"):
        content = bytearray((directory / name).read_bytes())
        if name == "KRvK.dtm":
            content[len(content) // 2] ^= 0xFF
        (tmp_path / name).write_bytes(content)
    tables = retrograde.Tablebase(tmp_path)
    assert tables.probe_wdl(ROOK) == 2
    with pytest.raises(retrograde.TableError, match="KRvK.dtm"):
        for square in range(64):
            tables.probe(f"8/8/8/8/8/2k5/1R6/K7 {'wb'[square % 2]} - - 0 1")
            # Every block is asked sooner or later.
            for rook in range(64):
                if len({square, rook, 0}) == 3:
                    board = Board(
                        rooks=1 << rook,
                        kings=1 | 1 << square,
                        occupied_co=(1 << square, 1 | 1 << rook),
                        turn=False,
                    )
                    try:
                        tables.probe_dtm(board)
                    except retrograde.PositionError:
                        pass


def test_eight_threads_share_a_tablebase(directory):
    tables = retrograde.Tablebase(directory)
    fens = [f"8/8/8/{king}/8/8/1R6/K7 w - - 0 1" for king in ("2k5", "3k4", "4k3", "5k2", "6k1")]
    expected = [retrograde.Tablebase(directory).probe_dtm(fen) for fen in fens]
    wrong = []

    def ask():
        for _ in range(100):
            if [tables.probe_dtm(fen) for fen in fens] != expected:
                wrong.append("dtm")
            if tables.probe_many(fens, dtm=True, threads=2).dtm.tolist() != expected:
                wrong.append("many")
            if tables.root_moves(ROOK)[0].dtm != -30:
                wrong.append("moves")

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
