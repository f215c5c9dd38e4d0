"""Many positions at once."""

from __future__ import annotations

import random

import numpy as np
import pytest
import retrograde
from conftest import ROOK, Board
from retrograde import Status, Values


def boards(count: int, seed: int = 1) -> list[Board]:
    """Random boards of three men, some of them no positions."""
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        squares = rng.sample(range(64), 3)
        white = rng.random() < 0.5
        men = dict(kings=1 << squares[0] | 1 << squares[1])
        men[rng.choice(["pawns", "knights", "bishops", "rooks", "queens"])] = 1 << squares[2]
        sides = [1 << squares[1], 1 << squares[0]]
        sides[white] |= 1 << squares[2]
        found.append(Board(occupied_co=(sides[0], sides[1]), turn=rng.random() < 0.5, **men))
    return found


def test_arrays_are_what_single_probes_say(tables):
    given = boards(3000)
    rows = np.array([board.row() for board in given], dtype=np.uint64)
    turns = np.array([board.turn for board in given])
    by_rows = tables.probe_bitboards(rows, turns, dtz=True, dtm=True)
    by_boards = tables.probe_many(iter(given), dtz=True, dtm=True, threads=1)
    invalid = 0
    for number, board in enumerate(given):
        try:
            wdl, dtz, dtm = (
                tables.probe_wdl(board),
                tables.probe_dtz(board),
                tables.probe_dtm(board),
            )
            expected = (Status.OK, wdl, dtz, dtm or 0)
        except retrograde.PositionError:
            invalid += 1
            expected = (Status.INVALID, Values.UNKNOWN_WDL, *2 * [Values.UNKNOWN_DISTANCE])
        for values in (by_rows, by_boards):
            found = (
                values.status[number],
                values.wdl[number],
                values.dtz[number],
                values.dtm[number],
            )
            assert found == expected
    assert 0 < invalid < 2000
    assert len(by_rows) == 3000
    assert (by_rows.wdl.dtype, by_rows.dtz.dtype, by_rows.status.dtype) == (
        np.int8,
        np.int16,
        np.uint8,
    )


def test_distances_are_there_only_if_asked_for(tables):
    values = tables.probe_many([ROOK])
    assert (values.wdl.tolist(), values.dtz, values.dtm) == ([2], None, None)
    values = tables.probe_many([ROOK], dtz=True)
    assert (values.dtz.tolist(), values.dtm) == ([31], None)


def test_a_status_says_why_nothing_is_known(tables):
    given = [
        ROOK,
        "8/8/8/8/3q4/k7/8/KR6 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
        "startpos",
        "x",
    ]
    values = tables.probe_many(given, dtz=True, dtm=True)
    names = ["OK", "MISSING_TABLE", "NOT_COVERED", "NOT_COVERED", "INVALID"]
    assert [Status(number).name for number in values.status] == names
    assert values.wdl.tolist()[1:] == [Values.UNKNOWN_WDL] * 4
    assert values.dtm.tolist()[1:] == [Values.UNKNOWN_DISTANCE] * 4


def test_layouts_of_arrays_do_not_matter(tables):
    given = boards(300, seed=2)
    rows = np.array([board.row() for board in given], dtype=np.uint64)
    turns = np.array([board.turn for board in given])
    expected = tables.probe_bitboards(rows, turns).wdl.tolist()
    read_only = rows.copy()
    read_only.flags.writeable = False
    wide = np.zeros((600, 16), dtype=np.uint64)
    wide[::2, ::2] = rows
    packed = np.zeros(300, dtype=[("byte", "u1"), ("row", "<u8", 8)])
    packed["row"] = rows
    backwards = rows[::-1].copy()
    for same in (
        read_only,
        np.asfortranarray(rows),
        wide[::2, ::2],
        rows.astype(">u8"),
        packed["row"],
        backwards[::-1],
    ):
        assert tables.probe_bitboards(same, turns).wdl.tolist() == expected
    assert tables.probe_bitboards(rows, turns.astype(np.int64) * 7).wdl.tolist() == expected
    assert tables.probe_bitboards(rows, turns.tolist()).wdl.tolist() == expected
    assert len(tables.probe_bitboards(rows[:0])) == len(tables.probe_many([])) == 0


def test_wrong_arrays_are_exceptions(tables):
    rows = np.array([Board.from_fen(ROOK).row()], dtype=np.uint64)
    for wrong in (
        rows.tolist(),
        None,
        "rows",
        rows.astype(np.int64),
        rows.astype(float),
        rows.astype(object),
    ):
        with pytest.raises(TypeError, match="numpy array of uint64"):
            tables.probe_bitboards(wrong)
    for wrong in (rows[0], rows[:, :7], rows.reshape(1, 8, 1), np.zeros((), np.uint64)):
        with pytest.raises(ValueError, match="not of the shape"):
            tables.probe_bitboards(wrong)
    with pytest.raises(ValueError, match="turn has the shape"):
        tables.probe_bitboards(rows, [True, False])
    with pytest.raises(TypeError, match="turn has the type"):
        tables.probe_bitboards(rows, "w")
    with pytest.raises(ValueError, match="ep has the shape"):
        tables.probe_bitboards(rows, True, [1, 2])
    with pytest.raises(TypeError, match="ep has the type"):
        tables.probe_bitboards(rows, True, [1.5])
    for threads in (0, -1, 5000):
        with pytest.raises(ValueError, match="threads"):
            tables.probe_bitboards(rows, threads=threads)
    with pytest.raises(TypeError, match="one string"):
        tables.probe_many(ROOK)
    with pytest.raises(TypeError, match="a position is a FEN"):
        tables.probe_many([ROOK, 5])
    with pytest.raises(TypeError):
        tables.probe_many(5)


def test_rows_that_contradict_themselves_are_invalid(tables):
    good = Board.from_fen(ROOK).row()
    overlap, stray, nobody = list(good), list(good), list(good)
    overlap[7] |= 1 << 9  # The rook is Black's as well.
    stray[6] |= 1 << 40  # A man of White without a role.
    nobody[4] |= 1 << 41  # A queen of nobody.
    rows = np.array([good, overlap, stray, nobody, [0] * 8, [2**64 - 1] * 8], dtype=np.uint64)
    assert tables.probe_bitboards(rows).status.tolist() == [0, 3, 3, 3, 3, 3]


def test_more_than_there_is_memory_for_is_an_exception(tables):
    one = np.array([Board.from_fen(ROOK).row()], dtype=np.uint64)
    with pytest.raises(MemoryError):
        tables.probe_bitboards(np.broadcast_to(one, (1 << 50, 8)))


def test_en_passant_by_rows(published):
    tables = retrograde.Tablebase(published)
    board = Board.from_fen("8/8/8/k2Pp3/8/8/8/4K3 w - e6 0 2")
    rows = np.array([board.row()] * 3, dtype=np.uint64)
    assert tables.probe_bitboards(rows, True, [44, -1, 200]).wdl.tolist() == [2, 0, 0]
    assert tables.probe_bitboards(rows, True, 44).wdl.tolist() == [2, 2, 2]
