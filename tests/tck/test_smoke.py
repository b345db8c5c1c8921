"""The smoke test says whose fault it is: that of the harness, or that of the engine."""

# ruff: noqa: D102 - the methods are the protocol's, and documented there

import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tck.cli import app
from tck.exit_codes import EXIT_ENGINE, EXIT_HARNESS, EXIT_NO_BACKEND, EXIT_OK, EXIT_USAGE
from tck.protocol import (
    Accepted,
    ColumnInfo,
    End,
    Event,
    Hello,
    Load,
    Open,
    Output,
    Refused,
    Rows,
    Unsupported,
    WireRow,
)
from tests.tck.wire.test_child import command


class Healthy:
    """Answers the queries of the smoke test, and no others."""

    def __init__(self) -> None:
        self.rows: list[WireRow] = []
        self.only: int | None = None

    def start(self) -> Hello:
        return Hello("healthy", "1", "Python", "bounded", ("calcite",))

    def open(self, request: Open) -> Accepted | Refused:
        sql = request.sql or ""
        if "no_such_column" in sql:
            return Refused("UNKNOWN_COLUMN", "there is no such column", (0, len(sql)))
        self.only = 2 if "WHERE" in sql else None
        types = ("TIMESTAMP(3)", "INTEGER", "VARCHAR(10)")
        columns = tuple(
            ColumnInfo(name, type, True) for name, type in zip("ABC", types, strict=True)
        )
        return Accepted("STREAM" in sql, columns)

    def feed(self, event: Event) -> None:
        if isinstance(event, Load | Rows):
            self.rows += [row for row in event.rows if self.only in (None, row[1])]

    def poll(self) -> Output:
        rows, self.rows = tuple(self.rows), []
        return Output(rows)

    def explain(self, row: int | None = None) -> str:
        return f"row {row}"

    def close(self) -> None:
        self.rows = []

    def stop(self) -> None:
        pass


class Relational(Healthy):
    """Has no streams."""

    def start(self) -> Hello:
        return replace(super().start(), gaps={"streaming": "none"})


class ForgetsOutput(Healthy):
    """Its harness has no return."""

    def poll(self) -> Output:
        return None  # type: ignore[return-value]  # that is the fault


class NamesNoTier(Healthy):
    """Its harness declares a tier that there is not."""

    def start(self) -> Hello:
        return replace(super().start(), tier="best")  # type: ignore[arg-type]  # that is the fault


class LosesNull(Healthy):
    """Its engine makes NULL an empty text."""

    def poll(self) -> Output:
        rows = super().poll().rows
        return Output(tuple(tuple("" if v is None else v for v in row) for row in rows))


class Narrow(Healthy):
    """Its engine has a column too few."""

    def open(self, request: Open) -> Accepted | Refused:
        answer = super().open(request)
        return (
            replace(answer, columns=answer.columns[1:]) if isinstance(answer, Accepted) else answer
        )

    def poll(self) -> Output:
        return Output(tuple(row[1:] for row in super().poll().rows))


class Throws(Healthy):
    """Its engine throws at every query."""

    def open(self, request: Open) -> Accepted | Refused:
        raise ConnectionError(f"no connection for {request.profile}")


class AcceptsAll(Healthy):
    """Its engine knows every column."""

    def open(self, request: Open) -> Accepted | Refused:
        sql = (request.sql or "").replace("no_such_column", "id")
        return super().open(replace(request, sql=sql))


class Lacks(Healthy):
    """Its engine does not implement what it does not know."""

    # A wider type than that of the class above: it may be unsupported, too.
    def open(self, request: Open) -> Accepted | Refused | Unsupported:  # type: ignore[override]
        answer = super().open(request)
        return Unsupported("an unknown column") if isinstance(answer, Refused) else answer


class LacksWhere(Healthy):
    """Does not implement WHERE, and says so."""

    # A wider type than that of the class above: it may be unsupported, too.
    def open(self, request: Open) -> Accepted | Refused | Unsupported:  # type: ignore[override]
        if "WHERE" in (request.sql or ""):
            return Unsupported("no WHERE")
        return super().open(request)


class LacksStreams(Healthy):
    """Does not implement streaming queries, and says so when it is asked one."""

    # A wider type than that of the class above: it may be unsupported, too.
    def open(self, request: Open) -> Accepted | Refused | Unsupported:  # type: ignore[override]
        if "STREAM" in (request.sql or ""):
            return Unsupported("no SELECT STREAM")
        return super().open(request)


class LacksEnds(Healthy):
    """Does not implement the end of all inputs, which each backend must."""

    # A wider type than that of the class above: it may be unsupported, too.
    def feed(self, event: Event) -> Unsupported | None:  # type: ignore[override]
        return Unsupported("no end") if isinstance(event, End) else super().feed(event)


