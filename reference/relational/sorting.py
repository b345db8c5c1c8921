"""ORDER BY, OFFSET and FETCH over a relation (S-507)."""

from algebra.expression import Expression, Parameter, SortKey
from grammar.codes import Code
from reference.environment import Environment
from reference.relation import Relation, Row, compare_keys
from reference.scalar.expression import row_of, value_of
from reference.values import failure, integer


def sort(
    rows: Relation,
    keys: tuple[SortKey, ...],
    offset: Expression | None,
    limit: Expression | None,
    with_ties: bool,
    env: Environment,
) -> Relation:
    """Sort ``rows`` by ``keys``, skip ``offset`` rows, and return the next ``limit`` rows.

    Ties stay in input order. ``with_ties``: the rows after the limit with the same keys as the last
    row are returned, too.  Without an offset, or if it is NULL, no row is skipped; without a limit,
    or if it is NULL, all further rows are returned.
    """
    keyed = env.forms.in_order(_keyed(rows, keys, env), keys)
    rest = keyed[row_count(offset, env) or 0 :]
    count = row_count(limit, env)
    if count is None:
        return [row for _, row in rest]
    last = rest[count - 1][0] if with_ties and 0 < count <= len(rest) else None
    ties = 0
    if last is not None:
        ties = sum(compare_keys(key, last, keys) == 0 for key, _ in rest[count:])
    return [row for _, row in rest[: count + ties]]


def _keyed(rows: Relation, keys: tuple[SortKey, ...], env: Environment) -> list[tuple[Row, Row]]:
    """Pairs of (values of the sort keys, row)."""
    values_on = row_of([key.expression for key in keys], env)
    return [(values_on(row), row) for row in rows]


def row_count(expression: Expression | None, env: Environment) -> int | None:
    """The number of rows of OFFSET or FETCH; None for NULL, and without ``expression``.

    Raises INVALID_ARGUMENT for a negative number.
    """
    value = None if expression is None else value_of(expression, (), env)
    if value is not None and integer(value) < 0:
        location = expression.location if isinstance(expression, Parameter) else None
        message = "OFFSET or FETCH of a negative number of rows"
        raise failure(Code.INVALID_ARGUMENT, message, location=location)
    return None if value is None else integer(value)
