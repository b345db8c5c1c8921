"""The session's clock in the expressions of operators that retain rows."""

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
    read = tuple(dict.fromkeys(part for e in expressions for part in _readings(e, width)))
    if not read:
        return plan
    names = (*column_names(below), *(f"$NOW{i}" for i in range(len(read))))
    made: Plan = Project(below, (*own, *read), names)
    found = dict(zip(read, columns(made)[width:], strict=True))

    def change(leaf: Expression) -> Expression:
        """A reading is a column now; the columns after those of ``below`` are further right."""
        if leaf in found:
            return found[leaf]
        if isinstance(leaf, InputRef) and leaf.index >= width:
            return InputRef(leaf.index + len(read), leaf.type)
        return leaf

    for node in reversed(chain):
        made = with_inputs(with_expressions(node, lambda e: rewritten(e, change, found)), [made])
    if isinstance(plan, Aggregate):
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
