"""Joins of streams by conditions on their times, and joins of windows as such conditions."""

from dataclasses import replace
from typing import Final

from algebra.expression import Call, Expression, Op
from algebra.plan import Join, TimeWindow, WindowJoin, is_streaming
from algebra.rewrite import columns_of, conjuncts
from engines.dialect.block import Block, Stage, distinct_names
from engines.dialect.expressions import Scope
from engines.dialect.unsupported import UnsupportedError
from engines.sparknative.event_time import MILLI, moved
from engines.sparknative.timed_printer import TimedPrinter
from grammar.tree import JoinKind

#: A column with the same value in every row, because Spark joins streams only by an equality.
_SAME: Final = "SAME"


class JoinPrinter(TimedPrinter):
    """Prints joins; where streams have no equality, both sides get a column `_SAME`."""

    def join(self, node: Join, outer: Scope) -> Block:
        """A join by its condition."""
        both = is_streaming(node.left) and is_streaming(node.right)
        left = self.until(self.block(node.left, outer), Stage.FROM)
        right = self.until(self.block(node.right, outer), Stage.FROM)
        width = len(left.items)
        if not both or any(_equates(each, width) for each in conjuncts(node.condition)):
            condition = self.expression(node.condition, (left.items + right.items, *outer))
            return _joined(left, right, node.kind, [condition])
        left, right, same = self.with_same(left, right)
        condition = self.expression(node.condition, (left.items + right.items, *outer))
        return _joined(left, right, node.kind, [same, condition])

    def window_join(self, node: WindowJoin, outer: Scope) -> Block:
        """Pairs whose times are so close that both rows are in their windows at once."""
        near, far = node.left_window, node.right_window
        if not isinstance(near, TimeWindow) or not isinstance(far, TimeWindow):
            raise UnsupportedError("no windows of rows in a join of streams")
        left, right, same = self.with_same(
            self.block(node.left, outer), self.block(node.right, outer)
        )
        mine, yours = left.items[node.left_rowtime], right.items[node.right_rowtime]
        condition = self.expression(node.condition, (left.items + right.items, *outer))
        found = _joined(left, right, node.kind, [
            same,
            condition,
            f"{yours} >= {moved(mine, -(near.following + far.preceding) * MILLI)}",
            f"{yours} <= {moved(mine, (near.preceding + far.following) * MILLI)}",
        ])  # fmt: skip
        starts = moved(mine, -near.following * MILLI), moved(yours, -far.following * MILLI)
        first = f"greatest({', '.join(starts)})"
        if node.kind is not JoinKind.INNER:
            first = (
                f"CASE WHEN {yours} IS NULL THEN {moved(mine, near.preceding * MILLI)}"
                f" WHEN {mine} IS NULL THEN {moved(yours, far.preceding * MILLI)} ELSE {first} END"
            )
        names = distinct_names((*found.names, "ROWTIME"))
        # The time of a pair is computed: around it, it is a column.
        return self.around(replace(found, items=(*found.items, first), names=names))

    def with_same(self, left: Block, right: Block) -> tuple[Block, Block, str]:
        """Both sides with the column `_SAME`, and the condition that it is equal."""
        sides: list[Block] = []
        columns: list[str] = []
        for each in (left, right):
            side = self.until(each, Stage.SELECTED)
            more = replace(side, items=(*side.items, "1"), names=(*side.names, _SAME))
            wide = self.around(more)
            columns.append(wide.items[-1])
            sides.append(replace(wide, items=wide.items[:-1], names=wide.names[:-1]))
        return sides[0], sides[1], " = ".join(columns)


def _joined(left: Block, right: Block, kind: JoinKind, conditions: list[str]) -> Block:
    """Both sides in FROM; a join on the right is in brackets."""
    second = f"({right.source})" if " JOIN " in right.source else right.source
    source = f"{left.source} {kind} JOIN {second} ON {' AND '.join(conditions)}"
    names = distinct_names(left.names + right.names)
    return Block(left.items + right.items, names, source, Stage.FROM)


def _equates(condition: Expression, width: int) -> bool:
    """Whether the condition equates columns of both sides, of which the left has ``width``."""
    match condition:
        case Call(Op.EQUAL | Op.IS_NOT_DISTINCT_FROM, (a, b)):
            first, second = columns_of(a), columns_of(b)
            if not first or not second:
                return False
            return max(first) < width <= min(second) or max(second) < width <= min(first)
        case _:
            return False
