"""Not run: what a type checker has to accept, with the types of python-chess."""

from __future__ import annotations

import chess
import numpy as np
import retrograde
import retrograde.compat.gaviota as gaviota
import retrograde.compat.syzygy as syzygy


def boards(board: chess.Board) -> list[int]:
    with retrograde.Tablebase("tables", cache_bytes=0) as tables:
        probe: retrograde.Probe = tables.probe(board)
        values = tables.probe_many([board, board.fen()], dtz=True)
        rows = tables.probe_bitboards(np.zeros((1, 8), dtype=np.uint64), turn=board.turn)
        numbers = [int(values.wdl[0]), int(rows.status[0]), probe.wdl or 0, tables.probe_wdl(board)]
    for move in probe.moves:
        board.push(chess.Move.from_uci(move.uci))
        board.pop()
    return numbers


def standing_in(board: chess.Board) -> int | None:
    with syzygy.open_tablebase("tables", VariantBoard=chess.Board) as tables:
        found: int = tables.probe_wdl(board) + tables.probe_dtz(board)
    with gaviota.open_tablebase("tables") as mates:
        return mates.get_dtm(board, default=found)
