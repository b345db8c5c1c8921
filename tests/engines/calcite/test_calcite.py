"""Calcite: its spellings are right on their cases, its codes are the kit's, its scripts cite."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from engines.calcite.spellings import SPELLINGS, main
from engines.calcite.window_tables import in_table
from engines.harness.spellings import read_texts
from grammar.codes import Code

FOLDER = SPELLINGS.parent
RESOURCES = FOLDER / "src/main/resources/rowtime/calcite"
BUILT = FOLDER.parent.parent / "build/engines/calcite"
DOCS = FOLDER.parent.parent / "docs/engines"
PAGE = (DOCS / "calcite.md").read_text(encoding="utf-8")
SCRIPTS = sorted(path for path in (DOCS / "calcite").iterdir() if path.suffix in {".sql", ".java"})


def test_each_spelling_has_the_rows_of_its_case() -> None:
    lines = (FOLDER / "report.jsonl").read_text(encoding="utf-8").splitlines()
    entries = [json.loads(line) for line in lines]
    outcomes = {each["case"]: each["outcome"] for each in entries if "case" in each}
    assert {id: outcomes[id] for id in read_texts(SPELLINGS)} == dict.fromkeys(
        read_texts(SPELLINGS), "pass"
    )


def test_spellings_are_written_by_the_script_and_query_of_their_case(tmp_path: Path) -> None:
    written = tmp_path / "spellings.json"
    main([str(written)])
    listed = json.loads(written.read_text(encoding="utf-8"))
    assert {each["text"] for each in listed} >= set(read_texts(SPELLINGS).values())
    (found,) = [each for each in listed if each["sql"].startswith("SELECT x % y")]
    assert found["text"].startswith("SELECT MOD(x, y)")


def test_window_table_functions_are_within_table(tmp_path: Path) -> None:
    written = tmp_path / "spellings.json"
    main([str(written)])
    texts = [each["text"] for each in json.loads(written.read_text(encoding="utf-8"))]
    windows = [text for text in texts if "DESCRIPTOR(" in text]
    assert len(windows) > 50
    assert all(in_table(text) is None for text in windows)


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        (
            "SELECT * FROM SESSION(TABLE o PARTITION BY k, DESCRIPTOR(t), INTERVAL '1' HOUR)",
            (
                "SELECT * FROM"
                " TABLE(SESSION(TABLE O PARTITION BY K, DESCRIPTOR(T), INTERVAL '1' HOUR))"
            ),
        ),
        ("SELECT * FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(t), INTERVAL '1' HOUR))", None),
        (
            (
                "SELECT t.WINDOW_END AS window_ends FROM"
                " TABLE(TUMBLE(TABLE o, DESCRIPTOR(t), INTERVAL '1' HOUR)) AS t GROUP BY window_end"
            ),
            (
                'SELECT t."window_end" AS window_ends FROM'
                " TABLE(TUMBLE(TABLE o, DESCRIPTOR(t), INTERVAL '1' HOUR)) AS t"
                ' GROUP BY "window_end"'
            ),
        ),
        ("SELECT COUNT(*) FROM o GROUP BY SESSION(t, INTERVAL '1' HOUR)", None),
    ],
)
def test_only_bare_functions_are_put_into_table(sql: str, text: str | None) -> None:
    assert in_table(sql) == text


def test_each_message_of_calcite_has_a_code_of_the_kit() -> None:
    lines = (RESOURCES / "codes.properties").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("=") for line in lines if line and not line.startswith("#")]
    names = [name for name, _ in pairs]
    assert len(names) == len(set(names))
    assert {code for _, code in pairs} <= {each.value for each in Code}


@pytest.mark.skipif(
    not (BUILT / "spellings.json").exists(), reason="make tck-calcite has not built the backend"
)
def test_the_backend_ends_with_its_input_and_knows_its_version(tmp_path: Path) -> None:
    answers = tmp_path / "answers"
    request = {"seq": 1, "request": "start", "protocol": 1}
    command = ["sh", "-c", f"exec {FOLDER / 'run'} 3>{answers}"]
    subprocess.run(command, input=json.dumps(request) + "\n", text=True, check=True)
    (answer,) = [json.loads(line) for line in answers.read_text(encoding="utf-8").splitlines()]
    pom = (FOLDER / "pom.xml").read_text(encoding="utf-8")
    assert f"<calcite.version>{answer['version']}</calcite.version>" in pom


def test_the_page_names_each_script() -> None:
    named = set(re.findall(r"^\| \[([\w.-]+)\]\(calcite/\1\) \|", PAGE, re.MULTILINE))
    assert named == {path.name for path in SCRIPTS}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda each: each.name)
def test_a_script_cites_what_it_expects(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    assert re.search(
        r"SQL-92 \d|SQL:2016 \d|Calcite's (reference|page|javadoc)|CalciteResource", text
    )
    assert "Expected: " in text
    assert "Actual (1.42.0): " in text


def test_each_script_that_a_verdict_names_is_there() -> None:
    known = (FOLDER / "known.yaml").read_text(encoding="utf-8")
    assert set(re.findall(r"[\w-]+\.(?:sql|java)\b", known)) <= {path.name for path in SCRIPTS}
