"""The output of ``rowtime explain --metadata``: a plan with the metadata of each node (S-408)."""

from collections.abc import Iterator
from typing import TypeAlias

from algebra.explain import headline
from algebra.expression import SortKey
from algebra.metadata.durations import NONE, Duration
from algebra.metadata.orderings import Collation
from algebra.metadata.plan_metadata import (
    ColumnFact,
    NodeFacts,
    columns_text,
    orders_text,
    sortable_text,
    state_text,
)
from algebra.metadata.schedule.schedule import Retained
from algebra.plan import Changes, Delta, row_type
from algebra.spelling import names_of, spelled

#: A JSON value.
Json: TypeAlias = "str | int | bool | list[Json] | dict[str, Json] | None"

#: The version of the shape of `as_json`: it changes when a key is renamed or dropped, not when one
#: is added.
JSON_VERSION = 1


def as_text(facts: NodeFacts) -> str:
    """The plan as `explain` prints it, with each node's metadata below the node.

    An empty line and the sentence of `_total` end the text; there is no line break at its end.

    Defines: S-408.j
    """
    return "\n".join([*_node(facts, ""), "", _total(facts)])


def _node(facts: NodeFacts, indent: str) -> Iterator[str]:
    """The lines of a node, of its metadata, and of all nodes below it."""
    yield indent + headline(facts.plan)
    if not isinstance(facts.plan, Delta | Changes):
        yield from (f"{indent}│ {name:<10} {value}" for name, value in _lines(facts))
    for each in facts.inputs:
        yield from _node(each, indent + "  ")


def _lines(facts: NodeFacts) -> Iterator[tuple[str, str]]:
    """The names and values of a node's metadata.

    Latency, state and completion are always listed, the others only if there are any.
    """
    if facts.columns:
        yield "monotonic", columns_text(facts)
    if facts.orders:
        yield "sorted on", orders_text(facts.orders, names_of(facts.plan))
    if facts.sortable:
        yield "sortable", sortable_text(facts.plan, facts.sortable)
    if facts.base:
        yield "base", facts.base
    yield "latency", str(facts.latency)
    yield "state", state_text(facts.plan, facts.state)
    yield "complete", facts.completion


def _total(facts: NodeFacts) -> str:
    """The sentence about the latency of the whole query."""
    if isinstance(facts.plan, Changes):
        return "The query answers after each event, and no row of the answer is final."
    if facts.streams:
        return f"From the arrival of a row to its results: {facts.total}."
    return "The query does not stream: it answers once, from the rows that it has."


# --- JSON ---------------------------------------------------------------------------------------


def as_json(facts: NodeFacts) -> dict[str, Json]:
    """The metadata of the plan as a JSON value, which docs/metadata.md describes.

    ``nodes`` lists the root first, and each node before its inputs.  A node has the places of its
    inputs in the list.
    """
    nodes: list[Json] = []
    _collect(facts, nodes)
    return {
        "version": JSON_VERSION,
        "streaming": facts.streams,
        "latency": _duration(facts.total),
        "nodes": nodes,
    }


def _collect(facts: NodeFacts, nodes: list[Json]) -> int:
    """Add a node and all nodes below it to ``nodes``, and return the place of the node."""
    place = len(nodes)
    names = names_of(facts.plan)
    inputs: list[Json] = []
    nodes.append(
        {
            "node": headline(facts.plan),
            "inputs": inputs,
            "streaming": facts.streams,
            "columns": _columns(facts),
            "collations": [_order(each, names) for each in facts.orders],
            "sortable": [_sortable(each, names) for each in facts.sortable],
            "base": facts.base or None,
            "latency": _duration(facts.latency),
            "state": [_retained(each, facts) for each in facts.state],
            "complete": facts.completion,
        }
    )
    inputs += [_collect(each, nodes) for each in facts.inputs]
    return place


def _columns(facts: NodeFacts) -> list[Json]:
    """All columns of a node, with their monotonicity."""
    known = {each.name: each for each in facts.columns}
    fields = zip(names_of(facts.plan), row_type(facts.plan), strict=True)
    return [_column(name, str(field.type), known.get(name)) for name, field in fields]


def _column(name: str, type: str, known: ColumnFact | None) -> Json:
    """A column; ``known`` is None if it is neither monotonic nor constant."""
    order, disorder = ("NOT_MONOTONIC", NONE) if known is None else (known.order, known.disorder)
    return {
        "name": name,
        "type": type,
        "monotonicity": str(order),
        "disorder": None if disorder == NONE else _duration(disorder),
    }


def _order(order: Collation, names: tuple[str, ...]) -> Json:
    """A collation: the list of its keys."""
    return [
        {
            "expression": spelled(key.expression, names),
            "direction": "DESC" if key.descending else "ASC",
            "nulls": None if key.nulls_first is None else "FIRST" if key.nulls_first else "LAST",
            "strict": key.strict,
        }
        for key in order
    ]


def _sortable(each: tuple[SortKey, Duration], names: tuple[str, ...]) -> Json:
    """A key on which rows could be sorted, with the latency of the sort."""
    key, wait = each
    return {
        "expression": spelled(key.expression, names),
        "direction": "DESC" if key.descending else "ASC",
        "latency": _duration(wait),
    }


def _retained(retained: Retained, facts: NodeFacts) -> Json:
    """An item of a node's state."""
    names = names_of(facts.inputs[retained.port].plan if facts.inputs else facts.plan)
    return {
        "keeps": str(retained.kind.value),
        "input": retained.port,
        "per": [spelled(each, names) for each in retained.per],
        "for": None if retained.duration is None else _duration(retained.duration),
    }


def _duration(duration: Duration) -> Json:
    """A duration: its ``text``, and its parts."""
    return {
        "text": str(duration),
        "milliseconds": duration.millis,
        "rows": duration.rows,
        "groups": duration.groups,
        "columns": [
            {"column": e.column, "amount": e.amount, "milliseconds": e.millis}
            for e in duration.advances
        ],
        "until_bound": duration.bound,
        "while_clocks_differ": duration.skew,
        "all_rows": duration.whole,
        "unbounded": duration.unbounded,
    }
