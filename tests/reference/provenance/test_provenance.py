"""An account of a run: what it keeps of every event, and the reason of every row."""

import math
from functools import partial
from typing import Final

import pytest

from algebra.catalog import Profile
from algebra.prepare import prepare
from grammar.source import SqlError
from reference.backend import MOST_ROWS_TRACED
from reference.engine.session import Session
from reference.provenance.provenance import Provenance
from tck.protocol import Bound, End, Rows, WireRow
from tests.reference.conversation import DDL, ORDERS, at, opened

BY_HOUR: Final = """
SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime, productId, COUNT(*) AS c
FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR), productId"""
TWICE: Final = """
SELECT STREAM rowtime, orderId FROM Orders UNION ALL SELECT STREAM rowtime, orderId FROM Other"""
OTHER: Final = f"{DDL} CREATE STREAM Other (rowtime TIMESTAMP(3) ASCENDING, orderId INTEGER);"
#: 2015-02-15 10:17:00 and 11:00:00, in milliseconds.
T1017: Final = 1_423_995_420_000
T1100: Final = 1_423_998_000_000


def fed(account: Provenance, *rows: WireRow) -> None:
    """Orders arrive, one event each."""
    for row in rows:
        account.happened(
            f"order {row[2]}", partial(Session.take_rows, name=("ORDERS",), rows=[row])
        )


def account(sql: str, ddl: str = DDL) -> Provenance:
    return Provenance(prepare(ddl, sql, Profile.CALCITE))


def test_a_group_tells_its_rows_its_window_and_what_completed_it() -> None:
    backend = opened(BY_HOUR)
    backend.feed(Rows("ORDERS", ORDERS[:1]))
    backend.feed(Rows("ORDERS", ORDERS[1:4]))
    backend.feed(Bound("ORDERS", at("10:59:00")))
    backend.feed(Rows("ORDERS", ORDERS[4:5]))
    assert backend.explain(0) == (
        "made of  ORDERS (2015-02-15 10:17:00, 30, 5, 4), event 1\n"
        "         ORDERS (2015-02-15 10:18:07, 30, 8, 20), event 2\n"
        "window   from 2015-02-15 10:00:00 until, not including, 2015-02-15 11:00:00\n"
        "emitted  at event 4: row of ORDERS (2015-02-15 11:02:00, 10, 9, 6)\n"
        "waited   since event 2: 3 rows of ORDERS up to (2015-02-15 10:18:07, 30, 8, 20)\n"
        "for      a bound at the end of its window (S-504)"
    )


def test_a_window_of_a_padded_row_tells_the_row_that_is_there() -> None:
    run = account(
        """
        SELECT STREAM TUMBLE_END(rowtime, INTERVAL '5' MINUTE) AS rowtime, COUNT(*) AS c
        FROM (SELECT o.rowtime, p.orderId FROM Orders AS o LEFT JOIN Other AS p
          ON o.orderId = p.orderId
          AND p.rowtime BETWEEN o.rowtime AND o.rowtime + INTERVAL '10' MINUTE) AS pairs
        GROUP BY TUMBLE(rowtime, INTERVAL '5' MINUTE)""",
        OTHER,
    )
    fed(run, ORDERS[0])
    run.happened("end", partial(Session.end, name=None))
    (emission,) = run.emissions
    assert [(each.stream, each.place) for each in emission.origins] == [(("ORDERS",), 0)]
    assert emission.windows == (("2015-02-15 10:15:00", "2015-02-15 10:20:00"),)


def test_a_row_that_comes_at_once_has_waited_for_nothing() -> None:
    backend = opened("SELECT STREAM orderId FROM Orders WHERE units > 3")
    backend.feed(Rows("ORDERS", ORDERS[:1]))
    assert backend.explain(0) == (
        "made of  ORDERS (2015-02-15 10:17:00, 30, 5, 4), event 1\n"
        "emitted  at event 1: row of ORDERS (2015-02-15 10:17:00, 30, 5, 4)"
    )


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (Bound("OTHER", at("10:17:00")), "bound of OTHER at 2015-02-15 10:17:00"),
        (Bound("OTHER", at("10:17:00"), True), "strict bound of OTHER at 2015-02-15 10:17:00"),
        (End("OTHER"), "end of OTHER"),
        (End(), "end of all input"),
        (Rows("OTHER", ((at("11:00:00"), 1),)), "row of OTHER (2015-02-15 11:00:00, 1)"),
    ],
)
def test_what_sets_a_row_free_is_said_and_what_it_waited_for(
    event: Bound | End | Rows, words: str
) -> None:
    backend = opened(TWICE, OTHER)
    backend.feed(Rows("ORDERS", ORDERS[:1]))
    backend.feed(event)
    assert backend.explain(0).splitlines()[1:] == [
        f"emitted  at event 2: {words}",
        "waited   since event 1: row of ORDERS (2015-02-15 10:17:00, 30, 5, 4)",
        "for      every input of UNION ALL to reach its time (S-502)",
    ]


