"""Joins of streams by conditions on their times, and joins of windows as such conditions."""

from collections.abc import Collection, Container
from dataclasses import replace
from typing import Final

from algebra.expression import Call, Expression, InputRef, Op
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
        left, right = self.block(node.left, outer), self.block(node.right, outer)
        shared = self._shared_windows(node, left, right) if both else frozenset[Expression]()
        if shared:
            return self._by_window(node, shared, left, right, outer)
        left = self._as_side(left, columns_of(node.condition))
        right = self._as_side(right, {i - len(left.items) for i in columns_of(node.condition)})
        width = len(left.items)
        if not both or any(_equates(each, width) for each in conjuncts(node.condition)):
            condition = self.expression(node.condition, (left.items + right.items, *outer))
            return _joined(left, right, node.kind, [condition])
        left, right, same = self.with_same(left, right)
        condition = self.expression(node.condition, (left.items + right.items, *outer))
        return _joined(left, right, node.kind, [same, condition])

    def window_join(self, node: WindowJoin, outer: Scope) -> Block:
        """Pairs whose times are so close that both rows are in their windows at once."""
        left_window, right_window = node.left_window, node.right_window
        if not isinstance(left_window, TimeWindow) or not isinstance(right_window, TimeWindow):
            raise UnsupportedError("no windows of rows in a join of streams")
        left, right, same = self.with_same(
            self.block(node.left, outer), self.block(node.right, outer)
        )
        mine, yours = left.items[node.left_rowtime], right.items[node.right_rowtime]
        condition = self.expression(node.condition, (left.items + right.items, *outer))
        found = _joined(left, right, node.kind, [
            same,
            condition,
            f"{yours} >= {moved(mine, -(left_window.following + right_window.preceding) * MILLI)}",
            f"{yours} <= {moved(mine, (left_window.preceding + right_window.following) * MILLI)}",
        ])  # fmt: skip
        starts = (
            moved(mine, -left_window.following * MILLI),
            moved(yours, -right_window.following * MILLI),
        )
        first = f"greatest({', '.join(starts)})"
        if node.kind is not JoinKind.INNER:
            # A row without a partner has the time at which its own window ends.
            left_end = moved(mine, left_window.preceding * MILLI)
            right_end = moved(yours, right_window.preceding * MILLI)
            first = (
                f"CASE WHEN {yours} IS NULL THEN {left_end}"
                f" WHEN {mine} IS NULL THEN {right_end} ELSE {first} END"
            )
        names = distinct_names((*found.names, "ROWTIME"))
        # The time of a pair is computed: around it, it is a column.
        return self.around(replace(found, items=(*found.items, first), names=names))

    def _as_side(self, block: Block, read: Collection[int]) -> Block:
        """A side of a join; ``read`` are the places of the columns that the condition names.

        Spark evaluates ``window(…)`` only over one source, so not in ON: a derived table does.
        """
        windows = any("window(" in each for i, each in enumerate(block.items) if i in read)
        return self.around(block) if windows else self.until(block, Stage.FROM)

    def _shared_windows(self, node: Join, left: Block, right: Block) -> frozenset[Expression]:
        """The conditions of a join that both rows are in the same window of ``window(…)``."""
        items, width = left.items + right.items, len(left.items)
        found: set[Expression] = set()
        for each in conjuncts(node.condition):
            match each:
                case Call(Op.EQUAL, (InputRef(a), InputRef(b))) if _equates(each, width):
                    mine, yours = self.buckets.get(items[a]), self.buckets.get(items[b])
                    windows = "window(" in items[a] and "window(" in items[b]
                    if windows and mine is not None and yours is not None:
                        found.update([each] if mine.is_same_time(yours) else ())
                case _:
                    pass
        return frozenset(found)

    def _by_window(
        self, node: Join, shared: Container[Expression], left: Block, right: Block, outer: Scope
    ) -> Block:
        """A join by the window itself, which is a struct: Spark knows when it has ended."""
        left, right = self._with_window(left), self._with_window(right)
        items = left.items + right.items
        conditions = [
            " = ".join(self.times[items[i]].text for i in sorted(columns_of(each)))
            if each in shared
            else self.expression(each, (items, *outer))
            for each in conjuncts(node.condition)
        ]
        return _joined(left, right, node.kind, list(dict.fromkeys(conditions)))

    def _with_window(self, block: Block) -> Block:
        """A derived table whose only event time is the window: Spark allows one in a join.

        A sum of a time and an interval is not an event time, so the rowtime is written as one.
        """
        items: list[str] = []
        for each in block.items:
            bucket = self.buckets.get(each)
            if bucket is not None and bucket.event is not None:
                self.times[each] = bucket.event
            at = self.times.get(each)
            plain = at is not None and not at.is_window
            items.append(f"({each} + INTERVAL '0' SECOND)" if plain else each)
        return self.around(replace(block, items=tuple(items)))

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
