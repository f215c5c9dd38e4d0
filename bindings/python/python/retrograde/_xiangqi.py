"""Tables of xiangqi."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrograde import _retrograde

if TYPE_CHECKING:
    from typing_extensions import Self


class XiangqiTablebase(_retrograde.XiangqiTablebase):
    """The xiangqi tables of a directory under some rules: what an endless game is worth.

    >>> import tempfile, retrograde
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     generated = retrograde.generate("KRvK", directory, game="xiangqi", rules="cycles-draw")
    ...     with XiangqiTablebase(directory, rules="cycles-draw") as tables:
    ...         probe = tables.probe("3k5/9/9/9/9/9/9/9/9/R3K4 w")
    >>> probe.category, probe.dtm, probe.moves[0].uci
    ('win', 1, 'a0d0')
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return (
            "<XiangqiTablebase, closed>"
            if self.closed
            else f"<XiangqiTablebase under {self.rules}>"
        )
