"""ASOF JOIN, in the words that DuckDB and ClickHouse share."""

from algebra.plan import AsofJoin, Join
from engines.dialect.block import Block, Stage, distinct_names
from engines.dialect.expressions import Scope
from engines.dialect.printer import Printer


class AsofPrinter(Printer):
    """A dialect whose ON has the comparison of the times, too."""

    def asof_join(self, node: AsofJoin, outer: Scope) -> Block:
        """ASOF JOIN or ASOF LEFT JOIN."""
        left = self.until(self.block(node.left, outer), Stage.FROM)
        right = self.until(self.block(node.right, outer), Stage.FROM)
        items = left.items + right.items
        conditions = [
            self.expression(each, (items, *outer)) for each in (node.condition, node.match)
        ]
        second = f"({right.source})" if isinstance(node.right, Join | AsofJoin) else right.source
        kind = "ASOF LEFT JOIN" if node.kind.preserves_left else "ASOF JOIN"
        source = f"{left.source} {kind} {second} ON {' AND '.join(conditions)}"
        return Block(items, distinct_names(left.names + right.names), source, Stage.FROM)
