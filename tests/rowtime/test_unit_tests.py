"""`rowtime test`, and the same tests in pytest: the example of the page, and each kind of fault."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from reference.backend import ReferenceBackend
from rowtime.cli import app

PAGE: Final = Path(__file__).parents[2] / "docs" / "unit-tests.md"
BLOCKS: Final = re.findall(r"(?ms)^```(\w+)\n(.*?)^```$", PAGE.read_text("utf-8"))
SCRIPT, CASES, PASSED, FAILED, DBT = (text for _, text in BLOCKS)
MODEL: Final = """\
{{ config(materialized='table') }}
{# addresses of customers #}
with all_customers as (select * from {{ ref('stg_customers') }})
select customer_id, email like '%_@%_.%' as is_valid from all_customers
"""
LOSER: Final = f"""\
from dataclasses import replace

from {ReferenceBackend.__module__} import ReferenceBackend


class Loser(ReferenceBackend):
    def poll(self):
        return replace(super().poll(), rows=(), late=())
"""


def run(*arguments: str) -> tuple[int, str]:
    """The exit code of `rowtime test` and its output, in which no test takes any time."""
    done = CliRunner().invoke(app, ["test", *arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, re.sub(r"\(\d+\.\d\d s\)", "(0.0 s)", done.output)


def without_times(text: str) -> str:
    """A text of the page, in which no test takes any time."""
    return re.sub(r"\(\d+\.\d\d s\)", "(0.0 s)", text)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the files of the page's first example."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hourly.sql").write_text(SCRIPT)
    (tmp_path / "hourly.test.yaml").write_text(CASES)
    return tmp_path


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a project of dbt that has the page's test."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dbt_project.yml").write_text("name: shop\n")
    for name, text in (("models/customers.sql", MODEL), ("models/marts/customers.yml", DBT)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_the_example_of_the_page_passes_as_shown() -> None:
    assert run() == (0, without_times(PASSED))


def test_a_wrong_expectation_fails_as_shown(folder: Path) -> None:
    (folder / "hourly.test.yaml").write_text(CASES.replace("30, 24", "30, 25"))
    assert run() == (1, without_times(FAILED))


def test_a_row_a_step_too_late_fails(folder: Path) -> None:
    late = CASES.replace(
        "    emit: [['11:00:00', 30, 24]]\n  - end: true",
        "  - end: true\n    emit: [['11:00:00', 30, 24]]",
    )
    assert late != CASES
    (folder / "hourly.test.yaml").write_text(late)
    code, output = run()
    assert code == 1
    assert "TOO_EARLY reference hourly/an-hour-is-emitted-when-it-is-over" in output


def test_another_backend_runs_the_tests(folder: Path) -> None:
    """An engine that loses all rows fails them."""
    (folder / "loser.py").write_text(LOSER)
    code, output = run("--backend", "reference", "--backend", "loser:Loser")
    assert code == 1
    assert "reference: 2 passed" in output
    assert "loser:Loser: 2 failed" in output


@pytest.mark.usefixtures("folder")
def test_only_some_tests_are_run() -> None:
    code, output = run("--only", "*/a-late-*")
    assert (code, output.splitlines()[-1]) == (0, "reference: 1 passed")
    assert run("--only", "nothing")[0] == 2


def test_the_results_are_written_as_junit(folder: Path) -> None:
    (folder / "hourly.test.yaml").write_text(CASES.replace("30, 24", "30, 25"))
    run("--junit", "out/junit.xml")
    top = ElementTree.parse(folder / "out" / "junit.xml").getroot()
    assert (top.get("tests"), top.get("failures")) == ("2", "1")


def test_a_query_that_is_rejected_fails_with_the_reason(folder: Path) -> None:
    (folder / "hourly.sql").write_text(SCRIPT.replace("SUM(units)", "SUM(unit)"))
    code, output = run()
    assert code == 1
    assert "UNKNOWN_COLUMN" in output


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (CASES.replace("hourly.sql", "daily.sql"), "daily.sql:1: No such file or directory"),
        (CASES.replace("steps:", "step:"), "hourly.test.yaml:4: cases.0: "),
        (
            CASES.replace("a-late-order-is-dropped", "an-hour-is-emitted-when-it-is-over"),
            "is taken",
        ),
        (CASES.replace("feed: {Orders", "feed: {Order"), "Order"),
        ("[]", "hourly.test.yaml:1: "),
        (CASES.replace("hourly.sql", '"a\\0b.sql"'), "embedded null byte"),
    ],
)
def test_a_file_that_is_not_valid_is_an_error_at_its_line(
    folder: Path, text: str, message: str
) -> None:
    (folder / "hourly.test.yaml").write_text(text)
    code, output = run()
    assert code == 2
    assert message in output


def test_a_folder_without_tests_and_a_missing_file_are_errors(tmp_path: Path) -> None:
    assert run(str(tmp_path)) == (
        2,
        (
            f"{tmp_path}:1: there are no tests in it (tests are in files "
            "whose names end with .test.yaml or .test.yml)\n"
        ),
    )
    assert run(str(tmp_path / "no.test.yaml"))[0] == 2


@pytest.mark.usefixtures("project")
def test_a_test_of_dbt_passes_as_it_is() -> None:
    assert run() == (0, "PASS customers/test-is-valid-email (0.0 s)\nreference: 1 passed\n")


def test_a_test_of_dbt_compares_the_expected_columns(project: Path) -> None:
    (project / "models/marts/customers.yml").write_text(
        DBT.replace("is_valid: false", "is_valid: true")
    )
    code, output = run()
    assert code == 1
    assert "- 2            TRUE" in output


@pytest.mark.parametrize(
    "rows",
    [
        "format: csv\n        fixture: people\n",
        (
            "format: csv\n        rows: |\n          customer_id,email\n"
            "          1,cool@example.com\n          2,missing\n          3,\n"
        ),
        (
            "format: sql\n        rows: select * from (values (1, 'a@b.c'), (2, 'b'), (3, null)) "
            "as v (customer_id, email)\n"
        ),
    ],
    ids=["fixture", "csv", "sql"],
)
def test_rows_of_dbt_may_be_in_other_formats(project: Path, rows: str) -> None:
    given = re.search(r"rows:\n( {10}.*\n)+", DBT)
    assert given is not None
    (project / "models/marts/customers.yml").write_text(DBT.replace(given[0], rows, 1))
    (project / "tests/fixtures").mkdir(parents=True)
    people = "customer_id,email\n1,cool@example.com\n2,missing\n3,\n"
    (project / "tests/fixtures/people.csv").write_text(people)
    assert run()[0] == 0


def test_a_declared_input_of_dbt_has_its_types_and_the_model_may_be_a_view(project: Path) -> None:
    (project / "models/customers.sql").unlink()
    (project / "schema.sql").write_text(
        "CREATE TABLE stg_customers (email VARCHAR(20), customer_id DECIMAL(5, 1));\n"
        "CREATE VIEW customers AS\n"
        "  SELECT customer_id, email LIKE '%_@%_.%' AS is_valid FROM stg_customers;\n"
    )
    assert run("--ddl", "schema.sql")[0] == 0
    wrong = DBT.replace("customer_id: 1, email", "customer: 1, email")
    (project / "models/marts/customers.yml").write_text(wrong)
    code, output = run("--ddl", "schema.sql")
    assert code == 2
    assert "stg_customers has no column customer (it has: EMAIL, CUSTOMER_ID)" in output


@pytest.mark.parametrize(
    ("model", "test", "message"),
    [
        (MODEL, DBT.replace("model: customers", "model: people"), "there is no model people"),
        (MODEL, DBT.replace("ref('stg_customers')", "this"), "the input this is neither ref nor"),
        (MODEL, f"{DBT}    overrides: {{vars: {{a: 1}}}}\n", "unit_tests.0.overrides"),
        (MODEL.replace("config(", "macro("), DBT, "{{ macro(materialized='table') }}"),
        (f"{MODEL}{{% if x %}}", DBT, "{% if x %}"),
        (MODEL, DBT.replace("model: customers", "model: /customers"), "is not the name of a model"),
        (MODEL, DBT.replace("model: customers", "model: '**c'"), "is not the name of a model"),
    ],
)
def test_a_part_of_dbt_that_is_not_read_is_an_error(
    project: Path, model: str, test: str, message: str
) -> None:
    (project / "models/customers.sql").write_text(model)
    (project / "models/marts/customers.yml").write_text(test)
    code, output = run()
    assert code == 2
    assert message in output


def test_numbers_and_texts_of_dbt_in_csv_may_be_long(project: Path) -> None:
    given = re.search(r"rows:\n( {10}.*\n)+", DBT)
    assert given is not None
    for cell, message in (("9" * 1_001, "a number has at most 1,000 digits"), ("x" * 200_000, "")):
        rows = f"format: csv\n        rows: |\n          customer_id,email\n          1,{cell}\n"
        (project / "models/marts/customers.yml").write_text(DBT.replace(given[0], rows, 1))
        code, output = run()
        assert code == (2 if message else 1)
        assert message in output


def test_only_files_are_read_and_a_link_to_nothing_is_an_error(folder: Path) -> None:
    (folder / "folder.test.yaml").mkdir()
    (folder / "folder.yml").mkdir()
    (folder / "nothing.yml").symlink_to("nowhere")
    os.mkfifo(folder / "pipe.test.yaml")
    code, output = run()
    assert (code, "2 passed" in output) == (0, True), output
    (folder / "link.test.yaml").symlink_to("nowhere")
    code, output = run()
    assert (code, "link.test.yaml:1: No such file" in output) == (2, True), output


LONG: Final = "a" * 300  # the name of a file has at most 255 bytes


def test_a_name_that_is_too_long_for_a_file_is_an_error_at_its_line(project: Path) -> None:
    fixture = "format: csv\n        fixture: " + LONG
    rows = re.findall(r"(?ms)^        rows:\n          - .*?(?=^    expect)", DBT)
    for name, text, message in (
        (
            "own.test.yaml",
            f"cases:\n- id: a\n  given: {LONG}\n  sql: VALUES (1)\n  rows: [[1]]\n",
            "no fixture",
        ),
        ("model.yml", DBT.replace("model: customers", f"model: {LONG}"), "there is no model"),
        ("fixture.yml", DBT.replace(rows[0], f"        {fixture}\n"), "there is no fixture"),
    ):
        (project / name).write_text(text)
        code, output = run(name)
        assert (code, f"{message}" in output) == (2, True), output
        assert re.match(rf"{name}:\d+: ", output), output


@pytest.mark.parametrize("arguments", [["test"], ["tck", "list", "--cases"], ["describe"]])
def test_a_path_that_is_too_long_is_an_error_and_no_bug(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "rowtime", *arguments, LONG]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"{LONG}: File name too long\n"


def test_pytest_runs_the_same_tests(folder: Path) -> None:
    (folder / "hourly.test.yaml").write_text(CASES.replace("30, 24", "30, 25"))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rowtime-tests", "."],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "1 failed, 1 passed" in done.stdout
    assert "- ('2026-02-15 11:00:00', 30, 25): never emitted" in done.stdout


@pytest.mark.parametrize("row", ["[99999999999]", "[null]", "[-1]"])
def test_contents_of_a_table_that_are_not_valid_are_named(
    row: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.test.yaml").write_text(f"""\
cases:
- id: a
  ddl: CREATE TABLE t (x INTEGER NOT NULL CHECK (x > 0))
  tables: {{t: [[1], {row}]}}
  sql: SELECT x FROM t
  rows: [[1]]
""")
    code, output = run()
    assert code == 1
    reason = "T: row 2 of its contents in the case is dropped (BAD_ROW), so the case is not valid"
    assert f"ERROR reference a/a: {reason}" in output
