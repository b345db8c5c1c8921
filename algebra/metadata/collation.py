"""Collation: the orders that the rows of a plan are known to have (S-408).

A streaming plan has the order of emission.  In a relational plan, Scan (arrival), Values and Sort
define an order, Filter and Project preserve it, and all other nodes destroy it.  A claimed order
holds in every run, so no order is claimed among ties (S-307).
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from algebra.constraints.column_ranges import column_ranges
from algebra.constraints.row_facts import not_null_where_true
from algebra.expression import Expression, InputRef, Literal, SortKey
from algebra.facts import deduced_once
from algebra.metadata.orderings import Collation, CollationKey, Orderings, Peers, not_strict
from algebra.monotonicity.columns import (
    OrderOf,
    base_side,
    column_monotonicity,
    is_in_time_order,
    rowtime_column,
)
from algebra.monotonicity.deduction import monotonicity
from algebra.monotonicity.equality import equalities, implied, in_terms
from algebra.monotonicity.normal_form import normal
from algebra.monotonicity.operators import (
    asof_keeps_arrival,
    constant_only,
    keeps_arrival,
    overlapping,
)
from algebra.monotonicity.tables import Monotonicity
from algebra.plan import (
    Aggregate,
    AsofJoin,
    Filter,
    Hop,
    Join,
    Passing,
    Plan,
    Project,
    Scan,
    Session,
    SetOp,
    Side,
    Sort,
    Values,
    Widening,
    Window,
    is_streaming,
    row_type,
)
from algebra.rewrite import columns_of, rewritten, shifted
from algebra.types import Field, RowType, Type
from grammar.tree import JoinKind

_C: Final = Monotonicity.CONSTANT
_N: Final = Monotonicity.NOT_MONOTONIC
_S: Final = Monotonicity.STRICTLY_INCREASING


# --- orders of rows -----------------------------------------------------------------------------


@deduced_once
def orderings(plan: Plan) -> Orderings:
    """The known orders of the rows of ``plan``; of the emitted rows, if it streams.

    Defines: S-408.g
    """
    found = _node_orderings(plan)
    return _unique_alone(replace(found, columns=implied(plan, found.columns)))


def _node_orderings(plan: Plan) -> Orderings:
    """The orders by the rule of each node alone, without orders that follow from equal columns."""
    streams = is_streaming(plan)
    columns = column_monotonicity(plan, OrderOf.ROWS)
    unordered = Orderings(_fields(plan), columns, (), (), column_ranges(plan), equalities(plan))
    if not streams:
        unordered = replace(unordered, columns=constant_only(columns))

    match plan:
        case Scan():
            return replace(unordered, columns=columns)
        case Values(rows):
            values = zip(*rows, strict=True)
            return replace(unordered, columns=tuple(map(_values_monotonicity, values)))
        case Sort(input, keys):
            return _sorted(keys, orderings(input), unordered)
        case Passing():
            below = orderings(plan.input)
            return replace(
                unordered, columns=below.columns, collations=below.collations, unique=below.unique
            )
        case Project(input):
            return _projected(plan, orderings(input), unordered, streams)
        case Hop(input):
            return _hopped(plan, orderings(input), unordered) if streams else unordered
        case Session(input):
            return replace(unordered, unique=orderings(input).unique)
        case Aggregate(_, keys, sets):
            unique = (frozenset(range(len(keys))),) if len(sets) == 1 else ()
            return replace(unordered, unique=unique)
        case Window(input):
            below = orderings(input)
            keeps_order = streams and _keeps_arrival(plan, input)
            collations = below.collations if keeps_order else ()
            return replace(unordered, collations=collations, unique=below.unique)
        case Join(left, right) if is_streaming(left) is not is_streaming(right):
            return _with_table(plan, unordered)
        case AsofJoin(left):
            below = orderings(left)
            emitted = column_monotonicity(left, OrderOf.ROWS)
            keeps_order = streams and (
                not is_streaming(plan.right)
                or asof_keeps_arrival(plan, emitted, is_in_time_order(left))
            )
            collations = below.collations if keeps_order else ()
            return replace(unordered, collations=collations, unique=below.unique)
        case SetOp(_, _, False):
            return replace(unordered, unique=(frozenset(range(len(columns))),))
        case _:
            return unordered


def _fields(plan: Plan) -> RowType:
    """The columns of ``plan``; a column is also NOT NULL if a condition implies it."""
    known = _present(plan)
    return tuple(
        Field(each.name, each.type.as_nullable(each.type.nullable and i not in known))
        for i, each in enumerate(row_type(plan))
    )


def _present(plan: Plan) -> frozenset[int]:
    """The columns that are NULL in no row because of the conditions of filters and inner joins."""
    match plan:
        case Filter(input, condition):
            return _present(input) | not_null_where_true(condition)
        case Passing() | Widening():
            return _present(plan.input)
        case Project(input, expressions):
            below = _present(input)
            columns = enumerate(expressions)
            return frozenset(i for i, e in columns if isinstance(e, InputRef) and e.index in below)
        case Join(_, _, kind, condition) if kind is JoinKind.INNER:
            return not_null_where_true(condition)
        case AsofJoin(left):
            return _present(left)
        case _:
            return frozenset()


def _unique_alone(known: Orderings) -> Orderings:
    """``known``, with each strict column added as a unique set of one column."""
    strict = tuple(frozenset({i}) for i, each in enumerate(known.columns) if each.strict)
    return replace(known, unique=tuple(dict.fromkeys((*known.unique, *strict))))


def _values_monotonicity(values: Sequence[Expression]) -> Monotonicity:
    """The monotonicity of a column of VALUES, given its constants.

    A column whose type is not an integer or a datetime is CONSTANT or NOT_MONOTONIC.
    """
    if len(set(values)) <= 1 and all(isinstance(each, Literal) for each in values):
        return _C
    literals = [each.value for each in values if isinstance(each, Literal)]
    numbers = [each for each in literals if isinstance(each, int)]
    if len(numbers) < len(values):
        return _N
    steps = [b - a for a, b in pairwise(numbers)]
    directions = (
        (_S, all(step > 0 for step in steps)),
        (Monotonicity.INCREASING, all(step >= 0 for step in steps)),
        (Monotonicity.STRICTLY_DECREASING, all(step < 0 for step in steps)),
        (Monotonicity.DECREASING, all(step <= 0 for step in steps)),
    )
    return next((each for each, holds in directions if holds), _N)


# --- project ------------------------------------------------------------------------------------


def _projected(plan: Project, below: Orderings, unordered: Orderings, streams: bool) -> Orderings:
    """The orders of the input after a projection, up to the first key that it cannot express."""
    columns = unordered.columns
    if not streams:
        columns = tuple(monotonicity(e, below.columns, below.ranges) for e in plan.expressions)
    # The names by which expressions over the input are known above: output columns.
    names: dict[Expression, Expression] = {}
    for place, each in enumerate(plan.expressions):
        for equivalent in below.equal.equivalents(each):
            names.setdefault(equivalent, InputRef(place, equivalent.type))
    collations = (_rewritten(order, names, plan, below) for order in below.collations)
    unique = (_determining_columns(each, names, below) for each in below.unique)
    return replace(
        unordered,
        columns=columns,
        collations=tuple(dict.fromkeys(each for each in collations if each)),
        unique=tuple(dict.fromkeys(each for each in unique if each is not None)),
    )


def _determining_columns(
    places: frozenset[int], names: dict[Expression, Expression], below: Orderings
) -> frozenset[int] | None:
    """The output columns from which the input columns at ``places`` can be computed.

    None if one of them cannot be computed from output columns.
    """
    columns: set[int] = set()
    for place in places:
        written = in_terms(below.column(place), names, below.equal)
        if written is None:
            return None
        columns |= columns_of(written)
    return frozenset(columns)


def _rewritten(
    order: Collation, names: dict[Expression, Expression], plan: Project, below: Orderings
) -> Collation:
    """``order`` over the columns of ``plan``, up to the first key that they cannot express.

    In place of that key, the order can end with a column that is sorted wherever the key is sorted:
    the order (k, b) of the input is the order by f alone if only f = FLOOR(k TO DAY) is projected.
    """
    # ``peers``: the rows that agree in all keys before ``key``, with their known orders.
    keys: list[CollationKey] = []
    peers = Peers.of_all(below)
    for key in order:
        written = in_terms(key.expression, names, below.equal)
        if written is None:
            substitute = _substitute_key(key, peers, plan)
            return tuple(keys) if substitute is None else (*keys, substitute)
        keys.append(replace(key, expression=_typed(written, key.expression.type, plan)))
        peers = peers.where_equal(key.expression)
    return tuple(keys)


def _typed(written: Expression, type: Type, plan: Plan) -> Expression:
    """``written``, an expression over the columns of ``plan``, with the types that it has there.

    Its columns still have the types of the expressions over the input that they replace, and those
    types can be nullable where the columns are not, or the reverse.  The whole expression gets the
    nullability of ``type``, the type of the key that it replaces.
    """
    fields = row_type(plan)

    def change(leaf: Expression) -> Expression:
        return InputRef(leaf.index, fields[leaf.index].type) if isinstance(leaf, InputRef) else leaf

    typed = rewritten(written, change)
    known = typed.type.as_nullable(type.nullable)
    return replace(typed, type=known)


def _substitute_key(key: CollationKey, peers: Peers, plan: Project) -> CollationKey | None:
    """The first column by which ``peers`` are sorted in the direction of ``key``; None without one.

    ``peers`` are rows of the input, over which the expressions of ``plan`` are evaluated.  A column
    that is constant among the peers is skipped, because it would take the place of a later column
    by which they really are sorted.
    """
    for place, each in enumerate(plan.expressions):
        required = SortKey(each, key.descending, nulls_first=False)
        is_constant = peers.order_of(each) is _C
        if not each.type.nullable and not is_constant and peers.sorted_by(required):
            return CollationKey(InputRef(place, each.type), key.descending)
    return None


# --- hop, window, join, sort --------------------------------------------------------------------


def _hopped(plan: Hop, below: Orderings, unordered: Orderings) -> Orderings:
    """The orders after HOP, which repeats each row once for each of its windows.

    If windows do not overlap, no row is repeated, and all orders remain.  Otherwise the rows remain
    in each order, but it is not strict any more.  The repetitions of one row are emitted in the
    order of their window ends.  So if an order was strict, so that only repetitions of one row
    agree in it, it can be continued by the window end, and is then strict again.  This includes the
    order by a single strict column, which is not among the input's collations.
    """
    if not overlapping(plan):
        return replace(unordered, collations=below.collations, unique=below.unique)
    end = len(unordered.fields) - 1
    last = CollationKey(unordered.column(end), strict=True)
    collations = [not_strict(order) for order in below.collations]
    collations += [(*not_strict(order), last) for order in below.collations if order[-1].strict]
    collations += [
        (*not_strict(order), last) for order in below.single_columns() if order[-1].strict
    ]
    unique = tuple(each | {end} for each in below.unique)
    return replace(unordered, collations=tuple(collations), unique=unique)


def _keeps_arrival(plan: Window, input: Plan) -> bool:
    rows = column_monotonicity(input, OrderOf.ROWS)
    return keeps_arrival(plan, rows, rowtime_column(input), is_in_time_order(input))


def _with_table(plan: Join, unordered: Orderings) -> Orderings:
    """The orders of the streaming side, each of whose rows may be emitted several times (S-508)."""
    port = 0 if base_side(plan) is Side.LEFT else 1
    below = orderings((plan.left, plan.right)[port])
    by = len(row_type(plan.left)) if port else 0
    collations = (
        tuple(replace(key, expression=shifted(key.expression, by)) for key in not_strict(order))
        for order in below.collations
    )
    return replace(unordered, collations=tuple(collations))


def _sorted(keys: Sequence[SortKey], below: Orderings, unordered: Orderings) -> Orderings:
    """The order of the sort, with ties as in the input; if already sorted, the input's orders."""
    required = tuple(_key(each) for each in keys)
    if below.sorted_on(keys):
        return replace(
            below, collations=(*below.collations, required) if required else below.collations
        )
    tie_orders = [*below.collations, *below.single_columns()]
    collations = tuple((*required, *each) for each in tie_orders) or (required,)
    return replace(unordered, collations=collations, unique=below.unique)


