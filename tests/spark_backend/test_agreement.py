"""The law of the kit: the reference and Spark give the same rows for the same query."""

import pytest
from hypothesis import given

from reference.backend import ReferenceBackend
from tck.corpus.values import read_value, same_value
from tck.protocol import Accepted, Backend, ColumnInfo, End, Load, Open, Output, WireRow
from tests.examples import examples
from tests.spark_backend.conftest import Spark
from tests.strategies import DDL, queries, rows_of_t, rows_of_u


def answer(
    backend: Backend, sql: str, t: list[WireRow], u: list[WireRow]
) -> tuple[tuple[ColumnInfo, ...], Output]:
    """The columns and the output of ``sql`` over these tables."""
    accepted = backend.open(Open(DDL, sql))
    assert isinstance(accepted, Accepted), accepted
    try:
        backend.feed(Load("T", tuple(t)))
        backend.feed(Load("U", tuple(u)))
        backend.feed(End())
        return accepted.columns, backend.poll()
    finally:
        backend.close()


def same_row(columns: tuple[ColumnInfo, ...], left: WireRow, right: WireRow) -> bool:
    return all(
        same_value(read_value(a, column.type), read_value(b, column.type))
        for column, a, b in zip(columns, left, right, strict=True)
    )


@pytest.mark.spark
@examples(10, 2_000)
@given(queries(), rows_of_t(), rows_of_u())
def test_spark_gives_the_rows_of_the_reference(
    spark: Spark, sql: str, t: list[WireRow], u: list[WireRow]
) -> None:
    columns, right = answer(ReferenceBackend(), sql, t, u)
    _, left = answer(spark.backend, sql, t, u)
    if right.error is not None or left.error is not None:
        assert right.error is not None, left.error
        assert left.error is not None, right.error
        assert left.error.code == right.error.code
        return
    assert left.late == right.late == ()
    remaining = list(left.rows)
    for row in right.rows:
        match = next((each for each in remaining if same_row(columns, each, row)), None)
        assert match is not None, f"Spark lacks {row} of {right.rows}; it has {left.rows}"
        remaining.remove(match)
    assert not remaining, f"Spark has {remaining} beside {right.rows}"
