"""The columns that have a constant expression, which is the same in all rows of a plan (S-406)."""

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
    """The expression of each column if it reads no column of any input, else None.

    An outer join can pad a column, so a column of the padded side has no constant.  Predicates do
    not count.  The expression can still vary from row to row: RAND.

    Defines: S-406.d
    """
    unknown = (None,) * len(row_type(plan))
    match plan:
        case Scan(Stream(carries=carried)) if carried is not None:
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
                *_unless(kind.preserves_right, constant_columns(left)),
                *_unless(kind.preserves_left, constant_columns(right)),
            )
            return (*sides, *unknown[len(sides) :])
        case SetOp(inputs, SetOperator.UNION):
            return tuple(map(_shared, zip(*map(constant_columns, inputs), strict=True)))
        case SetOp(inputs):  # each row is a row of the first input
            return constant_columns(inputs[0])
        case _:
            return unknown


def _over(expression: Expression, constants: Sequence[Expression | None]) -> Expression | None:
    """``expression`` over the ``constants`` of its columns; None: one of them is not constant."""
    if any(constants[index] is None for index in columns_of(expression)):
        return None
    return rewritten(expression, lambda leaf: _constant(leaf, constants) or leaf)


def _constant(leaf: Expression, constants: Sequence[Expression | None]) -> Expression | None:
    return constants[leaf.index] if isinstance(leaf, InputRef) else None


def _shared(constants: Sequence[Expression | None]) -> Expression | None:
    """The constant of all rows or inputs; None: they differ."""
    first, *others = constants
    return first if all(each == first for each in others) else None


def _unless(
    padded: bool, constants: tuple[Expression | None, ...]
) -> tuple[Expression | None, ...]:
    return (None,) * len(constants) if padded else constants