class LacksAll(Healthy):
    """Its engine implements nothing."""

    # A wider type than that of the class above: it may be unsupported, too.
    def open(self, request: Open) -> Accepted | Refused | Unsupported:  # type: ignore[override]
        return Unsupported(f"no SELECT in {request.profile}")


class Retains(Healthy):
    """Its engine keeps the rows of a query that was closed."""

    def close(self) -> None:
        pass

    def poll(self) -> Output:
        return Output(tuple(self.rows))


def smoke(backend: str, *options: str) -> Result:
    spec = backend if ":" in backend else f"{__name__}:{backend}"
    return CliRunner().invoke(app, ["smoke", "--backend", spec, *options])


@pytest.fixture(autouse=True)
def _this_module_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """By its name, in a process of its own."""
    monkeypatch.chdir(Path(__file__).parents[2])


def test_where_may_be_missing() -> None:
    result = smoke("LacksWhere")
    check = "close discards the rows of a query, and WHERE is evaluated"
    assert f"missing {check}\n          the query is not supported: no WHERE\n" in result.output
    assert (result.exit_code, "ready for" in result.output) == (EXIT_OK, True)


def test_streaming_queries_may_be_missing() -> None:
    result = smoke("LacksStreams")
    check = "a query is answered by accepted, with its columns"
    lack = f"missing {check}\n          the query is not supported: no SELECT STREAM\n"
    assert lack in result.output
    assert f"ok      {check}\n" in result.output
    assert result.output.count("missing ") == 2  # the check, and the last line
    assert (result.exit_code, "ready for" in result.output) == (EXIT_OK, True)


def test_an_engine_without_the_simplest_queries_lacks_them_and_is_not_wrong() -> None:
    result = smoke("LacksAll")
    assert result.output.count("missing a query is answered by accepted") == 2
    assert "the query is not supported: no SELECT in calcite" in result.output
    assert "the harness is right, but the engine lacks the simplest queries" in result.output
    assert ("ENGINE" in result.output, result.exit_code) == (False, EXIT_ENGINE)


@pytest.mark.parametrize("backend", ["Healthy", "Relational", "Lacks"])
def test_a_healthy_backend_is_ready_within_seconds(backend: str) -> None:
    begun = time.monotonic()
    result = smoke(backend)
    assert time.monotonic() - begun < 10.0  # a fifth of that on a machine that is idle
    assert result.exit_code == EXIT_OK
    assert "ready for" in result.output
    assert "ENGINE" not in result.output
    assert "HARNESS" not in result.output


@pytest.mark.parametrize(
    ("backend", "reason"),
    [
        ("ForgetsOutput", "poll must give Output, gave None"),
        ("NamesNoTier", 'tier must be final, bounded or exact, gave "best"'),
        (command("exits-3"), "the process ended with exit status 3 when it was to poll"),
        (command("babbles"), "poll: a line is not JSON"),
        (command("version-99"), "the backend speaks version 99 of the protocol, the kit 1 to 3"),
        (command("many-rows"), "poll gave 100001 rows, at most 100000 are allowed"),
    ],
)
def test_a_harness_that_breaks_the_protocol_is_named(backend: str, reason: str) -> None:
    result = smoke(backend)
    assert result.exit_code == EXIT_HARNESS
    assert reason in result.output
    assert result.output.count("HARNESS") == 1
    assert "its harness is wrong, so that the engine cannot be judged" in result.output


@pytest.mark.parametrize(
    ("backend", "reason"),
    [
        ("LosesNull", 'row 2, NAME is "", not null'),
        ("Narrow", "the result has 2 columns, not 3: TIMESTAMP(3), INTEGER, VARCHAR(10)"),
        ("LacksEnds", "the end of all inputs is not supported: no end"),
        ("Throws", "ConnectionError: no connection for calcite"),
        ("AcceptsAll", "a column that does not exist was accepted"),
        ("Retains", "rows were emitted, not"),
    ],
)
def test_an_engine_that_is_wrong_is_told_from_its_harness(backend: str, reason: str) -> None:
    result = smoke(backend)
    assert result.exit_code == EXIT_ENGINE
    assert reason in result.output
    assert "HARNESS" not in result.output
    assert "sent: CREATE STREAM SMOKE (rowtime TIMESTAMP(3) ASCENDING" in result.output
    assert re.search("sent: SELECT STREAM .* FROM SMOKE", result.output)
    assert "the harness is right, the engine is wrong" in result.output


@pytest.mark.parametrize(
    ("backend", "code"),
    [
        ("cmd:no-such-command", EXIT_NO_BACKEND),
        (command("dies-at-once"), EXIT_NO_BACKEND),
        ("no_such_module:Class", EXIT_USAGE),
        (f"{__name__}:NoSuchClass", EXIT_USAGE),
    ],
)
def test_a_backend_that_cannot_be_started_is_neither(backend: str, code: int) -> None:
    assert smoke(backend).exit_code == code
