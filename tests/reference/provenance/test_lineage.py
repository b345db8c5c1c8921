"""Lineage: the same rows at the same events, and what each is made of."""

import re
from collections.abc import Sequence
from typing import Final

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from algebra.catalog import Profile, Stream
from algebra.plan import Delta, row_type
from algebra.prepare import prepare
from grammar.source import SqlError
from reference.ingress import Ingress
from reference.provenance.lineage import ORIGIN, traced
from reference.provenance.provenance import TracedFlow
from reference.relation import Relation, Row
from tests.reference.incremental.histories import START, Ended, Event, Play, Rows, histories, same
from tests.reference.incremental.samples import Sample, samples

MINUTE: Final = 60_000
HOUR: Final = 60 * MINUTE
DDL: Final = """
CREATE STREAM A (rowtime TIMESTAMP(3) ASCENDING, k INTEGER, v INTEGER);
CREATE STREAM B (rowtime TIMESTAMP(3) ASCENDING, k INTEGER, v INTEGER);
CREATE TABLE T (k INTEGER, name VARCHAR(5));
"""
HOURLY: Final = "TUMBLE(rowtime, INTERVAL '1' HOUR)"
NEAR: Final = "b.rowtime BETWEEN a.rowtime AND a.rowtime + INTERVAL '10' MINUTE"


class Traced:
    """A query that tells origins, at work."""

    def __init__(
        self, query: Delta, streams: Sequence[Stream], tables: dict[tuple[str, ...], Relation]
    ) -> None:
        self.play = Play(query, streams, tables=tables)
        self.play.flow = TracedFlow(query, self.play.env, self._named)
        self.passed: dict[str, tuple[str, Row]] = {}

    def _named(self, entry: Ingress, place: int, row: Row) -> str:
        name = f"{entry.source.name[-1]}#{place}"
        self.passed[name] = (entry.source.name[-1], row)
        return name

    def step(self, event: Event) -> list[tuple[Row, list[str]]]:
        """The rows of an event, each with the names that its origin tells, in order, each once."""
        return [
            (row[:-1], list(dict.fromkeys(filter(None, re.split(r"[,()]", str(row[-1]))))))
            for row in self.play.step(event)
        ]


def prepared(sql: str) -> tuple[Delta, tuple[Stream, ...]]:
    """A query over the streams and the table."""
    found = prepare(DDL, sql, Profile.CALCITE)
    assert isinstance(found.query, Delta)
    streams = [each for each in found.catalog.objects.values() if isinstance(each, Stream)]
    return found.query, tuple(streams)


def made_of(sql: str, *events: Event) -> list[tuple[Row, list[str]]]:
    """All rows, with their origins; the table has one row."""
    query, streams = prepared(sql)
    run = Traced(query, streams, {("T",): [(1, "x")]})
    return [each for event in (*events, Ended()) for each in run.step(event)]


def a(minute: int, k: int, v: int) -> Rows:
    return Rows("A", ((START + minute * MINUTE, k, v),))


def b(minute: int, k: int, v: int) -> Rows:
    return Rows("B", ((START + minute * MINUTE, k, v),))


def outcome(play: Play, event: Event) -> Relation | None:
    """What comes of an event; None where the query fails."""
    try:
        return play.step(event)
    except SqlError:
        return None


@given(samples())
def test_the_same_rows_come_at_the_same_events(sample: Sample) -> None:
    note(sample.script.sql)
    play = sample.play()
    run = Traced(sample.query, sample.streams, dict(sample.tables))
    for event in sample.events:
        note(repr(event))
        rows, told = outcome(play, event), outcome(run.play, event)
        assert (rows is None) == (told is None)
        if rows is None or told is None:
            return
        assert same([row[:-1] for row in told], rows), (told, rows)
        assert play.flow.bound == run.play.flow.bound


@given(samples())
def test_the_origin_is_one_column_behind_the_others(sample: Sample) -> None:
    before, after = row_type(sample.query), row_type(traced(sample.query))
    assert after[:-1] == before
    assert after[-1].name == ORIGIN


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT STREAM rowtime, v FROM A WHERE k = 1",
        "SELECT STREAM rowtime + INTERVAL '1' MINUTE AS rowtime, k + v AS s FROM A",
        (
            "SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime, k, SUM(v) AS s,"
            f" COUNT(*) AS c FROM A GROUP BY {HOURLY}, k"
        ),
        f"SELECT STREAM a.rowtime, a.v, b.v AS w FROM A AS a JOIN B AS b ON a.k = b.k AND {NEAR}",
        "SELECT STREAM rowtime, k FROM A UNION ALL SELECT STREAM rowtime, v FROM B",
        "SELECT STREAM rowtime, k FROM A UNION SELECT STREAM rowtime, v FROM B",
        "SELECT STREAM a.rowtime, a.v, t.name FROM A AS a JOIN T AS t ON a.k = t.k",
    ],
)
@given(data=st.data())
def test_the_rows_that_are_named_are_enough(sql: str, data: st.DataObject) -> None:
    """Over them alone the query has the row again."""
    query, streams = prepared(sql)
    tables: dict[tuple[str, ...], Relation] = {("T",): [(1, "x"), (2, "y")]}
    run = Traced(query, streams, tables)
    for event in data.draw(histories(streams)):
        for row, origins in run.step(event):
            assert origins, row
            alone = Play(query, streams, tables=tables)
            for origin in origins:
                stream, made = run.passed[origin.partition("@")[0]]
                alone.contents[stream,].append(made)
            assert repr(row) in map(repr, alone.relational()), (row, origins)


