"""Aggregates: over the rows of a group, and over the groups of grouping sets (S-203, S-503)."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cmp_to_key
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Expression,
    Literal,
    SortKey,
    Value,
    WindowCall,
)
from algebra.types import APPROXIMATE, Type
from grammar.source import SqlError, located
from reference.environment import Environment
from reference.relation import Relation, Row, distinct, identity_by
from reference.relational.sorting import sort
from reference.scalar.expression import meaning_of, row_of, truth_of, value_of
from reference.scalar.logic import every, some
from reference.scalar.statistics import (
    correlation,
    covariance,
    not_finite,
    percentile_cont,
    percentile_disc,
    share_of,
    variance,
)
from reference.scalar.sums import exact_sum
from reference.scalar.text import joined
from reference.values import compare, fit, text

if TYPE_CHECKING:
    from _typeshed import SupportsRichComparison as SupportsOrder

#: A function from rows to the value of an aggregate.
Aggregation: TypeAlias = Callable[[Relation], Value]


def aggregate(
    rows: Relation,
    keys: tuple[Expression, ...],
    sets: tuple[tuple[int, ...], ...],
    measures: tuple[AggregateCall, ...],
    env: Environment,
) -> Relation:
    """GROUP BY: for each grouping set, a row for each of its groups: all keys, then the measures.

    ``sets`` has for each grouping set the places of its keys.  The sets are in their order, and the
    groups of a set in the order in which their first rows arrive.  Keys that a set lacks are NULL
    in its rows.  NULLs are one group.  The set ``()`` has one group, even without rows.
    """
    keyed = list(zip(map(row_of(keys, env), rows), rows, strict=True))
    same = identity_by(each.type for each in keys)
    return list(
        chain.from_iterable(
            _groups(keyed, same, len(keys), each, _measuring(measures, each, place, sets, env))
            for place, each in enumerate(sets)
        )
    )


def _measuring(
    measures: tuple[AggregateCall, ...],
    grouping_set: tuple[int, ...],
    place: int,
    sets: tuple[tuple[int, ...], ...],
    env: Environment,
) -> Callable[[Relation], Row]:
    """The function from the rows of a group to its measures.

    The group belongs to ``grouping_set``, which is at ``place`` among the ``sets``: GROUPING and
    GROUP_ID depend on these.
    """
    inside = env.of_group(grouping_set, group_id(sets, place))
    columns = [aggregation(each, inside) for each in measures]
    return lambda rows: tuple([each(rows) for each in columns])


def group_id(sets: tuple[tuple[int, ...], ...], place: int) -> int:
    """GROUP_ID of the grouping set at ``place``: how many sets before it have the same keys."""
    return sum(set(each) == set(sets[place]) for each in sets[:place])


def _groups(
    keyed: Sequence[tuple[Row, Row]],
    same: Callable[[Row], tuple[object, ...]],
    width: int,
    grouping_set: tuple[int, ...],
    measured: Callable[[Relation], Row],
) -> Relation:
    """The output rows of one grouping set, one for each group.

    ``keyed`` has pairs of (values of all keys, input row).  ``same`` is the identity of the values
    of the keys, and ``measured`` returns the measures of a group.
    """
    groups: dict[tuple[object, ...], tuple[Row, list[Row]]] = {}
    if not grouping_set:
        groups[(None,) * width] = ((None,) * width, [])
    if len(grouping_set) < width:
        keyed = [
            (tuple([v if place in grouping_set else None for place, v in enumerate(values)]), row)
            for values, row in keyed
        ]
    for shown, row in keyed:
        key = same(shown)
        group = groups.get(key)
        if group is None:
            group = groups[key] = (shown, [])
        group[1].append(row)
    return [shown + measured(members) for shown, members in groups.values()]


def aggregate_value(call: AggregateCall | WindowCall, rows: Relation, env: Environment) -> Value:
    """The value of one aggregate over ``rows``; `aggregation` is faster for many groups."""
    return aggregation(call, env)(rows)


def aggregation(call: AggregateCall | WindowCall, env: Environment) -> Aggregation:
    """The function from rows to the value of one aggregate over them, of ``call.type``.

    Rows where the filter is not true, and where an argument is NULL, are left out; DISTINCT then
    keeps the first of equal arguments, in the order of WITHIN GROUP if there is one.  Over no rows
    COUNT is 0, and the others are NULL.

    Defines: S-203.n, S-203.t, S-203.x, S-203.y
    """
    assert isinstance(call.function, AggregateFunction), call.function
    if call.function is AggregateFunction.LITERAL_AGG:
        return lambda _: value_of(call.arguments[0], (), env)
    chosen = None if call.filter is None else truth_of(call.filter, env)
    over = _over_chosen(call, env)

    def value(rows: Relation) -> Value:
        try:
            return over(rows if chosen is None else list(filter(chosen, rows)))
        except SqlError as error:
            raise located(error, call.location) from None

    return value


def _over_chosen(call: AggregateCall | WindowCall, env: Environment) -> Aggregation:
    """As `aggregation`, but for rows on which the filter is true."""
    assert isinstance(call.function, AggregateFunction), call.function
    function = call.function
    order = call.order if isinstance(call, AggregateCall) else ()
    if call.function in (AggregateFunction.PERCENTILE_CONT, AggregateFunction.PERCENTILE_DISC):
        return lambda rows: _percentile(call, order, rows, env)
    if function is AggregateFunction.COUNT and not call.arguments and not call.distinct:
        return len
    if len(call.arguments) == 1 and not call.distinct:
        argument_on = meaning_of(call.arguments[0], env)

        def of_one(rows: Relation) -> Value:
            values = [each for each in map(argument_on, rows) if each is not None]
            if function is AggregateFunction.COUNT:
                return len(values)
            return of_values(function, values, call.type) if values else None

        return of_one
    arguments_on = row_of(call.arguments, env)

    def value(rows: Relation) -> Value:
        if order:
            rows = sort(rows, order, None, None, with_ties=False, env=env)
        arguments = [each for each in map(arguments_on, rows) if None not in each]
        if call.distinct:
            arguments = distinct(arguments)
        if function is AggregateFunction.COUNT:
            return len(arguments)
        return of_arguments(function, arguments, call.type) if arguments else None

    return value


def _percentile(
    call: AggregateCall | WindowCall, order: tuple[SortKey, ...], rows: Relation, env: Environment
) -> Value:
    """PERCENTILE_CONT or PERCENTILE_DISC of the one key of ``order``, whose NULLs are left out."""
    (key,) = order
    fraction = call.arguments[0]
    assert isinstance(fraction, Literal), "the binder has computed the fraction"
    values = [each for each in map(meaning_of(key.expression, env), rows) if each is not None]
    if not values:
        return None
    share = share_of(fraction.value, fraction.type)
    if call.function is AggregateFunction.PERCENTILE_DISC:
        return percentile_disc(values, share, key.descending)
    return percentile_cont(values, share, key.descending, call.type)


def of_arguments(function: AggregateFunction, arguments: list[Row], type: Type) -> Value:
    """An aggregate over the arguments of rows, at least one; no argument is NULL."""
    values = [each[0] for each in arguments]
    match function:
        case AggregateFunction.COVAR_POP:
            return covariance(arguments, len(arguments))
        case AggregateFunction.COVAR_SAMP:
            return covariance(arguments, len(arguments) - 1)
        case AggregateFunction.CORR:
            return correlation(arguments)
        case AggregateFunction.LISTAGG:
            # The separator is a constant, so that of the first row is that of all rows.
            return joined(list(map(text, values)), text(arguments[0][1]))
        case _:
            return of_values(function, values, type)


def of_values(function: AggregateFunction, values: Sequence[Value], type: Type) -> Value:
    """An aggregate of one argument over values that are not NULL, at least one.

    Defines: S-203.c, S-203.r
    """
    match function:
        case AggregateFunction.SUM:
            return _divided_sum(values, 1, type)
        case AggregateFunction.AVG:
            return _divided_sum(values, len(values), type)
        case AggregateFunction.MIN:
            return min(values, key=_order(values))
        case AggregateFunction.MAX:
            return max(values, key=_order(values))
        case AggregateFunction.ANY_VALUE:
            return values[0]
        case AggregateFunction.EVERY:
            return every(values)
        case AggregateFunction.SOME:
            return some(values)
        case AggregateFunction.VAR_POP:
            return variance(values, len(values), root=False)
        case AggregateFunction.STDDEV_POP:
            return variance(values, len(values), root=True)
        case AggregateFunction.VAR_SAMP:
            return variance(values, len(values) - 1, root=False)
        case AggregateFunction.STDDEV_SAMP:
            return variance(values, len(values) - 1, root=True)
        case AggregateFunction.MEDIAN:
            return percentile_cont(values, Fraction(1, 2), descending=False, type=type)
        case (
            AggregateFunction.COUNT
            | AggregateFunction.LITERAL_AGG
            | AggregateFunction.PERCENTILE_CONT
            | AggregateFunction.PERCENTILE_DISC
            | AggregateFunction.COVAR_POP
            | AggregateFunction.COVAR_SAMP
            | AggregateFunction.CORR
            | AggregateFunction.LISTAGG
        ):
            raise AssertionError(f"{function} does not go by the values of one argument")


def _order(values: Sequence[Value]) -> "Callable[[Value], SupportsOrder]":
    """A key function for Python's sort with the order of `compare`, which also orders NaN.

    ``values`` are not empty, and have one type.
    """
    # mypy cannot know that the values are of one type.
    return cmp_to_key(compare) if isinstance(values[0], float) else lambda v: v  # type: ignore[return-value]


def _divided_sum(values: Sequence[Value], count: int, type: Type) -> Value:
    """The exact sum divided by ``count``, rounded once to ``type``.

    The order has no effect (S-203).  An infinity plus a finite number is the infinity; plus the
    opposite infinity or NaN, it is NaN.

    Defines: S-203.e
    """
    if type.kind in APPROXIMATE and (special := not_finite(values)):
        return sum(special)
    return fit(type, Fraction(exact_sum(values), count) if count > 1 else exact_sum(values))
