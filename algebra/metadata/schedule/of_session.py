"""The schedule of Session: a session is emitted when the bound has reached its end (S-902).

A session ends one gap after its last row, if no other row of its key comes in between.
"""

from dataclasses import dataclass

from algebra.functions.datetimes import time_text
from algebra.metadata.durations import WHOLE, BoundAdvance, Duration
from algebra.metadata.runs import until_ordered
from algebra.metadata.schedule.schedule import Retained, Schedule, StateKind
from algebra.plan import Session, gap_of
from algebra.spelling import names_of, spelled
from grammar.codes import Code


@dataclass(frozen=True, slots=True)
class SessionSchedule(Schedule):
    """The schedule of ``plan``."""

    plan: Session
    # Used if the time of the sessions does not ascend.
    code = Code.NO_MONOTONIC_KEY

    def latency(self) -> Duration:
        """How long, from the last row of a session, until the bound has reached the session's end.

        Unbounded if the time does not ascend.

        Defines: S-902.l
        """
        return until_ordered(self.plan.time, self.plan.input).plus(Duration(gap_of(self.plan)))

    def state(self) -> tuple[Retained, ...]:
        """The rows of the open sessions."""
        # Rows wait as long as the session lasts, which only the data decide: an advance without an
        # amount.
        apart = BoundAdvance(f"rows less than {time_text(gap_of(self.plan))} apart", None)
        return (Retained(StateKind.ROWS, self.latency().plus(Duration(advances=(apart,)))),)

    def completion(self) -> str:
        """The advance of the time to the end of the session."""
        time = spelled(self.plan.time, names_of(self.plan.input))
        return f"the rows of a session, when {time} has reached its end"

    def reason(self) -> str:
        """The bound at the end of the session."""
        return "a bound at the end of its session (S-902)"

    def state_of_relation(self) -> tuple[Retained, ...]:
        """All rows of the input."""
        return (Retained(StateKind.ROWS, WHOLE),)
