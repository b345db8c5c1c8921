"""Collation: the orders that the rows of a plan are known to have (S-408).

The rows of a streaming plan are in the order of emission.  In a relational plan, Scan (the order of
arrival), Values and Sort define an order, Filter and Project preserve it, and all other nodes
destroy it.  A known order holds in every run, so no order is known among ties (S-307).
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
    """The known orders of the rows of ``plan``; if it streams, of the rows as they are emitted.

    Defines: S-408.g
    """
    found = _node_orderings(plan)
    return _with_strict_columns(replace(found, columns=implied(plan, found.columns)))


def _node_orderings(plan: Plan) -> Orderings:
    """`orderings` by the rule for the top node of ``plan``.

    Orders of columns that follow from equality with other columns are not yet added.
    """
    streams = is_streaming(plan)
    columns = column_monotonicity(plan, OrderOf.ROWS)
    # The facts that hold without a rule below: no order but those of single columns.
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
    not_null = _not_null_by_conditions(plan)
    return tuple(
        Field(each.name, each.type.as_nullable(each.type.nullable and i not in not_null))
        for i, each in enumerate(row_type(plan))
    )


def _not_null_by_conditions(plan: Plan) -> frozenset[int]:
    """The columns that are NULL in no row because of the conditions of filters and inner joins."""
    match plan:
        case Filter(input, condition):
            return _not_null_by_conditions(input) | not_null_where_true(condition)
        case Passing() | Widening():
            return _not_null_by_conditions(plan.input)
        case Project(input, expressions):
            below = _not_null_by_conditions(input)
            columns = enumerate(expressions)
            return frozenset(i for i, e in columns if isinstance(e, InputRef) and e.index in below)
        case Join(_, _, kind, condition) if kind is JoinKind.INNER:
            return not_null_where_true(condition)
        case AsofJoin(left):
            return _not_null_by_conditions(left)
        case _:
            return frozenset()


def _with_strict_columns(known: Orderings) -> Orderings:
    """``known``, with each strict column added as a unique set of one column."""
    strict = tuple(frozenset({i}) for i, each in enumerate(known.columns) if each.strict)
    return replace(known, unique=tuple(dict.fromkeys((*known.unique, *strict))))


def _values_monotonicity(values: Sequence[Expression]) -> Monotonicity:
    """The monotonicity of a column of VALUES that has ``values`` in its rows.

    A column whose values are not represented as integers is CONSTANT or NOT_MONOTONIC.
    """
    if len(set(values)) <= 1 and all(isinstance(each, Literal) for each in values):
        return _C
    literals = [each.value for each in values if isinstance(each, Literal)]
    numbers = [each for each in literals if isinstance(each, int)]
    if len(numbers) < len(values):
        return _N  # a value is not a literal, or not an integer
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
    """The orders of the rows of ``plan``, from those of its input (``below``).

    A collation is kept up to its first key that cannot be written with the output columns.
    ``unordered`` has the facts of ``plan`` except collations and unique sets.  ``streams``: the
    plan streams, so the orders of single columns in ``unordered`` hold.
    """
    columns = unordered.columns
    if not streams:
        columns = tuple(monotonicity(e, below.columns, below.ranges) for e in plan.expressions)
    # For expressions over the input, the output column that has their value.
    names: dict[Expression, Expression] = {}
    for place, each in enumerate(plan.expressions):
        for equivalent in below.equal.equivalents(each):  # expressions with the same value
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

    ``names`` has the output columns for expressions over the input, ``below`` the input's orders.
    In place of the key that cannot be expressed, the order can end with a column that is sorted
    wherever the key is sorted.  If only f = FLOOR(k TO DAY) is projected, for example, the order
    (k, b) of the input becomes the order by f alone.
    """
    # `peers` are the rows that agree in all keys before `key`, with their known orders.
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
    """``written``, an expression over the columns of ``plan``, with the types of these columns.

    In ``written``, each column still has the type of the input expression that it replaces.  The
    two types may differ in whether they are nullable.  ``type`` is the type of the key that
    ``written`` replaces: the result is nullable if ``type`` is.
    """
    fields = row_type(plan)

    def change(leaf: Expression) -> Expression:
        return InputRef(leaf.index, fields[leaf.index].type) if isinstance(leaf, InputRef) else leaf

    typed = rewritten(written, change)
    return replace(typed, type=typed.type.as_nullable(type.nullable))


