from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, TypeAlias, final

from typing_extensions import Self, disjoint_base

from retrograde._types import (
    Batch,
    Board,
    PositionLike,
    Progress,
    StrPath,
)

__all__ = [
    "Files",
    "Generated",
    "Line",
    "Move",
    "Probe",
    "Report",
    "SideStatistics",
    "Solved",
    "Statistics",
    "TableFile",
    "Tablebase",
    "XiangqiMove",
    "XiangqiProbe",
    "XiangqiTablebase",
    "generate",
    "solve",
    "verify",
]

_Category: TypeAlias = Literal["win", "cursed-win", "draw", "blessed-loss", "loss", "unknown"]
_End: TypeAlias = Literal[
    "checkmate", "stalemate", "draw", "perpetual-check", "tables", "unfinished", "unknown"
]
_Rules: TypeAlias = Literal["perpetual-check", "cycles-draw"]
_Game: TypeAlias = Literal["chess", "xiangqi"]

@final
class Move:
    """A legal move. All values are for the side to move after it: the best move of a won position is a "loss"."""

    @property
    def uci(self) -> str:
        """The move as engines write it: ``e7e8q``."""
    @property
    def san(self) -> str:
        """The move as books write it: ``e8=Q+``."""
    @property
    def zeroing(self) -> bool:
        """Whether it is a capture or a pawn move."""
    @property
    def category(self) -> _Category:
        """The result in a word."""
    @property
    def wdl(self) -> int | None:
        """The result as a number: 2, 1, 0, -1, -2; ``None`` if a table is missing."""
    @property
    def dtz(self) -> int | None:
        """Plies to the next capture or pawn move; of a rounded distance the shorter."""
    @property
    def precise_dtz(self) -> int | None:
        """The same, ``None`` where a Syzygy table has it rounded."""
    @property
    def dtm(self) -> int | None:
        """Plies to mate; ``None`` for a draw."""
    @property
    def checkmate(self) -> bool: ...
    @property
    def stalemate(self) -> bool: ...
    @property
    def insufficient_material(self) -> bool: ...

@final
class Probe:
    """What the tables say about a position, for the side to move, with the clock at zero."""

    @property
    def fen(self) -> str: ...
    @property
    def material(self) -> str:
        """The material in the form that has a table."""
    @property
    def category(self) -> _Category:
        """The result in a word."""
    @property
    def reason(self) -> str | None:
        """Why the category is unknown, and what to do."""
    @property
    def wdl(self) -> int | None:
        """The result as a number: 2, 1, 0, -1, -2; ``None`` if it is not known."""
    @property
    def dtz(self) -> int | None:
        """Plies to the next capture or pawn move; of a rounded distance the shorter."""
    @property
    def precise_dtz(self) -> int | None:
        """The same, ``None`` where a Syzygy table has it rounded."""
    @property
    def dtm(self) -> int | None:
        """Plies to mate; ``None`` for a draw."""
    @property
    def checkmate(self) -> bool: ...
    @property
    def stalemate(self) -> bool: ...
    @property
    def insufficient_material(self) -> bool: ...
    @property
    def moves(self) -> list[Move]:
        """All legal moves, best first."""

@final
class Line:
    """Best play."""

    @property
    def uci(self) -> list[str]:
        """The moves as engines write them."""
    @property
    def san(self) -> list[str]:
        """The moves as books write them; in xiangqi WXF."""
    @property
    def end(self) -> _End:
        """Why there are no more: ``tables`` know the rest, or a table is missing (``unknown``)."""
    @property
    def reason(self) -> str | None:
        """Which table is missing, if the end is ``unknown``."""
    @property
    def metric(self) -> str | None:
        """By which tables both sides chose the first move."""
    def __len__(self) -> int: ...

@final
class TableFile:
    """A table that was found. It is opened when it is first asked."""

    @property
    def material(self) -> str: ...
    @property
    def metric(self) -> Literal["wdl", "dtz", "dtm"]: ...
    @property
    def format(self) -> Literal["native", "syzygy"]: ...
    @property
    def path(self) -> Path: ...

@final
class SideStatistics:
    """How many positions of one side to move have which value, over the full board."""

    @property
    def results(self) -> dict[_Category, int]: ...
    @property
    def checkmates(self) -> int: ...
    @property
    def stalemates(self) -> int: ...
    @property
    def wins(self) -> dict[int, int]:
        """Won positions by plies."""
    @property
    def losses(self) -> dict[int, int]:
        """Lost positions by plies, mates left out."""
    @property
    def longest(self) -> list[str]:
        """FENs of some of the longest wins."""

