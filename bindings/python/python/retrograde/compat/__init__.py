"""Modules that stand in for those of python-chess, with its names and meaning.

``import chess.syzygy`` becomes ``import retrograde.compat.syzygy as syzygy``, and ``import chess.gaviota``
becomes ``import retrograde.compat.gaviota as gaviota``. Boards are read by their attributes;
python-chess itself is not imported.
"""
