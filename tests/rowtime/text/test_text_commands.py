"""`rowtime fmt` and `rowtime lint` as a user calls them."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from rowtime.cli import app

SCHEMA = (
    "CREATE STREAM Orders (rowtime TIMESTAMP(3) NOT NULL ASCENDING, productId INTEGER, "
    "units INTEGER);\n"
)
GROUPS = "SELECT STREAM productId, COUNT(*) AS c FROM Orders GROUP BY productId;\n"
MENDED = (
    "SELECT STREAM productId, COUNT(*) AS c FROM Orders "
    "GROUP BY FLOOR(ROWTIME TO HOUR), productId;\n"
)


@pytest.fixture
def script(tmp_path: Path) -> Path:
    return tmp_path / "script.sql"


def test_fmt_writes_files_anew_and_names_them(script: Path) -> None:
    script.write_text("select 1 as a,2 as b")
    result = CliRunner().invoke(app, ["fmt", str(script)])
    assert (result.exit_code, result.stderr) == (0, f"{script} changed\n")
    assert script.read_text() == "SELECT 1 AS a, 2 AS b\n"
    result = CliRunner().invoke(app, ["fmt", str(script)])
    assert (result.exit_code, result.stderr) == (0, "")


def test_fmt_check_writes_nothing(script: Path) -> None:
    script.write_text("select 1")
    result = CliRunner().invoke(app, ["fmt", "--check", str(script)])
    assert (result.exit_code, result.stderr) == (1, f"{script} would change\n")
    assert script.read_text() == "select 1"


def test_fmt_reads_standard_input() -> None:
    result = CliRunner().invoke(app, ["fmt", "-"], input="select 1")
    assert (result.exit_code, result.stdout) == (0, "SELECT 1\n")


def test_fmt_goes_on_with_other_files_after_one_that_does_not_parse(
    script: Path, tmp_path: Path
) -> None:
    script.write_text("selec 1")
    other = tmp_path / "other.sql"
    other.write_text("select 2")
    result = CliRunner().invoke(app, ["fmt", str(script), str(other)])
    assert result.exit_code == 1
    assert result.stderr.startswith(f"{script}:\nSYNTAX_ERROR: ")
    assert script.read_text() == "selec 1"
    assert other.read_text() == "SELECT 2\n"


def test_a_file_that_is_no_text_or_is_not_there_is_named(script: Path) -> None:
    script.write_bytes(b"\xff\xfe")
    wide = {"COLUMNS": "300"}  # the path may be long
    for command in ("fmt", "lint"):
        assert "not UTF-8" in CliRunner().invoke(app, [command, str(script)], env=wide).stderr
        result = CliRunner().invoke(app, [command, f"{script}.none"], env=wide)
        assert result.exit_code == 2
        assert "No such file" in result.stderr


def test_lint_prints_all_refusals_and_says_no_unknown_object_twice(script: Path) -> None:
    script.write_text(
        f"{SCHEMA}CREATE TABLE s.Products (a INTEGRE);\nSELECT * FROM s.Products;\n{GROUPS}"
        "SELECT STREAM rowtime, unitz FROM Orders;\n"
    )
    result = CliRunner().invoke(app, ["lint", str(script)])
    assert result.exit_code == 1
    codes = [line.split(":")[0] for line in result.stdout.splitlines() if line[:1].isupper()]
    assert codes == ["SYNTAX_ERROR", "NO_MONOTONIC_KEY", "UNKNOWN_COLUMN"]
    assert "5 | SELECT STREAM rowtime, unitz FROM Orders;\n" in result.stdout
    assert result.stderr == "3 refused; --fix corrects 2\n"


def test_lint_fix_corrects_what_has_a_correction(script: Path) -> None:
    script.write_text(SCHEMA + GROUPS + GROUPS)
    result = CliRunner().invoke(app, ["lint", "--fix", str(script)])
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"{script} corrected\n"
    assert script.read_text() == SCHEMA + MENDED + MENDED


TWO_STREAMS = (
    "CREATE STREAM R (rowtime TIMESTAMP(3) NOT NULL ASCENDING, k INTEGER, v INTEGER);\n"
    "CREATE STREAM Q (rowtime TIMESTAMP(3) NOT NULL ASCENDING, k INTEGER, v INTEGER);\n"
)


IN_SUBQUERY = "R.k IN (SELECT Q.k FROM Q WHERE Q.v > 3)"
IN_JOIN = "R.k = Q.k AND Q.v > 3 AND Q.ROWTIME BETWEEN R.ROWTIME AND R.ROWTIME + INTERVAL '1' HOUR"
LAST_MINUTES = "Q.rowtime BETWEEN R.rowtime - INTERVAL '5' MINUTE AND R.rowtime"


@pytest.mark.parametrize(
    ("condition", "join"),
    [
        (IN_SUBQUERY, IN_JOIN),
        (f"EXISTS (SELECT 1 FROM Q WHERE {LAST_MINUTES})", LAST_MINUTES),
    ],
)
def test_lint_fix_applies_the_edits_of_a_refusal_together(
    script: Path, condition: str, join: str
) -> None:
    script.write_text(f"{TWO_STREAMS}SELECT STREAM R.rowtime, R.v FROM R WHERE {condition};\n")
    result = CliRunner().invoke(app, ["lint", "--fix", str(script)])
    assert (result.exit_code, result.stdout) == (0, "")
    mended = f"{TWO_STREAMS}SELECT STREAM R.rowtime, R.v FROM R JOIN Q ON {join};\n"
    assert script.read_text() == mended


def test_lint_fix_leaves_a_statement_that_it_cannot_correct_whole(script: Path) -> None:
    # LIMIT has a suggestion; for the unknown column, which then comes to light, there is none.
    hopeless = f"{SCHEMA}SELECT STREAM rowtime, colour FROM Orders LIMIT 3;\n"
    script.write_text(hopeless + GROUPS)
    result = CliRunner().invoke(app, ["lint", str(script)])
    assert result.stderr == "2 refused; --fix corrects 1\n"
    result = CliRunner().invoke(app, ["lint", "--fix", str(script)])
    assert (result.exit_code, result.stderr) == (1, f"{script} corrected\n1 refused\n")
    assert script.read_text() == hopeless + MENDED


def test_lint_leaves_the_other_scripts_as_they_are(script: Path, tmp_path: Path) -> None:
    ddl = tmp_path / "schema.sql"
    ddl.write_text(SCHEMA + GROUPS)
    script.write_text(GROUPS)
    result = CliRunner().invoke(app, ["lint", "--fix", "--ddl", str(ddl), str(script)])
    assert result.exit_code == 1
    assert result.stdout.startswith(f"{ddl}:\nNO_MONOTONIC_KEY")
    assert ddl.read_text() == SCHEMA + GROUPS
    assert script.read_text() == MENDED


def test_a_script_without_refusals_is_left_alone(script: Path) -> None:
    script.write_text(SCHEMA)
    result = CliRunner().invoke(app, ["lint", "--fix", str(script)])
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
