"""Fast joins: the condition is evaluated only for right rows whose join keys are equal."""

from collections.abc import Callable, Sequence

from algebra.expression import Expression, Value
from reference.relation import Relation, Row
from reference.scalar.join_keys import equalities


def rows_by_key(
    right: Relation, condition: Expression, width: int
) -> Callable[[Row], Sequence[tuple[int, Row]]]:
    """A function from a left row of ``width`` columns to the right rows that may match it.

    They are the rows whose columns are equal where ``condition`` requires it; without such a
    requirement, all rows.  The right rows are pairs (place, row) in order.
    """
    keys = equalities(condition, width)
    index: dict[tuple[Value, ...], list[tuple[int, Row]]] = {}
    for place, row in enumerate(right):
        key = tuple([row[b] for _, b in keys])
        if None not in key:  # a NULL is equal to nothing
            index.setdefault(key, []).append((place, row))
    return lambda row: index.get(tuple([row[a] for a, _ in keys]), ())
