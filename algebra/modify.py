"""Bound DML: the statements that add, replace and remove rows, with their plans and expressions.

The ``location`` of a statement is the place to which an error at run time refers, unless the error
has a place of its own, such as that of an expression.
"""

from dataclasses import dataclass, field
from typing import TypeAlias

from algebra.catalog import Stream, Table
from algebra.expression import Expression
from algebra.plan import Plan
from grammar.source import Location


@dataclass(frozen=True, slots=True)
class Insert:
    """Adds the rows of ``input``, which has the target's columns in their order, to ``target``.

    With ``upsert`` a row replaces the row that has the same primary key.  If the top of ``input``
    is a Delta or Changes, this is a standing statement, which runs as long as its streams (S-605).
    """

    target: Table | Stream
    input: Plan
    upsert: bool = False
    location: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Update:
    """Replaces each row of ``target`` for which ``condition`` is true by the values of ``row``."""

    target: Table
    row: tuple[Expression, ...]
    condition: Expression
    location: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Delete:
    """Removes the rows of ``target`` for which ``condition`` is true.

    It needs no location, because only its condition can fail, and an error of an expression has its
    own place.
    """

    target: Table
    condition: Expression


@dataclass(frozen=True, slots=True)
class MergeAction:
    """One WHEN clause of a MERGE, WHEN MATCHED or WHEN NOT MATCHED.

    ``row`` is the row to be written; None: DELETE.  The input row of the expressions has the
    target's columns, then the source's.  Expressions of NOT MATCHED use only the source's columns,
    at the same places.
    """

    matched: bool
    condition: Expression
    row: tuple[Expression, ...] | None


@dataclass(frozen=True, slots=True)
class Merge:
    """Runs an action for each pair of a target row and a source row, and for each other source row.

    A pair is two rows for which ``condition`` is true.  The action is the first whose own condition
    is true: for a pair among the actions with ``matched``, for a source row without a pair among
    the others.
    """

    target: Table
    source: Plan
    condition: Expression
    actions: tuple[MergeAction, ...]
    location: Location | None = field(default=None, compare=False, repr=False)


Modify: TypeAlias = Insert | Update | Delete | Merge