def _key(key: SortKey) -> CollationKey:
    nulls = key.nulls_first if key.expression.type.nullable else None
    return CollationKey(key.expression, key.descending, nulls_first=nulls)


# --- queries of a plan's order --------------------------------------------------------------------


def sorted_on(plan: Plan, keys: Sequence[SortKey]) -> bool:
    """Whether the rows of ``plan`` are known to be in the order of ``keys`` (CAL-180)."""
    return orderings(plan).sorted_on(keys)


def collations(plan: Plan) -> tuple[Collation, ...]:
    """The known orders of the rows of ``plan``; none is a prefix of another.

    Orders by a single column come first, in the order of the columns.  No key is constant among
    rows that agree in the keys before it, and no key follows a strict one.

    Defines: S-408.a
    """
    known = orderings(plan)
    # Orders by one column; those by several keys that do not follow from them; and the monotonic
    # columns of unique sets, because these columns together can be strict though none is alone.
    # `trimmed` leaves out the keys that are constant or follow a strict one.
    found = [
        known.trimmed(each)
        for each in (*known.single_columns(), *known.not_implied(), *known.unique_together())
    ]
    found = list(dict.fromkeys(each for each in found if each))
    return tuple(e for e in found if not any(_begins(e, other) for other in found if other != e))


def _begins(order: Collation, other: Collation) -> bool:
    """Whether ``other`` implies ``order``, because it begins with ``order``.

    No key has two directions, because only constants could be in order by both.
    """
    spelled = [[normal(key.expression) for key in each] for each in (order, other)]
    return spelled[0] == spelled[1][: len(order)]
