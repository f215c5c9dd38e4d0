"""Examples of docstrings and documents run, and types are right."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
import retrograde
from conftest import ROOT

HERE = Path(__file__).parents[1]
MODULES = [
    "retrograde",
    "retrograde._tablebase",
    "retrograde._xiangqi",
    "retrograde.compat.syzygy",
    "retrograde.compat.gaviota",
]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch, directory):
    """Examples run where `tables` has the three-man tables, and may write."""
    (tmp_path / "tables").symlink_to(directory)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name):
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted > 0 and results.failed == 0


@pytest.mark.parametrize(
    "path", [HERE / "README.md", ROOT / "docs" / "python.md"], ids=["README", "manual"]
)
def test_examples_of_documents(path):
    results = doctest.testfile(str(path), module_relative=False)
    assert results.attempted > 0 and results.failed == 0


def test_what_the_readme_plots():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    text = (HERE / "README.md").read_text()
    blocks = [block.split("```")[0] for block in text.split("```python\n")[1:]]
    plots = [block for block in blocks if ">>>" not in block]
    retrograde.generate("KRvKP", "endings")
    for plot in plots:
        exec(plot, {"endings": retrograde.Tablebase("endings")})
    assert Path("krvkp.png").stat().st_size > 1000


def test_stubs_are_what_is_compiled():
    pytest.importorskip("mypy.stubtest")
    command = [sys.executable, "-m", "mypy.stubtest", "retrograde"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_types_are_strict():
    if importlib.util.find_spec("pyright") is None:
        pytest.skip("pyright is not installed")
    command = [
        sys.executable,
        "-m",
        "pyright",
        "--pythonpath",
        sys.executable,
        "--project",
        str(HERE),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_notebook_runs(monkeypatch):
    for package in ("nbmake", "matplotlib", "ipykernel"):
        pytest.importorskip(package)
    # As quick as can be; RETROGRADE_FULL is for what the notebook is about.
    if os.environ.get("RETROGRADE_FULL") != "1":
        monkeypatch.setenv("MATERIAL", "KPvK")
    monkeypatch.setenv("TABLES", str(Path("notebook").absolute()))
    notebook = HERE / "examples" / "endings.ipynb"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--nbmake",
        "--nbmake-timeout=1200",
        str(notebook),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
