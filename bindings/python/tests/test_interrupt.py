"""Ctrl-C ends what takes long."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

#: What takes minutes.
LONG = {
    "many": "tables.probe_many(itertools.repeat(fen, 1 << 25), dtm=True)",
    "one batch": "tables._probe_positions([fen] * (1 << 22), (True, True), 1)",
    "rows": "tables.probe_bitboards(np.broadcast_to(row, (1 << 28, 8)), threads=1)",
    "generate": "retrograde.generate(['KRPvKR', 'KBPvKP'], directory, threads=2)",
    "solve": "retrograde.solve('rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1', max_positions=8000000)",
}

PROGRAM = """
import itertools, signal, sys, tempfile
import numpy as np
import retrograde

# Whoever starts the tests in the background may have said that it is ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
tables = retrograde.Tablebase(sys.argv[1])
fen = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
row = np.array([[0, 0, 0, 512, 0, 262145, 513, 262144]], dtype=np.uint64)
with tempfile.TemporaryDirectory() as directory:
    print("begins", flush=True)
    try:
        @WORK@
        print("was not long", flush=True)
    except KeyboardInterrupt:
        print("stopped", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
@pytest.mark.parametrize("name", LONG)
def test_an_interrupt_ends_long_work(name, directory, tmp_path):
    program = PROGRAM.replace("@WORK@", LONG[name])
    command = [sys.executable, "-c", program, str(directory)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begins\n"
        time.sleep(0.7)
        process.send_signal(2)
        start = time.monotonic()
        assert process.stdout.readline() == "stopped\n"
        took = time.monotonic() - start
    # A figure, not a test: machines are busy.
    if os.environ.get("RETROGRADE_FULL") == "1":
        print(f"{name}: {1000 * took:.0f} ms")
