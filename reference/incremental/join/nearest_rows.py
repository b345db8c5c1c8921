"""The right rows of an ASOF join, which are searched for the nearest row of a key (S-904)."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from operator import itemgetter

from algebra.expression import Value
from algebra.monotonicity.progress import Bound
from reference.incremental.operator import State
from reference.incremental.runs import Runs
from reference.relation import Row
from reference.scalar.expression import Meaning
from reference.snapshot import stateful
from reference.values import is_nan

_time = itemgetter(0)


@stateful
class NearestRows:
    """Right rows, with searches for the last row before a time and the first row after it.

    ``key_on`` returns the key of a right row, ``time_on`` its time.  If ``strict``, a row at the
    searched time is neither before nor after it; if not, the row is both.

    Defines: S-904.i
    """

    def __init__(self, key_on: Callable[[Row], Row], time_on: Meaning, strict: bool) -> None:
        self._key_on = key_on
        self._time_on = time_on
        self._strict = strict
        self._rows: dict[Row, list[tuple[Value, Row]]] = {}
        self._times: Runs[Row] = Runs(descending=False)
        self._passed = False

    def add(self, row: Row) -> None:
        """Retain a row, unless its time is NULL, or a row with equal key and time is retained."""
        key, time = self._identity(self._key_on(row)), self._time_on(row)
        if time is None:
            return
        rows = self._rows.setdefault(key, [])
        place = bisect_left(rows, time, key=_time)
        if place == len(rows) or rows[place][0] != time:
            rows.insert(place, (time, row))
            self._times.put(time, key)

    def before(self, key: Row, time: Value) -> Row | None:
        """The row of ``key`` with the greatest time before ``time``; None if there is none."""
        rows = self._having(key)
        if not rows or time is None:
            return None
        place = self._count_before(rows, time)
        return rows[place - 1][1] if place else None

    def after(self, key: Row, time: Value) -> Row | None:
        """The row of ``key`` with the least time after ``time``; None if there is none."""
        rows = self._having(key)
        if not rows or time is None:
            return None
        bisect = bisect_right if self._strict else bisect_left
        place = bisect(rows, time, key=_time)
        return rows[place][1] if place < len(rows) else None

    def evict(self, first: Bound) -> None:
        """Evict the rows that `before` cannot return for ``first`` or a later time.

        Of the rows of a key before ``first``, only the last one is retained.
        """
        passed = self._times.passed(first) if self._strict else self._times.reached(first)
        for key in dict.fromkeys(key for run in passed for key in run):
            self._passed = True
            rows = self._rows[key]
            del rows[: max(0, self._count_before(rows, first.value) - 1)]

    def clear(self) -> None:
        """Evict all rows."""
        self._rows.clear()
        self._times = Runs(descending=False)

    def first(self) -> Bound | None:
        """The least time of the rows that `evict` has not passed; None if there is no such row."""
        return self._times.first()

    @property
    def has_passed(self) -> bool:
        """Whether `evict` has passed the time of a row."""
        return self._passed

    def _having(self, key: Row) -> list[tuple[Value, Row]]:
        """The times and rows of a key; empty if the key has a NULL or NaN, which equal no value."""
        if any(value is None or is_nan(value) for value in key):
            return []
        return self._rows.get(key, [])

    def _identity(self, key: Row) -> Row:
        """``key`` with NULL in place of NaN, under which its rows are retained.

        Rows with a NaN are then not distinguished from rows with a NULL.  This has no effect,
        because `_having` finds neither.
        """
        return tuple(None if is_nan(value) else value for value in key)

    def _count_before(self, rows: list[tuple[Value, Row]], time: Value) -> int:
        """The number of ``rows`` before ``time``; if not strict, a row at ``time`` counts, too."""
        bisect = bisect_left if self._strict else bisect_right
        return bisect(rows, time, key=_time)

    def _all(self) -> Iterator[Row]:
        return (row for rows in self._rows.values() for _, row in rows)

    def state(self) -> State:
        """The retained rows."""
        return State(sum(map(len, self._rows.values())), retained=self._all)
