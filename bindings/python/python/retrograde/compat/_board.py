"""The name of the material on a board."""

from __future__ import annotations

from retrograde._types import Board

#: Letters of men, the strongest first, as names of tables have them.
LETTERS = "KQRBNP"


def men(board: Board) -> tuple[str, str]:
    """The letters of White's and of Black's men."""
    black, white = board.occupied_co
    sets = [
        board.kings,
        board.queens,
        board.rooks,
        board.bishops,
        board.knights,
        board.pawns,
    ]
    sides = [
        "".join(letter * (men & side).bit_count() for letter, men in zip(LETTERS, sets))
        for side in (white, black)
    ]
    return sides[0], sides[1]
