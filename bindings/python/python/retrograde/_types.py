"""Types of arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Protocol, TypeAlias, Union


class Board(Protocol):
    """A ``chess.Board``, or anything with these attributes."""

    @property
    def pawns(self) -> int: ...
    @property
    def knights(self) -> int: ...
    @property
    def bishops(self) -> int: ...
    @property
    def rooks(self) -> int: ...
    @property
    def queens(self) -> int: ...
    @property
    def kings(self) -> int: ...
    @property
    def occupied_co(self) -> Sequence[int]:
        """Black's men and White's."""
        ...

    @property
    def turn(self) -> bool: ...
    @property
    def ep_square(self) -> int | None: ...
    @property
    def castling_rights(self) -> int: ...


class FullBoard(Board, Protocol):
    """A board with the counters."""

    @property
    def halfmove_clock(self) -> int: ...
    @property
    def fullmove_number(self) -> int: ...


#: A FEN of four or six fields, or a board with the attributes of ``chess.Board``.
PositionLike: TypeAlias = Union[str, FullBoard]
StrPath: TypeAlias = Union[str, "PathLike[str]"]
#: Results, status, distances to zeroing and to mate, little-endian.
Batch: TypeAlias = tuple[bytes, bytes, Union[bytes, None], Union[bytes, None]]
#: Called now and then with what is done, what there is to do, and the material in work.
Progress: TypeAlias = Callable[[int, int, str], object]
