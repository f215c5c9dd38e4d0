"""Stands in for ``chess.gaviota`` of python-chess: its names and meaning, on our own tables.

Gaviota's files (``.gtb.cp4``) are not read. ``retrograde generate --men 4`` makes tables with the same
distances to mate.

>>> import retrograde.compat.gaviota as gaviota
>>> with gaviota.open_tablebase("tables") as tables:
...     tables.probe_dtm("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
31
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from retrograde import _retrograde
from retrograde._errors import MissingTableError
from retrograde._types import Board, StrPath
from retrograde.compat.syzygy import is_tablename, normalize_tablename

if TYPE_CHECKING:
    from types import TracebackType
    from typing_extensions import Self

__all__ = [
    "MissingTableError",
    "NativeTablebase",
    "PythonTablebase",
    "open_tablebase",
    "open_tablebase_native",
]


class PythonTablebase:
    """A collection of tables. It has the names of python-chess, and is not written in Python."""

    def __init__(self) -> None:
        #: The files of distances to mate by material, such as ``krpkr``.
        self.available_tables: dict[str, str] = {}
        self._paths: list[str] = []
        self._files: _retrograde.Files | None = None

    def add_directory(self, directory: StrPath) -> None:
        """Adds the tables of a directory."""
        directory = os.path.abspath(directory)
        if not os.path.isdir(directory):
            raise OSError(f"{directory} is no directory; name one that has tables")
        for file in sorted(os.listdir(directory)):
            name, extension = os.path.splitext(file)
            if extension in (".wdl", ".dtm") and is_tablename(name, normalized=False):
                path = os.path.join(directory, file)
                self._paths.append(path)
                if extension == ".dtm":
                    key = normalize_tablename(name).replace("v", "").lower()
                    self.available_tables[key] = path
        self._files = None

    def _open(self) -> _retrograde.Files:
        """The tables, opened anew if some were added."""
        self._files = files = _retrograde.Files(self._paths)
        return files

    def probe_dtm(self, board: Board | str) -> int:
        """Plies to mate, without the fifty-move rule: positive if the side to move wins.

        Negative if it loses, 0 for a draw and for a mated side. Raises ``KeyError`` if no table knows, and of those
        :exc:`MissingTableError` if one is missing.
        """
        return (self._files or self._open()).probe_dtm(board)

    def get_dtm(self, board: Board | str, default: int | None = None) -> int | None:
        """The same, or ``default`` where :meth:`probe_dtm` raises ``KeyError``."""
        try:
            return (self._files or self._open()).probe_dtm(board)
        except KeyError:
            return default

    def probe_wdl(self, board: Board | str) -> int:
        """1 if the side to move wins, 0 for a draw, -1 if it loses, without the fifty-move rule."""
        wdl = (self._files or self._open()).probe_wdl(board)
        return (wdl > 0) - (wdl < 0)

    def get_wdl(self, board: Board | str, default: int | None = None) -> int | None:
        """The same, or ``default`` where :meth:`probe_wdl` raises ``KeyError``."""
        try:
            return self.probe_wdl(board)
        except KeyError:
            return default

    def close(self) -> None:
        """Forgets all tables; others can be added."""
        self.available_tables.clear()
        self._paths.clear()
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


#: There is one kind here.
NativeTablebase = PythonTablebase


def open_tablebase(
    directory: StrPath, *, libgtb: str | None = None, LibraryLoader: object = None
) -> PythonTablebase:
    """The tables of a directory. ``libgtb`` and ``LibraryLoader`` mean nothing here."""
    tables = PythonTablebase()
    tables.add_directory(directory)
    return tables


def open_tablebase_native(
    directory: StrPath, *, libgtb: str | None = None, LibraryLoader: object = None
) -> NativeTablebase:
    """What :func:`open_tablebase` does."""
    return open_tablebase(directory, libgtb=libgtb, LibraryLoader=LibraryLoader)
