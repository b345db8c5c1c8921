"""The law of the kit, streaming: step by step, Spark gives the rows that the reference gives.

Generated queries over generated histories, each event a micro-batch: the same rows at the very same
step (tier ``exact``).  Spark's bound is not above the reference's, and no row comes below it.
"""

from collections.abc import Sequence

import pytest
from hypothesis import given, note

from algebra.types import TIMESTAMP
from algebra.wire import to_wire
from reference.backend import ReferenceBackend
from spark_backend.stream.backend import SparkStreamBackend
from tck.protocol import Accepted, Backend, ColumnInfo, End, Open, Output, WireRow
from tck.protocol import Bound as ToldBound
from tck.protocol import Rows as FedRows
from tests.examples import examples
from tests.reference.incremental.histories import Ended, Event, Rows, Told
from tests.reference.incremental.samples import Sample, samples
from tests.spark_backend.test_agreement import same_row

pytestmark = pytest.mark.spark


def opened(backend: Backend, sample: Sample) -> tuple[ColumnInfo, ...]:
    """The columns of the sample's query, which is open from here on."""
    script = sample.script
    profile = "sqlstream" if script.sqlstream else "calcite"
    accepted = backend.open(Open(script.ddl, script.sql, profile))
    assert isinstance(accepted, Accepted), accepted
    return accepted.columns


def feed(backend: Backend, sample: Sample, event: Event) -> None:
    """Give an event to a backend."""
    match event:
        case Rows(name, rows):
            (stream,) = (each for each in sample.streams if each.name[-1] == name)
            types = [each.type for each in stream.columns if not each.implicit]
            wired = tuple(
                tuple(to_wire(t, v) for t, v in zip(types, row, strict=True)) for row in rows
            )
            backend.feed(FedRows(name, wired))
        case Told(name, at):
            backend.feed(ToldBound(name, str(to_wire(TIMESTAMP, at))))
        case Ended(name):
            backend.feed(End(name))


def step(backend: Backend, sample: Sample, event: Event) -> Output:
    """What an event sets free."""
    feed(backend, sample, event)
    return backend.poll()


def times(sample: Sample, rows: Sequence[WireRow]) -> list[str]:
    """The rowtimes of rows, which as texts are in their order, if they leave by one."""
    return [] if sample.place is None else [str(row[sample.place]) for row in rows]


def without(columns: tuple[ColumnInfo, ...], rows: list[WireRow], taken: list[WireRow]) -> None:
    """Take equal rows out of ``rows``; each of ``taken`` must be there."""
    for row in taken:
        match = next((each for each in rows if same_row(columns, each, row)), None)
        assert match is not None, f"{row} is not among {rows}"
        rows.remove(match)


@examples(4, 500)  # each step takes Spark some tenths of a second
@given(sample=samples(max_rows=10))
def test_spark_gives_what_the_reference_gives(backend: SparkStreamBackend, sample: Sample) -> None:
    note(sample.script.ddl)
    note(sample.script.sql + ("   -- sqlstream" if sample.script.sqlstream else ""))
    reference = ReferenceBackend()
    columns = opened(reference, sample)
    opened(backend, sample)
    try:
        bound = ""
        for event in sample.events:
            right, left = step(reference, sample, event), step(backend, sample, event)
            note(f"{event!r}\n  {right.rows} {right.bound}\n  {left.rows} {left.bound}")
            if right.error is not None or left.error is not None:
                assert right.error is not None, left.error
                assert left.error is None or left.error.code == right.error.code
                return
            lacking = list(right.rows)
            without(columns, lacking, list(left.rows))
            assert not lacking, f"Spark lacks {lacking}"
            assert all(time >= bound for time in times(sample, left.rows))
            assert times(sample, left.rows) == sorted(times(sample, left.rows))
            assert (left.bound or "") <= (right.bound or "")
            bound = left.bound or bound
            assert len(left.late) == len(right.late)
    finally:
        reference.close()
        backend.close()
