"""Collation: the orders in which the rows of a plan are known to come (S-408).

A streaming plan has the order of emission.  Of a relational plan, Scan (arrival), Values and Sort
set an order, Filter and Project preserve it, and no other node has one.  An order that is claimed
holds in every run: none is claimed among rows that tie (S-307).
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from algebra.constraints.column_ranges import column_ranges
from algebra.constraints.row_facts import not_null_where_true
from algebra.expression import Expression, InputRef, Literal, SortKey
from algebra.facts import deduced_once
from algebra.metadata.orderings import Collation, CollationKey, Orderings, not_strict
from algebra.monotonicity.columns import (
    OrderOf,
    base_side,
    clock_in_order,
    column_monotonicity,
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
    Joining,
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


# --- how rows come ------------------------------------------------------------------------------


@deduced_once
def orderings(plan: Plan) -> Orderings:
    """What is known of the order of the rows of ``plan``, as emitted if it streams.

    Defines: S-408.g
    """
    found = _arranged(plan)
    return _unique_alone(replace(found, columns=implied(plan, found.columns)))


def _arranged(plan: Plan) -> Orderings:
    streams = is_streaming(plan)
    columns = column_monotonicity(plan, OrderOf.ROWS)
    bare = Orderings(_fields(plan), columns, (), (), column_ranges(plan), equalities(plan))
    if not streams:
        bare = replace(bare, columns=constant_only(columns))

    def preserved(input: Plan) -> Orderings:
        below = orderings(input)
        own = columns if streams else below.columns
        return replace(bare, columns=own, collations=below.collations, unique=below.unique)

    match plan:
        case Scan():
            return replace(bare, columns=columns)
        case Values(rows):
            known = tuple(_way([row[i] for row in rows]) for i in range(len(columns)))
            return replace(bare, columns=known)
        case Sort(input, keys):
            return _sorted(keys, orderings(input), bare)
        case Passing():
            return preserved(plan.input)
        case Project(input):
            return _projected(plan, orderings(input), bare, streams)
        case Hop(input):
            return _hopped(plan, orderings(input), bare) if streams else bare
        case Session(input):
            return replace(bare, unique=orderings(input).unique)
        case Aggregate(_, keys, sets):
            unique = (frozenset(range(len(keys))),) if len(sets) == 1 else ()
            return replace(bare, unique=unique)
        case Window(input):
            below = preserved(input)
            if streams and _keeps_arrival(plan, input):
                return below
            return replace(bare, unique=below.unique)
        case Join(left, right) if is_streaming(left) is not is_streaming(right):
            return _beside_table(plan, bare)
        case AsofJoin(left):
            below = orderings(left)
            emitted = column_monotonicity(left, OrderOf.ROWS)
            kept = streams and (
                not is_streaming(plan.right)
                or asof_keeps_arrival(plan, emitted, clock_in_order(left))
            )
            collations = below.collations if kept else ()
            return replace(bare, collations=collations, unique=below.unique)
        case Joining():
            return bare
        case SetOp(_, _, all_):
            unique = () if all_ else (frozenset(range(len(columns))),)
            return replace(bare, unique=unique)


def _fields(plan: Plan) -> RowType:
    """The columns of ``plan``, NOT NULL also where a condition implies it."""
    known = _present(plan)
    return tuple(
        Field(each.name, each.type.as_nullable(each.type.nullable and i not in known))
        for i, each in enumerate(row_type(plan))
    )


def _present(plan: Plan) -> frozenset[int]:
    """The columns that the conditions of filters and inner joins let be NULL in no row."""
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
            return frozenset(i for i in _present(left) if i < len(row_type(left)))
        case Scan() | Values() | Aggregate() | Joining() | SetOp():
            return frozenset()


def _unique_alone(bare: Orderings) -> Orderings:
    """The same, where each strict column is unique by itself."""
    strict = tuple(frozenset({i}) for i, each in enumerate(bare.columns) if each.strict)
    return replace(bare, unique=tuple(dict.fromkeys((*bare.unique, *strict))))


def _way(values: Sequence[Expression]) -> Monotonicity:
    """How constants of one column go; of what is no whole number or time nothing but equality."""
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


def _projected(plan: Project, below: Orderings, bare: Orderings, streams: bool) -> Orderings:
    """The orders of the input, each up to the first key that the projection cannot express."""
    columns = bare.columns
    if not streams:
        columns = tuple(monotonicity(e, below.columns, below.ranges) for e in plan.expressions)
    names: dict[Expression, Expression] = {}
    for place, each in enumerate(plan.expressions):
        for way in below.equal.equivalents(each):
            names.setdefault(way, InputRef(place, way.type))
    collations = (_rewritten(order, names, plan, below) for order in below.collations)
    unique = (_named(each, names, below) for each in below.unique)
    return replace(
        bare,
        columns=columns,
        collations=tuple(dict.fromkeys(each for each in collations if each)),
        unique=tuple(dict.fromkeys(each for each in unique if each is not None)),
    )


def _named(
    places: frozenset[int], names: dict[Expression, Expression], below: Orderings
) -> frozenset[int] | None:
    """The columns from which the ``places`` of the input can be computed; None: one cannot."""
    written = [in_terms(below.column(i), names, below.equal) for i in places]
    known = [each for each in written if each is not None]
    return (
        frozenset(i for e in known for i in columns_of(e)) if len(known) == len(written) else None
    )


def _rewritten(
    order: Collation, names: dict[Expression, Expression], plan: Project, below: Orderings
) -> Collation:
    """``order`` over the columns of ``plan``, up to the first key that cannot be expressed there.

    That key may be replaced by a column that it sorts as well: FLOOR of it, say.
    """
    keys: list[CollationKey] = []
    required: list[SortKey] = []
    for key in order:
        written = in_terms(key.expression, names, below.equal)
        if written is None:
            instead = _instead(key, [k.expression for k in keys], required, plan, below)
            return tuple(keys) if instead is None else (*keys, instead)
        keys.append(replace(key, expression=_typed(written, key.expression.type, plan)))
        required.append(SortKey(key.expression, key.descending, key.nulls_first is True))
    return tuple(keys)


def _typed(written: Expression, type: Type, plan: Plan) -> Expression:
    """An expression over the columns of ``plan``, with values of ``type``."""
    fields = row_type(plan)

    def change(leaf: Expression) -> Expression:
        return InputRef(leaf.index, fields[leaf.index].type) if isinstance(leaf, InputRef) else leaf

    typed = rewritten(written, change)
    known = typed.type.as_nullable(type.nullable)
    return replace(typed, type=known)


def _instead(
    key: CollationKey,
    taken: list[Expression],
    required: list[SortKey],
    plan: Project,
    below: Orderings,
) -> CollationKey | None:
    """A column by which rows that agree in the ``required`` keys are sorted; None: no column."""
    for place, each in enumerate(plan.expressions):
        here = InputRef(place, each.type)
        if each.type.nullable or not columns_of(each) or normal(here) in taken:
            continue
        if below.sorted_on((*required, SortKey(each, key.descending, nulls_first=False))):
            return CollationKey(here, key.descending)
    return None


# --- hop, window, join, sort --------------------------------------------------------------------


def _hopped(plan: Hop, below: Orderings, bare: Orderings) -> Orderings:
    """The rows once per window, by window end within rows that agree in all other keys."""
    if not overlapping(plan):
        return replace(bare, collations=below.collations, unique=below.unique)
    end = len(bare.fields) - 1
    last = CollationKey(bare.column(end), strict=True)
    collations = [not_strict(order) for order in below.collations]
    collations += [(*not_strict(order), last) for order in below.collations if order[-1].strict]
    collations += [
        (*not_strict(order), last) for order in below.single_columns() if order[-1].strict
    ]
    unique = tuple(each | {end} for each in below.unique)
    return replace(bare, collations=tuple(collations), unique=unique)


def _keeps_arrival(plan: Window, input: Plan) -> bool:
    rows = column_monotonicity(input, OrderOf.ROWS)
    return keeps_arrival(plan, rows, rowtime_column(input), clock_in_order(input))


def _beside_table(plan: Join, bare: Orderings) -> Orderings:
    """The orders of the streaming side; each of its rows may come several times (S-508)."""
    port = 0 if base_side(plan) is Side.LEFT else 1
    below = orderings((plan.left, plan.right)[port])
    by = len(row_type(plan.left)) if port else 0
    collations = (
        tuple(replace(key, expression=shifted(key.expression, by)) for key in not_strict(order))
        for order in below.collations
    )
    return replace(bare, collations=tuple(collations))


def _sorted(keys: Sequence[SortKey], below: Orderings, bare: Orderings) -> Orderings:
    """The order of the sort, ties as in the input; the input's orders if it is sorted already."""
    required = tuple(_key(each) for each in keys)
    if below.sorted_on(keys):
        return replace(
            below, collations=(*below.collations, required) if required else below.collations
        )
    behind = [*below.collations, *below.single_columns()]
    collations = tuple((*required, *each) for each in behind) or (required,)
    return replace(bare, collations=collations, unique=below.unique)