TEN, ELEVEN, TWELVE = "2015-02-15 10:00:00", "2015-02-15 11:00:00", "2015-02-15 12:00:00"


@pytest.mark.parametrize(
    ("sql", "events", "origins"),
    [
        # The row of B is not of the group; a group of both rows of A names both.
        (
            (
                f"SELECT STREAM {HOURLY.replace('TUMBLE', 'TUMBLE_END')} AS rowtime, COUNT(*) AS c"
                f" FROM A GROUP BY {HOURLY}"
            ),
            (a(1, 1, 1), b(2, 1, 1), a(3, 2, 2), a(61, 1, 1)),
            [[f"A#0@{TEN}/{ELEVEN}", f"A#1@{TEN}/{ELEVEN}"], [f"A#2@{ELEVEN}/{TWELVE}"]],
        ),
        # A window of two hours that continues by one: each row is in two.
        (
            (
                "SELECT STREAM HOP_END(rowtime, INTERVAL '1' HOUR, INTERVAL '2' HOUR) AS rowtime,"
                " COUNT(*) AS c FROM A GROUP BY HOP(rowtime, INTERVAL '1' HOUR, INTERVAL '2' HOUR)"
            ),
            (a(1, 1, 1),),
            [[f"A#0@2015-02-15 09:00:00/{ELEVEN}"], [f"A#0@{TEN}/{TWELVE}"]],
        ),
        # A frame of the row before and the row itself.
        (
            "SELECT STREAM rowtime, SUM(v) OVER (ORDER BY rowtime ROWS 1 PRECEDING) AS s FROM A",
            (a(1, 1, 1), a(2, 2, 2), a(3, 3, 3)),
            [["A#0"], ["A#1", "A#0"], ["A#2", "A#1"]],
        ),
        # A frame of the two minutes before the row; it has the row itself.
        (
            (
                "SELECT STREAM rowtime, SUM(v) OVER (ORDER BY rowtime"
                " RANGE INTERVAL '2' MINUTE PRECEDING) AS s FROM A"
            ),
            (a(0, 1, 1), a(1, 2, 2), a(3, 3, 3)),
            [
                [f"A#0@{TEN};-120000;0", "A#0"],
                ["A#1@2015-02-15 10:01:00;-120000;0", "A#0", "A#1"],
                ["A#2@2015-02-15 10:03:00;-120000;0", "A#1", "A#2"],
            ],
        ),
        # The order of 10:02 has no partner: it is made of itself alone.
        (
            f"SELECT STREAM a.rowtime, b.v FROM A AS a LEFT JOIN B AS b ON a.k = b.k AND {NEAR}",
            (a(1, 1, 1), a(2, 2, 2), b(5, 1, 7)),
            [["A#0", "B#0"], ["A#1"]],
        ),
        # Equal rows of both sides are one row, made of both.
        (
            "SELECT STREAM rowtime, k FROM A UNION SELECT STREAM rowtime, k FROM B",
            (a(1, 1, 1), b(1, 1, 2), a(2, 1, 1)),
            [["A#0", "B#0"], ["A#1"]],
        ),
        # What is left by EXCEPT, and the row of a table, is told no origin of.
        (
            "SELECT STREAM rowtime, k FROM A EXCEPT SELECT STREAM rowtime, k FROM B",
            (a(1, 1, 1),),
            [list[str]()],
        ),
        (
            "SELECT STREAM a.rowtime, t.name FROM A AS a JOIN T AS t ON a.k = t.k",
            (a(1, 1, 1),),
            [["A#0"]],
        ),
        # A sub-query speaks of the row around it, whose columns are where they were.
        (
            (
                "SELECT STREAM a.rowtime, b.v FROM A AS a JOIN B AS b ON a.rowtime = b.rowtime"
                " WHERE EXISTS (SELECT 1 FROM T WHERE T.k = b.k)"
            ),
            (a(1, 5, 1), b(1, 1, 2), b(1, 5, 3)),
            [["A#0", "B#0"]],
        ),
        # A late row has no place, and is part of nothing.
        ("SELECT STREAM v FROM A", (a(2, 1, 1), a(1, 1, 2), a(3, 1, 3)), [["A#0"], ["A#1"]]),
    ],
)
def test_each_row_names_what_it_is_made_of(
    sql: str, events: tuple[Event, ...], origins: list[list[str]]
) -> None:
    assert [told for _, told in made_of(sql, *events)] == origins
