"""The least rowtime of the rows of a history that contribute to a query (S-308).

`algebra.metadata.history` walks down a plan, and collects the conditions that a contributing row
satisfies in a `ContributingRow`.  At a scan, `least_rowtime` computes the limit that they imply.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from algebra.build import at_least
from algebra.constraints.column_ranges import column_ranges
from algebra.constraints.conditions import Linearizer
from algebra.constraints.constraint_system import ConstraintSystem
from algebra.constraints.extremes import goal_ranges
from algebra.constraints.linear_terms import Constraint, Term
from algebra.constraints.linear_values import LinearValue, column_value
from algebra.constraints.row_facts import (
    SymbolicRow,
    scan_constraint,
)
from algebra.expression import (
    Call,
    Case,
    Cast,
    Expression,
    Literal,
    Op,
    OuterRef,
    Parameter,
)
from algebra.monotonicity.columns import rowtime_column
from algebra.plan import (
    Plan,
    Scan,
    row_type,
)
from algebra.rewrite import columns_of, has_subquery, operands, subexpressions
from algebra.types import DAY_TO_SECOND, TIMESTAMP, Kind

#: The type of a time that is never NULL.
INSTANT: Final = TIMESTAMP.as_nullable(False)


@dataclass(frozen=True, slots=True)
class ContributingRow:
    """Any row of a plan that contributes to the result: its columns, and constraints on them.

    ``anchors`` are the times in conditions that have one value while the query runs, but are not
    known before it runs, such as CURRENT_TIMESTAMP minus an hour.  `least_rowtime` measures
    distances from them.  ``path`` names the plan, so that its variables differ from those of other
    plans.
    """

    system: ConstraintSystem
    columns: tuple[LinearValue, ...]
    constraints: tuple[Constraint, ...]
    anchors: frozenset[Expression] = frozenset()
    path: tuple[object, ...] = ()

    def linearizer(self, plan: Plan) -> Linearizer:
        """A translator of expressions over this row, which is a row of ``plan``."""
        return SymbolicRow(self.columns).linearizer(self.system, column_ranges(plan))

    def fresh_row_of(self, plan: Plan, place: object = 0) -> "ContributingRow":
        """A row of the input ``plan``, with new variables as its columns.

        It has the constraints collected so far.  The caller adds constraints that relate the new
        columns to those of this row.  ``place`` distinguishes the inputs of one plan.
        """
        path = (*self.path, place)
        columns = (
            column_value(self.system, (*path, i), f.type) for i, f in enumerate(row_type(plan))
        )
        return replace(self, columns=tuple(columns), path=path)

    def side(self, plan: Plan, place: object, start: int = 0) -> "ContributingRow":
        """The part of this row that belongs to the input ``plan``: its columns from ``start`` on.

        They have the same variables as in this row.  ``place`` distinguishes the inputs.
        """
        end = start + len(row_type(plan))
        return replace(self, columns=self.columns[start:end], path=(*self.path, place))

    def with_constraints(self, *constraints: Constraint) -> "ContributingRow":
        """The same row under further constraints."""
        return replace(self, constraints=(*self.constraints, *constraints))

    def where(self, condition: Expression, plan: Plan) -> "ContributingRow":
        """The same row, a row of ``plan``, under the constraint that ``condition`` is true."""
        known = self.with_constraints(self.linearizer(plan).where_true(condition))
        return replace(known, anchors=known.anchors | frozenset(_anchors(condition)))

    def unconstrained(self) -> "ContributingRow":
        """The same row without any constraint."""
        return replace(self, constraints=())


def least_rowtime(plan: Scan, rows: ContributingRow) -> Expression | None:
    """A time that no contributing row of ``plan`` is before; ``rows`` describes these rows.

    It is a NULL literal if no row contributes, and None if no such time is known.  The constraints
    can limit the rowtime itself, and its distance from each anchor.  Then the limit, and each
    anchor plus the least distance from it, is such a time.  The result is the greatest of them.

    Defines: S-308.d
    """
    place = rowtime_column(plan)
    rowtime = None if place is None else rows.columns[place]
    if not isinstance(rowtime, Term):
        return None
    # An anchor has no columns, so the function that the linearizer has for columns is not called.
    linearizer = Linearizer(rows.system, lambda _: Term())
    # One of several anchors is enough if they are at fixed distances from each other: then their
    # linear values differ only in the constant, and have the same `parts`.
    anchors = {linearizer.instant(e).parts: e for e in sorted(rows.anchors, key=repr)}.values()
    goals = [rowtime, *(rowtime.minus(linearizer.instant(each)) for each in anchors)]
    constraints = (
        *rows.constraints,
        scan_constraint(plan, SymbolicRow(rows.columns), rows.system, rows.path),
    )
    found = goal_ranges(rows.system, constraints, goals)
    if found is None:
        return Literal(None, TIMESTAMP)  # the constraints have no solution
    limits = [
        _later(anchor, int(each.lower))
        for anchor, each in zip((None, *anchors), found, strict=True)
        if each.lower is not None
    ]
    return _greatest(limits)


def _later(anchor: Expression | None, millis: int) -> Expression:
    """The time ``millis`` after ``anchor``, or after 1970-01-01 if ``anchor`` is None."""
    if anchor is None:
        return Literal(millis, INSTANT)
    distance = Literal(millis, DAY_TO_SECOND)
    return Call(Op.DATETIME_PLUS, (anchor, distance), TIMESTAMP) if millis else anchor


def _greatest(times: Sequence[Expression]) -> Expression | None:
    """An expression for the greatest of ``times``; None if there are none.

    If one of the times is NULL, no row contributes (S-308), and any result is right.  A comparison
    with NULL is not true, so the CASE continues with the next of ``times``.
    """
    if not times:
        return None
    greatest = times[0]
    for each in times[1:]:
        is_greater = at_least(greatest, each)
        greatest = Case(((is_greater, greatest),), each, TIMESTAMP)
    return greatest


def _anchors(condition: Expression) -> Iterator[Expression]:
    """The times in ``condition`` that are fixed while the query runs, but not known before it runs.

    A time that is known before is a constant in the constraints, and needs no anchor.
    """
    if condition.type.kind in (Kind.TIMESTAMP, Kind.DATE) and _is_fixed(condition):
        if any(map(_is_known_later, subexpressions(condition))):
            yield condition if condition.type.kind is Kind.TIMESTAMP else Cast(condition, TIMESTAMP)
    else:
        for each in operands(condition):
            yield from _anchors(each)


def _is_known_later(leaf: Expression) -> bool:
    """Whether the value of ``leaf`` is known only when the query runs."""
    match leaf:
        case Parameter() | Call(Op.CURRENT_TIMESTAMP):
            return True
        case _:
            return False


def _is_fixed(expression: Expression) -> bool:
    """Whether ``expression`` has one value for all rows."""
    fixed = not any(isinstance(each, OuterRef) for each in subexpressions(expression))
    return fixed and not columns_of(expression) and not has_subquery(expression)
