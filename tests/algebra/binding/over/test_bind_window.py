"""OVER: windows named and refined, frames made explicit (S-505, S-506)."""

# ruff: noqa: ISC004 - long queries in tables

import pytest

from algebra.catalog import Profile
from algebra.expression import InputRef, SortKey
from algebra.plan import (
    Delta,
    Exclude,
    Frame,
    GroupOffset,
    Project,
    RangeOffset,
    RowOffset,
    RowsWindow,
    TimeWindow,
    Unbounded,
    Window,
    WindowGroup,
    WindowJoin,
)
from tests.algebra.page_schema import TICKS, ready, shown


def group(call: str, source: str = "Orders", profile: Profile = Profile.CALCITE) -> WindowGroup:
    """The one window of a query of this call."""
    plan = ready(f"SELECT {call} FROM {source}", profile=profile).query
    assert isinstance(plan, Project)
    assert isinstance(plan.input, Window)
    (found,) = plan.input.groups
    return found


def ends(frame: Frame) -> tuple[str, str]:
    """A frame in short: ``*`` unbounded, ``3`` rows on, ``=`` peers, ``<5`` by a distance."""
    texts: list[str] = []
    for each in (frame.start, frame.end):
        match each:
            case Unbounded():
                texts.append("*")
            case RowOffset(rows):
                texts.append(str(rows))
            case GroupOffset(groups):
                texts.append(f"{groups} groups")
            case RangeOffset(distance, preceding):
                sign = "<" if preceding else ">"
                texts.append(f"{sign}{distance.value!r}" if distance.value else "=")
    return texts[0], texts[1]


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        ("", ("*", "=")),
        ("ROWS 2 PRECEDING", ("-2", "0")),
        ("ROWS 2 FOLLOWING", ("0", "2")),
        ("ROWS CURRENT ROW", ("0", "0")),
        ("ROWS UNBOUNDED PRECEDING", ("*", "0")),
        ("ROWS UNBOUNDED FOLLOWING", ("0", "*")),
        ("ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING", ("-3", "-1")),
        ("ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING", ("1", "*")),
        ("GROUPS 2 PRECEDING", ("-2 groups", "0 groups")),
        ("GROUPS 1 FOLLOWING", ("0 groups", "1 groups")),
        ("GROUPS UNBOUNDED PRECEDING", ("*", "0 groups")),
        ("GROUPS BETWEEN 3 PRECEDING AND 1 PRECEDING", ("-3 groups", "-1 groups")),
        ("GROUPS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", ("0 groups", "*")),
        ("RANGE CURRENT ROW", ("=", "=")),
        ("RANGE INTERVAL '1' SECOND PRECEDING", ("<1000", "=")),
        ("RANGE INTERVAL '1' SECOND FOLLOWING", ("=", ">1000")),
        ("RANGE INTERVAL '2' MONTH PRECEDING", ("<2", "=")),
        ("RANGE BETWEEN INTERVAL '1' SECOND PRECEDING AND INTERVAL '0' SECOND PRECEDING",
         ("<1000", "=")),
    ],
)  # fmt: skip
def test_frames_are_explicit(frame: str, expected: tuple[str, str]) -> None:
    assert ends(group(f"SUM(units) OVER (ORDER BY rowtime {frame})").frame) == expected


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        ("", ("*", "0")),
        ("RANGE CURRENT ROW", ("0", "0")),
        ("RANGE INTERVAL '1' SECOND PRECEDING", ("<1000", "0")),
        ("RANGE BETWEEN INTERVAL '1' SECOND PRECEDING AND INTERVAL '0' SECOND PRECEDING",
         ("<1000", "=")),
    ],
)  # fmt: skip
def test_current_row_is_the_row_itself_in_sqlstream(frame: str, expected: tuple[str, str]) -> None:
    found = group(f"SUM(units) OVER (ORDER BY rowtime {frame})", profile=Profile.SQLSTREAM)
    assert ends(found.frame) == expected


@pytest.mark.parametrize("profile", Profile)
def test_groups_are_of_peers_in_every_profile(profile: Profile) -> None:
    found = group("SUM(units) OVER (ORDER BY rowtime GROUPS CURRENT ROW)", profile=profile)
    assert ends(found.frame) == ("0 groups", "0 groups")


