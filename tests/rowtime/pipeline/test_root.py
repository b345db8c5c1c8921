"""`rowtime run --root DIR`: a script's foreign streams reach files in DIR, and nothing else."""

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rowtime.cli import app
from tests.rowtime.pipelines import refused, rowtime, script

SOURCE, SINK = "path 'in/orders.csv'", "path 'in/out.csv'"


@pytest.fixture(autouse=True)
def inside(folder: Path) -> Path:
    """The folder ``in``, with the orders, links that lead out of it, and a file next to it."""
    made = folder / "in"
    made.mkdir()
    shutil.copy(folder / "orders.csv", made)
    (folder / "secret.csv").write_text("secret\n")
    (made / "link.csv").symlink_to(folder / "secret.csv")
    (made / "up").symlink_to(folder)
    (folder / "same").symlink_to(made)
    return made


@pytest.mark.parametrize("root", ["in", "./in/../in", "same", "."])
def test_a_pipeline_within_its_root_runs(inside: Path, root: str) -> None:
    result = rowtime(script(SOURCE, SINK), "--root", root)
    assert (result.exit_code, (inside / "out.csv").exists()) == (0, True), result.stderr


@pytest.mark.parametrize(
    "path",
    ["secret.csv", "/etc/passwd", "in/../secret.csv", "in/link.csv", "in/up/new.csv", "in2/a.csv"],
)
def test_a_path_out_of_the_root_is_refused_where_it_is_written(inside: Path, path: str) -> None:
    """Whether it is a source's or a sink's; nothing is read or written then."""
    out = f"path '{path}', format 'csv'"
    for text in (script(out, SINK), script(SOURCE, out)):
        said = refused(text, "--root", "in")
        assert any(
            "the path is not within in, to which this run is confined" in line for line in said
        )
        assert any("^" in line for line in said)
    assert not (inside / "out.csv").exists()
    assert not (inside.parent / "new.csv").exists()
    assert (inside.parent / "secret.csv").read_text() == "secret\n"


@pytest.mark.parametrize(
    "options", ["format 'socket', port 9", "format 'kafka', topic 't'", "format 'delta', path 'in'"]
)
def test_a_network_or_a_connector_is_out_of_any_root(options: str) -> None:
    said = refused(script(options, SINK), "--root", "in")
    assert any("reaches out of in" in line for line in said)


@pytest.mark.parametrize("path", ["file:///etc/passwd", "file:in/orders.csv", "s3a://in/a.csv"])
def test_a_path_with_a_scheme_is_out_of_any_root(path: str) -> None:
    said = refused(script(f"path '{path}', format 'csv'", SINK), "--root", ".")
    assert any("the path is not within ." in line for line in said)


@pytest.mark.parametrize(
    ("backend", "source"),
    [
        ("reference", "path 'in'"),
        ("reference", "path 'in/*.csv'"),
        pytest.param("spark", "path 'in'", marks=pytest.mark.spark),
    ],
)
def test_a_link_that_is_found_in_a_folder_leads_out_of_no_root(
    inside: Path, backend: str, source: str
) -> None:
    """Nobody has named that file, so that it is looked at when it is found."""
    (inside / "orders.csv").unlink()
    (inside / "sink").mkdir()
    sink = inside / "sink" / "out.csv"
    text = script(f"{source}, format 'csv'", "path 'in/sink/out.csv'")
    result = rowtime(text, "--root", "in", "--once", "--backend", backend)
    assert result.exit_code == 1
    assert "in/link.csv is a link out of in, to which this run is confined" in result.stderr
    assert not sink.exists() or not sink.read_text()


def test_a_link_within_the_root_is_followed(inside: Path) -> None:
    (inside / "folder").mkdir()
    (inside / "folder" / "a.csv").symlink_to(inside / "orders.csv")
    result = rowtime(script("path 'in/folder', format 'csv'", SINK), "--root", "in", "--once")
    assert (result.exit_code, (inside / "out.csv").exists()) == (0, True), result.stderr


def test_a_root_is_a_folder_and_goes_with_a_pipeline() -> None:
    for root in ("in/orders.csv", "absent"):
        assert rowtime(script(SOURCE, SINK), "--root", root).exit_code == 2
    assert CliRunner().invoke(app, ["run", "SELECT 1 FROM Orders", "--root", "in"]).exit_code == 2
