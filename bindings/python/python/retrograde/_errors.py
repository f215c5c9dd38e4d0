"""What can go wrong. Every message is a sentence that says what to do."""


class Error(Exception):
    """The base of all exceptions of this package."""


class PositionError(Error, ValueError):
    """A FEN or board that is no legal position."""


class MaterialError(Error, ValueError):
    """A name of a material, such as ``KRPvKR``, that is none."""


class NotCoveredError(Error, KeyError):
    """A position that no table can know: castling rights, or for a result alone a clock that is not zero."""

    __str__ = Exception.__str__


class MissingTableError(Error, KeyError):
    """A table that the answer needs is not there, or there are more men than any table has."""

    __str__ = Exception.__str__


class TableError(Error):
    """A table is damaged, or is not what its name says."""


class DirectoryError(Error, OSError):
    """A directory of tables cannot be read or made."""
