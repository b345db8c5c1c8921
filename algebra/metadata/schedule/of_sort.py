"""The schedule of Sort: a row waits for all rows that sort before it (S-507)."""

from dataclasses import dataclass

from algebra.functions.datetimes import max_millis, time_text
from algebra.metadata.collation import sorted_on
from algebra.metadata.durations import INSTANT, NONE, WHOLE, Duration, unbounded
from algebra.metadata.runs import until_complete, until_ordered
from algebra.metadata.schedule.schedule import IMMEDIATELY, Retained, Schedule, StateKind
from algebra.monotonicity.columns import OrderOf, column_monotonicity
from algebra.plan import Project, Sort
from algebra.spelling import names_of, spelled
from grammar.codes import Code


@dataclass(frozen=True, slots=True)
class SortSchedule(Schedule):
    """The schedule of ``plan``."""

    plan: Sort
    code = Code.NOT_MONOTONIC_ORDER

    def latency(self) -> Duration:
        """How long until the first key's bound has passed a row; `NONE` if rows arrive sorted.

        If the first key is the only key, its bound must only have reached the row.  With WITHIN,
        the wait is the slack that the clause declares.
        """
        keys, input, within = self.plan.keys, self.plan.input, self.plan.within
        first = keys[0]
        if within is not None:
            slack = Duration(max_millis(within))
            return slack if len(keys) == 1 else slack.plus(INSTANT)
        if sorted_on(input, keys):
            return NONE
        # The order of the first key's bounds, as the only column of a projection.
        columns = column_monotonicity(Project(input, (first.expression,), ("K",)), OrderOf.BOUNDS)
        if columns[0].progresses and columns[0].descending != first.descending:
            return unbounded("the rows go against the direction of ORDER BY")
        # With further keys, all rows with an equal first key must have arrived to be sorted.
        wait = until_ordered if len(keys) == 1 else until_complete
        return wait(first.expression, input)

    def state(self) -> tuple[Retained, ...]:
        """The rows that wait; nothing if rows arrive sorted."""
        wait = self.latency()
        return () if wait == NONE else (Retained(StateKind.ROWS, wait),)

    def completion(self) -> str:
        """The text of the advance that completes a row: of the first key, or of its bound.

        With WITHIN, the first key advances by the slack; else its bound passes the row.
        """
        keys, input, within = self.plan.keys, self.plan.input, self.plan.within
        first = spelled(keys[0].expression, names_of(input))
        if within is not None:
            slack = time_text(max_millis(within))
            has_come = "has come to" if len(keys) == 1 else "has come further than"
            return f"a row, when {first} {has_come} {slack} beyond it"
        if sorted_on(input, keys):
            return f"{IMMEDIATELY}: rows arrive in this order"
        return f"the rows of one {first}, when it has passed"

    def reason(self) -> str:
        """The text for the rows that must be emitted before a row."""
        return "all rows that sort before it (S-507)"

    def state_of_relation(self) -> tuple[Retained, ...]:
        """All rows of the input."""
        return (Retained(StateKind.ROWS, WHOLE),)
