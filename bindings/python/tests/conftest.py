"""Where tables are, and a board without python-chess."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest
import retrograde

ROOT = Path(__file__).parents[3]

#: KRvK, White mates in 31 plies.
ROOK = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"


@dataclass
class Board:
    """The attributes of a board that are read."""

    pawns: int = 0
    knights: int = 0
    bishops: int = 0
    rooks: int = 0
    queens: int = 0
    kings: int = 0
    occupied_co: tuple[int, int] = (0, 0)
    turn: bool = True
    ep_square: int | None = None
    castling_rights: int = 0
    halfmove_clock: int = 0
    fullmove_number: int = 1
    uci_variant: str = "chess"

    @classmethod
    def from_fen(cls, fen: str) -> Board:
        placement, turn, castling, behind, *_ = fen.split()
        board = cls(turn=turn == "w")
        sides = [0, 0]
        names = dict(zip("pnbrqk", ["pawns", "knights", "bishops", "rooks", "queens", "kings"]))
        for rank, row in zip(range(7, -1, -1), placement.split("/")):
            file = 0
            for letter in row:
                if letter.isdigit():
                    file += int(letter)
                    continue
                bit = 1 << (8 * rank + file)
                name = names[letter.lower()]
                setattr(board, name, getattr(board, name) | bit)
                sides[letter.isupper()] |= bit
                file += 1
        board.occupied_co = (sides[0], sides[1])
        corners = {"K": 7, "Q": 0, "k": 63, "q": 56, "-": None}
        for letter in castling:
            if (corner := corners[letter]) is not None:
                board.castling_rights |= 1 << corner
        if behind != "-":
            board.ep_square = "abcdefgh".index(behind[0]) + 8 * (int(behind[1]) - 1)
        return board

    def row(self) -> list[int]:
        """As a row of bitboards."""
        black, white = self.occupied_co
        roles = [self.pawns, self.knights, self.bishops, self.rooks, self.queens, self.kings]
        return [*roles, white, black]


@pytest.fixture(scope="session")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The three-man tables of the repository, without those that were generated beside them."""
    directory = tmp_path_factory.mktemp("three_men")
    for table in (ROOT / "tables").glob("K?vK.*"):
        (directory / table.name).symlink_to(table)
    return directory


@pytest.fixture()
def tables(directory: Path) -> retrograde.Tablebase:
    return retrograde.Tablebase(directory)


@pytest.fixture(scope="session")
def published() -> Path:
    """Published Syzygy tables."""
    path = os.environ.get("RETROGRADE_SYZYGY")
    if not path:
        pytest.skip("RETROGRADE_SYZYGY names no directory of Syzygy tables")
    return Path(path)
