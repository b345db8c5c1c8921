"""DML as the binder understands it: statements that add, replace and remove rows."""

from dataclasses import dataclass, field
from typing import TypeAlias

from algebra.catalog import Stream, Table
from algebra.expression import Expression
from algebra.plan import Plan
from grammar.source import Location


@dataclass(frozen=True, slots=True)
class Insert:
    """The rows of ``input``, which has the target's columns in order, are added to ``target``.

    With ``upsert`` a row replaces the row that has the same primary key.  If the top of ``input``
    is a Delta, this is a standing statement, which runs as long as its streams (S-605).
    """

    target: Table | Stream
    input: Plan
    upsert: bool = False
    location: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Update:
    """Each row of ``target`` for which ``condition`` is true is replaced by ``row``'s values."""

    target: Table
    row: tuple[Expression, ...]
    condition: Expression
    location: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Delete:
    """The rows of ``target`` for which ``condition`` is true are removed."""

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
    """An action for each pair that ``condition`` accepts, and for each source row without a pair.

    It is the first of ``actions`` whose own condition is true; for a pair among those with
    ``matched``, for a single row among the others.
    """

    target: Table
    source: Plan
    condition: Expression
    actions: tuple[MergeAction, ...]
    location: Location | None = field(default=None, compare=False, repr=False)


Modify: TypeAlias = Insert | Update | Delete | Merge
