"""What is known of many positions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Status(IntEnum):
    """Why a position of a batch has a value, or none."""

    #: All that was asked is known.
    OK = 0
    #: A table is missing, or there are more men than any has. What other tables know is there.
    MISSING_TABLE = 1
    #: No table can know it: castling rights.
    NOT_COVERED = 2
    #: It is no legal position.
    INVALID = 3
    #: A table is damaged; ask for the position alone to read which.
    DAMAGED = 4


@dataclass(frozen=True)
class Values:
    """Values of many positions, for the side to move of each, in the order in which they were given.

    ``wdl`` is 2, 1, 0, -1 or -2, and :attr:`UNKNOWN_WDL` where it is not known. ``dtz`` and ``dtm``
    are plies, 0 for a draw, and :attr:`UNKNOWN_DISTANCE` where they are not known; they are ``None``
    if they were not asked for. A mated side has ``wdl`` -2, ``dtz`` -1 and ``dtm`` 0.
    """

    UNKNOWN_WDL: ClassVar[int] = -128
    UNKNOWN_DISTANCE: ClassVar[int] = -32768

    wdl: npt.NDArray[np.int8]
    #: Numbers of :class:`Status`.
    status: npt.NDArray[np.uint8]
    dtz: npt.NDArray[np.int16] | None
    dtm: npt.NDArray[np.int16] | None

    def __len__(self) -> int:
        return len(self.wdl)
