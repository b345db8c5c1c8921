"""What the nodes above a plan read of its rows: the facts that its own record does not hold."""

from dataclasses import dataclass, replace
from typing import Final

from algebra.catalog import Profile
from algebra.expression import Expression
from algebra.plan import (
    Aggregate,
    Delta,
    Filter,
    Hop,
    Join,
    Plan,
    Project,
    Scan,
    SetOp,
    Sort,
    Values,
    Window,
    WindowJoin,
    inputs_of,
    row_type,
)
from algebra.rewrite import columns_of, conjuncts, has_subquery, shifted


@dataclass(frozen=True, slots=True)
class Context:
    """Where a node stands in a plan, as far as facts about it depend on that.

    ``where`` are the conditions of the filters above it, which an inner join may count for its lock
    step (S-510).  Of two readings of the language ``profile`` is the one that the query is bound by
    (S-701).

    A walk starts at the top with `TOP`, and takes the context of each input from `inputs`.
    """

    where: tuple[Expression, ...] = ()
    profile: Profile = Profile.CALCITE

    def inputs(self, plan: Plan) -> tuple["Context", ...]:
        """The context of each input of ``plan``, if this is the context of ``plan``."""
        match plan:
            case Scan() | Values():
                return ()
            case Filter(_, condition):
                return (replace(self, where=(*self.where, *conjuncts(condition))),)
            case Join(left, right, kind):
                width = len(row_type(left))
                on_left = () if kind.preserves_right else self._about(0, width)
                on_right = () if kind.preserves_left else self._about(width, len(row_type(right)))
                return replace(self, where=on_left), replace(self, where=on_right)
            case (
                WindowJoin()
                | SetOp()
                | Project()
                | Hop()
                | Aggregate()
                | Window()
                | Sort()
                | Delta()
            ):
                return (replace(self, where=()),) * len(inputs_of(plan))

    def _about(self, offset: int, width: int) -> tuple[Expression, ...]:
        """The conditions on the ``width`` columns from ``offset`` on alone, as on their own row."""
        return tuple(
            shifted(each, -offset)
            for each in self.where
            if columns_of(each)
            and not has_subquery(each)
            and all(offset <= place < offset + width for place in columns_of(each))
        )


#: The context of a plan that is looked at alone.
TOP: Final = Context()
