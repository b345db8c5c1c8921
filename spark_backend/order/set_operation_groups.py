"""Set operations as groups of equal rows, with the implicit rowtime of each group (S-502).

Rows that are equal in all columns are one group, whose time is the greatest of its rows in all
inputs.  With ALL the operation defines how often a group is emitted: n times.  For this the equal
rows of the first input are numbered, and the group is joined with the rows numbered 1 to n.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from algebra.build import alike, and_, at_most, compared, greater
from algebra.catalog import Table
from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Call,
    Expression,
    Literal,
    Op,
    WindowCall,
    WindowFunction,
)
from algebra.parts.frames import WHOLE
from algebra.plan import (
    Aggregate,
    Filter,
    Join,
    Plan,
    Project,
    Reads,
    Scan,
    SetOp,
    Window,
    WindowGroup,
    column_names,
    columns,
    inputs_of,
    row_type,
    with_inputs,
)
from algebra.rewrite import shifted
from algebra.types import BIGINT, TIMESTAMP
from grammar.tree import JoinKind, SetOperator
from spark_backend.order.times import NEEDED, ORDER_KEY

#: The suffix of a stream's name for a table of its retained rows.
SO_FAR: Final = "SO FAR"
_COUNT: Final = BIGINT.as_nullable(False)
_ZERO: Final = Literal(0, _COUNT)


def set_operation_groups(plan: SetOp, sides: Sequence[Plan]) -> Plan:
    """The rows of a set operation other than UNION ALL, with their time as last column.

    ``sides`` are its inputs, each with its time as last column.
    """
    if plan.operator is SetOperator.UNION:
        return _grouped(sides, ())
    width = len(row_type(plan))
    marked = [_marked(each, i, len(sides)) for i, each in enumerate(sides)]
    # INTERSECT needs rows of all inputs, EXCEPT only of the first one.
    other = "$COUNT" if plan.operator is SetOperator.EXCEPT else NEEDED
    groups = _grouped(marked, (NEEDED, *(other for _ in sides[1:])))
    own = columns(groups)
    counts = own[width:-1]
    names = (*column_names(plan), ORDER_KEY)
    if not plan.all:
        op = Op.EQUAL if plan.operator is SetOperator.EXCEPT else Op.GREATER
        others = (compared(op, each, _ZERO) for each in counts[1:])
        emitted = Filter(groups, and_(greater(counts[0], _ZERO), *others))
        return Project(emitted, (*own[:width], own[-1]), names)
    emitted_count = _emitted_count(plan.operator, counts)
    emitted = Filter(groups, greater(emitted_count, _ZERO))
    copies = _numbered(sides[0], width)
    *columns_of_copy, number = (shifted(each, len(own)) for each in columns(copies))
    condition = and_(alike(own[:width], columns_of_copy), at_most(number, emitted_count))
    rows = Join(emitted, copies, JoinKind.INNER, condition)
    return Project(rows, (*own[:width], own[-1]), names)


def _emitted_count(operator: SetOperator, counts: Sequence[Expression]) -> Expression:
    """How often a group is emitted, by its number of rows in each input; never if below 1."""
    if operator is SetOperator.INTERSECT:
        return Call(Op.LEAST, tuple(counts), _COUNT)
    rest, *others = counts
    for each in others:
        rest = Call(Op.MINUS, (rest, each), _COUNT)
    return rest


def _grouped(sides: Sequence[Plan], counts: Sequence[str]) -> Aggregate:
    """A row for each group: its columns, a count of its rows for each mark, and its time.

    ``counts`` are the names of the counts.
    """
    rows = SetOp(tuple(sides), SetOperator.UNION, all=True)
    *own, time = columns(rows)
    keys, marked = own[: len(own) - len(counts)], own[len(own) - len(counts) :]
    greatest = replace(_measure(AggregateFunction.MAX, time), type=TIMESTAMP)
    measures = (*(_measure(AggregateFunction.COUNT, each) for each in marked), greatest)
    names = (*column_names(rows)[: len(keys)], *counts, ORDER_KEY)
    return Aggregate(rows, tuple(keys), (tuple(range(len(keys))),), measures, names)


def _measure(function: AggregateFunction, of: Expression) -> AggregateCall:
    """A call of ``function``, with the type of a count."""
    return AggregateCall(function, (of,), _COUNT)


def _marked(side: Plan, number: int, sides: int) -> Project:
    """The rows of an input, and before their time a mark for each of the ``sides`` inputs.

    The mark of the row's own input, which has this ``number``, is 1; the others are NULL.  So COUNT
    of a mark over a group is the number of rows of an input.
    """
    *own, time = columns(side)
    *names, hidden = column_names(side)
    marks = [Literal(1 if i == number else None, BIGINT) for i in range(sides)]
    return Project(side, (*own, *marks, time), (*names, *("$MARK" for _ in marks), hidden))


def _numbered(side: Plan, width: int) -> Window:
    """The retained rows of an input, as a relation, each numbered among its equals."""
    rows = Project(_as_relation(side), columns(side)[:width], column_names(side)[:width])
    call = WindowCall(WindowFunction.ROW_NUMBER, (), _COUNT)
    return Window(rows, (WindowGroup(columns(rows), (), WHOLE, (call,)),), ("$COPY",))


def _as_relation(plan: Plan) -> Plan:
    """The plan, but its scans of streams read the retained rows of the streams as tables."""
    if isinstance(plan, Scan) and plan.reads is Reads.STREAM:
        source = plan.source
        return Scan(Table((*source.name, SO_FAR), source.columns), Reads.TABLE)
    return with_inputs(plan, [_as_relation(each) for each in inputs_of(plan)])
