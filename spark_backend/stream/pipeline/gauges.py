"""What a pipeline keeps, among Spark's own metrics of its streaming query.

With ``spark.sql.streaming.metricsEnabled`` Spark has gauges for a query (``inputRate-total``,
``states-rowsTotal``), wherever the user sends its metrics: a servlet, JMX, Graphite, Prometheus.
Those of state are about its own state stores, of which a pipeline has none.  So that of the rows
is put in place of Spark's, and more stand beside it.
"""

from collections.abc import Mapping
from typing import Any, Final

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

#: Whether Spark has metrics of streaming queries.
_ENABLED: Final = "spark.sql.streaming.metricsEnabled"
#: The name of the number of rows that all statements keep.
KEPT: Final = "kept"
#: What Spark calls the number of rows in its state.
ROWS: Final = "states-rowsTotal"


class Gauges:
    """The gauges of a running query: whole numbers by name, as they were shown last."""

    def __init__(self, query: StreamingQuery, session: SparkSession) -> None:
        of_java: tuple[Any, Any] = (query, session)  # what is Spark's in Java has no types here
        running = of_java[0]._jsq
        enabled = running.sparkSession().conf().get(_ENABLED) == "true"
        self._query: Any = running.streamingQuery() if enabled else None
        self._jvm: Any = of_java[1]._jvm
        self._shown: dict[str, Any] = {}

    def show(self, values: Mapping[str, int | None]) -> None:
        """Let the gauges have these values; one that is known now comes into being."""
        if self._query is None:
            return
        for each, value in values.items():
            name = ROWS if each == KEPT else f"rowtime.{each}"
            if value is None:
                continue
            if name not in self._shown:
                gauge = self._jvm.com.codahale.metrics.DefaultSettableGauge()
                registry = self._query.streamMetrics().metricRegistry()
                registry.remove(name)
                registry.register(name, gauge)
                self._shown[name] = gauge
            self._shown[name].setValue(value)
