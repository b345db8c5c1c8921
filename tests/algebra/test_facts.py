"""Facts of a plan: each is deduced once, so that their number grows with the size of the query."""

import sys
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from types import CodeType, FrameType, FunctionType
from typing import Final, TypeVar

import pytest

from algebra.catalog import Profile
from algebra.facts import Node, deduced_once
from algebra.plan import Plan, Values, nodes, row_type
from algebra.prepare import Prepared, prepare
from benchmarks.binding import joins, union
from reference.engine.session import Session

T = TypeVar("T")

#: The name of the package `algebra`, also in the wheel, and a point.
_ALGEBRA: Final = deduced_once.__module__.removesuffix("facts")

#: An order with a shipment and a product, in hours: eleven nodes.
HOURS = (
    """
    CREATE STREAM O (rowtime TIMESTAMP(3) NOT NULL ASCENDING, k INTEGER, n INTEGER);
    CREATE STREAM S (rowtime TIMESTAMP(3) NOT NULL ASCENDING, k INTEGER);
    CREATE TABLE T (k INTEGER, m INTEGER);
    """,
    """
    SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime, m, COUNT(*) AS c
    FROM (SELECT STREAM O.rowtime, T.m FROM O
          JOIN S ON O.k = S.k AND S.rowtime BETWEEN O.rowtime AND O.rowtime + INTERVAL '1' HOUR
          JOIN T ON T.k = O.k
          WHERE O.n > 1)
    GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR), m HAVING COUNT(*) > 1
    """,
)


def rules() -> dict[CodeType, str]:
    """The rules by which facts are deduced, by their code."""
    found: dict[CodeType, str] = {}
    for module in [m for name, m in sys.modules.items() if name.startswith(_ALGEBRA)]:
        for each in vars(module).values():
            rule = getattr(each, "__wrapped__", None)
            if isinstance(rule, FunctionType) and each.__module__.startswith(_ALGEBRA):
                found[rule.__code__] = rule.__name__
    return found


def deductions(work: Callable[[], T]) -> tuple[T, Counter[tuple[Hashable, ...]]]:
    """How often each fact of each node is deduced in ``work``: by rule, node and arguments."""
    known = rules()
    found: Counter[tuple[Hashable, ...]] = Counter()
    kept: list[object] = []  # a node that is gone leaves its identity to another

    def watch(frame: FrameType, event: str, _argument: object) -> None:
        if event != "call" or frame.f_code not in known:
            return
        code = frame.f_code
        node, *others = (frame.f_locals[name] for name in code.co_varnames[: code.co_argcount])
        if isinstance(node, Node):
            kept.append(node)
            found[(known[code], id(node), *others)] += 1

    sys.setprofile(watch)
    try:
        return work(), found
    finally:
        sys.setprofile(None)


def prepared(query: tuple[str, str]) -> Prepared:
    return prepare(*query, Profile.CALCITE)


def plan_of(found: Prepared) -> Plan:
    assert found.query is not None
    return found.query


@pytest.mark.parametrize("query", [HOURS, joins(6), union(8)], ids=["hours", "joins", "union"])
def test_no_fact_is_deduced_twice_in_binding_or_lowering(query: tuple[str, str]) -> None:
    def bind_and_lower() -> Prepared:
        found = prepared(query)
        Session(found)
        return found

    found, facts = deductions(bind_and_lower)
    size = len(list(nodes(plan_of(found))))
    assert size < len(facts) < 20 * size
    assert set(facts.values()) == {1}
    assert {rule for rule, *_ in facts} >= {"row_type", "column_monotonicity", "column_ranges"}


@pytest.mark.parametrize("query", [joins, union])
def test_each_input_more_takes_the_same_work(query: Callable[[int], tuple[str, str]]) -> None:
    def steps(size: int) -> Sequence[int]:
        found, binding = deductions(lambda: prepared(query(size)))
        _, lowering = deductions(lambda: Session(found))
        return binding.total(), lowering.total()

    four, eight, twelve = map(steps, (4, 8, 12))
    assert [b - a for a, b in zip(four, eight, strict=True)] == [
        b - a for a, b in zip(eight, twelve, strict=True)
    ]


def test_sixty_four_streams_are_united() -> None:
    assert len(list(nodes(plan_of(prepared(union(64)))))) == 3 * 64


def test_twenty_streams_are_joined() -> None:
    assert len(list(nodes(plan_of(prepared(joins(20)))))) == 2 * 20 + 1


# --- one fact -----------------------------------------------------------------------------------


def test_a_fact_is_deduced_once_for_each_node_and_argument() -> None:
    asked: list[tuple[Plan, int]] = []

    @deduced_once
    def width(plan: Values, times: int = 1) -> int:
        asked.append((plan, times))
        return times * len(plan.fields)

    one, other = Values((), ()), Values((), ())
    assert [width(one), width(one, 1), width(one, times=2), width(one, times=2)] == [0, 0, 0, 0]
    assert asked == [(one, 1), (one, 2)]
    width(other)
    assert len(asked) == 3
    vars(width)["cache_clear"]()
    width(other)
    assert len(asked) == 4


def test_facts_are_no_part_of_the_value_of_a_plan() -> None:
    asked, fresh = Values((), ()), Values((), ())
    assert row_type(asked) == ()
    assert asked == fresh
    assert hash(asked) == hash(fresh)
    assert repr(asked) == repr(fresh)
    assert replace(asked) == fresh
