"""Answers are those of python-chess, on the same Syzygy files.

Some random positions as a rule; with ``RETROGRADE_FULL=1`` every position of three men and 100 000
random ones of four and five. ``RETROGRADE_TABLES`` and ``RETROGRADE_GAVIOTA`` name directories of
our own tables and of Gaviota's, to compare distances with.
"""

from __future__ import annotations

import itertools
import os
import random

import pytest
import retrograde
import retrograde.compat.gaviota as gaviota
import retrograde.compat.syzygy as syzygy
from conftest import ROOT

chess = pytest.importorskip("chess")
import chess.gaviota  # noqa: E402
import chess.syzygy  # noqa: E402

FULL = os.environ.get("RETROGRADE_FULL") == "1"


def board_of(men, turn):
    """A board with men of some type and colour on some squares, or nothing if that is no position."""
    board = chess.Board(None)
    for square, (role, color) in men:
        if role == chess.PAWN and chess.BB_SQUARES[square] & chess.BB_BACKRANKS:
            return None
        board.set_piece_at(square, chess.Piece(role, color))
    board.turn = turn
    return None if board.was_into_check() else board


def random_boards(materials, count, seed):
    """Random boards of some materials, in a third of those with pawns one that may be passed."""
    rng = random.Random(seed)
    while count:
        white, black = rng.choice(materials).split("v")
        men = [(chess.PIECE_SYMBOLS.index(it.lower()), True) for it in white]
        men += [(chess.PIECE_SYMBOLS.index(it.lower()), False) for it in black]
        if rng.random() < 0.5:
            men = [(role, not color) for role, color in men]
        board = board_of(zip(rng.sample(range(64), len(men)), men), rng.random() < 0.5)
        if board is not None:
            behind = [it for it in range(64) if passes(board, it)]
            board.ep_square = rng.choice(behind) if behind and rng.random() < 0.34 else None
            count -= 1
            yield board


def passes(board, square):
    """Whether a pawn may just have passed a square with a double step."""
    forward = -8 if board.turn else 8
    if chess.square_rank(square) != (5 if board.turn else 2):
        return False
    pawns = board.pawns & board.occupied_co[not board.turn]
    empty = [square, square - forward]
    return bool(pawns & chess.BB_SQUARES[square + forward]) and not any(map(board.piece_at, empty))


def boards_of_three():
    """Every position of three men."""
    squares = itertools.permutations(range(64), 3)
    for white, black, other in squares:
        for role, color, turn in itertools.product(range(1, 6), (True, False), (True, False)):
            men = [
                (white, (chess.KING, True)),
                (black, (chess.KING, False)),
                (other, (role, color)),
            ]
            board = board_of(men, turn)
            if board is not None:
                yield board


def materials_of(directory, men):
    """The materials of so many men of which a directory has Syzygy tables."""
    files = {path.name for path in directory.iterdir()}
    names = [name for name in syzygy.tablenames(piece_count=men) if len(name) == men + 1]
    return [name for name in names if {f"{name}.rtbw", f"{name}.rtbz"} <= files]


def compare(boards, directory, native=None):
    """Compares all values, and tells how many positions that were."""
    count = 0
    theirs = chess.syzygy.open_tablebase(str(directory), max_fds=None)
    ours = syzygy.open_tablebase(directory)
    tables = retrograde.Tablebase(directory, format="syzygy")
    for board in boards:
        wdl, dtz = theirs.probe_wdl(board), theirs.probe_dtz(board)
        assert (ours.probe_wdl(board), ours.probe_dtz(board)) == (wdl, dtz), board.fen()
        least, most = tables.probe_dtz_range(board)
        assert tables.probe_wdl_after_zeroing(board) == wdl, board.fen()
        # Where the moves of a position tell which of two plies it is, ours says so.
        assert abs(dtz) <= abs(least) <= abs(most) <= abs(dtz) + 1, board.fen()
        if native is not None:
            assert native.probe_wdl_after_zeroing(board) == wdl, board.fen()
            assert abs(least) <= abs(native.probe_dtz(board)) <= abs(most), board.fen()
            assert (wdl > 0) - (wdl < 0) == sign(native, board), board.fen()
        count += 1
    return count


def sign(tables, board):
    """Who wins, by the distance to mate."""
    dtm = tables.probe_dtm(board)
    return 0 if dtm is None else 1 if dtm > 0 else -1


def own_tables(men):
    """Tables of our own of up to so many men."""
    named = os.environ.get("RETROGRADE_TABLES")
    path = named or (ROOT / "tables" if men == 3 else None)
    return None if path is None else retrograde.Tablebase(path, format="native")


def test_three_men(published):
    boards = boards_of_three() if FULL else random_boards(materials_of(published, 3), 1500, 1)
    assert compare(boards, published, own_tables(3)) >= 1500


@pytest.mark.parametrize("men", [4, 5])
def test_more_men(published, men):
    materials = materials_of(published, men)
    if not materials:
        pytest.skip(f"no tables of {men} men in {published}")
    count = 100_000 if FULL else 1500
    native = own_tables(men)
    if native is not None:
        # Those of which there are both.
        there = {table.material for table in native.tables}
        assert compare(
            random_boards([it for it in materials if it in there], count, men), published, native
        )
    assert compare(random_boards(materials, count, men), published) == count


def test_mates_of_gaviota():
    directory = os.environ.get("RETROGRADE_GAVIOTA")
    if not directory:
        pytest.skip("RETROGRADE_GAVIOTA names no directory of Gaviota tables")
    theirs = chess.gaviota.open_tablebase(directory, LibraryLoader=None)
    ours = gaviota.open_tablebase(ROOT / "tables")
    names = ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"]
    for board in boards_of_three() if FULL else random_boards(names, 1500, 1):
        expected = theirs.probe_dtm(board), theirs.probe_wdl(board)
        assert (ours.probe_dtm(board), ours.probe_wdl(board)) == expected, board.fen()
