"""UNION as it is; INTERSECT and EXCEPT of streams, which Spark lacks, as joins."""

from dataclasses import replace

from algebra.plan import SetOp, is_streaming
from engines.dialect.block import Block, Stage
from engines.dialect.expressions import Scope
from engines.dialect.unsupported import UnsupportedError
from engines.sparknative.event_time import EventTime
from engines.sparknative.joins import JoinPrinter
from grammar.tree import SetOperator


class SetPrinter(JoinPrinter):
    """Prints set operations."""

    def set_operation(self, node: SetOp, outer: Scope) -> Block:
        """A set operation of queries in brackets, or its join."""
        blocks = [self.until(self.block(each, outer), Stage.SELECTED) for each in node.inputs]
        if node.operator is not SetOperator.UNION and is_streaming(node):
            if node.all:
                raise UnsupportedError(f"no {node.operator} ALL of streams")
            found, *others = (self.around(each) for each in blocks)
            for each in others:
                found = self.around(self._joined_by_all(found, each, node.operator))
            return found
        return self._between(node, blocks)

    def _between(self, node: SetOp, blocks: list[Block]) -> Block:
        """The queries with the operator between; a column of event times in all of them is one."""
        names = blocks[0].names
        word = f" {node.operator}{' ALL' if node.all else ''} "
        text = word.join(self.branch(self.text(replace(each, names=names))) for each in blocks)
        found = self.around(Block((), names, "", Stage.COMPLETE, text=text))
        for i, item in enumerate(found.items):
            if all(self.times.get(each.items[i]) == EventTime(each.items[i]) for each in blocks):
                self.times[item] = EventTime(item)
        return found

    def _joined_by_all(self, left: Block, right: Block, operator: SetOperator) -> Block:
        """The distinct rows of the left that are in the right, or that are not in the right."""
        timed = [i for i, each in enumerate(left.items) if each in self.times]
        if not timed:
            raise UnsupportedError(
                f"no {operator} of streams, and the join that replaces it needs an event time"
            )
        on = " AND ".join(
            f"{mine} {'=' if i in timed else '<=>'} {yours}"
            for i, (mine, yours) in enumerate(zip(left.items, right.items, strict=True))
        )
        inner = operator is SetOperator.INTERSECT
        word = "JOIN" if inner else "LEFT JOIN"
        return replace(
            left,
            source=f"{left.source} {word} {right.source} ON {on}",
            where=() if inner else (f"{right.items[timed[0]]} IS NULL",),
            stage=Stage.GROUPED,
            group=", ".join(left.items),
        )
