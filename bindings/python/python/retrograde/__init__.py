"""Endgame tablebases of chess and xiangqi: probe, generate, verify and solve.

>>> import retrograde
>>> with retrograde.Tablebase("tables") as tables:
...     probe = tables.probe("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1")
>>> probe.category, probe.dtz, probe.dtm
('win', 3, 21)
>>> [move.san for move in probe.moves if move.category == "loss"]
['Kd6', 'Kf6']

``retrograde.compat.syzygy`` and ``retrograde.compat.gaviota`` stand in for the modules of python-chess.
"""

from retrograde._errors import (
    DirectoryError,
    Error,
    MaterialError,
    MissingTableError,
    NotCoveredError,
    PositionError,
    TableError,
)
from retrograde._retrograde import (
    Generated,
    Line,
    Move,
    Probe,
    Report,
    SideStatistics,
    Solved,
    Statistics,
    TableFile,
    XiangqiMove,
    XiangqiProbe,
    generate,
    solve,
    verify,
)
from retrograde._tablebase import Tablebase
from retrograde._values import Status, Values
from retrograde._xiangqi import XiangqiTablebase

__all__ = [
    "DirectoryError",
    "Error",
    "Generated",
    "Line",
    "MaterialError",
    "MissingTableError",
    "Move",
    "NotCoveredError",
    "PositionError",
    "Probe",
    "Report",
    "SideStatistics",
    "Solved",
    "Statistics",
    "Status",
    "TableError",
    "TableFile",
    "Tablebase",
    "Values",
    "XiangqiMove",
    "XiangqiProbe",
    "XiangqiTablebase",
    "generate",
    "solve",
    "verify",
]
