"""Generated windows over rows with ties, and with keys exactly as far apart as a frame reaches."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from tck.protocol import Wire, WireRow
from tests.differential.queries import Queries, Question
from tests.differential.schema import Features, TableSchema, digits
from tests.differential.sqltypes import (
    BIGINT,
    DATE,
    DOUBLE,
    INTEGER,
    TIMESTAMP,
    Kind,
    SqlType,
    decimal,
)
from tests.differential.tree import (
    Column,
    End,
    Expression,
    Frame,
    Interval,
    Over,
    Select,
    SortKey,
    Table,
)


@dataclass(frozen=True, slots=True)
class Axis:
    """A type of sort key: its keys lie ``step`` units apart, or one unit next to such a place.

    ``distances`` are one, two and three steps: so many keys are exactly that far apart.
    """

    type: SqlType
    step: int
    distances: tuple[int | str | Interval, ...]


def _days(count: int) -> Interval:
    return Interval(str(count), "DAY", millis=count * 86_400_000)


def _hours(count: int) -> Interval:
    return Interval(str(count), "HOUR", millis=count * 3_600_000)


_NUMBERS: Final = (
    Axis(INTEGER, 3, (3, 6, 9)),
    Axis(BIGINT, 3, (3, 6, 9)),
    Axis(decimal(6, 2), 50, ("0.50", "1", "1.50")),
    Axis(DOUBLE, 2, ("0.5", "1", "1.5")),
)
_TIMES: Final = (
    Axis(DATE, 3, (_days(3), _days(6), _days(9))),
    Axis(TIMESTAMP, 3_600_000, (_hours(1), _hours(2), _hours(3))),
    Axis(DATE, 31, tuple(Interval(str(n), "MONTH", months=n) for n in (1, 2, 3))),
)
_MIDNIGHT: Final = datetime(2015, 1, 30)
_EXCLUDED: Final = (None, None, None, None, "CURRENT ROW", "GROUP", "TIES", "NO OTHERS")
_RESULTS: Final[Mapping[str, SqlType]] = {
    "COUNT": BIGINT, "SUM": BIGINT, "AVG": DOUBLE, "MIN": INTEGER, "MAX": INTEGER,
}  # fmt: skip


def _key(type: SqlType, units: int) -> Wire:
    """The key at so many units; a DOUBLE's are quarters."""
    match type.kind:
        case Kind.DECIMAL:
            return digits(units, type.scale)
        case Kind.DOUBLE:
            return units / 4
        case Kind.DATE:
            return str(date(2015, 1, 30) + timedelta(days=units))
        case Kind.TIMESTAMP:
            text = str(_MIDNIGHT + timedelta(milliseconds=units))
            return text[:23] if "." in text else text
        case _:
            return units


@st.composite
def frame_questions(draw: DrawFn, features: Features) -> Question:
    """Aggregates over one window of a table of twelve rows or fewer.

    Each row's value is a power of two of its own, so that the SUM tells which rows a frame holds.
    """
    axis = draw(st.sampled_from([*_NUMBERS, *(_TIMES if features.interval_frames else ())]))
    places = st.tuples(st.integers(-1, 3), st.sampled_from([0, 0, 0, 0, -1, 1]))
    keys: list[Wire] = [
        _key(axis.type, step * axis.step + beside)
        for step, beside in draw(st.lists(places, min_size=4, max_size=12))
    ]
    if draw(st.integers(0, 2)) == 2:  # the fast way is for partitions without NULLs
        keys[draw(st.integers(0, len(keys) - 1))] = None
    rows: list[WireRow] = [
        (key, draw(st.sampled_from([1, 1, 2])), 2**i) for i, key in enumerate(keys)
    ]
    table = TableSchema("T0", (("K", axis.type), ("G", INTEGER), ("V", INTEGER)), tuple(rows))
    key, group, value = (Column("R1", name, type) for name, type in table.columns)
    queries = Queries(draw, [table], features)
    unit = draw(st.sampled_from(["RANGE", "RANGE", "RANGE", "GROUPS"]))
    near, far = (
        draw(st.sampled_from(axis.distances if unit == "RANGE" else (1, 2))) for _ in range(2)
    )
    order = (queries.key(key),)
    frame = _frame(draw, queries, unit, near, far)
    partition = (group,) if draw(st.booleans()) else ()
    calls = [
        _call(each, value, partition, order, frame)
        for each in ("SUM", draw(st.sampled_from([*_RESULTS])))
    ]
    return Question((table,), Select((key, value, *calls), Table("T0", "R1")))


def _frame(
    draw: DrawFn,
    queries: Queries,
    unit: str,
    near: int | str | Interval,
    far: int | str | Interval,
) -> Frame:
    """A frame whose ends reach ``near`` or ``far``, or are unbounded, or at the row."""
    if _size(near) > _size(far):
        near, far = far, near
    ends = queries.ordered_ends(
        End(None), End(far), End(near), End(0), End(near, False), End(far, False),
        End(None, False),
    )  # fmt: skip
    excluded = draw(st.sampled_from(_EXCLUDED))
    return Frame("GROUPS" if unit == "GROUPS" else "RANGE", *ends, excluded)


def _size(distance: int | str | Interval) -> float:
    """How far a distance is, among those of one axis."""
    return float(distance.text if isinstance(distance, Interval) else distance)


def _call(
    function: str,
    value: Column,
    partition: tuple[Expression, ...],
    order: tuple[SortKey, ...],
    frame: Frame,
) -> Over:
    """An aggregate of ``value``."""
    return Over(function, (value,), _RESULTS[function], partition, order, frame)
