"""S-1004 on Spark: the rows that SELECT STREAM has emitted are final rows of the changelog."""

import re
from dataclasses import replace

import pytest
from hypothesis import assume, given, note

from algebra.metadata.schedule.facts import unbounded_node
from spark_backend.stream.backend import SparkStreamBackend
from tck.protocol import ColumnInfo, Output, WireRow, weighted
from tests.examples import examples
from tests.reference.incremental.samples import Sample, samples
from tests.spark_backend.stream.test_agreement import opened, step, times, without

pytestmark = pytest.mark.spark


def outputs(
    backend: SparkStreamBackend, sample: Sample
) -> tuple[tuple[ColumnInfo, ...], list[Output]]:
    """The columns of the sample's query, and its output at each event."""
    columns = opened(backend, sample)
    try:
        return columns, [step(backend, sample, event) for event in sample.events]
    finally:
        backend.close()


def below(sample: Sample, rows: list[WireRow], bound: str) -> list[WireRow]:
    """The rows whose rowtime is below a bound."""
    return [row for row, time in zip(rows, times(sample, rows), strict=True) if time < bound]


@examples(2, 1_000)  # each event is two micro-batches
@given(sample=samples(2, 5))
def test_a_stream_is_the_final_part_of_its_changelog(
    backend: SparkStreamBackend, sample: Sample
) -> None:
    script = sample.script
    assume(sample.place is not None and not script.sqlstream)
    assume(unbounded_node(sample.query.input) is None)
    assume(not re.search(r"\bMONOTONIC\(|\bWITHIN\b", script.sql))  # may drop a row as late
    note(f"{script.ddl}; {script.sql}")
    columns, streamed = outputs(backend, sample)
    changing = replace(sample, script=replace(script, sql=f"{script.sql} EMIT CHANGES"))
    _, changed = outputs(backend, changing)
    fold: list[WireRow] = []
    emitted: list[WireRow] = []
    bound = ""
    for event, ours, changes in zip(sample.events, streamed, changed, strict=True):
        note(f"{event!r}\n  {ours.rows} {ours.bound}\n  {changes.rows} {changes.weights}")
        if ours.error is not None or changes.error is not None:
            return
        signs = weighted(changes.rows, changes.weights)
        assert not below(sample, [row for row, _ in signs], bound), "a final row changes"
        without(columns, fold, [row for row, weight in signs if weight < 0])
        fold += [row for row, weight in signs if weight > 0]
        emitted += ours.rows
        without(columns, list(fold), emitted)
        bound = ours.bound or bound
        final, shown = below(sample, fold, bound), below(sample, emitted, bound)
        without(columns, final, shown)
        assert not final, f"SELECT STREAM lacks {final}"