@final
class Statistics:
    """What a table says of all its values together."""

    @property
    def material(self) -> str: ...
    @property
    def white(self) -> SideStatistics:
        """With White to move."""
    @property
    def black(self) -> SideStatistics:
        """With Black to move."""

@disjoint_base
class Tablebase:
    def __new__(
        cls,
        *paths: StrPath,
        format: Literal["native", "syzygy"] | None = None,
        cache_bytes: int = 67108864,
        map_files: bool = True,
    ) -> Self: ...
    @property
    def max_men(self) -> int:
        """The most men that a table here has."""
    @property
    def tables(self) -> list[TableFile]:
        """All tables, those of few men first."""
    @property
    def closed(self) -> bool: ...
    def close(self) -> None:
        """Closes it. Probes that other threads are at go on to their end."""
    def probe(self, position: PositionLike) -> Probe:
        """Everything: the values of the position and of its moves. What is not known is ``None``."""
    def probe_wdl(self, position: PositionLike) -> int:
        """Who wins with the fifty-move rule: 2, 1, 0, -1 or -2. An error if its clock is not at zero."""
    def probe_wdl_after_zeroing(self, position: PositionLike) -> int:
        """Who would win if a capture or pawn move had led to the position, whatever its clock says."""
    def probe_dtz(self, position: PositionLike) -> int:
        """Plies to the next capture or pawn move that keeps the result, or to mate; 0 for a draw."""
    def probe_dtz_range(self, position: PositionLike) -> tuple[int, int]:
        """The shortest and the longest that it may be: a Syzygy table may have rounded it."""
    def probe_dtm(self, position: PositionLike) -> int | None:
        """Plies to mate, without the fifty-move rule; ``None`` for a draw."""
    def root_moves(self, position: PositionLike) -> list[Move]:
        """All legal moves, best first, with the clock of the position."""
    def line(self, position: PositionLike, max_plies: int = 1200) -> Line:
        """Best play of both sides."""
    def prefetch_results(self, max_men: int = 4) -> None:
        """Reads the tables of results of up to so many men ahead, Syzygy's into memory as a whole."""
    def statistics(
        self, material: str, metric: Literal["wdl", "dtz", "dtm"] = "dtm"
    ) -> Statistics:
        """Histograms of a table of our own, and its longest wins."""
    def _probe_positions(
        self, positions: list[PositionLike], metrics: tuple[bool, bool], threads: int | None
    ) -> Batch: ...
    def _probe_rows(
        self,
        rows: bytes,
        turns: bytes,
        en_passant: bytes | None,
        metrics: tuple[bool, bool],
        threads: int | None,
    ) -> Batch: ...

@final
class Files:
    """Tables by their paths, with what ``retrograde.compat`` asks of them."""

    def __new__(cls, paths: Sequence[StrPath]) -> Self: ...
    def probe_wdl(self, board: Board | str) -> int: ...
    def probe_dtz(self, board: Board | str) -> int: ...
    def probe_dtz_no_ep(self, board: Board | str) -> int: ...
    def probe_wdl_table(self, board: Board | str) -> int: ...
    def probe_dtm(self, board: Board | str) -> int: ...

@final
class XiangqiMove:
    """A legal move of xiangqi. All values are for the side to move after it."""

    @property
    def uci(self) -> str:
        """The move as engines write it: ``h2e2``."""
    @property
    def wxf(self) -> str:
        """The move as books write it: ``C2=5``."""
    @property
    def zeroing(self) -> bool:
        """Whether it captures."""
    @property
    def category(self) -> _Category: ...
    @property
    def wdl(self) -> int | None: ...
    @property
    def dtc(self) -> int | None:
        """Plies to the next capture or mate."""
    @property
    def dtm(self) -> int | None:
        """Plies to mate; only under the rules ``cycles-draw``."""
    @property
    def round(self) -> int | None:
        """How often the rule of perpetual check was applied."""
    @property
    def checkmate(self) -> bool: ...
    @property
    def stalemate(self) -> bool: ...

@final
class XiangqiProbe:
    """What the tables say about a position of xiangqi, for the side to move."""

    @property
    def fen(self) -> str: ...
    @property
    def material(self) -> str: ...
    @property
    def category(self) -> _Category: ...
    @property
    def reason(self) -> str | None:
        """Why the category is unknown, and what to do."""
    @property
    def wdl(self) -> int | None: ...
    @property
    def dtc(self) -> int | None:
        """Plies to the next capture or mate."""
    @property
    def dtm(self) -> int | None:
        """Plies to mate; only under the rules ``cycles-draw``."""
    @property
    def round(self) -> int | None:
        """How often the rule of perpetual check was applied."""
    @property
    def checkmate(self) -> bool: ...
    @property
    def stalemate(self) -> bool: ...
    @property
    def moves(self) -> list[XiangqiMove]:
        """All legal moves, best first."""

