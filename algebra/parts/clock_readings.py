"""Moves readings of the session's clock below operators that retain rows.

Such an operator evaluates its expressions when it emits a row, and the clock has advanced since the
row arrived.  So each reading is computed when the row arrives, as a further column of the row.
"""

from collections.abc import Iterator
from typing import TypeAlias

from algebra.expression import Expression, InputRef
from algebra.parts.mentions import reads_clock
from algebra.parts.node_expressions import expressions_of, with_expressions
from algebra.plan import (
    Aggregate,
    Filter,
    Hop,
    Plan,
    Project,
    Session,
    Sort,
    Window,
    column_names,
    columns,
    with_inputs,
)
from algebra.rewrite import columns_of, has_subquery, operands, rewritten

#: The operators with one input that retain rows, and evaluate expressions of the rows later.
Retaining: TypeAlias = Aggregate | Session | Sort | Window


def with_clock_read_first(plan: Retaining) -> Plan:
    """A plan with the same rows as ``plan`` that reads the clock before it retains rows.

    The expressions that read the session's clock are columns of the input.  They are computed below
    the filters, HOPs and sessions between ``plan`` and its input, because a session retains rows,
    too.  The result is ``plan`` itself if no expression reads the clock.

    Defines: S-106.g
    """
    chain: list[Retaining | Filter | Hop] = [plan]
    while isinstance(below := chain[-1].input, Filter | Hop | Session) and not any(
        map(has_subquery, expressions_of(below))
    ):
        chain.append(below)
    own = columns(below)
    width = len(own)
    expressions = (each for node in chain for each in expressions_of(node))
    readings = tuple(dict.fromkeys(part for e in expressions for part in _readings(e, width)))
    if not readings:
        return plan
    names = (*column_names(below), *(f"$NOW{i}" for i in range(len(readings))))
    made: Plan = Project(below, (*own, *readings), names)
    column_of = dict(zip(readings, columns(made)[width:], strict=True))

    def change(leaf: Expression) -> Expression:
        """``leaf`` over the rows with the new columns.

        A reading becomes its column.  The columns that HOPs and sessions add move to the right.
        """
        if leaf in column_of:
            return column_of[leaf]
        if isinstance(leaf, InputRef) and leaf.index >= width:
            return InputRef(leaf.index + len(readings), leaf.type)
        return leaf

    for node in reversed(chain):
        changed = with_expressions(node, lambda each: rewritten(each, change, column_of))
        made = with_inputs(changed, [made])
    if isinstance(plan, Aggregate):  # its rows do not have the new columns
        return made
    all_columns = columns(made)
    kept = (*all_columns[:width], *all_columns[len(names) :])
    return Project(made, kept, column_names(plan))


def _readings(expression: Expression, width: int) -> Iterator[Expression]:
    """The parts of ``expression`` that read the clock, and only the first ``width`` columns.

    No part is inside another one.
    """
    if not reads_clock(expression):
        return
    if all(place < width for place in columns_of(expression)):
        yield expression
        return
    for each in operands(expression):
        yield from _readings(each, width)
