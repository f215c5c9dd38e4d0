"""Tables of chess: what is asked of many positions at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from retrograde import _retrograde
from retrograde._values import Values

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from retrograde._types import PositionLike
    from typing_extensions import Self


class Tablebase(_retrograde.Tablebase):
    """The tables of one or more directories, our own and Syzygy's.

    Where two directories have the same table, that of the first counts; where one has both formats,
    our own does. Any number of threads may use one tablebase.

    >>> import retrograde
    >>> tables = retrograde.Tablebase("tables")
    >>> tables.probe_wdl("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
    2
    >>> tables.probe_dtm("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
    31
    >>> [move.san for move in tables.root_moves("8/8/8/8/8/k1K5/8/1Q6 w - - 0 1")][:2]
    ['Qa1#', 'Qb3#']
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self.closed:
            return "<Tablebase, closed>"
        return f"<Tablebase of {len(self.tables)} tables, up to {self.max_men} men>"

    def probe_many(
        self,
        positions: Iterable[PositionLike],
        *,
        dtz: bool = False,
        dtm: bool = False,
        threads: int | None = None,
    ) -> Values:
        """Values of many positions, given as FENs or boards.

        ``threads`` is how many work on it, by default one for each processor. Other Python threads
        go on meanwhile, and Ctrl-C ends it.

        >>> from retrograde import Status
        >>> tables = Tablebase("tables")
        >>> fens = ["8/8/8/8/8/2k5/1R6/K7 w - - 0 1", "K7/8/8/8/8/2k5/1R6/8 b - - 0 1", "nonsense"]
        >>> values = tables.probe_many(fens, dtm=True)
        >>> values.wdl.tolist(), values.dtm.tolist()
        ([2, 0, -128], [31, 0, -32768])
        >>> [Status(number).name for number in values.status]
        ['OK', 'OK', 'INVALID']
        """
        from retrograde import _arrays

        return _arrays.probe_many(self, positions, dtz=dtz, dtm=dtm, threads=threads)

    def probe_bitboards(
        self,
        bitboards: npt.NDArray[np.uint64],
        turn: npt.ArrayLike = True,
        ep: npt.ArrayLike | None = None,
        *,
        dtz: bool = False,
        dtm: bool = False,
        threads: int | None = None,
    ) -> Values:
        """Values of many positions, given as rows of eight bitboards.

        A row has pawns, knights, bishops, rooks, queens and kings of both sides, then all white and
        all black men; bit 0 is a1, bit 7 h1, bit 63 h8. ``turn`` is true where White is to move, one
        value for all or one for each row. ``ep`` is the square behind a pawn that just made a double
        step, -1 where there is none. Nobody may castle.

        >>> import numpy as np
        >>> rows = np.zeros((1, 8), dtype=np.uint64)
        >>> rows[0, 3] = 1 << 9                       # a rook on b2
        >>> rows[0, 5] = 1 << 0 | 1 << 18             # kings on a1 and c3
        >>> rows[0, 6:] = [1 << 0 | 1 << 9, 1 << 18]  # White's men and Black's
        >>> Tablebase("tables").probe_bitboards(rows, turn=True).wdl
        array([2], dtype=int8)
        """
        from retrograde import _arrays

        return _arrays.probe_bitboards(self, bitboards, turn, ep, dtz=dtz, dtm=dtm, threads=threads)
