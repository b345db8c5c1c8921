"""A run that loses rows ends with success only if few enough are lost (S-607.q, S-607.r)."""

from pathlib import Path

import pytest

from tests.rowtime.files.entrances import command

pytestmark = pytest.mark.usefixtures("folder")

COLUMNS = "(rowtime TIMESTAMP(3) ASCENDING, n INTEGER)"
#: Ten rows, of which two are late, and one is not a row.
ROWS = "".join(f"2026-01-01 10:0{n}:00,{n}\n" for n in range(7))
LATE = "2026-01-01 09:00:00,7\n2026-01-01 10:05:00,8\n"
BAD = "2026-01-01 10:09:00,nine\n"


def pipeline(content: str, *options: str, check: str = "") -> tuple[int, str]:
    """The exit code and the messages of a pipeline that drops malformed records."""
    Path("in.csv").write_text(f"rowtime,n\n{content}")
    sink = COLUMNS.replace("INTEGER", f"INTEGER {check}")
    Path("p.sql").write_text(
        f"CREATE FOREIGN STREAM X {COLUMNS} OPTIONS (path 'in.csv', on_error 'drop');"
        f"CREATE FOREIGN STREAM Y {sink} OPTIONS (path 'out.csv');"
        "INSERT INTO Y SELECT STREAM * FROM X;"
    )
    result = command("run", "p.sql", *options)
    return result.exit_code, result.stderr


@pytest.mark.parametrize(
    ("limit", "code"),
    [(None, 0), ("4", 0), ("3", 1), ("1", 1), ("31%", 0), ("30%", 1), ("0.01%", 1)],
)
def test_a_pipeline_fails_from_a_number_or_share_on(limit: str | None, code: int) -> None:
    options = [] if limit is None else ["--fail-on-drop", limit]
    found, message = pipeline(ROWS + LATE + BAD, *options)
    assert found == code
    assert "warning: 3 rows dropped from X" in message
    assert ("failed: 3 of 10 rows of X were dropped" in message) == (code == 1)
    assert len(Path("out.csv").read_text().splitlines()) == 8


def test_a_pipeline_whose_rows_are_all_dropped_fails() -> None:
    code, message = pipeline(BAD * 2 + "x\n")
    assert code == 1
    assert "failed: all rows of X were dropped (3)" in message
    code, message = pipeline(ROWS, check="CHECK (n < 0)")
    assert code == 1
    assert "failed: all rows of Y were dropped (7)" in message
    assert pipeline("") == (0, "read 0 rows of X from in.csv\nwrote 0 rows of Y to out.csv\n")


@pytest.mark.parametrize(("limit", "code"), [(None, 0), ("3", 0), ("2", 1), ("25%", 0), ("22%", 1)])
def test_a_query_fails_from_a_number_or_share_on(limit: str | None, code: int) -> None:
    Path("in.csv").write_text(f"rowtime,n\n{ROWS}{LATE}")
    Path("x.sql").write_text(f"CREATE STREAM X {COLUMNS};")
    options = [] if limit is None else ["--fail-on-drop", limit]
    asked = ["run", "--ddl", "x.sql", "--data", "X=in.csv", *options, "SELECT STREAM n FROM X"]
    result = command(*asked, "-o", "out.csv")
    assert result.exit_code == code
    assert Path("out.csv").exists() == (code == 0)
    assert ("failed: 2 of 9 rows of X were dropped" in result.stderr) == (code == 1)


@pytest.mark.parametrize("limit", ["0", "x", "-1", "1.5", "%"])
def test_a_limit_that_is_not_one_is_a_wrong_call(limit: str) -> None:
    result = command("run", "--fail-on-drop", limit, "VALUES (1)")
    assert result.exit_code == 2
    assert "write a number of rows" in result.stderr


def test_a_share_above_all_rows_is_a_wrong_call() -> None:
    """No run could ever reach it."""
    result = command("run", "--fail-on-drop", "101%", "VALUES (1)")
    assert (result.exit_code, "101%: a share is at most 100%" in result.stderr) == (2, True)
