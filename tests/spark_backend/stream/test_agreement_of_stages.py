"""The law of stages: nested operators give, micro-batch by micro-batch, the rows of the reference.

The reference takes event by event, and has no stages; stages are cut apart, and know of the rows
between them what their streams report.
"""

import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st

from algebra.plan import (
    Aggregate,
    Join,
    Plan,
    SetOp,
    Sort,
    Window,
    WindowJoin,
    inputs_of,
    is_streaming,
)
from reference.backend import ReferenceBackend
from spark_backend.stream.backend import SparkStreamBackend
from tck.protocol import LateRow, Output, WireRow
from tests.examples import examples
from tests.reference.incremental.plans import nested_scripts
from tests.reference.incremental.samples import Sample, samples
from tests.spark_backend.stream.test_agreement import feed, opened, times, without

pytestmark = pytest.mark.spark

#: So many operators with state are over one another, at least.
LEVELS = 3


def depth(plan: Plan) -> int:
    """How many operators with state are over one another."""
    return _has_state(plan) + max((depth(each) for each in inputs_of(plan)), default=0)


def _has_state(plan: Plan) -> bool:
    if isinstance(plan, Join):
        return all(map(is_streaming, inputs_of(plan)))
    return isinstance(plan, Aggregate | Window | WindowJoin | SetOp | Sort) and is_streaming(plan)


def streamed(backend: SparkStreamBackend, sample: Sample, together: int) -> Output:
    """All that comes out, in order; after an error that, alone."""
    rows: list[WireRow] = []
    late: list[LateRow] = []
    bound = ""
    for number, event in enumerate(sample.events, 1):
        note(repr(event))
        feed(backend, sample, event)
        if number % together and number < len(sample.events):
            continue
        output = backend.poll()
        note(f"  {output.rows} {output.bound}")
        if output.error is not None:
            return output
        told = times(sample, output.rows)
        assert told == sorted(told)
        assert all(time >= bound for time in told)
        rows += output.rows
        late += output.late
        bound = output.bound or bound
    return Output(tuple(rows), bound, tuple(late))


@examples(4, 500)
@given(sample=samples(max_rows=10, of=nested_scripts(LEVELS)), together=st.integers(3, 6))
def test_stages_give_the_rows_of_the_reference(
    backend: SparkStreamBackend, sample: Sample, together: int
) -> None:
    """``together`` events are a micro-batch."""
    assume(depth(sample.query) >= LEVELS)
    note(sample.script.ddl)
    note(sample.script.sql + ("   -- sqlstream" if sample.script.sqlstream else ""))
    reference = ReferenceBackend()
    columns = opened(reference, sample)
    opened(backend, sample)
    try:
        for event in sample.events:
            feed(reference, sample, event)
        whole = reference.poll()
        found = streamed(backend, sample, together)
    finally:
        reference.close()
        backend.close()
    if whole.error is not None or found.error is not None:
        assert whole.error is not None, found.error
        assert found.error is not None, whole.error
        assert found.error.code == whole.error.code
        return
    lacking = list(whole.rows)
    without(columns, lacking, list(found.rows))
    assert not lacking, f"the stages lack {lacking}"
    assert len(found.late) == len(whole.late)
