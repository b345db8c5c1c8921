"""What a pipeline keeps, in the `StreamingQueryProgress` of its streaming query.

Its ``stateOperators`` are those of Spark's plan, of which a pipeline has none.  But a frame can be
observed, and what is observed stands in the progress, wherever that goes: a listener, the log,
``lastProgress``.  Spark fills it by the rows that go through; here it is filled at the end of a
micro-batch, when it is known what is kept.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from py4j.protocol import Py4JError  # type: ignore[import-untyped]  # it has no types
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses
from pyspark.sql.streaming.query import StreamingQuery

#: Among the ``observedMetrics`` of a progress.
NAME: Final = "rowtime"


def observed(frame: DataFrame, names: Sequence[str]) -> DataFrame:
    """The frame, whose progress has a whole number by each of these names, NULL if none is told."""
    unknown = F.lit(None).cast("bigint")
    return frame.observe(NAME, *(F.max(unknown).alias(each) for each in names))


class Observed:
    """The numbers of a running query, by the names that its frame is `observed` with."""

    def __init__(self, query: StreamingQuery, session: SparkSession, names: Sequence[str]) -> None:
        of_java: tuple[Any, Any] = (query, session)  # what is Spark's in Java has no types here
        self._query: Any = of_java[0]._jsq.streamingQuery()
        self._jvm: Any = of_java[1]._jvm
        self._places = {each: place for place, each in enumerate(names)}

    def show(self, values: Mapping[str, int | None]) -> None:
        """Let the progress of the micro-batch under way have these values.

        In a Spark that is not made as the one we know it has none.
        """
        try:
            node = _observing(self._query.lastExecution().executedPlan())
            known = self._jvm.org.apache.spark.util.AccumulatorContext.get(node.accumulatorId())
            numbers = known.get()
            numbers.add(self._jvm.org.apache.spark.sql.catalyst.InternalRow.empty())
            for name, value in values.items():
                if value is not None and name in self._places:
                    numbers.buffer().setLong(self._places[name], value)
        except Py4JError:
            return


def _observing(plan: Any) -> Any:
    """The node of a physical plan that observes; it is on the way of all rows."""
    while plan.nodeName() != "CollectMetrics":
        plan = plan.executedPlan() if "Adaptive" in plan.nodeName() else plan.children().head()
    return plan