@disjoint_base
class XiangqiTablebase:
    def __new__(cls, directory: StrPath, rules: _Rules = "perpetual-check") -> Self: ...
    @property
    def rules(self) -> _Rules: ...
    @property
    def closed(self) -> bool: ...
    def close(self) -> None:
        """Closes it. Probes that other threads are at go on to their end."""
    def probe(self, fen: str) -> XiangqiProbe:
        """Everything: the values of the position and of its moves. What is not known is ``None``."""
    def probe_wdl(self, fen: str) -> int:
        """Who wins: 2, 0 or -2."""
    def root_moves(self, fen: str) -> list[XiangqiMove]:
        """All legal moves, best first."""
    def line(self, fen: str, max_plies: int = 1200) -> Line:
        """Best play of both sides."""

@final
class Generated:
    """What a generation has written."""

    @property
    def files(self) -> int: ...
    @property
    def bytes(self) -> int: ...

@final
class Report:
    """What a verification found."""

    @property
    def tables(self) -> int:
        """Tables whose values were compared."""
    @property
    def positions(self) -> int:
        """Positions compared, each metric once."""
    @property
    def differences(self) -> int: ...
    @property
    def listed(self) -> list[str]:
        """The first differences, in words."""
    @property
    def unreadable(self) -> list[tuple[Path, str]]:
        """Tables that could not be read, and why."""
    @property
    def is_clean(self) -> bool:
        """Whether nothing is wrong."""

def generate(
    materials: str | Sequence[str],
    tables: StrPath = "tables",
    *,
    game: _Game = "chess",
    rules: _Rules = "perpetual-check",
    metrics: str | Sequence[str] | None = None,
    format: Literal["native", "syzygy"] = "native",
    compression: Literal["fast", "default", "small", "smallest"] = "default",
    memory: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Generated:
    """Solves materials such as ``KRPvKR`` and writes their tables, and all tables they depend on.

    What is there already is kept, so a generation that was stopped goes on where it was. ``memory``
    is in bytes. ``progress`` is called now and then from the thread that called; an exception of it
    ends the generation, and so does Ctrl-C.
    """

def verify(
    materials: str | Sequence[str],
    tables: StrPath = "tables",
    *,
    game: _Game = "chess",
    rules: _Rules = "perpetual-check",
    threads: int | None = None,
    progress: Progress | None = None,
) -> Report:
    """Compares every value of the tables of some materials with those of its successors."""

@final
class Solved:
    """What is proved of a position, for the side to move, with the clock at zero."""

    @property
    def fen(self) -> str: ...
    @property
    def category(self) -> _Category:
        """The result in a word, ``unknown`` if it is not proved."""
    @property
    def wdl(self) -> int | None:
        """The result as a number: 2, 1, 0, -1, -2."""
    @property
    def at_least(self) -> _Category:
        """What the side to move has at least."""
    @property
    def at_most(self) -> _Category:
        """What the side to move has at most."""
    @property
    def exact(self) -> bool:
        """Whether everything was explored, so distances are exact, not those of some way."""
    @property
    def dtz(self) -> int | None:
        """Chess: plies to the next capture or pawn move."""
    @property
    def dtc(self) -> int | None:
        """Xiangqi: plies to the next capture or mate."""
    @property
    def dtm(self) -> int | None:
        """Plies to mate; ``None`` for a draw."""
    @property
    def line(self) -> Line:
        """Best play by what was found."""
    @property
    def exploration(self) -> Literal["complete", "limit", "stopped"]: ...
    @property
    def positions(self) -> int:
        """Positions that were found."""
    @property
    def unexplored(self) -> int:
        """Those of them whose moves were not looked at."""

def solve(
    position: PositionLike,
    tables: StrPath | None = None,
    *,
    max_positions: int = 10000000,
    mates: bool = True,
    rules: _Rules = "perpetual-check",
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Solved:
    """Solves a position with any number of men by what it can reach.

    A FEN of ten ranks is xiangqi. ``tables`` is a directory whose tables end the exploration.
    ``progress`` is called now and then with the positions found and those not looked at yet; an
    exception of it ends the work, and so does Ctrl-C.

    >>> solve("4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1").category
    'draw'
    """
