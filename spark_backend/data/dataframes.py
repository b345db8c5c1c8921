"""Queries over DataFrames of the user's own, whose rows never pass through Python.

`spark_backend.backend` takes rows as Python values.  The function `answer` takes frames:

    answer(ddl, "SELECT STREAM … FROM Orders …", {"ORDERS": spark.read.parquet("orders")}).frame

There is no ingress: the rows of a frame count as accepted (S-301).
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses
from pyspark.sql import types as spark

from algebra.catalog import Column as CatalogColumn
from algebra.catalog import Profile, Stream, Table
from algebra.plan import row_type
from algebra.prepare import prepare
from algebra.types import Kind, RowType, Type
from spark_backend.data.contents import Contents
from spark_backend.data.standing import run_standing, run_step
from spark_backend.relation import Relation, column_name
from spark_backend.runtime.failures import failures
from spark_backend.runtime.session import spark_session, tune
from spark_backend.translate import in_order
from spark_backend.types import spark_type, type_name


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a query: ``frame``, which is lazy, with the query's column names and order.

    Read it within `spark_backend.runtime.failures.failures`, so that run-time errors are
    `SqlError`.  DATE is Spark's DATE, TIMESTAMP its TIMESTAMP_NTZ; TIME and intervals are integers,
    their internal representation.  ``relation``: the same rows as internal values, with columns
    ``c0``, ``c1``, …, and not yet sorted.  ``contents`` has the inputs of the query; close it when
    the frame has been read.
    """

    frame: DataFrame
    relation: Relation
    contents: Contents


def answer(
    ddl: str,
    sql: str,
    inputs: Mapping[str, DataFrame],
    profile: Profile = Profile.CALCITE,
    *,
    arrival: str | None = None,
) -> Answer:
    """The answer to a query whose tables and streams hold the rows of ``inputs``, by their names.

    A frame's columns are found by name, ignoring case, and cast; a DATE or TIMESTAMP may have
    Spark's type, or be an integer as in the internal representation.  ``arrival`` is a column of
    all frames whose ascending order is the order of arrival; None: rows arrive in the order in
    which Spark reads them.  Raises `SqlError` as `prepare` does, `ValueError` for an input or a
    column that does not fit.
    """
    prepared = prepare(ddl, sql, profile)
    if prepared.query is None:
        raise ValueError("there is no query to answer")
    contents = Contents(spark_session(), time.time_ns() // 1_000_000)
    relations = {".".join(each.name): each for each in prepared.catalog.objects.values()}
    for step in prepared.steps:
        run_step(step, contents)
    for name, frame in inputs.items():
        into = relations.get(name)
        if not isinstance(into, Table | Stream):
            raise ValueError(f"there is no table or stream {name}")
        columns = [to_internal(frame, name, each) for each in into.columns]
        place = F.monotonically_increasing_id() if arrival is None else F.col(arrival)
        contents.of(into).passed.adopt(frame, columns, place)
    for _ in run_standing(prepared.standing, contents):
        pass  # rows that the target of a standing INSERT refuses are not reported
    tune(contents.session, contents.count())
    with failures():
        relation = contents.translator().translate(prepared.query)
        frame = to_spark_types(in_order(relation), row_type(prepared.query))
    return Answer(frame, relation, contents)


def to_internal(frame: DataFrame, name: str, column: CatalogColumn) -> Column:
    """The column of the user's ``frame`` that has the name of ``column``, as internal values.

    ``name`` is the frame's own name, for a message.  Raises `ValueError` unless exactly one column
    of the frame has the name.
    """
    found = [each for each in frame.schema.fields if each.name.upper() == column.name.upper()]
    if len(found) != 1:
        raise ValueError(f"the frame of {name} needs one column {column.name}")
    value, spark_own = F.col(f"`{found[0].name}`"), found[0].dataType
    if column.type.kind is Kind.DATE and isinstance(spark_own, spark.DateType):
        value = F.unix_date(value)
    if column.type.kind is Kind.TIMESTAMP:
        if isinstance(spark_own, spark.TimestampNTZType):
            value, spark_own = value.cast("timestamp"), spark.TimestampType()
        if isinstance(spark_own, spark.TimestampType):
            value = F.unix_millis(value)
    return value if spark_own == spark_type(column.type) else value.cast(type_name(column.type))


def to_spark_types(frame: DataFrame, fields: RowType) -> DataFrame:
    """The rows with the query's column names, dates and timestamps in Spark's own types."""
    columns = [_shown(F.col(column_name(i)), each.type) for i, each in enumerate(fields)]
    return frame.select(*(c.alias(each.name) for c, each in zip(columns, fields, strict=True)))


def _shown(value: Column, type: Type) -> Column:
    """A DATE or TIMESTAMP in Spark's own type; any other value unchanged."""
    match type.kind:
        case Kind.DATE:
            return F.date_from_unix_date(value.cast("int"))
        case Kind.TIMESTAMP:
            return F.timestamp_millis(value).cast("timestamp_ntz")
        case _:
            return value
