"""Stands in for ``chess.syzygy`` of python-chess: its names, its meaning, many times as fast.

Besides Syzygy's files it takes our own where a directory has those only; their distances are exact.

>>> import retrograde.compat.syzygy as syzygy
>>> with syzygy.open_tablebase("tables") as tables:
...     tables.probe_wdl("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
2
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

from retrograde import _retrograde
from retrograde._errors import MissingTableError, NotCoveredError
from retrograde._types import Board, StrPath
from retrograde.compat._board import LETTERS, men

if TYPE_CHECKING:
    from types import TracebackType
    from typing_extensions import Self

__all__ = [
    "MissingTableError",
    "Tablebase",
    "all_dependencies",
    "calc_key",
    "dependencies",
    "dtz_before_zeroing",
    "is_tablename",
    "normalize_tablename",
    "open_tablebase",
    "tablenames",
]

TBPIECES = 7

#: Which metric a file stores, and whether the file is Syzygy's.
_EXTENSIONS = {
    ".rtbw": ("wdl", True),
    ".rtbz": ("dtz", True),
    ".wdl": ("wdl", False),
    ".dtz": ("dtz", False),
}


def _sides(name: str) -> tuple[str, str] | None:
    """The two sides of a name in the usual order of letters, if it is one."""
    white, separator, black = name.partition("v")
    ordered = all(
        side and list(side) == sorted(side, key=LETTERS.find) and set(side) <= set(LETTERS)
        for side in (white, black)
    )
    return (white, black) if separator and ordered else None


def _strength(side: str) -> tuple[int, list[int]]:
    """More men come first, then stronger ones."""
    return -len(side), [LETTERS.find(letter) for letter in side]


def is_tablename(
    name: str, *, one_king: bool = True, piece_count: int | None = TBPIECES, normalized: bool = True
) -> bool:
    """Whether a table has such a name."""
    sides = _sides(name)
    if sides is None or (piece_count is not None and len(name) - 1 > piece_count):
        return False
    if one_king and any(side.count("K") != 1 for side in sides):
        return False
    return not normalized or normalize_tablename(name) == name


def normalize_tablename(name: str, *, mirror: bool = False) -> str:
    """The name with letters in order and the stronger side first, or last for ``mirror``."""
    white, black = ("".join(sorted(side, key=LETTERS.find)) for side in name.split("v", 1))
    if (_strength(white) > _strength(black)) != mirror:
        white, black = black, white
    return f"{white}v{black}"


def calc_key(board: Board, *, mirror: bool = False) -> str:
    """The name of the table of a board."""
    white, black = men(board)
    return normalize_tablename(f"{white}v{black}", mirror=mirror)


def tablenames(*, one_king: bool = True, piece_count: int = 6) -> Iterator[str]:
    """The names of all tables of up to so many men, small ones first."""
    least = 1 if not one_king else 3
    king, letters = ("K", LETTERS[1:]) if one_king else ("", LETTERS)
    for count in range(max(2, least), piece_count + 1):
        for weaker in range(count // 2, 0, -1):
            names = [
                [
                    "".join((king, *others))
                    for others in combinations_with_replacement(letters, size - len(king))
                ]
                for size in (count - weaker, weaker)
            ]
            for white in names[0]:
                for black in names[1]:
                    if _strength(white) <= _strength(black):
                        yield f"{white}v{black}"


def dependencies(target: str, *, one_king: bool = True) -> Iterator[str]:
    """The names of the tables that captures and promotions lead to at once."""
    white, black = target.split("v", 1)
    found: set[str] = set()
    for own, other in ((white, black), (black, white)):
        for letter in dict.fromkeys(own):
            rest = own.replace(letter, "", 1)
            # Captured, promoted.
            if rest and not (one_king and letter == "K"):
                found.add(f"{rest}v{other}")
            if letter == "P":
                promoted = LETTERS[1:5] if one_king else LETTERS[:5]
                found.update(f"{rest}{to}v{other}" for to in promoted)
    for name in sorted({normalize_tablename(name) for name in found}):
        if name != "KvK":
            yield name


def all_dependencies(targets: Iterator[str] | list[str], *, one_king: bool = True) -> Iterator[str]:
    """The names of all tables that those lead to, they themselves included."""
    seen: set[str] = set()
    todo = list(targets)
    while todo:
        name = todo.pop()
        if name not in seen and name != "KvK":
            seen.add(name)
            yield name
            todo.extend(dependencies(name, one_king=one_king))


def dtz_before_zeroing(wdl: int) -> int:
    """The distance of a position in which a zeroing move reaches that result at once."""
    return (-1, -101, 0, 101, 1)[wdl + 2]


class Tablebase:
    """A collection of tables.

    ``max_fds`` means nothing here: files are mapped, which takes no descriptors. Of variants only
    orthodox chess has tables.
    """

    def __init__(self, *, max_fds: int | None = 128, VariantBoard: type[Any] | None = None) -> None:
        self.max_fds = max_fds
        self.variant = VariantBoard
        #: The files by name of the table, for results and for distances.
        self.wdl: dict[str, str] = {}
        self.dtz: dict[str, str] = {}
        self._files: _retrograde.Files | None = None

    def add_directory(
        self, directory: StrPath, *, load_wdl: bool = True, load_dtz: bool = True
    ) -> int:
        """Adds the tables of a directory, and returns how many files that are."""
        directory = os.path.abspath(directory)
        # Sorted, so that Syzygy's files come before our own.
        paths = [os.path.join(directory, name) for name in sorted(os.listdir(directory))]
        return sum(self.add_file(path, load_wdl=load_wdl, load_dtz=load_dtz) for path in paths)

    def add_file(self, path: StrPath, *, load_wdl: bool = True, load_dtz: bool = True) -> int:
        """Adds a file, and returns 1; or 0 if it is not a table that is wanted."""
        path = os.fspath(path)
        name, extension = os.path.splitext(os.path.basename(path))
        metric, is_syzygy = _EXTENSIONS.get(extension, ("", False))
        wanted = {"wdl": load_wdl, "dtz": load_dtz}.get(metric, False)
        if not wanted or not is_tablename(name, normalized=False) or not os.path.isfile(path):
            return 0
        files = self.wdl if metric == "wdl" else self.dtz
        key = normalize_tablename(name)
        # Our own file does not replace Syzygy's.
        if is_syzygy or not files.get(key, "").endswith((".rtbw", ".rtbz")):
            files[key] = path
            self._files = None
        return 1

    def _open(self, board: Board | str) -> _retrograde.Files:
        """The tables, opened anew if some were added."""
        variant: Any = getattr(self.variant, "uci_variant", "chess")
        if variant != "chess":
            if getattr(board, "uci_variant", "chess") != variant:
                raise NotCoveredError(f"the tablebase is of {variant}, and the board is not")
            raise MissingTableError(f"there are no tables of {variant} here; use boards of chess")
        self._files = files = _retrograde.Files([*self.wdl.values(), *self.dtz.values()])
        return files

    def probe_wdl(self, board: Board | str) -> int:
        """Who wins under the fifty-move rule, its clock at zero: 2, 1, 0, -1 or -2.

        Raises ``KeyError`` if no table knows, and of those :exc:`MissingTableError` if one is missing.
        """
        return (self._files or self._open(board)).probe_wdl(board)

    def get_wdl(self, board: Board | str, default: int | None = None) -> int | None:
        """The same, or ``default`` where :meth:`probe_wdl` raises ``KeyError``."""
        try:
            return (self._files or self._open(board)).probe_wdl(board)
        except KeyError:
            return default

    def probe_dtz(self, board: Board | str) -> int:
        """Plies to the next capture or pawn move that keeps the result, 0 for a draw.

        As Syzygy's tables have it: where they are rounded, the distance may be one ply longer. Raises
        as :meth:`probe_wdl` does; tables of results are needed, too.
        """
        return (self._files or self._open(board)).probe_dtz(board)

    def get_dtz(self, board: Board | str, default: int | None = None) -> int | None:
        """The same, or ``default`` where :meth:`probe_dtz` raises ``KeyError``."""
        try:
            return (self._files or self._open(board)).probe_dtz(board)
        except KeyError:
            return default

    def probe_wdl_table(self, board: Board | str) -> int:
        """The result as it stands in the table, which leaves out what captures decide."""
        return (self._files or self._open(board)).probe_wdl_table(board)

    def probe_dtz_no_ep(self, board: Board | str) -> int:
        """:meth:`probe_dtz` as if no pawn could be captured en passant."""
        return (self._files or self._open(board)).probe_dtz_no_ep(board)

    def close(self) -> None:
        """Forgets all tables; others can be added."""
        self.wdl.clear()
        self.dtz.clear()
        self._files = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def open_tablebase(
    directory: StrPath,
    *,
    load_wdl: bool = True,
    load_dtz: bool = True,
    max_fds: int | None = 128,
    VariantBoard: type[Any] | None = None,
) -> Tablebase:
    """The tables of a directory; see :class:`Tablebase`."""
    tables = Tablebase(max_fds=max_fds, VariantBoard=VariantBoard)
    tables.add_directory(directory, load_wdl=load_wdl, load_dtz=load_dtz)
    return tables
