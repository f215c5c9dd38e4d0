"""Solving positions by what they reach."""

from __future__ import annotations

import pytest
import retrograde

WALL = "4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1"


def test_a_fortress_is_a_draw():
    solved = retrograde.solve(WALL)
    assert (solved.category, solved.wdl, solved.exact) == ("draw", 0, True)
    assert (solved.exploration, solved.unexplored, len(solved.line)) == ("complete", 0, 0)
    assert solved.positions > 1000 and solved.fen == WALL


def test_a_win_has_distances_and_a_line(directory):
    rook = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
    solved = retrograde.solve(rook, threads=1)
    assert (solved.dtz, solved.dtm, solved.dtc, solved.line.end) == (31, 31, None, "checkmate")
    assert len(solved.line) == 31
    # Tables answer for what is behind the captures.
    pawns = "4k3/8/8/p7/P7/8/8/4K3 w - - 0 1"
    solved, alone = retrograde.solve(pawns, directory), retrograde.solve(pawns)
    assert solved.exact and solved.wdl == alone.wdl and solved.positions < alone.positions


def test_too_little_room_gives_bounds():
    solved = retrograde.solve("4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1", max_positions=2000)
    assert (solved.category, solved.exact, solved.exploration) == ("unknown", False, "limit")
    assert (solved.at_least, solved.at_most) == ("loss", "win") and solved.unexplored > 0


def test_xiangqi():
    solved = retrograde.solve("4k4/9/9/9/9/9/9/9/9/R2K5 w", rules="cycles-draw")
    assert (solved.category, solved.dtm, solved.dtz, len(solved.line)) == ("win", 3, None, 3)


def test_wrong_arguments_are_exceptions(tmp_path):
    for wrong in (0, -1, 1 << 40):
        with pytest.raises(ValueError, match="max_positions"):
            retrograde.solve(WALL, max_positions=wrong)
    with pytest.raises(retrograde.PositionError):
        retrograde.solve("nonsense")
    with pytest.raises(retrograde.DirectoryError):
        retrograde.solve(WALL, tmp_path / "nowhere")
    with pytest.raises(TypeError):
        retrograde.solve(5)


def test_an_exception_of_progress_ends_the_work():
    def progress(positions, unexplored):
        raise InterruptedError(positions)

    with pytest.raises(InterruptedError):
        retrograde.solve("4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1", progress=progress)
