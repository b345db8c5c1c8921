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

    - ``arithmetic``: a binary operator with a result type and operand types (S-202).
    - ``in_order``: rows by the values of their sort keys (S-206).
    - ``emitted``: the rows of a stream, given as (time, row), in the order of their times (S-303).
    - ``hopping``: rows with the windows that hold their time (S-504).
    - ``partners`` returns, for a left row, the right rows for which a join's condition must be
      evaluated, as pairs (place, row); the last argument is the number of left columns (S-508).
    - ``nearest`` returns, for a left row of an ASOF join, its nearest right row, or None (S-904).
    - ``window_columns``: for each call of a window, its values on a sorted partition, given as rows
      and the values of their sort keys (S-505).
    - ``ingress``: how rows that arrive together pass an ingress (S-601).
    """

    arithmetic: Callable[[Op, Type, tuple[Type, Type]], Callable[[Value, Value], Value]]
    in_order: Sorting
    emitted: Callable[[Sequence[tuple[Row, Row]], Sequence[SortKey]], Relation]
    hopping: Callable[[Hop, Environment], Callable[[Relation], Relation]]
    partners: Callable[[Relation, Expression, int], Callable[[Row], Iterable[tuple[int, Row]]]]
    nearest: Callable[[AsofJoin, Relation, Environment], Callable[[Row], Row | None]]
    window_columns: Callable[[Relation, Relation, WindowGroup, Environment], list[list[Value]]]
    ingress: "Callable[[Ingress, Environment], Accept]"
