"""The columns of a plan whose expression reads no column, such as a literal (S-406)."""

from collections.abc import Sequence

from algebra.catalog import Stream
from algebra.expression import Expression, InputRef
from algebra.facts import deduced_once
from algebra.parts.grouping_sets import common_keys
from algebra.plan import (
    Aggregate,
    Joining,
    Passing,
    Plan,
    Project,
    Scan,
    SetOp,
    Values,
    Widening,
    row_type,
)
from algebra.rewrite import columns_of, rewritten
from grammar.tree import SetOperator


@deduced_once
def constant_columns(plan: Plan) -> tuple[Expression | None, ...]:
    """For each column, its expression if that reads no column of any input; else None.

    An outer join can pad a column, so a column of the padded side has no such expression.  A filter
    such as ``x = 1`` does not give ``x`` one.  The value can still vary from row to row: RAND.

    Defines: S-406.d
    """
    unknown = (None,) * len(row_type(plan))
    match plan:
        case Scan(Stream(carries=carried)) if carried is not None:  # the stream has its columns
            below = constant_columns(carried)
            return (*below, *unknown[len(below) :])
        case Values(rows) if rows:
            return tuple(map(_shared, zip(*rows, strict=True)))
        case Project(input, expressions):
            return tuple(_over(each, constant_columns(input)) for each in expressions)
        case Aggregate(input, keys):
            below, common = constant_columns(input), common_keys(plan)
            found = (_over(key, below) if i in common else None for i, key in enumerate(keys))
            return (*found, *(None for _ in plan.measures))
        case Passing():
            return constant_columns(plan.input)
        case Widening():
            below = constant_columns(plan.input)
            return (*below, *unknown[len(below) :])
        case Joining(left, right, kind):
            sides = (
                *_unless_padded(constant_columns(left), padded=kind.preserves_right),
                *_unless_padded(constant_columns(right), padded=kind.preserves_left),
            )
            return (*sides, *unknown[len(sides) :])
        case SetOp(inputs, SetOperator.UNION):
            return tuple(map(_shared, zip(*map(constant_columns, inputs), strict=True)))
        case SetOp(inputs):  # each row is a row of the first input
            return constant_columns(inputs[0])
        case _:
            return unknown


def _over(expression: Expression, constants: Sequence[Expression | None]) -> Expression | None:
    """``expression`` with each column replaced by its expression in ``constants``.

    None: one of its columns has no constant expression.
    """
    if any(constants[index] is None for index in columns_of(expression)):
        return None
    return rewritten(expression, lambda leaf: _constant(leaf, constants) or leaf)


def _constant(leaf: Expression, constants: Sequence[Expression | None]) -> Expression | None:
    return constants[leaf.index] if isinstance(leaf, InputRef) else None


def _shared(constants: Sequence[Expression | None]) -> Expression | None:
    """The expression to which all ``constants`` are equal, one for each row or input; else None."""
    first, *others = constants
    return first if all(each == first for each in others) else None


def _unless_padded(
    constants: tuple[Expression | None, ...], *, padded: bool
) -> tuple[Expression | None, ...]:
    """The ``constants`` of a join's side; None for all its columns if it can be ``padded``."""
    return (None,) * len(constants) if padded else constants