def _key(key: SortKey) -> CollationKey:
    nulls = key.nulls_first if key.expression.type.nullable else None
    return CollationKey(key.expression, key.descending, nulls_first=nulls)


# --- queries of a plan's order --------------------------------------------------------------------


def sorted_on(plan: Plan, keys: Sequence[SortKey]) -> bool:
    """Whether the rows of ``plan`` are known to come in the order of ``keys`` (CAL-180)."""
    return orderings(plan).sorted_on(keys)


def collations(plan: Plan) -> tuple[Collation, ...]:
    """The orders in which the rows of ``plan`` are known to come; none is a prefix of another.

    Orders by a single column come first, in the order of the columns.  No key is constant among
    rows that agree in the keys before it, and no key follows a strict one.

    Defines: S-408.a
    """
    of = orderings(plan)
    found = [
        of.trimmed(each)
        for each in (*of.single_columns(), *of.not_implied(), *of.unique_together())
    ]
    found = list(dict.fromkeys(each for each in found if each))
    return tuple(e for e in found if not any(_begins(e, other) for other in found if other != e))


def _begins(order: Collation, other: Collation) -> bool:
    """Whether ``other`` implies ``order``, of which it is a continuation."""
    spelled = [[(normal(k.expression), k.descending) for k in each] for each in (order, other)]
    same = spelled[0] == spelled[1][: len(order)]
    return same and (not order[-1].strict or other[len(order) - 1].strict)
