"""The environment: the inputs of expressions and operators besides their rows."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias, TypeVar

from algebra.expression import Expression, Op, SortKey, Value
from algebra.plan import AsofJoin, Hop, Plan, WindowGroup
from algebra.types import Type
from reference.ingress import Dropped, Ingress
from reference.relation import Relation, Row

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Environment:
    """The inputs of an expression or operator besides its rows.

    - ``clock`` returns the session's clock (S-106).
    - ``parameters`` has the value of each ``?``.
    - ``outer`` has the rows of the enclosing queries, the nearest first.
    - ``query`` returns the rows of a sub-query's plan for given outer rows.
    - ``forms`` are the definitions, or the faster functions in their places.
    - ``grouping_set`` has the places of the keys that the current group has, for GROUPING, and
      ``group_id`` is the result of GROUP_ID.
    - ``version`` returns a new number whenever the rows of a sub-query may have changed.
    """

    clock: Callable[[], int]
    parameters: Row
    outer: tuple[Row, ...]
    query: Callable[[Plan, tuple[Row, ...]], Relation]
    forms: "Forms"
    grouping_set: tuple[int, ...] = ()
    group_id: int = 0
    version: Callable[[], int] = lambda: 0

    @property
    def now(self) -> int:
        """The session's clock, in milliseconds; it can advance while a stream runs."""
        return self.clock()

    def of_group(self, grouping_set: tuple[int, ...], group_id: int) -> "Environment":
        """This environment, inside a group of ``grouping_set``."""
        return replace(self, grouping_set=grouping_set, group_id=group_id)


class Sorting(Protocol):
    """The type of `reference.relation.in_order` and of its fast form."""

    def __call__(
        self, keyed: Iterable[tuple[Row, _T]], keys: Sequence[SortKey], /
    ) -> list[tuple[Row, _T]]:
        """The pairs (values of the sort ``keys``, anything) in order; ties in input order."""
        ...


#: An ingress after some rows, and for each row the reason why it is dropped; None: it is accepted.
Verdicts: TypeAlias = tuple[Ingress, list[Dropped | None]]
#: The function that passes rows which arrive together through an ingress.
Accept: TypeAlias = Callable[[Ingress, Relation], Verdicts]


@dataclass(frozen=True, slots=True)
class Forms:
    """The functions that have two forms; each caller of the reference chooses one form.

    `reference.definitions.DEFINITIONS` are the meaning itself, which the kit runs.
    `reference.fast.forms.FAST` give the same results sooner; a law compares the two.

    - ``arithmetic`` returns the function that computes a binary operator, given the operator, its
      result type and its operand types (S-202).
    - ``in_order`` sorts rows by the values of their sort keys (S-206).
    - ``emitted`` sorts the rows of a stream, given as (time, row), by their times (S-303).
    - ``hopping`` returns a function that repeats each row for each window that contains its time,
      with the start and the end of the window (S-504).
    - ``partners`` takes the right rows, a join's condition and the number of left columns.  It
      returns a function from a left row to the right rows, as pairs (place, row), for which the
      condition must be evaluated (S-508).
    - ``nearest`` takes an ASOF join and its right rows.  It returns a function from a left row to
      the nearest right row, or None (S-904).
    - ``window_columns`` takes the rows of a sorted partition, the values of their sort keys, and a
      window.  It returns, for each call of the window, the value of each row (S-505).
    - ``ingress`` returns the function that passes rows through an ingress (S-601).
    """

    arithmetic: Callable[[Op, Type, tuple[Type, Type]], Callable[[Value, Value], Value]]
    in_order: Sorting
    emitted: Callable[[Sequence[tuple[Row, Row]], Sequence[SortKey]], Relation]
    hopping: Callable[[Hop, Environment], Callable[[Relation], Relation]]
    partners: Callable[[Relation, Expression, int], Callable[[Row], Iterable[tuple[int, Row]]]]
    nearest: Callable[[AsofJoin, Relation, Environment], Callable[[Row], Row | None]]
    window_columns: Callable[[Relation, Relation, WindowGroup, Environment], list[list[Value]]]
    ingress: "Callable[[Ingress, Environment], Accept]"
