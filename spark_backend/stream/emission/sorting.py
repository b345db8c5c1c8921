"""Sort the rows of a micro-batch by time, so that each partition of Spark has one interval of time.

`spark_backend.stream.emission.emit` does this if it knows the interval of all rows.  It computes an
OVER in the same intervals, if `window_by` finds one.
"""

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.expression import InputRef
from algebra.parts.mentions import monotonic_calls
from algebra.plan import Filter, Plan, Project, Scan, Window
from algebra.rewrite import has_subquery
from spark_backend.made_once import col
from spark_backend.relation import SortColumn
from spark_backend.workarounds.non_inlined_literals import non_inlined


def sorted_in_spans(
    frame: DataFrame, *, order: Sequence[SortColumn], start: int, end: int
) -> DataFrame:
    """The rows, sorted by ``order``; the first sort key is a time from ``start`` up to ``end``.

    Partitions contain time intervals of equal length; the first one also has all earlier rows and
    NULL.  Spark's own sort would compute all rows once more to find the limits of the partitions,
    which are known here.
    """
    parts = max(1, frame.sparkSession.sparkContext.defaultParallelism)
    time = col(order[0].column)
    length = max(1, -(-(end - start) // parts))  # rounded up
    span = F.floor((time - non_inlined(start, time)) / non_inlined(length, time))
    frame = frame.repartitionById(parts, F.greatest(span, F.lit(0)).cast("int"))
    return frame.sortWithinPartitions(*(each.key() for each in order))


def window_by(plan: Plan, place: int) -> Window | None:
    """The OVER in ``plan`` with one group, which is ordered by the column at ``place`` of the plan.

    None if there is no such OVER, or if the plan has other nodes than this OVER, filters and
    projections, or an expression with a sub-query or MONOTONIC.
    """
    match plan:
        case Project(input, expressions):
            time = expressions[place]
            if not isinstance(time, InputRef) or any(has_subquery(each) for each in expressions):
                return None
            return None if any(monotonic_calls(expressions)) else window_by(input, time.index)
        case Filter(input, condition):
            needs_all_rows = has_subquery(condition) or any(monotonic_calls([condition]))
            return None if needs_all_rows else window_by(input, place)
        case Window(input, (group,)) if group.order and _is_cheap(input):
            key = group.order[0].expression
            return plan if isinstance(key, InputRef) and key.index == place else None
        case _:
            return None


def _is_cheap(plan: Plan) -> bool:
    """Whether rows are only read, filtered and projected, so that computing them again is cheap."""
    match plan:
        case Scan():
            return True
        case Project(input, expressions):
            return _is_cheap(input) and not any(has_subquery(each) for each in expressions)
        case Filter(input, condition):
            return _is_cheap(input) and not has_subquery(condition)
        case _:
            return False
