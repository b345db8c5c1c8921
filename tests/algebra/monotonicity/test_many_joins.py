"""Joins of many streams: the work on a rowtime goes with their number, not with its power."""

import pytest

from algebra.catalog import Profile
from algebra.monotonicity import columns
from algebra.plan import Join, Plan, inputs_of
from algebra.prepare import prepare


def joined(streams: int) -> tuple[str, str]:
    """Declarations, and a query that joins so many streams within an hour of the first one."""
    ddl = "".join(
        f"CREATE STREAM S{n} (rowtime TIMESTAMP(3) NOT NULL ASCENDING, k INTEGER);"
        for n in range(streams)
    )
    joins = "".join(
        f" JOIN S{n} ON S0.k = S{n}.k"
        f" AND S{n}.rowtime BETWEEN S0.rowtime AND S0.rowtime + INTERVAL '1' HOUR"
        for n in range(1, streams)
    )
    return ddl, f"SELECT STREAM S0.rowtime, S0.k FROM S0{joins}"


def join_of(streams: int) -> Plan:
    """The topmost join of that query."""
    query = prepare(*joined(streams), Profile.CALCITE).query
    assert query is not None
    while not isinstance(query, Join):
        (query,) = inputs_of(query)
    return query


def looks(monkeypatch: pytest.MonkeyPatch, plan: Plan) -> int:
    """How many plans are looked at for the rowtime of one."""
    looked: list[Plan] = []
    original = columns.rowtime_column

    def counted(plan: Plan) -> int | None:
        looked.append(plan)
        return original(plan)

    with monkeypatch.context() as patched:
        patched.setattr(columns, "rowtime_column", counted)
        columns.rowtime_column(plan)
    return len(looked)


def test_each_join_is_looked_at_once_for_the_rowtime(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of so many streams one is the first, and the others are each beneath a join of their own."""
    assert [looks(monkeypatch, join_of(streams)) for streams in (4, 8)] == [4, 8]


def test_sixteen_streams_are_joined() -> None:
    assert prepare(*joined(16), Profile.CALCITE).query is not None
