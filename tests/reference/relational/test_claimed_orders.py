"""Every order that the planner claims of a plan's rows holds in every run (S-305, S-403, S-408)."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from algebra.catalog import Stream
from algebra.explain import explain
from algebra.expression import InputRef, SortKey, Value
from algebra.metadata.collation import collations, orderings
from algebra.metadata.orderings import Collation
from algebra.monotonicity.columns import OrderOf, column_monotonicity
from algebra.monotonicity.tables import Monotonicity
from algebra.parts.mentions import scans
from algebra.plan import Delta, Plan, row_type
from algebra.spelling import names_of, spelled
from reference.acceptance import accept
from reference.evaluate import evaluate
from reference.incremental.standing.query import Flow
from reference.ingress import ingress_of
from reference.relation import Relation, Row, compare_keys
from reference.scalar.expression import row_of
from reference.values import compare
from tests.examples import examples
from tests.reference.building import ENV
from tests.streaming_plans import StreamingCase, nodes, streaming_cases

#: Nightly so many that 100,000 plans are asked: three of an example, because each node is one.
MANY = examples(100, 34_000)

#: What gives the rows of a streaming query in the order of their emission.
Emission = Callable[[Delta, StreamingCase], Relation]


def at_the_end(query: Delta, case: StreamingCase) -> Relation:
    """The rows as the relational meaning has them, put in order once all input has ended."""
    return evaluate(query, case.world)


def as_they_flow(query: Delta, case: StreamingCase) -> Relation:
    """The rows as the incremental operators let them go, one event after the other."""

    def contents(plan: Plan, outer: tuple[Row, ...]) -> Relation:
        return evaluate(plan, case.world, outer=outer)

    flow = Flow(query, replace(ENV, query=contents))
    streams = {each.source.name[0]: each.source for each in scans(query)}
    ingresses = {
        name: ingress_of(each) for name, each in streams.items() if isinstance(each, Stream)
    }
    rows = {name: iter(case.world.streams[name,]) for name in ingresses}
    for name in case.arrivals:
        if name in ingresses:
            row = next(rows[name])
            ingresses[name], dropped = accept(ingresses[name], row, ENV)
            assert dropped is None, "the rows have been let in before"
            flow.enter(ingresses[name], [row])
    for each in ingresses.values():
        flow.enter(replace(each, ended=True), [])
    return flow.drained()


EMISSIONS: list[Emission] = [at_the_end, as_they_flow]


@pytest.mark.parametrize("emission", EMISSIONS)
@settings(
    MANY,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.filter_too_much,
        HealthCheck.data_too_large,
    ],
)
@given(case=streaming_cases(), data=st.data())
def test_the_rows_keep_every_order_that_is_claimed(
    emission: Emission, case: StreamingCase, data: st.DataObject
) -> None:
    for node in nodes(case.plan):
        rows = emission(Delta(node), case)
        note(explain(node))
        _check_columns(node, rows)
        _check_collations(node, rows)
        _check_answers(node, rows, data)


def _check_columns(node: Plan, rows: Relation) -> None:
    """How each column goes: NULLs take no part (S-402)."""
    told = (column_monotonicity(node, OrderOf.ROWS), orderings(node).columns)
    for claimed in told:
        for place, order in enumerate(claimed):
            values = [row[place] for row in rows if row[place] is not None]
            assert all(_goes(order, a, b) for a, b in pairwise(values)), (
                f"{names_of(node)[place]} is not {order}: {values}"
            )


def _goes(order: Monotonicity, a: Value, b: Value) -> bool:
    step = compare(a, b)
    match order:
        case Monotonicity.CONSTANT:
            return step == 0
        case Monotonicity.STRICTLY_INCREASING:
            return step < 0
        case Monotonicity.INCREASING:
            return step <= 0
        case Monotonicity.STRICTLY_DECREASING:
            return step > 0
        case Monotonicity.DECREASING:
            return step >= 0
        case Monotonicity.NOT_MONOTONIC:
            return True


def _check_collations(node: Plan, rows: Relation) -> None:
    """The rows are sorted by each order; where its last key is strict, no two agree in all."""
    for order in collations(node):
        assert all(not key.strict for key in order[:-1])
        limit = 0 if order[-1].strict else 1
        for a, b in pairwise(_values(order, rows)):
            step = compare_keys(a, b, _asked(order))
            assert step < limit, f"{_text(node, _asked(order))} is not the order: {a}, {b}"


def _check_answers(node: Plan, rows: Relation, data: st.DataObject) -> None:
    """Rows that are said to be sorted on some keys are; here keys that the plan did not ask for."""
    columns = [InputRef(i, each.type) for i, each in enumerate(row_type(node))]
    computed = [key.expression for order in orderings(node).collations for key in order]
    key = st.builds(SortKey, st.sampled_from([*columns, *computed]), st.booleans(), st.booleans())
    known = orderings(node)
    for keys in data.draw(st.lists(st.lists(key, min_size=1, max_size=3), max_size=2)):
        if known.sorted_on(keys):
            made = row_of([each.expression for each in keys], ENV)
            for a, b in pairwise(map(made, rows)):
                assert compare_keys(a, b, keys) <= 0, f"not sorted on {_text(node, keys)}: {a}, {b}"


def _asked(order: Collation) -> list[SortKey]:
    return [SortKey(k.expression, k.descending, k.nulls_first is True) for k in order]


def _values(order: Collation, rows: Relation) -> list[Row]:
    return list(map(row_of([key.expression for key in order], ENV), rows))


def _text(node: Plan, keys: Sequence[SortKey]) -> str:
    names = names_of(node)
    return ", ".join(f"{spelled(k.expression, names)}{' DESC' * k.descending}" for k in keys)
