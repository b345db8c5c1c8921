"""A caller's streaming DataFrame as a source of a pipeline."""

from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession

from algebra.catalog import Stream, row_type_of
from spark_backend.data.dataframes import to_internal
from spark_backend.data.ingress import Refusal
from spark_backend.made_once import col
from spark_backend.relation import column_name, types_of
from spark_backend.stream.ingress.arrivals import (
    ARRIVAL_KEY,
    arrival_key,
    rows_by_arrival,
    with_arrival_key,
)
from spark_backend.stream.pipeline.endpoints import Arrived


@dataclass(frozen=True, slots=True)
class FrameSource:
    """The rows of ``streaming``, a frame of `readStream`, as those of a stream.

    Columns are found by name, as in `spark_backend.data.dataframes`; further columns are ignored.
    ``format`` is ``socket`` if the frame reads a socket, because its lines arrive in an order of
    their own.  Late and bad rows are dropped and counted.
    """

    stream: Stream
    streaming: DataFrame
    format: str = ""

    def frame(self, _session: SparkSession) -> DataFrame:
        """The frame with internal values, and the column `ARRIVAL_KEY`."""
        name = ".".join(self.stream.name)
        columns = [
            to_internal(self.streaming, name, each).alias(column_name(i))
            for i, each in enumerate(self.stream.columns)
        ]
        if not self.format:
            columns.append(arrival_key(self.streaming).alias(ARRIVAL_KEY))
        return self.streaming.select(*columns)

    def read_batch(self, batch: DataFrame) -> Arrived:
        """The rows of a micro-batch."""
        types = types_of(row_type_of(self.stream))
        columns = [col(column_name(i)) for i in range(len(types))]
        batch = with_arrival_key(batch, self.format)
        key, shuffled = col(ARRIVAL_KEY), bool(self.format)
        return Arrived(rows_by_arrival(batch, columns, types, key, is_shuffled=shuffled))

    def refused(self, refusal: Refusal, _place: int) -> str:
        """The reason why a row is dropped."""
        return refusal.reason

    def release(self) -> None:
        """Do nothing: there is nothing to release."""