@pytest.mark.parametrize(
    ("written", "exclude"),
    [
        ("", Exclude.NO_OTHERS),
        ("EXCLUDE NO OTHERS", Exclude.NO_OTHERS),
        ("EXCLUDE CURRENT ROW", Exclude.CURRENT_ROW),
        ("EXCLUDE GROUP", Exclude.GROUP),
        ("EXCLUDE TIES", Exclude.TIES),
    ],
)
def test_a_frame_leaves_out_what_it_says(written: str, exclude: Exclude) -> None:
    found = group(f"SUM(units) OVER (ORDER BY rowtime ROWS 2 PRECEDING {written})")
    assert found.frame == Frame(RowOffset(-2), RowOffset(0), exclude)


@pytest.mark.parametrize(
    "call",
    [
        "SUM(units) OVER (ORDER BY rowtime GROUPS BETWEEN 1 PRECEDING AND 2 FOLLOWING)",
        "SUM(units) OVER (ORDER BY rowtime GROUPS CURRENT ROW EXCLUDE TIES)",
        "MAX(units) OVER (ORDER BY rowtime ROWS 5 PRECEDING EXCLUDE GROUP)",
        "LISTAGG('x') OVER (ORDER BY rowtime ROWS 5 PRECEDING)",
        "SUM(units) OVER (PARTITION BY FLOOR(rowtime TO HOUR) ORDER BY units "
        "GROUPS BETWEEN 1 PRECEDING AND UNBOUNDED FOLLOWING)",
    ],
)
def test_a_bounded_frame_of_groups_may_stream(call: str) -> None:
    assert ready(f"SELECT STREAM rowtime, {call} FROM Orders").query is not None


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("RANK()", ("*", "0")),
        ("ROW_NUMBER()", ("*", "0")),
        ("CUME_DIST()", ("*", "*")),
        ("NTILE(4)", ("*", "*")),
        ("LAG(units)", ("-1", "0")),
        ("LAG(units, 3)", ("-3", "0")),
        ("LAG(units, 3) IGNORE NULLS", ("*", "0")),
        ("LEAD(units, 2)", ("0", "2")),
        ("LEAD(units) IGNORE NULLS", ("*", "*")),
        ("FIRST_VALUE(units)", ("*", "=")),
    ],
)
def test_functions_of_places_have_the_frame_they_depend_on(
    call: str, expected: tuple[str, str]
) -> None:
    assert ends(group(f"{call} OVER (ORDER BY rowtime)").frame) == expected


def test_a_window_over_a_stream_without_order_is_running() -> None:
    found = group("SUM(units) OVER (PARTITION BY FLOOR(rowtime TO HOUR))")
    assert [(type(k.expression), k.descending) for k in found.order] == [(InputRef, False)]
    assert isinstance(found.order[0].expression, InputRef)
    assert found.order[0].expression.index == 0
    assert ends(found.frame) == ("*", "=")


def test_it_is_the_same_over_the_history_and_over_a_view_of_it() -> None:
    assert (
        group("SUM(su) OVER ()", "HourlyOrderTotals").order[0].expression
        == group("SUM(su) OVER (ORDER BY rowtime)", "HourlyOrderTotals").order[0].expression
    )
    streaming = ready("SELECT STREAM SUM(units) OVER () FROM Orders").query
    assert isinstance(streaming, Delta)
    assert isinstance(streaming.input, Project)
    assert isinstance(streaming.input.input, Window)
    assert streaming.input.input.groups[0] == group("SUM(units) OVER ()")


def test_a_window_over_a_descending_stream_is_ordered_downwards() -> None:
    plan = ready("SELECT STREAM COUNT(*) OVER () FROM Countdown").query
    assert isinstance(plan, Delta)
    assert isinstance(plan.input, Project)
    assert isinstance(plan.input.input, Window)
    (key,) = plan.input.input.groups[0].order
    assert isinstance(key, SortKey)
    assert key.descending


def test_a_window_over_a_table_without_order_is_the_partition() -> None:
    found = group("COUNT(*) OVER (PARTITION BY name)", "Products")
    assert found.order == ()
    assert ends(found.frame) == ("*", "*")


