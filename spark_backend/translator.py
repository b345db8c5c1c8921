"""The context of a plan's translation to Spark, by which operators translate their inputs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from itertools import count
from typing import TypeAlias

from pyspark.sql import SparkSession

from algebra.plan import Plan, Scan, Window
from spark_backend.relation import OuterRows, Relation, outer_references

#: A function that returns the rows of a Scan.
Source: TypeAlias = Callable[[Scan], Relation]


class Frames(Enum):
    """The ways to compute window frames; all three return the same values."""

    CHOSEN = auto()  # by the number of rows and the frame
    SPARK = auto()  # Spark, wherever it has the frame
    SLIDING = auto()  # `spark_backend.over.wide_frames`, wherever it has the function


@dataclass(frozen=True, slots=True)
class Spans:
    """A request for the rows of ``window`` in the half-open time ``[start, end)``, in milliseconds.

    The time is the column by which the window's one group is ordered.  Above the window its rows
    are at most filtered and projected.  The result has ``count`` partitions of Spark, each of which
    has the rows of one span of time; all spans have the same length.  ``unbounded``: the first span
    also has all rows before ``start``.
    """

    window: Window
    start: int
    end: int
    count: int
    unbounded: bool = False

    @property
    def length(self) -> int:
        """The length of one span, in milliseconds; the last one may be cut off at ``end``."""
        return max(1, -(-(self.end - self.start) // self.count))  # rounded up


@dataclass(frozen=True, slots=True)
class Translator:
    """The context of a plan's translation; operators translate sub-plans and sub-queries by it.

    - ``source``: the rows of a Scan.
    - ``now``: the session's clock.
    - ``node``: translates one plan node; it calls `translate` for the node's inputs.
    - ``small``: there are few rows, so a translation with few Spark jobs is the fastest.
    - ``frames``: how the frames of windows are computed.
    - ``spans``: the rows that are requested of a window; None: all.
    - ``outer``: the rows of the enclosing query, for a sub-query that uses their columns; else
      None.
    - ``ordered``: a window above numbers the rows, so the order counts, also the order of ties.
    - ``drops_late``: operators drop late rows; the operators of a changelog do not (S-1001.i).
    """

    session: SparkSession
    source: Source
    now: int
    node: Callable[[Plan, "Translator"], Relation]
    small: bool = True
    frames: Frames = Frames.CHOSEN
    spans: Spans | None = None
    outer: OuterRows | None = None
    ordered: bool = False
    drops_late: bool = True
    _numbers: Iterator[int] = field(default_factory=count)

    def translate(self, plan: Plan) -> Relation:
        """The rows of ``plan``; if it uses columns of enclosing rows, once for each of these rows.

        If it uses none, the rows are computed once, and an operator above joins them to the
        enclosing rows.
        """
        if self.outer is not None and not outer_references(plan):
            return self.node(plan, replace(self, outer=None))
        return self.node(plan, self)

    def correlated(self, relation: Relation) -> Relation:
        """The rows, repeated for each enclosing row; ``relation`` itself without enclosing rows."""
        # Either there are no enclosing rows, or the rows have been repeated for them already.
        if self.outer is None or relation.outer is not None:
            return relation
        frame = relation.frame.crossJoin(self.outer.frame)
        return replace(relation, frame=frame, outer=self.outer)

    def fresh(self, letter: str) -> str:
        """A column name that no other column of the translation has: the letter and a number."""
        return f"{letter}_{next(self._numbers)}"
