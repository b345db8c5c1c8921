"""The protocol of schedules.  Each operator's schedule is a class in its own module."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Final

from algebra.expression import Expression
from algebra.metadata.durations import NONE, WHOLE, Duration
from grammar.codes import Code

#: The completion of a row that never waits.
IMMEDIATELY: Final = "at once"


class StateKind(Enum):
    """The form in which rows are retained."""

    ROWS = "rows"
    ACCUMULATORS = "accumulators"  # a fixed-size summary of the rows of a group
    TABLE = "table"  # the rows of an input that does not stream
    # Of a changelog: until they are deleted.
    VALID_ROWS = "valid rows"
    VALID_GROUPS = "accumulators of valid rows"


@dataclass(frozen=True, slots=True)
class Retained:
    """A kind of state that a node retains of its input at ``port``.

    ``duration`` is the age that a row or group reaches; None: it is retained for ever. ``per``: one
    for each value of these expressions over that input's columns.
    """

    kind: StateKind
    duration: Duration | None
    per: tuple[Expression, ...] = ()
    port: int = 0


class Schedule(ABC):
    """When an operator emits its rows, and the state that it retains until then.

    The methods describe an operator that streams; the two methods ``…_of_relation`` describe the
    same operator in a plan that does not stream.
    """

    #: The code of the rule that the operator breaks if its latency or its state is unbounded.
    code: ClassVar[Code]

    @abstractmethod
    def latency(self) -> Duration:
        """How long the operator may delay a row, counted as `facts.latency` describes."""

    @abstractmethod
    def state(self) -> tuple[Retained, ...]:
        """The rows or accumulators that the operator retains."""

    @abstractmethod
    def completion(self) -> str:
        """The event that completes a row, in words; `IMMEDIATELY` if it never waits."""

    @abstractmethod
    def reason(self) -> str:
        """The condition for which a row waits after all of its input rows have arrived, in words.

        Empty if it does not wait.
        """

    def latency_of_relation(self) -> Duration:
        """`WHOLE` if all rows must be read before the first one is emitted, else `NONE`."""
        return WHOLE

    @abstractmethod
    def state_of_relation(self) -> tuple[Retained, ...]:
        """The rows or accumulators that the operator retains of relations."""


class Immediately(Schedule):
    """The schedule of an operator that emits each row when it arrives, and retains none."""

    code = Code.UNBOUNDED_FRAME  # of no importance: neither latency nor state is unbounded

    def latency(self) -> Duration:
        """`NONE`."""
        return NONE

    def state(self) -> tuple[Retained, ...]:
        """Nothing."""
        return ()

    def completion(self) -> str:
        """`IMMEDIATELY`."""
        return IMMEDIATELY

    def reason(self) -> str:
        """No reason."""
        return ""

    def latency_of_relation(self) -> Duration:
        """`NONE`."""
        return NONE

    def state_of_relation(self) -> tuple[Retained, ...]:
        """Nothing."""
        return ()
