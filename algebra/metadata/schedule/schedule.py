"""`Schedule`: when an operator emits its rows, and the state that it retains (S-408).

Each operator's schedule is a subclass in a module of its own.
"""

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
    VALID_ROWS = "valid rows"  # in a changelog: rows until they are deleted
    VALID_GROUPS = "accumulators of valid rows"  # in a changelog: until all their rows are deleted


@dataclass(frozen=True, slots=True)
class Retained:
    """An item of the state of a node: rows or accumulators of the input at ``port``.

    ``duration`` is the age that a row or group reaches; None: it is retained for ever.  There is
    one set of rows, or one accumulator, for each value of the expressions ``per`` over the columns
    of that input.
    """

    kind: StateKind
    duration: Duration | None
    per: tuple[Expression, ...] = ()
    port: int = 0


class Schedule(ABC):
    """When an operator emits its rows, and the state that it retains until then.

    The methods describe an operator that streams.  The two methods ``…_of_relation`` describe the
    same operator in a plan that does not stream.
    """

    #: The code with which a query is rejected if the operator's latency or state is unbounded.
    code: ClassVar[Code]

    @abstractmethod
    def latency(self) -> Duration:
        """How long the operator may delay a row; `facts.latency` describes from when it counts."""

    @abstractmethod
    def state(self) -> tuple[Retained, ...]:
        """The rows or accumulators that the operator retains."""

    @abstractmethod
    def completion(self) -> str:
        """The text of the event that completes a row; `IMMEDIATELY` if a row never waits."""

    @abstractmethod
    def reason(self) -> str:
        """The text of the condition for which a row waits after all of its input rows have arrived.

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

    code = Code.UNBOUNDED_FRAME  # never used, because neither latency nor state is unbounded

    def latency(self) -> Duration:
        """`NONE`: no row waits."""
        return NONE

    def state(self) -> tuple[Retained, ...]:
        """Empty: nothing is retained."""
        return ()

    def completion(self) -> str:
        """`IMMEDIATELY`, because no row waits."""
        return IMMEDIATELY

    def reason(self) -> str:
        """Empty, because no row waits."""
        return ""

    def latency_of_relation(self) -> Duration:
        """`NONE`: no row waits."""
        return NONE

    def state_of_relation(self) -> tuple[Retained, ...]:
        """Empty: nothing is retained."""
        return ()