def _substitute_key(key: CollationKey, peers: Peers, plan: Project) -> CollationKey | None:
    """A key for the first output column by which ``peers`` are sorted in the direction of ``key``.

    None: there is no such column.  ``peers`` are rows of the input, over which the expressions of
    ``plan`` are evaluated.  A column that is constant among the peers is skipped, because a later
    column, by which they are sorted and which is not constant, says more.
    """
    for place, each in enumerate(plan.expressions):
        required = SortKey(each, key.descending, nulls_first=False)
        is_constant = peers.order_of(each) is _C
        if not each.type.nullable and not is_constant and peers.sorted_by(required):
            return CollationKey(InputRef(place, each.type), key.descending)
    return None


# --- hop, window, join, sort --------------------------------------------------------------------


def _hopped(plan: Hop, below: Orderings, unordered: Orderings) -> Orderings:
    """The orders of the rows of HOP, which emits each row once for each of its windows.

    If windows do not overlap, no row is repeated, and all orders of the input (``below``) remain.
    If they overlap, the orders remain, but they are not strict.  The repetitions of one row are
    emitted in the order of their window ends.  So a strict order of the input is strict again if
    the window end continues it: only the repetitions of one row agree in its other keys.
    """
    if not overlapping(plan):
        return replace(unordered, collations=below.collations, unique=below.unique)
    end = len(unordered.fields) - 1
    last = CollationKey(unordered.column(end), strict=True)
    collations = [not_strict(order) for order in below.collations]
    # The order by a single strict column is not among the input's collations.
    for orders in (below.collations, below.single_columns()):
        collations += [(*not_strict(order), last) for order in orders if order[-1].strict]
    unique = tuple(each | {end} for each in below.unique)
    return replace(unordered, collations=tuple(collations), unique=unique)


def _keeps_arrival(plan: Window, input: Plan) -> bool:
    """Whether OVER emits the rows of ``input`` in the order of their arrival."""
    rows = column_monotonicity(input, OrderOf.ROWS)
    return keeps_arrival(plan, rows, rowtime_column(input), is_in_time_order(input))


def _with_table(plan: Join, unordered: Orderings) -> Orderings:
    """The orders of a join of a stream with a table: those of the stream, but not strict.

    A row of the stream may be emitted several times, once for each of its partners (S-508).
    """
    port = 0 if base_side(plan) is Side.LEFT else 1
    below = orderings((plan.left, plan.right)[port])
    offset = len(row_type(plan.left)) if port else 0  # of the stream's columns in the joined row
    collations = (
        tuple(replace(key, expression=shifted(key.expression, offset)) for key in not_strict(order))
        for order in below.collations
    )
    return replace(unordered, collations=tuple(collations))


def _sorted(keys: Sequence[SortKey], below: Orderings, unordered: Orderings) -> Orderings:
    """The orders of a sort by ``keys``.

    If the input is sorted already, all of its orders (``below``) remain.  Else the order is by the
    keys, and among ties the rows are in the orders of the input.  Without keys, no row is moved.
    """
    required = tuple(_key(each) for each in keys)
    if below.sorted_on(keys):
        added = (required,) if required else ()
        return replace(below, collations=(*below.collations, *added))
    tie_orders = [*below.collations, *below.single_columns()]
    collations = tuple((*required, *each) for each in tie_orders) or (required,)
    return replace(unordered, collations=collations, unique=below.unique)


def _key(key: SortKey) -> CollationKey:
    """The key of a collation that a sort by ``key`` produces."""
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
    candidates = (
        *known.single_columns(),
        *known.not_implied(),
        # The columns of a unique set together can be strict, although none of them is alone.
        *known.unique_together(),
    )
    trimmed = map(known.trimmed, candidates)
    found = tuple(dict.fromkeys(each for each in trimmed if each))
    return tuple(e for e in found if not any(_begins(e, other) for other in found if other != e))


def _begins(order: Collation, other: Collation) -> bool:
    """Whether ``other`` begins with the keys of ``order``, so that it implies ``order``.

    Directions need not be compared: only a constant is sorted in both directions.
    """
    keys, other_keys = ([normal(key.expression) for key in each] for each in (order, other))
    return keys == other_keys[: len(order)]
