"""The metadata of a plan, node by node, and the texts that show it (S-408).

docs/metadata.md defines the texts, and the kit compares them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from algebra.expression import SortKey
from algebra.metadata.changelog_state import changelog_state, is_evaluated_whole
from algebra.metadata.collation import collations, orderings
from algebra.metadata.column_origin import disorder
from algebra.metadata.durations import NONE, WHOLE, Duration
from algebra.metadata.orderings import Collation, CollationKey
from algebra.metadata.schedule.facts import completion, latency, state, total_latency
from algebra.metadata.schedule.schedule import Retained, StateKind
from algebra.metadata.sortable import sortable_columns
from algebra.monotonicity.columns import OrderOf, base_side, column_monotonicity
from algebra.monotonicity.tables import Monotonicity
from algebra.plan import Changes, Join, Plan, Scan, SetOp, inputs_of, is_streaming
from algebra.spelling import direction, names_of, spelled

_N: Final = Monotonicity.NOT_MONOTONIC


@dataclass(frozen=True, slots=True)
class ColumnFact:
    """A monotonic or constant column.  Its values may be out of order by ``disorder``."""

    name: str
    order: Monotonicity
    disorder: Duration


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """The metadata of one node of a plan.

    - ``streams``: whether the node is in a streaming part of the plan
    - ``columns``: the monotonic and constant columns
    - ``orders``: the known orders of the rows
    - ``sortable``: the columns on which rows could be sorted, each with the wait
    - ``latency``: the delay that the node adds
    - ``total``: the delay from the arrival of a row in a stream
    - ``state``: the rows and accumulators that the node retains
    - ``completion``: the event that completes a row
    - ``base``: the side from which the rows of a join have their rowtime; empty for other nodes
    - ``inputs``: the facts of its inputs
    """

    plan: Plan
    streams: bool
    columns: tuple[ColumnFact, ...]
    orders: tuple[Collation, ...]
    sortable: tuple[tuple[SortKey, Duration], ...]
    latency: Duration
    total: Duration
    state: tuple[Retained, ...]
    completion: str
    base: str
    inputs: tuple["NodeFacts", ...]


def node_facts(plan: Plan) -> NodeFacts:
    """The metadata of the topmost node of ``plan``, and of all nodes below it."""
    if isinstance(plan, Changes):
        return _changing_facts(plan, within=False)
    return NodeFacts(
        plan,
        is_streaming(plan),
        columns=tuple(_columns(plan)),
        orders=collations(plan),
        sortable=sortable_columns(plan) if is_streaming(plan) else (),
        latency=latency(plan),
        total=total_latency(plan),
        state=state(plan),
        completion=completion(plan),
        base=base_text(plan),
        inputs=tuple(map(node_facts, inputs_of(plan))),
    )


def _changing_facts(plan: Plan, within: bool) -> NodeFacts:
    """The metadata of the topmost node of ``plan``, in a changelog, and of all nodes below it.

    ``within``: the node is below a node that is evaluated as a whole, and so retains nothing.  In a
    changelog no row waits, rows are not sorted, and no group is ever complete.

    Defines: S-1010.a
    """
    inner = within or is_evaluated_whole(plan)
    return NodeFacts(
        plan,
        is_streaming(plan),
        columns=(),
        orders=(),
        sortable=(),
        latency=NONE,
        total=NONE,
        state=() if within else changelog_state(plan),
        completion="never: any row can change again",
        base="",
        inputs=tuple(_changing_facts(each, inner) for each in inputs_of(plan)),
    )


@dataclass(frozen=True, slots=True)
class Summary(Mapping[str, str]):
    """The texts that the kit compares: ``collation``, ``sortable``, ``latency`` and ``state``.

    A text is computed when it is read, because most callers read none of them.
    """

    plan: Plan

    def __getitem__(self, key: str) -> str:
        """One of the four texts; KeyError for any other key."""
        return _TEXTS[key](self.plan)

    def __iter__(self) -> Iterator[str]:
        """The four keys."""
        return iter(_TEXTS)

    def __len__(self) -> int:
        """Four."""
        return len(_TEXTS)


def _columns(plan: Plan) -> Iterator[ColumnFact]:
    """The columns that are constant or monotonic; also those that are out of order by a limit."""
    declared = column_monotonicity(plan, OrderOf.DECLARED)
    columns = zip(names_of(plan), declared, orderings(plan).columns, strict=True)
    for place, (name, order, emitted) in enumerate(columns):
        if emitted is not _N:
            yield ColumnFact(name, emitted, NONE)
        elif order is not _N and is_streaming(plan):
            yield ColumnFact(name, order, disorder(plan, place))


def base_text(plan: Plan) -> str:
    """The side from which the rows of a join have their rowtime (S-510).

    Empty for other nodes, and for a join that does not stream.
    """
    if not isinstance(plan, Join) or not is_streaming(plan):
        return ""
    side = base_side(plan)
    return "none: the rows have a time of their own" if side is None else str(side.value)


# --- words --------------------------------------------------------------------------------------


def columns_text(facts: NodeFacts) -> str:
    """The text of a node's columns: ``ROWTIME INCREASING, ID INCREASING up to 5 rows``.

    The text after ``up to`` is the disorder of the column; it is left out if there is none.
    """
    return ", ".join(
        f"{e.name} {e.order}" + (f" up to {e.disorder}" if e.disorder != NONE else "")
        for e in facts.columns
    )


def orders_text(orders: Sequence[Collation], names: Sequence[str]) -> str:
    """The text of some orders: ``[ROWTIME]; [HOUR, UNITS DESC STRICT]``; ``none`` for no orders.

    ``names`` are the names of the columns, here and below.
    """
    return "; ".join(order_text(each, names) for each in orders) or str(NONE)


def order_text(order: Collation, names: Sequence[str]) -> str:
    """The text of one order: ``[HOUR, UNITS DESC STRICT]``."""
    return "[" + ", ".join(key_text(each, names) for each in order) + "]"


def key_text(key: CollationKey, names: Sequence[str]) -> str:
    """The text of one key: ``UNITS DESC STRICT``.

    ASC is left out, and so is the place of NULLs if it is the default.
    """
    order = direction(SortKey(key.expression, key.descending, bool(key.nulls_first)))
    order = order.removeprefix("ASC").strip()
    words = [spelled(key.expression, names), order, "STRICT" if key.strict else ""]
    return " ".join(filter(None, words))


def sortable_text(plan: Plan, found: Sequence[tuple[SortKey, Duration]]) -> str:
    """The text of the columns on which rows could be sorted, with the latency of the sort.

    An example is ``SHIPTIME after 1 HOUR``.  A relation can be sorted on anything at its end.
    """
    if not is_streaming(plan):
        return f"anything after {WHOLE}"
    names = names_of(plan)
    keys = ((CollationKey(key.expression, key.descending), wait) for key, wait in found)
    return "; ".join(f"{key_text(key, names)} after {wait}" for key, wait in keys) or str(NONE)


def state_text(plan: Plan, retained: Sequence[Retained]) -> str:
    """The text of a node's state: ``left: rows of 1 HOUR; right: rows of one instant``.

    ``none`` if the node retains nothing.
    """
    return "; ".join(retained_text(each, plan) for each in retained) or str(NONE)


def retained_text(retained: Retained, plan: Plan) -> str:
    """The text of one item of the state of the topmost node of ``plan``.

    It begins with the input, if the node has several.  An accumulator of a set operation counts
    equal rows of all inputs, so no input is named.
    """
    inputs = inputs_of(plan) or (plan,)  # a table retains its rows itself
    sides = ("left: ", "right: ") if len(inputs) == 2 else ()
    side = sides[retained.port] if sides else f"{retained.port}: " if len(inputs) > 2 else ""
    names = names_of(inputs[retained.port])
    per = ", ".join(spelled(each, names) for each in retained.per)
    match retained.kind:
        case StateKind.TABLE:
            return f"{side}the rows of {_table(inputs[retained.port])}"
        case StateKind.ROWS:
            return f"{side}rows of {_age(retained.duration)}{f' per ({per})' if per else ''}"
        case StateKind.ACCUMULATORS:
            side = "" if isinstance(plan, SetOp) else side
            accumulators = f"an accumulator per ({per})" if per else "one accumulator"
            return f"{side}{accumulators} for {_age(retained.duration)}"
        case StateKind.VALID_ROWS:
            return f"{side}the valid rows"
        case StateKind.VALID_GROUPS:
            return f"an accumulator per ({per}) that has valid rows" if per else "one accumulator"


def _age(duration: Duration | None) -> str:
    """The text of the age that retained rows reach; None: they are retained for ever."""
    if duration is None:
        return "ever"
    return "one instant" if duration == NONE else str(duration)


def _table(plan: Plan) -> str:
    """The name of the table if ``plan`` is its scan, else a general text."""
    return ".".join(plan.source.name) if isinstance(plan, Scan) else "the table's side"


def _all_state(plan: Plan) -> Iterator[str]:
    """The texts of the state of all streaming nodes, those nearest to the streams first."""
    if isinstance(plan, Changes):
        yield from _changing_state(_changing_facts(plan, within=False))
        return
    if not is_streaming(plan):
        return
    for each in inputs_of(plan):
        yield from _all_state(each)
    yield from (retained_text(each, plan) for each in state(plan))


def _changing_state(facts: NodeFacts) -> Iterator[str]:
    """The texts of the state of a changelog's nodes, those nearest to the streams first."""
    for each in facts.inputs:
        yield from _changing_state(each)
    yield from (retained_text(each, facts.plan) for each in facts.state)


def _collation_text(plan: Plan) -> str:
    orders = () if isinstance(plan, Changes) else collations(plan)
    return orders_text(orders, names_of(plan))


def _sortable_text(plan: Plan) -> str:
    return str(NONE) if isinstance(plan, Changes) else sortable_text(plan, sortable_columns(plan))


def _latency_text(plan: Plan) -> str:
    return str(NONE if isinstance(plan, Changes) else total_latency(plan))


def _state_text(plan: Plan) -> str:
    return "; ".join(_all_state(plan)) or str(NONE)


#: The texts of a whole query by their keys; a changelog has only ``state``.
_TEXTS: Final[Mapping[str, Callable[[Plan], str]]] = {
    "collation": _collation_text,
    "sortable": _sortable_text,
    "latency": _latency_text,
    "state": _state_text,
}