@pytest.mark.parametrize(
    "spelling",
    [
        "SELECT SUM(units) OVER (PARTITION BY productId ORDER BY rowtime ROWS 2 PRECEDING) AS s "
        "FROM Orders",
        "SELECT SUM(units) OVER w AS s FROM Orders "
        "WINDOW w AS (PARTITION BY productId ORDER BY rowtime ROWS 2 PRECEDING)",
        "SELECT SUM(units) OVER (w ROWS 2 PRECEDING) AS s FROM Orders "
        "WINDOW w AS (ORDER BY rowtime PARTITION BY productId)",
        "SELECT SUM(units) OVER w (ROWS 2 PRECEDING) AS s FROM Orders "
        "WINDOW v AS (PARTITION BY productId), w AS (v ORDER BY rowtime)",
    ],
)
def test_a_window_may_be_inline_named_or_refined(spelling: str) -> None:
    assert shown(spelling).splitlines()[1].strip() == (
        "LogicalWindow(window#0=[partition {$1} order by [$0 ASC] between 2 ROWS PRECEDING and "
        "CURRENT ROW aggs [SUM($3)]], names=[[$w0]])"
    )


def test_calls_of_one_window_share_a_group_and_equal_calls_a_column() -> None:
    text = shown(
        "SELECT SUM(units) OVER w AS a, COUNT(*) OVER (ORDER BY orderId) AS b, "
        "MAX(units) OVER w AS c, SUM(units) OVER w + 1 AS d FROM Orders "
        "WINDOW w AS (ORDER BY rowtime)"
    )
    assert text.splitlines()[0] == ("LogicalProject(A=[$4], B=[$6], C=[$5], D=[+($4, 1)])")
    assert text.count("window#") == 2


def test_a_window_over_groups_reads_the_aggregate() -> None:
    text = shown(
        "SELECT STREAM FLOOR(rowtime TO HOUR) AS rowtime, "
        "SUM(SUM(units)) OVER (ORDER BY FLOOR(rowtime TO HOUR) ROWS 2 PRECEDING) AS s, "
        "COUNT(*) AS c FROM Orders GROUP BY FLOOR(rowtime TO HOUR)"
    )
    lines = [line.strip() for line in text.splitlines()]
    assert lines[1] == "LogicalProject(ROWTIME=[$0], S=[$3], C=[$2])"
    assert lines[2].startswith("LogicalWindow(window#0=[partition {} order by [$0 ASC]")
    assert lines[3] == (
        "LogicalAggregate(group=[{FLOOR($0, FLAG(HOUR))}], $m0=[SUM($3)], $m1=[COUNT()])"
    )


@pytest.mark.parametrize(
    ("over", "window"),
    [
        ("RANGE CURRENT ROW", TimeWindow(0, 0)),
        ("RANGE INTERVAL '1' MINUTE PRECEDING", TimeWindow(60_000, 0)),
        ("RANGE INTERVAL '1' MINUTE FOLLOWING", TimeWindow(0, 60_000)),
        (
            "RANGE BETWEEN INTERVAL '1' MINUTE PRECEDING AND INTERVAL '2' MINUTE FOLLOWING",
            TimeWindow(60_000, 120_000),
        ),
        ("RANGE BETWEEN INTERVAL '1' MINUTE PRECEDING AND CURRENT ROW", TimeWindow(60_000, 0)),
        ("ROWS CURRENT ROW", RowsWindow(1)),
        ("ROWS 2 PRECEDING", RowsWindow(3)),
    ],
)
def test_a_from_item_has_its_window_in_the_join(over: str, window: TimeWindow | RowsWindow) -> None:
    sql = f"SELECT STREAM ROWTIME FROM Trades OVER ({over}) AS t JOIN Asks AS a ON TRUE"
    plan = ready(sql, ddl=TICKS, profile=Profile.SQLSTREAM).query
    assert isinstance(plan, Delta)
    assert isinstance(plan.input, Project)
    join = plan.input.input
    assert isinstance(join, WindowJoin)
    assert (join.left_window, join.right_window) == (window, TimeWindow(0, 0))


def test_a_window_in_from_without_a_join_changes_nothing() -> None:
    alone = "SELECT STREAM price FROM Trades OVER (RANGE CURRENT ROW) AS t"
    plain = "SELECT STREAM price FROM Trades AS t"
    for profile in Profile:
        ddl = TICKS.replace("(ticker", "(rowtime TIMESTAMP(3) ASCENDING, ticker")
        assert (
            ready(alone, ddl=ddl, profile=profile).query
            == ready(plain, ddl=ddl, profile=profile).query
        )
