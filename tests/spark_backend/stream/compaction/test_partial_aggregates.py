"""Folded windows: a few rows of each partition stand for those that are past; nothing shows it."""

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.catalog import Profile
from grammar.codes import Code
from grammar.source import SqlError
from spark_backend.stream.retention.policy import RetentionPolicy
from tests.examples import NIGHTLY, examples, scaled
from tests.spark_backend.stream.drives import Batches, Drive, Name, Row, by_value

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("backend", "few")]

DDL: Final = """
CREATE STREAM S (rowtime TIMESTAMP(3) ASCENDING, k VARCHAR(3), v INTEGER, b BIGINT,
    d DECIMAL(6, 2), x DOUBLE, p BOOLEAN);
CREATE STREAM T (rowtime TIMESTAMP(3) ASCENDING, k VARCHAR(3), v INTEGER);
"""
_BY_KEY: Final = "PARTITION BY k ORDER BY rowtime"
_TOTAL: Final = f"SELECT STREAM rowtime, k, v, SUM(v) OVER ({_BY_KEY}) AS s FROM S"
_STEP: Final = "STEP(rowtime BY INTERVAL '10' SECOND)"
_IN_STEPS: Final = (
    f"SELECT STREAM {_STEP} AS rowtime, k, SUM(b) AS s, COUNT(*) AS c FROM S GROUP BY {_STEP}, k"
)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Totals are asked for soon."""
    monkeypatch.setattr(
        "spark_backend.stream.engine.POLICY", RetentionPolicy(compaction=4, eviction=4)
    )


_KEYS: Final = ("a", "b", None)


def row(second: int, number: int) -> Row:
    """A row of S at that second, with NULLs here and there."""
    v = None if number % 5 == 3 else (number * 7) % 11 - 4
    return (
        1_000 * second,
        _KEYS[number // 2 % 3],
        v,
        None if v is None else v * 2**59,
        None if number % 4 == 1 else Decimal(number * 37 % 900).scaleb(-2),
        None if number % 3 == 2 else number / 7,
        None if number % 7 == 1 else number % 2 == 0,
    )


def history(batches: int, size: int = 5) -> Batches:
    """Micro-batches in which times repeat, within them and from one to the next."""
    return [
        {
            ("S",): [row(7 * batch + 3 * (i // 2), batch * size + i) for i in range(size)],
            ("T",): [(1_000 * (7 * batch + i), _KEYS[(batch + i) % 3], i) for i in range(2)],
        }
        for batch in range(batches)
    ]


FOLDED: Final = {
    "aggregates": (
        f"SELECT STREAM rowtime, k, COUNT(v) OVER w AS c, MIN(v) OVER w AS m, MAX(x) OVER w AS n,"
        " AVG(v) OVER w AS a, SUM(d) OVER w AS t, AVG(d) OVER w AS u, AVG(b) OVER w AS z,"
        " SUM(b / 1024) OVER w AS y, MIN(k) OVER w AS l, EVERY(p) OVER w AS e,"
        " SOME(p) OVER w AS o, COUNT(k, v) OVER w AS g, SUM(v) FILTER (WHERE p) OVER w AS s,"
        " COUNT(*) FILTER (WHERE v > 0) OVER w AS f, AVG(d) FILTER (WHERE v > 2) OVER w AS r"
        f" FROM S WINDOW w AS ({_BY_KEY})"
    ),
    "rounded": (
        f"SELECT STREAM rowtime, k, SUM(x) OVER w AS s, AVG(x) OVER w AS a, STDDEV_POP(x) OVER w AS"
        " p, VAR_SAMP(d) OVER w AS q, COVAR_POP(x, v) OVER w AS c, CORR(x, d) OVER w AS r,"
        " SUM(CAST(x AS REAL)) FILTER (WHERE p) OVER w AS f, SUM(d * 1E300) OVER w AS e,"
        " STDDEV_SAMP(v) OVER (ORDER BY rowtime) AS o, COUNT(*) OVER w AS n FROM S"
        f" WINDOW w AS ({_BY_KEY})"
    ),
    "wide": (
        f"SELECT STREAM rowtime, k, SUM(CAST(d AS DECIMAL(36, 2))) OVER w AS s, AVG(CAST(d AS"
        " DECIMAL(36, 2))) OVER w AS a, SUM(v * INTERVAL '1' SECOND) OVER w AS i,"
        f" SUM(v * INTERVAL '1' MONTH) OVER (ORDER BY rowtime) AS m FROM S WINDOW w AS ({_BY_KEY})"
    ),
    "ranks": (
        f"SELECT STREAM rowtime, k, RANK() OVER ({_BY_KEY}, v) AS r,"
        f" DENSE_RANK() OVER ({_BY_KEY}, v) AS d, RANK() OVER ({_BY_KEY}) AS t,"
        " DENSE_RANK() OVER (ORDER BY rowtime) AS u, ROW_NUMBER() OVER (ORDER BY rowtime) AS n,"
        " RANK() OVER (ORDER BY rowtime) AS w"
        " FROM S"
    ),
    "values": (
        f"SELECT STREAM rowtime, k, FIRST_VALUE(v) OVER w AS f, FIRST_VALUE(v) IGNORE NULLS OVER w"
        " AS g, LAST_VALUE(v) IGNORE NULLS OVER w AS l, LAST_VALUE(v) OVER w AS o, COUNT(*) OVER w"
        " AS c, SUM(v) OVER w AS s"
        f" FROM S WINDOW w AS ({_BY_KEY} ROWS UNBOUNDED PRECEDING)"
    ),
    "two partitions": (
        f"SELECT STREAM rowtime, k, SUM(v) OVER ({_BY_KEY}) AS s, SUM(v) OVER (PARTITION BY p"
        " ORDER BY rowtime) AS t, COUNT(*) OVER (ORDER BY rowtime) AS c FROM S"
    ),
    "beside a minute": (
        f"SELECT STREAM rowtime, k, SUM(v) OVER ({_BY_KEY}) AS s, COUNT(*) OVER ({_BY_KEY} RANGE"
        " INTERVAL '9' SECOND PRECEDING) AS c FROM S"
    ),
    "up to a while ago": (
        f"SELECT STREAM rowtime, k, SUM(v) OVER ({_BY_KEY} RANGE BETWEEN UNBOUNDED PRECEDING AND"
        " INTERVAL '6' SECOND PRECEDING) AS s, COUNT(*) OVER (ORDER BY rowtime RANGE BETWEEN"
        " UNBOUNDED PRECEDING AND INTERVAL '6' SECOND PRECEDING) AS c FROM S"
    ),
    "ahead": (
        f"SELECT STREAM rowtime, k, SUM(v) OVER ({_BY_KEY} RANGE BETWEEN UNBOUNDED PRECEDING AND"
        " INTERVAL '6' SECOND FOLLOWING) AS s FROM S"
    ),
    "groups": (
        "SELECT STREAM rowtime, SUM(v) OVER (ORDER BY rowtime GROUPS UNBOUNDED PRECEDING) AS s,"
        " COUNT(*) OVER (ORDER BY rowtime ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
        " EXCLUDE GROUP) AS e FROM S"
    ),
    "below and above": (
        f"SELECT STREAM rowtime, s + 1 AS s FROM (SELECT STREAM rowtime, SUM(v) OVER ({_BY_KEY}) AS"
        " s, v FROM (SELECT STREAM rowtime, k, v * 2 AS v FROM S WHERE v <> 1)) WHERE v > 0"
    ),
    "of groups": (
        f"SELECT STREAM rowtime, k, s, SUM(c) OVER ({_BY_KEY}) AS t, MAX(c) OVER (ORDER BY rowtime)"
        f" AS m FROM ({_IN_STEPS})"
    ),
    "under groups": (
        f"SELECT STREAM {_STEP} AS rowtime, k, MAX(s) AS m, COUNT(*) AS c FROM ({_TOTAL})"
        f" GROUP BY {_STEP}, k"
    ),
    "under a sliding window": (
        "SELECT STREAM rowtime, k, s, MAX(s) OVER (ORDER BY rowtime RANGE INTERVAL '10' SECOND"
        f" PRECEDING) AS m FROM ({_TOTAL})"
    ),
    "total of totals": (
        f"SELECT STREAM rowtime, k, s, SUM(s) OVER (ORDER BY rowtime) AS t FROM ({_TOTAL})"
    ),
    "in steps": (
        f"SELECT STREAM rowtime, k, SUM(v) OVER (PARTITION BY {_STEP}, k ORDER BY rowtime) AS s"
        " FROM S"
    ),
    "of a join": (
        "SELECT STREAM rowtime, k, w, SUM(w) OVER (PARTITION BY k ORDER BY rowtime) AS s FROM"
        " (SELECT STREAM S.rowtime, S.k, S.v + T.v AS w FROM S JOIN T ON S.k = T.k AND T.rowtime"
        " BETWEEN S.rowtime - INTERVAL '9' SECOND AND S.rowtime + INTERVAL '9' SECOND)"
    ),
    "with itself": (
        f"SELECT STREAM S.rowtime, S.k, S.v, o.s FROM S JOIN ({_TOTAL}) AS o ON S.k = o.k AND"
        " o.rowtime BETWEEN S.rowtime - INTERVAL '9' SECOND AND S.rowtime"
    ),
    "union": f"{_TOTAL} UNION ALL SELECT STREAM rowtime, k, v, 0 FROM S",
    "union below": (
        "SELECT STREAM rowtime, COUNT(*) OVER (ORDER BY rowtime) AS c, SUM(v) OVER (ORDER BY"
        " rowtime) AS s FROM (SELECT STREAM rowtime, v FROM S UNION ALL SELECT STREAM rowtime, v"
        " FROM T)"
    ),
    "last value beside a total": (
        f"SELECT STREAM rowtime, k, v, LAG(v) OVER w AS l, LAG(v, 2, 100) OVER w AS o, LAG(v, 2)"
        " IGNORE NULLS OVER w AS i, COUNT(*) OVER w AS c, LEAD(v) OVER w AS e FROM S"
        f" WINDOW w AS ({_BY_KEY})"
    ),
    "peers": (
        "SELECT STREAM rowtime, SUM(v) OVER (ORDER BY rowtime GROUPS 2 PRECEDING) AS s, COUNT(*)"
        " OVER (ORDER BY rowtime) AS c FROM S"
    ),
    "different values": (
        f"SELECT STREAM rowtime, k, COUNT(DISTINCT v) OVER ({_BY_KEY}) AS c, SUM(DISTINCT x) OVER"
        f" ({_BY_KEY}) AS s, COUNT(DISTINCT v, p) FILTER (WHERE d > 2) OVER ({_BY_KEY}) AS f,"
        " AVG(DISTINCT v) OVER (ORDER BY rowtime ROWS UNBOUNDED PRECEDING) AS a,"
        f" VAR_POP(DISTINCT v) OVER ({_BY_KEY}) AS p, SUM(v) OVER ({_BY_KEY}) AS t FROM S"
    ),
    "first values": (
        f"SELECT STREAM rowtime, k, NTH_VALUE(v, 2) OVER ({_BY_KEY}) AS s, NTH_VALUE(v, 3) IGNORE"
        f" NULLS OVER ({_BY_KEY} ROWS UNBOUNDED PRECEDING) AS t, LAG(k) OVER (ORDER BY rowtime) AS"
        " l FROM S"
    ),
    "rows and times": (
        f"SELECT STREAM rowtime, k, VAR_POP(x) OVER ({_BY_KEY} ROWS 2 PRECEDING) AS s, COUNT(*)"
        " OVER (ORDER BY rowtime RANGE INTERVAL '5' SECOND PRECEDING) AS c, SUM(x) OVER (ORDER BY"
        " rowtime RANGE BETWEEN INTERVAL '8' SECOND PRECEDING AND INTERVAL '2' SECOND PRECEDING)"
        " AS b FROM S"
    ),
}

#: Those whose frames of rows reach back so few rows that these are retained themselves.
BY_ROW: Final = {
    "last rows of groups": (
        f"SELECT STREAM rowtime, k, s, MAX(s) OVER ({_BY_KEY} ROWS 2 PRECEDING) AS t, MAX(c) OVER"
        f" ({_BY_KEY} ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING) AS m FROM ({_IN_STEPS})"
    ),
    "last rows of two groups": (
        f"SELECT STREAM rowtime, k, MAX(s) OVER ({_BY_KEY} ROWS 2 PRECEDING) AS t"
        f" FROM ({_IN_STEPS})"
    ),
    "rows over rows": (
        "SELECT STREAM rowtime, k, s, LAG(s) OVER (ORDER BY rowtime) AS l FROM (SELECT STREAM"
        " rowtime, k, SUM(x) OVER (PARTITION BY k ORDER BY rowtime ROWS 1 PRECEDING) AS s FROM S)"
    ),
    "rows over a join": (
        "SELECT STREAM rowtime, k, w, SUM(w) OVER (PARTITION BY k ORDER BY rowtime ROWS 1"
        " PRECEDING) AS s FROM (SELECT STREAM S.rowtime, S.k, SUM(S.v + T.v) AS w FROM S JOIN T ON"
        " S.k = T.k AND T.rowtime BETWEEN S.rowtime - INTERVAL '9' SECOND AND S.rowtime + INTERVAL"
        " '9' SECOND GROUP BY S.rowtime, S.k)"
    ),
}


#: A query of each form of compacted rows; nightly, all are tried.
_LIGHT: Final = (
    "aggregates", "values", "up to a while ago", "of groups", "union below",
    "last value beside a total", "different values", "rows over a join",
)  # fmt: skip
#: Those that are tried in frames nightly.  Totals and past rows in frames have
#: `test_retained_prefixes_do_not_grow`, and the last rows of keys the query `rows` of `test_bulk`.
_BULK: Final = (
    "last rows of groups",
    "aggregates",
    "values",
    "rounded",
    "wide",
    "two partitions",
    "total of totals",
    "last value beside a total",
    "different values",
)
#: The micro-batches, and those of them after which another engine goes on.
_BATCHES: Final = scaled(3, 6)
#: The query that needs one micro-batch more: its rows are folded after their groups are complete.
_LATER: Final = "of groups"
_RESTARTS: Final = (2, 3) if NIGHTLY else (1,)
#: The micro-batches over which state must not grow.
_LONG: Final = scaled(4, 16)
#: Totals are evicted, and stand for their rows, in one way for rows in memory and in frames.
_WAYS: Final = (False, True) if NIGHTLY else (False,)
#: Past rows are retained in one way in frames and in memory; a query of `_LIGHT` has them there.
_WAYS_OF_PREFIXES: Final = (False, True) if NIGHTLY else (True,)


@pytest.mark.parametrize(
    ("name", "bulk"),
    [
        *((each, False) for each in ((*FOLDED, *BY_ROW) if NIGHTLY else _LIGHT)),
        *((each, True) for each in (_BULK if NIGHTLY else ())),
    ],
)
def test_the_rows_are_those_of_the_query_over_all(name: str, bulk: bool, tmp_path: Path) -> None:
    """Also where another engine goes on from what one has left behind, on its way."""
    *batches, last = history(_BATCHES + (name == _LATER))
    drive = Drive(DDL, {**FOLDED, **BY_ROW}[name], bulk)
    right = drive.expected_rows([*batches, last])
    for number, each in enumerate(batches):
        drive.step(each)
        if number in _RESTARTS:
            drive.restart(tmp_path)
    cuts = drive.horizons
    assert bool(cuts) == (name in FOLDED)
    assert None not in cuts, "each window has been folded"
    drive.step(last, ended=True)
    drive.engine.close()
    assert len(right) > 4
    assert by_value(drive.rows) == by_value(right)


@pytest.mark.parametrize("bulk", _WAYS)
def test_state_does_not_grow(bulk: bool, tmp_path: Path) -> None:
    """Of many micro-batches of five rows no more than of three."""
    drive = Drive(DDL, _TOTAL, bulk)
    for each in history(_LONG):
        drive.step(each)
    assert max(drive.retained) <= 15
    assert drive.totals(tmp_path) == 3  # of a, b and NULL
    drive.engine.close()


def test_totals_by_hand() -> None:
    """Ties on the cut come into the frames of both; the totals go on behind it."""
    drive = Drive(DDL, "SELECT STREAM rowtime, v, SUM(v) OVER (ORDER BY rowtime) AS s FROM S")
    times = [0, 1, 2, 2, 3, 3, 3, 4, 5, 5]
    rows = [(each, None, 1, None, None, None, None) for each in times]
    for each in ([*rows[:2]], [*rows[2:4]], [*rows[4:6]], [*rows[6:7]], [*rows[7:]]):
        drive.step({("S",): each})
    drive.step({}, ended=True)
    assert drive.rows == [
        (0, 1, 1), (1, 1, 2), (2, 1, 4), (2, 1, 4), (3, 1, 7), (3, 1, 7), (3, 1, 7), (4, 1, 8),
        (5, 1, 10), (5, 1, 10),
    ]  # fmt: skip


#: The number of rows: each micro-batch has five, and each time has four.
_TIED: Final = scaled(20, 40)


def test_ties_count_as_they_came_before_and_behind_the_cut() -> None:
    """Frames of rows go by arrival among those of one time, of which each gives its own count."""
    drive = Drive(
        DDL,
        "SELECT STREAM rowtime, v, COUNT(*) OVER (ORDER BY rowtime ROWS UNBOUNDED PRECEDING)"
        " AS c FROM S",
    )
    rows = [(each // 4, None, each, None, None, None, None) for each in range(_TIED)]
    for start in range(0, _TIED, 5):
        drive.step({("S",): rows[start : start + 5]})
    drive.step({}, ended=True)
    assert drive.rows == [(each // 4, each, each + 1) for each in range(_TIED)]


@pytest.mark.parametrize("bulk", _WAYS_OF_PREFIXES)
def test_retained_prefixes_do_not_grow(bulk: bool, tmp_path: Path) -> None:
    """The total and the last row of each of three keys, and the rows since the cut, are enough."""
    sql = (
        "SELECT STREAM rowtime, k, SUM(v) OVER w AS s, LAG(v) OVER w AS l FROM S"
        f" WINDOW w AS ({_BY_KEY})"
    )
    drive, batches = Drive(DDL, sql, bulk), history(_LONG)
    for each in batches:
        drive.step(each)
    assert max(drive.retained) <= 15
    assert drive.totals(tmp_path) == 6
    drive.step({}, ended=True)
    assert by_value(drive.rows) == by_value(drive.expected_rows(batches))
    drive.engine.close()


def test_retained_prefixes_by_hand() -> None:
    """The last two of a key, however old; of ties the later ones; the first of each value."""
    drive = Drive(
        DDL,
        "SELECT STREAM rowtime, SUM(v) OVER (w ROWS 2 PRECEDING) AS s, LAG(v, 2) OVER w AS l,"
        " COUNT(DISTINCT v) OVER (w ROWS UNBOUNDED PRECEDING) AS d FROM S"
        " WINDOW w AS (PARTITION BY k ORDER BY rowtime)",
    )

    def rows(*each: tuple[int, str, int]) -> dict[Name, Sequence[Row]]:
        return {("S",): [(time, k, v, None, None, None, None) for time, k, v in each]}

    drive.step(rows((0, "a", 1), (0, "b", 5), (0, "a", 2), (0, "a", 2), (0, "a", 4)))
    drive.step(rows((1, "b", 5), (1, "b", 5), (1, "b", 7), (2, "b", 7), (2, "b", 7)))
    drive.step(rows((3, "b", 0), (4, "b", 0), (5, "b", 0), (6, "b", 0), (7, "b", 0)))
    assert None not in drive.horizons
    drive.step(rows((8, "a", 8), (9, "a", 1), (9, "b", 7)))
    drive.step({}, ended=True)
    assert drive.rows[:5] == [(0, 1, None, 1), (0, 5, None, 1), (0, 3, None, 2), (0, 5, 1, 2),
                            (0, 8, 2, 3)]  # fmt: skip
    assert drive.rows[-3:] == [(8, 14, 2, 4), (9, 13, 4, 4), (9, 7, 0, 3)]


def test_ties_leave_as_they_came_past_a_cut() -> None:
    """Rows of one time and of several keys, beside totals and behind past rows."""
    sql = (
        f"SELECT STREAM rowtime, k, v, SUM(v) OVER w AS s, LAG(v) OVER w AS l FROM S"
        f" WINDOW w AS ({_BY_KEY})"
    )
    drive, batches = Drive(DDL, sql), history(scaled(4, 6))
    right = drive.expected_rows(batches)
    assert right != sorted(right, key=lambda row: (row[0], repr(row[1:]))), "keys alone tell it"
    assert drive.run(batches) == right


@pytest.mark.parametrize("bulk", _WAYS)
def test_the_totals_of_a_partition_that_is_complete_go(bulk: bool, tmp_path: Path) -> None:
    """Of steps of ten seconds, many of three keys, the totals of the last ones are left."""
    drive = Drive(DDL, FOLDED["in steps"], bulk)
    totals: list[int] = []
    for each in history(_LONG):
        drive.step(each)
        totals.append(drive.totals(tmp_path))
    assert 0 < max(totals) <= 6
    drive.engine.close()


def test_an_overflow_stays_one() -> None:
    """The total is in front of the cut, the row that is too much behind it."""
    drive = Drive(DDL, "SELECT STREAM rowtime, SUM(b) OVER (ORDER BY rowtime) AS s FROM S")
    most = 2**63 - 1
    drive.step({("S",): [(each, None, None, each, None, None, None) for each in range(9)]})
    drive.step({("S",): [(9, None, None, most - 36, None, None, None)]})
    drive.step({("S",): [(10, None, None, -1, None, None, None)]})
    assert drive.rows[-1] == (9, most)
    drive.step({("S",): [(11, None, None, 2, None, None, None)]})
    assert drive.rows[-1] == (10, most - 1)
    with pytest.raises(SqlError) as raised:
        drive.step({("S",): [(12, None, None, 0, None, None, None)]})
    assert raised.value.code is Code.OVERFLOW
    drive.engine.close()


_BY_STEP: Final = f"PARTITION BY {_STEP} ORDER BY rowtime"
#: Each of these needs all its values, or stands beside one that does; so their partitions end.
RETAINED: Final = {
    "median and list": (
        "SELECT STREAM rowtime, MEDIAN(x) OVER w AS m, LISTAGG(k, ',') OVER w AS l FROM S"
        f" WINDOW w AS ({_BY_STEP})"
    ),
    "another's rows": (
        "SELECT STREAM rowtime, SUM(v) OVER w AS s, MEDIAN(x) OVER w AS c FROM S"
        f" WINDOW w AS (PARTITION BY {_STEP}, k ORDER BY rowtime)"
    ),
}


@pytest.mark.parametrize("name", RETAINED if NIGHTLY else ["another's rows"])
def test_what_has_no_total_keeps_its_rows_until_the_partition_is_complete(name: str) -> None:
    """And gives what it gave."""
    batches = history(4)
    drive = Drive(DDL, RETAINED[name])
    for each in batches:
        drive.step(each)
    assert drive.horizons == ()
    assert max(drive.retained) < 15, "of 20 rows"
    drive.step({}, ended=True)
    assert by_value(drive.rows) == by_value(drive.expected_rows(batches))
    drive.engine.close()


@st.composite
def histories(draw: st.DrawFn) -> Batches:
    """Micro-batches of rows whose times go on, or stand still."""
    time, number, found = 0, 0, list[dict[Name, Sequence[Row]]]()
    for _ in range(draw(st.integers(3, 6))):
        rows: list[Row] = []
        for _ in range(draw(st.integers(0, 6))):
            time += draw(st.sampled_from((0, 0, 1, 3)))
            number = draw(st.integers(0, 60))
            rows.append(row(time, number))
        found.append({("S",): rows, ("T",): ()})
    return found


@examples(2, 100)
@given(
    name=st.sampled_from(sorted({**FOLDED, **BY_ROW})),
    batches=histories(),
    profile=st.sampled_from(sorted(Profile)),
)
def test_totals_never_show(name: str, batches: Batches, profile: Profile) -> None:
    """Not in rows, and not in errors: what overflows does so in both."""
    drive = Drive(DDL, {**FOLDED, **BY_ROW}[name], profile=profile)
    try:
        right = drive.expected_rows(batches)
    except SqlError as error:
        with pytest.raises(SqlError, match=str(error.code)):
            drive.run(batches)
        drive.engine.close()
        return
    assert by_value(drive.run(batches)) == by_value(right)
