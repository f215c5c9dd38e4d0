"""Between numpy arrays and the bytes that the compiled part takes and gives."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from retrograde._retrograde import Tablebase
from retrograde._values import Values

if TYPE_CHECKING:
    from retrograde._types import Batch, PositionLike

#: Positions that are handed over at a time: enough to be worth it, few enough for the memory.
_CHUNK = 1 << 16


def probe_many(
    tables: Tablebase,
    positions: Iterable[PositionLike],
    *,
    dtz: bool,
    dtm: bool,
    threads: int | None,
) -> Values:
    """See :meth:`retrograde.Tablebase.probe_many`."""
    if isinstance(positions, str):
        raise TypeError("positions is one string; give a list of them")
    parts = [_room(0, dtz, dtm)]
    rest = iter(positions)
    while chunk := list(islice(rest, _CHUNK)):
        parts.append(_room(len(chunk), dtz, dtm))
        _fill(parts[-1], 0, tables._probe_positions(chunk, (dtz, dtm), threads))
    distances = [(part.dtz, part.dtm) for part in parts]
    return Values(
        wdl=np.concatenate([part.wdl for part in parts]),
        status=np.concatenate([part.status for part in parts]),
        dtz=np.concatenate([part for part, _ in distances if part is not None]) if dtz else None,
        dtm=np.concatenate([part for _, part in distances if part is not None]) if dtm else None,
    )


def probe_bitboards(
    tables: Tablebase,
    bitboards: npt.NDArray[np.uint64],
    turn: npt.ArrayLike,
    ep: npt.ArrayLike | None,
    *,
    dtz: bool,
    dtm: bool,
    threads: int | None,
) -> Values:
    """See :meth:`retrograde.Tablebase.probe_bitboards`."""
    _check(bitboards)
    count = len(bitboards)
    turns = _one_for_each("turn", turn, count)
    if turns.dtype.kind not in "bui":
        raise TypeError(f"turn has the type {turns.dtype}; give booleans, true for White")
    squares = _one_for_each("ep", -1 if ep is None else ep, count)
    if squares.dtype.kind not in "ui":
        raise TypeError(f"ep has the type {squares.dtype}; give squares from 0 to 63, or -1")
    values = _room(count, dtz, dtm)
    for start in range(0, count, _CHUNK):
        chunk = slice(start, start + _CHUNK)
        batch = tables._probe_rows(
            # A copy: whatever order and alignment they had, and nobody changes it.
            np.ascontiguousarray(bitboards[chunk], dtype="<u8").tobytes(),
            (turns[chunk] != 0).tobytes(),
            None if ep is None else _behind(squares[chunk]),
            (dtz, dtm),
            threads,
        )
        _fill(values, start, batch)
    return values


def _check(bitboards: object) -> None:
    wanted = "bitboards is a numpy array of uint64 with eight columns"
    if not isinstance(bitboards, np.ndarray):
        raise TypeError(f"{wanted}, not {type(bitboards).__name__}")
    array = cast("npt.NDArray[Any]", bitboards)
    dtype = array.dtype
    if dtype.kind != "u" or dtype.itemsize != 8:
        raise TypeError(f"{wanted}, not of {dtype}; convert it with .astype(numpy.uint64)")
    if array.ndim != 2 or array.shape[1] != 8:
        raise ValueError(f"{wanted}, not of the shape {array.shape}")


def _one_for_each(name: str, given: npt.ArrayLike, count: int) -> npt.NDArray[Any]:
    """One value for all, or an array of as many."""
    array = np.asarray(given)
    if array.shape not in ((), (count,)):
        raise ValueError(f"{name} has the shape {array.shape}; give one value, or {count}")
    return np.broadcast_to(array, (count,))


def _behind(squares: npt.NDArray[Any]) -> bytes:
    """Squares as bytes, 255 where there is none."""
    is_square = (squares >= 0) & (squares < 64)
    return np.where(is_square, squares, 255).astype(np.uint8).tobytes()


def _room(count: int, dtz: bool, dtm: bool) -> Values:
    """Room for the values of so many positions."""
    return Values(
        wdl=np.empty(count, dtype=np.int8),
        status=np.empty(count, dtype=np.uint8),
        dtz=np.empty(count, dtype=np.int16) if dtz else None,
        dtm=np.empty(count, dtype=np.int16) if dtm else None,
    )


def _fill(values: Values, start: int, batch: Batch) -> None:
    wdl, status, dtz, dtm = batch
    end = start + len(wdl)
    values.wdl[start:end] = np.frombuffer(wdl, dtype=np.int8)
    values.status[start:end] = np.frombuffer(status, dtype=np.uint8)
    if values.dtz is not None and dtz is not None:
        values.dtz[start:end] = np.frombuffer(dtz, dtype="<i2")
    if values.dtm is not None and dtm is not None:
        values.dtm[start:end] = np.frombuffer(dtm, dtype="<i2")
