"""The rows of a micro-batch by time, in parts that each hold a span of it."""

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


def in_spans(frame: DataFrame, *, order: Sequence[SortColumn], start: int, end: int) -> DataFrame:
    """The rows in their order, the first key of which is a time from ``start`` up to ``end``.

    Partitions hold spans of time of one length; the first, all before it, and NULL, too.  Spark's
    own sort would compute all rows once more, to see where to cut; here both ends are known.
    """
    parts = max(1, frame.sparkSession.sparkContext.defaultParallelism)
    time = col(order[0].column)
    length = max(1, -(-(end - start) // parts))
    span = F.floor((time - non_inlined(start, time)) / non_inlined(length, time))
    frame = frame.repartitionById(parts, F.greatest(span, F.lit(0)).cast("int"))
    return frame.sortWithinPartitions(*(each.key() for each in order))


def window_by(plan: Plan, place: int) -> Window | None:
    """The window, of one group, that is ordered by the time that ``plan`` shows at a place.

    Below and above it rows are filtered and projected at most; None: it is another plan.
    """
    match plan:
        case Project(input, expressions):
            of = expressions[place]
            if not isinstance(of, InputRef) or any(has_subquery(each) for each in expressions):
                return None
            return None if any(monotonic_calls(expressions)) else window_by(input, of.index)
        case Filter(input, condition):
            known = has_subquery(condition) or any(monotonic_calls([condition]))
            return None if known else window_by(input, place)
        case Window(input, (group,)) if group.order and _is_read(input):
            key = group.order[0].expression
            return plan if isinstance(key, InputRef) and key.index == place else None
        case _:
            return None


def _is_read(plan: Plan) -> bool:
    """Whether rows are only read, filtered and projected: to have them again costs little."""
    match plan:
        case Scan():
            return True
        case Project(input, expressions):
            return _is_read(input) and not any(has_subquery(each) for each in expressions)
        case Filter(input, condition):
            return _is_read(input) and not has_subquery(condition)
        case _:
            return False
