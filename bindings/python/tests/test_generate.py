"""Making and checking tables."""

from __future__ import annotations

import pytest
import retrograde


def test_tables_are_made_and_verified(directory, tmp_path):
    seen = []
    generated = retrograde.generate(
        ["KRvK"],
        tmp_path,
        threads=1,
        progress=lambda done, total, material: seen.append((done, total, material)),
    )
    assert generated.files == 3 and generated.bytes > 0
    assert seen[-1][0] == seen[-1][1] > 0
    for metric in ("wdl", "dtz", "dtm"):
        name = f"KRvK.{metric}"
        assert (tmp_path / name).read_bytes() == (directory / name).read_bytes()
    assert retrograde.generate("KRvK", tmp_path).files == 0
    report = retrograde.verify("KRvK", tmp_path)
    assert (report.tables, report.differences, report.is_clean) == (3, 0, True)


def test_formats_and_metrics(tmp_path):
    assert retrograde.generate("KQvK", tmp_path, format="syzygy").files == 2
    assert {table.format for table in retrograde.Tablebase(tmp_path).tables} == {"syzygy"}
    assert (
        retrograde.generate("KQvK", tmp_path / "native", metrics="wdl", compression="fast").files
        == 1
    )


def test_wrong_arguments_are_exceptions(tmp_path):
    for materials in ("KXvK", "", ["KQvK", "nonsense"]):
        with pytest.raises(retrograde.MaterialError):
            retrograde.generate(materials, tmp_path)
    with pytest.raises(ValueError, match="no material"):
        retrograde.generate([], tmp_path)
    for name, wrong in {
        "game": "go",
        "rules": "asian",
        "format": "gaviota",
        "compression": "none",
        "metrics": "elo",
        "threads": 0,
    }.items():
        with pytest.raises(ValueError, match=f"{name}|elo"):
            retrograde.generate("KQvK", tmp_path, **{name: wrong})
    with pytest.raises(retrograde.Error, match="MiB"):
        retrograde.generate("KQvK", tmp_path, memory=1 << 20)
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(retrograde.DirectoryError):
        retrograde.generate("KQvK", file)
    assert list(tmp_path.iterdir()) == [file]


def test_an_exception_of_progress_ends_the_work(tmp_path):
    class Enough(Exception):
        pass

    def progress(done, total, material):
        raise Enough

    with pytest.raises(Enough):
        retrograde.generate(["KQvKR", "KRvKR"], tmp_path, progress=progress)


def test_a_wrong_table_is_reported(directory, tmp_path):
    for metric in ("wdl", "dtz", "dtm"):
        (tmp_path / f"KRvK.{metric}").write_bytes((directory / f"KQvK.{metric}").read_bytes())
    report = retrograde.verify("KRvK", tmp_path)
    assert not report.is_clean and report.unreadable


def test_xiangqi(tmp_path):
    retrograde.generate("KRvK", tmp_path, game="xiangqi", rules="cycles-draw")
    with retrograde.XiangqiTablebase(tmp_path, rules="cycles-draw") as tables:
        fen = "3k5/9/9/9/9/9/9/9/9/R3K4 w"
        probe = tables.probe(fen)
        assert (probe.category, probe.wdl, probe.dtm) == ("win", 2, 1)
        assert probe.moves[0].checkmate and probe.moves[0].wxf
        assert tables.probe_wdl(fen) == 2
        assert tables.line(fen).end == "checkmate"
        with pytest.raises(retrograde.MissingTableError):
            tables.probe_wdl("3k5/9/9/9/9/9/9/9/9/C3K4 w")
        assert tables.probe("3k5/9/9/9/9/9/9/9/9/C3K4 w").category == "unknown"
        with pytest.raises(retrograde.PositionError):
            tables.probe("nonsense")
    with pytest.raises(ValueError, match="closed"):
        tables.probe(fen)
    report = retrograde.verify("KRvK", tmp_path, game="xiangqi", rules="cycles-draw")
    assert report.is_clean and report.tables > 0
