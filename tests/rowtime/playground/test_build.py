"""The folder of the playground: its archive, and what is said where it cannot be built."""

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Final
from zipfile import ZipFile

import pytest

from rowtime.playground.archive import archive
from rowtime.playground.build import CannotBuildError, build

#: Answers with nothing but the archive and the standard library.
ALONE: Final = """
import json, sys
sys.path = [sys.argv[1], *(each for each in sys.path if "site-packages" not in each)]
sys.platform = "emscripten"
from rowtime.playground.answer import answer_json
schema = "CREATE STREAM S (rowtime TIMESTAMP(3) ASCENDING, a INTEGER); CREATE TABLE t (b INTEGER);"
for query in ("SELECT STREAM FLOOR(rowtime TO HOUR) AS rowtime, COUNT(*) AS c FROM S "
              "GROUP BY FLOOR(rowtime TO HOUR)", "SELECT * FROM t", "SELECT b + FROM t"):
    for script in ("steps: [{end: true}]", "steps: [{fed: 1}]"):
        print(answer_json(json.dumps(dict(schema=schema, query=query, script=script))))
"""


@pytest.fixture(scope="module")
def sources() -> bytes:
    return archive()


def test_the_archive_answers_alone(sources: bytes, tmp_path: Path) -> None:
    (tmp_path / "sources.zip").write_bytes(sources)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", ALONE, str(tmp_path / "sources.zip")],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    found = [
        (
            "svg"
            if each["svg"]
            else "rows"
            if each["rows"] is not None
            else each["faults"][0]["text"]
        )
        for each in answers
    ]
    assert found == ["svg", "script", "rows", "script", "query", "query"]


def test_the_archive_has_what_is_needed_and_no_more(sources: bytes) -> None:
    names = ZipFile(io.BytesIO(sources)).namelist()
    tops = {name.partition("/")[0].removesuffix(".py") for name in names}
    ours = {"rowtime", "grammar", "algebra", "reference", "tck"}
    assert tops == ours | {"antlr4", "yaml", "jinja2", "markupsafe", "fastjsonschema"}
    left_out = ("rowtime/driver", "tck/commands", "tck/corpus/load.py", "tck/corpus/syntax.py")
    assert not [name for name in names if name.startswith(left_out)]


def test_the_archive_is_the_same_for_the_same_sources(sources: bytes) -> None:
    assert archive() == sources


@pytest.mark.parametrize(("there", "lacks"), [([], "node"), (["node"], "npm")])
def test_where_a_tool_lacks_the_message_names_it(
    there: list[str], lacks: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in there:
        (tmp_path / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CannotBuildError, match=f"the playground needs {lacks}, .*apt-get install"):
        build(tmp_path / "folder", tmp_path / "work")
    assert not (tmp_path / "folder").exists()
