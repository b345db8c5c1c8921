"""The schedule of a set operation: UNION ALL waits for the other inputs, others for equal rows."""

from dataclasses import dataclass

from algebra.metadata.durations import NONE, SKEW, WHOLE, Duration, max_of, min_of, unbounded
from algebra.metadata.runs import until_complete
from algebra.metadata.schedule.schedule import Retained, Schedule, StateKind
from algebra.monotonicity.columns import OrderOf, column_monotonicity
from algebra.plan import SetOp, columns
from algebra.spelling import names_of
from grammar.codes import Code
from grammar.tree import SetOperator


@dataclass(frozen=True, slots=True)
class SetOperationSchedule(Schedule):
    """The schedule of ``plan``."""

    plan: SetOp
    code = Code.NO_MONOTONIC_KEY

    @property
    def _merges(self) -> bool:
        """Whether the operation is UNION ALL, which merges rows and does not compare them."""
        return self.plan.all and self.plan.operator is SetOperator.UNION

    def _bounded_columns(self) -> list[int]:
        """The places of the columns whose bounds complete groups of equal rows."""
        orders = column_monotonicity(self.plan, OrderOf.BOUNDS)
        return [i for i, each in enumerate(orders) if each.progresses]

    def latency(self) -> Duration:
        """UNION ALL waits for the other inputs' bounds, other operations for all equal rows."""
        if self._merges:
            return SKEW
        never = unbounded("equal rows are never all there: no column is monotonic in all inputs")
        bounded = self._bounded_columns()
        return max_of(
            min_of((never, *(until_complete(columns(each)[i], each) for i in bounded)))
            for each in self.plan.inputs
        ).plus(SKEW)

    def state(self) -> tuple[Retained, ...]:
        """For UNION ALL, the rows that wait for another input; else an accumulator for each row."""
        if self._merges:
            ports = range(len(self.plan.inputs))
            return tuple(Retained(StateKind.ROWS, SKEW, port=i) for i in ports)
        return (Retained(StateKind.ACCUMULATORS, self.latency(), columns(self.plan)),)

    def completion(self) -> str:
        """For UNION ALL, the bounds of the other inputs; else the bounds that pass equal rows."""
        if self._merges:
            return "a row, when the bound of every other input has reached it"
        names = names_of(self.plan)
        by = " or ".join(names[i] for i in self._bounded_columns())
        return f"equal rows, when {by} has passed them in every input" if by else "never"

    def reason(self) -> str:
        """For UNION ALL, the progress of the other inputs; else the bounds that pass equal rows."""
        if self._merges:
            return "every input of UNION ALL to reach its time (S-502)"
        return f"bounds that complete the equal rows of {self.plan.operator} (S-502)"

    def latency_of_relation(self) -> Duration:
        """`NONE` for UNION ALL, which emits the rows of one input after the other; else `WHOLE`."""
        return NONE if self._merges else WHOLE

    def state_of_relation(self) -> tuple[Retained, ...]:
        """Nothing for UNION ALL; else an accumulator for each distinct row."""
        if self._merges:
            return ()
        return (Retained(StateKind.ACCUMULATORS, WHOLE, columns(self.plan)),)
