"""Compares speeds with python-chess, on the same Syzygy files and positions, and measures arrays.

    python speed.py SYZYGY [--men 4] [--positions 20000]

Single probes are timed one by one, some positions by one and then the same by the other; medians
are compared.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time

import chess
import chess.syzygy
import numpy as np
import retrograde
import retrograde.compat.syzygy as compat


#: Positions of one before it is the other's turn. The first hundreds of a turn pay for what the
#: other has pushed out of the processor's caches; a program that uses one of them does not.
TURN = 2000


def random_board(rng: random.Random, men: int) -> chess.Board:
    while True:
        squares = rng.sample(range(64), men)
        board = chess.Board(None)
        for number, square in enumerate(squares):
            color = number == 0 if number < 2 else rng.random() < 0.5
            role = chess.KING if number < 2 else rng.randint(chess.PAWN, chess.QUEEN)
            board.set_piece_at(square, chess.Piece(role, color))
        board.turn = rng.random() < 0.5
        if board.is_valid():
            return board


def paired(name: str, ours, theirs, boards) -> None:
    times = ([], [])
    for first in range(0, len(boards), TURN):
        for probe, found in zip((ours, theirs), times):
            for board in boards[first : first + TURN]:
                start = time.perf_counter()
                probe(board)
                found.append(time.perf_counter() - start)
    mine, other = (1e6 * statistics.median(found) for found in times)
    print(f"{name:26} {mine:8.2f} us, python-chess {other:8.1f} us, {other / mine:6.1f} times")


def rows_of(boards) -> tuple[np.ndarray, np.ndarray]:
    rows = [
        [
            b.pawns,
            b.knights,
            b.bishops,
            b.rooks,
            b.queens,
            b.kings,
            b.occupied_co[True],
            b.occupied_co[False],
        ]
        for b in boards
    ]
    return np.array(rows, dtype=np.uint64), np.array([b.turn for b in boards])


def rates_of(count: int, *works) -> list[float]:
    """Millions a second, by turns, medians."""
    times = [[] for _ in works]
    for _ in range(9):
        for work, found in zip(works, times):
            start = time.perf_counter()
            work()
            found.append(time.perf_counter() - start)
    return [count / statistics.median(found) / 1e6 for found in times]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("syzygy")
    parser.add_argument("--native")
    parser.add_argument("--men", type=int, default=4)
    parser.add_argument("--positions", type=int, default=20_000)
    options = parser.parse_args()
    rng = random.Random(1)
    boards = [random_board(rng, options.men) for _ in range(options.positions)]
    ours, theirs = (
        compat.open_tablebase(options.syzygy),
        chess.syzygy.open_tablebase(options.syzygy),
    )
    for board in boards:
        ours.probe_dtz(board), theirs.probe_dtz(board)  # Everything is open and in memory.
    paired("probe_wdl(board)", ours.probe_wdl, theirs.probe_wdl, boards)
    paired("probe_dtz(board)", ours.probe_dtz, theirs.probe_dtz, boards)
    fens = [board.fen() for board in boards]
    native = retrograde.Tablebase(options.syzygy)
    paired("probe_wdl(fen)", native.probe_wdl, lambda fen: theirs.probe_wdl(chess.Board(fen)), fens)
    rows, turns = rows_of(boards)
    repeat = max(1, 1_000_000 // len(boards))
    rows, turns = np.tile(rows, (repeat, 1)), np.tile(turns, repeat)
    order = np.random.default_rng(1).permutation(len(rows))
    rows, turns = rows[order], turns[order]
    for name, directory in (("syzygy", options.syzygy), ("native", options.native)):
        if directory is None:
            continue
        tables = retrograde.Tablebase(directory, format=name)
        tables.prefetch_results(options.men)
        tables.probe_bitboards(rows, turns)
        for asked in ({}, {"dtz": True}):
            rates = rates_of(
                len(rows),
                lambda: tables.probe_bitboards(rows, turns, threads=1, **asked),
                lambda: tables.probe_bitboards(rows, turns, threads=2, **asked),
            )
            what = " ".join(["wdl", *asked])
            gain = f"two threads {rates[1]:6.2f}: {rates[1] / rates[0]:.2f} times"
            print(f"{name} {what:19} {rates[0]:6.2f} M/s, {gain}")
        many = fens[:100_000]
        [rate] = rates_of(len(many), lambda: tables.probe_many(many, threads=1))
        print(f"{name} FENs, wdl           {rate:6.2f} M/s")


if __name__ == "__main__":
    main()