def test_an_operator_that_did_not_hold_the_row_is_not_named() -> None:
    """The sort has the groups at the end, and no row can follow: it need not wait."""
    backend = opened(
        f"SELECT STREAM * FROM ({BY_HOUR.replace('STREAM', '')}) ORDER BY rowtime, productId"
    )
    backend.feed(Rows("ORDERS", ORDERS[:4]))
    backend.feed(End())
    assert backend.explain(0).splitlines()[-2:] == [
        "waited   since event 1: 4 rows of ORDERS up to (2015-02-15 10:18:07, 30, 8, 20)",
        "for      a bound at the end of its window (S-504)",
    ]


def test_a_row_that_has_not_come_has_no_reason() -> None:
    backend = opened(BY_HOUR)
    backend.feed(Rows("ORDERS", ORDERS[:1]))
    assert backend.explain(0) == ""


def test_what_no_stream_brings_has_no_reason() -> None:
    backend = opened("SELECT * FROM Products")
    backend.feed(End())
    assert backend.poll().rows
    assert backend.explain(0) == ""


def test_a_run_that_is_too_long_is_not_told() -> None:
    backend = opened("SELECT STREAM orderId FROM Orders")
    backend.feed(Rows("ORDERS", ORDERS[:1] * (MOST_ROWS_TRACED + 1)))
    assert backend.explain(0) == ""


def test_rows_before_a_failure_are_told() -> None:
    """The second order divides by zero."""
    backend = opened("SELECT STREAM 10 / (units - 1) AS q FROM Orders")
    backend.feed(Rows("ORDERS", ORDERS[:1]))
    backend.feed(Rows("ORDERS", ORDERS[1:2]))
    assert backend.poll().error is not None
    assert backend.explain(0).startswith("made of  ORDERS (2015-02-15 10:17:00, 30, 5, 4), event 1")
    assert backend.explain(1) == ""


def test_an_event_at_which_the_query_fails_is_in_the_account() -> None:
    run = account("SELECT STREAM 10 / (units - 1) AS q FROM Orders")
    with pytest.raises(SqlError, match="DIVISION_BY_ZERO"):
        fed(run, ORDERS[1])
    assert [each.event for each in run.moments] == ["order 6"]


def test_a_moment_has_the_clocks_after_its_event() -> None:
    """The output's is an hour ahead: TUMBLE_END of a row at 10:17 is 11:00."""
    run = account(BY_HOUR, OTHER)
    fed(run, ORDERS[0])
    (moment,) = run.moments
    assert (moment.input_bounds, moment.output_bound) == ({("ORDERS",): T1017}, T1100)
    run.happened("end", lambda session: session.end(None))
    assert run.moments[1].input_bounds == {("ORDERS",): math.inf}
    assert run.moments[1].output_bound == math.inf


def test_rows_tell_their_time_also_where_no_column_has_it() -> None:
    run = account("SELECT STREAM orderId FROM Orders")
    fed(run, ORDERS[0])
    assert [(each.row, each.time) for each in run.emissions] == [((5,), T1017)]


def test_late_rows_are_returned_and_have_no_place() -> None:
    run = account("SELECT STREAM orderId FROM Orders")
    fed(run, ORDERS[2])
    late = run.happened("late", lambda session: session.take_rows(("ORDERS",), [ORDERS[0]]))
    fed(run, ORDERS[3])
    assert [row for _, row, _, _ in late] == [ORDERS[0]]
    assert [(each.place, each.event) for each in run.arrivals] == [(0, 0), (1, 2)]


def test_rows_that_a_pump_brings_are_told_of_the_stream_that_is_read() -> None:
    ddl = f"{DDL} CREATE STREAM Big (rowtime TIMESTAMP(3) ASCENDING, orderId INTEGER);"
    ddl += "INSERT INTO Big SELECT STREAM rowtime, orderId FROM Orders WHERE units > 3;"
    run = account("SELECT STREAM orderId FROM Big", ddl)
    fed(run, ORDERS[1], ORDERS[3])
    assert [each.row for each in run.emissions] == [(8,)]
    assert run.reason(0).startswith("made of  BIG (2015-02-15 10:18:07, 8), event 2\n")
