"""Aggregates: over the rows of a group, and over the groups of grouping sets (S-203, S-503)."""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cmp_to_key
from itertools import chain

from algebra.expression import AggregateCall, AggregateFunction, Expression, Value, WindowCall
from algebra.types import APPROXIMATE, Type
from reference.expression import holds, value_of, values_of
from reference.logic import every, some
from reference.relation import Environment, Relation, Row, distinct, identity_of
from reference.values import Exact, compare, exact, fit, nearest


def aggregate(
    rows: Relation,
    keys: tuple[Expression, ...],
    sets: tuple[tuple[int, ...], ...],
    measures: tuple[AggregateCall, ...],
    env: Environment,
) -> Relation:
    """For each grouping set, a row per distinct value of its keys: all keys, then measures.

    Sets in their order, the groups of one in the order in which their first rows arrive; keys that
    a set leaves out are NULL.  The set ``()`` has one group, of no rows too; NULLs are one group.
    """
    keyed = [(values_of(keys, row, env), row) for row in rows]
    return list(
        chain.from_iterable(
            _groups(keyed, len(keys), each, measures, env.of_group(each, _group_id(sets, place)))
            for place, each in enumerate(sets)
        )
    )


def _group_id(sets: tuple[tuple[int, ...], ...], place: int) -> int:
    """GROUP_ID: how many sets before the one at ``place`` have the same keys."""
    return sum(set(each) == set(sets[place]) for each in sets[:place])


def _groups(
    keyed: Sequence[tuple[Row, Row]],
    width: int,
    grouping_set: tuple[int, ...],
    measures: tuple[AggregateCall, ...],
    env: Environment,
) -> Relation:
    """The rows of one grouping set; ``keyed`` are pairs of (all keys' values, input row)."""
    groups: dict[tuple[object, ...], tuple[Row, list[Row]]] = {}
    if not grouping_set:
        groups[()] = ((None,) * width, [])
    for values, row in keyed:
        shown = tuple(v if place in grouping_set else None for place, v in enumerate(values))
        _, members = groups.setdefault(identity_of(shown) if grouping_set else (), (shown, []))
        members.append(row)
    return [
        (*shown, *(aggregate_value(call, members, env) for call in measures))
        for shown, members in groups.values()
    ]


def aggregate_value(call: AggregateCall | WindowCall, rows: Relation, env: Environment) -> Value:
    """The value of one aggregate over ``rows``, of ``call.type``.

    Rows where the filter is not true, and where an argument is NULL, are left out; DISTINCT then
    keeps the first of equal arguments.  Over nothing COUNT is 0, the others NULL.
    """
    assert isinstance(call.function, AggregateFunction), call.function
    if call.function is AggregateFunction.LITERAL_AGG:
        return value_of(call.arguments[0], (), env)
    kept = rows if call.filter is None else [r for r in rows if holds(call.filter, r, env)]
    arguments = [values_of(call.arguments, row, env) for row in kept]
    arguments = [each for each in arguments if None not in each]
    if call.distinct:
        arguments = distinct(arguments)
    if call.function is AggregateFunction.COUNT:
        return len(arguments)
    values = [each[0] for each in arguments]
    return _of_values(call.function, values, call.type) if values else None


def _of_values(function: AggregateFunction, values: list[Value], type: Type) -> Value:
    """An aggregate of one argument over at least one value, none NULL."""
    match function:
        case AggregateFunction.SUM:
            return _divided_sum(values, 1, type)
        case AggregateFunction.AVG:
            return _divided_sum(values, len(values), type)
        case AggregateFunction.MIN:
            return min(values, key=cmp_to_key(compare))
        case AggregateFunction.MAX:
            return max(values, key=cmp_to_key(compare))
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
            return median(values)
        case AggregateFunction.COUNT | AggregateFunction.LITERAL_AGG:
            raise AssertionError("they do not go by the values of one argument")


def _not_finite(values: list[Value]) -> list[float]:
    """The NaNs and infinities among ``values``: they decide a sum alone."""
    return [each for each in values if isinstance(each, float) and not math.isfinite(each)]


def _exact_sum(values: list[Value]) -> Exact:
    """The sum without rounding, of finite numbers or intervals."""
    total: Exact = 0
    for each in values:
        total += exact(each)
    return total


def _divided_sum(values: list[Value], count: int, type: Type) -> Value:
    """The exact sum over ``count``, rounded once to ``type``; so order does not matter (S-203).

    An infinity wins, against its opposite or NaN it is NaN.
    """
    if type.kind in APPROXIMATE and (special := _not_finite(values)):
        return sum(special)
    return fit(type, Fraction(_exact_sum(values), count) if count > 1 else _exact_sum(values))


def variance(values: list[Value], divisor: int, root: bool) -> Value:
    """The sum of squared distances from the mean over ``divisor``, or its ``root``; a DOUBLE.

    Exact up to the one rounding at the end.  A ``divisor`` of 0 (SAMP of one value) is NULL.
    """
    if divisor == 0:
        return None
    if _not_finite(values):
        return math.nan
    mean = Fraction(_exact_sum(values), len(values))
    squares = sum((Fraction(exact(each) - mean) ** 2 for each in values), start=Fraction())
    return square_root(squares / divisor) if root else nearest(squares / divisor)


def square_root(number: Fraction) -> float:
    """The DOUBLE nearest to the root of a number that is not negative.

    The root of ``number * 4**shift`` has more than 120 bits; a last bit says that some were cut, so
    that the rounding to 53 cannot be mistaken.
    """
    size = number.numerator.bit_length() - number.denominator.bit_length()
    shift = max(0, 128 - size // 2)
    scaled, rest = divmod(number.numerator << 2 * shift, number.denominator)
    whole = math.isqrt(scaled)
    inexact = rest > 0 or whole * whole < scaled
    return nearest(Fraction(2 * whole + inexact, 2 << shift))


def median(values: list[Value]) -> float:
    """The middle value, or the mean of the two middle ones, as a DOUBLE."""
    in_order = sorted(values, key=cmp_to_key(compare))
    middle = in_order[(len(values) - 1) // 2 : len(values) // 2 + 1]
    if special := _not_finite(middle):
        return sum(special)
    return nearest(Fraction(_exact_sum(middle), len(middle)))
