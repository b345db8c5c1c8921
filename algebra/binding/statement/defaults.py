"""The default values of columns for which a statement has no value, or DEFAULT (S-604, S-605).

VALUES with the word DEFAULT are bound in three steps.  `without_defaults` puts NULL in the place of
DEFAULT; the query is bound; and `with_defaults` puts the default values in the place of the NULLs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from algebra.catalog import Column, Stream, Table
from algebra.expression import Call, Expression, Literal, Op
from algebra.functions.coerce import Operand, cast_to
from algebra.monotonicity.columns import rowtime_column
from algebra.plan import Reads, Scan, Values
from algebra.types import TIMESTAMP, Field
from grammar import tree
from grammar.codes import Code
from grammar.source import Span, SqlError
from grammar.tree import LiteralKind

#: The words DEFAULT in VALUES: the row and the column of each, and its place in the text.
Defaults: TypeAlias = Mapping[tuple[int, int], Span]

#: The default of a stream's rowtime: the session's clock.
_NOW: Final = Call(Op.CURRENT_TIMESTAMP, (), TIMESTAMP.as_nullable(False))


def default_of(target: Table | Stream, place: int) -> Expression | None:
    """The value of the column at ``place`` in a row for which an INSERT has no value.

    It is the declared default, else the session's clock for a stream's rowtime, else NULL.  None:
    the column is NOT NULL and has no default, so an INSERT must have a value for it.

    Defines: S-605.b, S-605.k
    """
    column = target.columns[place]
    if column.default is not None:
        return column.default
    if isinstance(target, Stream) and place == rowtime_column(Scan(target, Reads.HISTORY)):
        return _NOW
    return Literal(None, column.type) if column.type.nullable else None


def required_default(target: Table | Stream, place: int, at: Span, sql: str) -> Expression:
    """The value of the word DEFAULT at ``at``; COLUMN_COUNT if the column has none."""
    found = default_of(target, place)
    if found is None:
        raise missing(
            target.columns[place], at, sql, f"write a value for {target.columns[place].name}"
        )
    return found


def missing(column: Column, at: Span, sql: str, hint: str) -> SqlError:
    """The refusal of a row that has no value for a column without a default."""
    message = f"column '{column.name}' has no default value and does not allow NULLs"
    return SqlError(Code.COLUMN_COUNT, message, sql, at, hint)


def is_default(node: tree.Expression) -> bool:
    """Whether ``node`` is the word DEFAULT; in quotes it is a column's name."""
    match node:
        case tree.ColumnRef(tree.Name((tree.Identifier("DEFAULT", False),))):
            return True
        case _:
            return False


def without_defaults(query: tree.Query) -> tuple[tree.Query, Defaults]:
    """VALUES with NULL in place of each DEFAULT, and the places of the DEFAULTs.

    With the NULLs, the query can be bound.  Another query is returned as it is, without places.
    """
    body = query.body
    if not isinstance(body, tree.Values) or query.order_by or query.limit is not None:
        return query, {}
    places = {
        (i, j): each.span
        for i, row in enumerate(body.rows)
        for j, each in enumerate(row)
        if is_default(each)
    }
    if not places:
        return query, {}
    rows = tuple(
        tuple(
            tree.Literal(LiteralKind.NULL, "NULL", each.span) if is_default(each) else each
            for each in row
        )
        for row in body.rows
    )
    return replace(query, body=replace(body, rows=rows)), places


def with_defaults(
    values: Values,
    places: Sequence[int],
    defaults: Defaults,
    target: Table | Stream,
    written: tree.Values,
    sql: str,
) -> Values:
    """The bound ``values``, in which the defaults of the columns replace the NULLs for DEFAULT.

    Column ``j`` of the values is the target's column ``places[j]``.  If it has a DEFAULT in some
    row, all its values are converted to the type of the target's column.  ``written`` is the syntax
    of the values.
    """
    types = {j: target.columns[places[j]].type.as_nullable() for _, j in defaults}

    def value(i: int, j: int, bound: Expression) -> Expression:
        if (at := defaults.get((i, j))) is not None:
            bound = required_default(target, places[j], at, sql)
        if j not in types:
            return bound
        return cast_to(Operand(bound, written.rows[i][j].span, sql), types[j])

    rows = tuple(
        tuple(value(i, j, each) for j, each in enumerate(row)) for i, row in enumerate(values.rows)
    )
    fields = tuple(
        Field(each.name, types.get(j, each.type)) for j, each in enumerate(values.fields)
    )
    return Values(rows, fields)
