"""Sessions in the words of window functions, for dialects without sessions of their own."""

from dataclasses import replace

from algebra.plan import Session
from engines.dialect.block import Block, Stage, distinct_names
from engines.dialect.expressions import Scope
from engines.dialect.printer import Printer


class SessionPrinter(Printer):
    """Prints sessions as three SELECTs: where each begins, which one a row is in, and its ends."""

    def session(self, node: Session, outer: Scope) -> Block:
        """Each row with the ends of its session, which begins where no row is close before it.

        Around it, the columns are names: an aggregate above groups by columns, not by windows.
        """
        below = self.around(self.block(node.input, outer))
        keys = [self.expression(each, (below.items, *outer)) for each in node.keys]
        time, gap = self.expression(node.time, (below.items, *outer)), self.literal(node.gap)
        by = f"PARTITION BY {', '.join(keys)} " if keys else ""
        before = f"LAG({time}) OVER ({by}ORDER BY {time})"
        begins = f"CASE WHEN {time} - {before} < {gap} THEN 0 ELSE 1 END"
        # T is the time of a row, B whether it begins a session, K its keys; N numbers the sessions.
        marked_names = distinct_names(
            (*below.names, "$T", "$B", *(f"$K{i}" for i in range(len(keys))))
        )
        marked = self.around(
            replace(
                below,
                items=(*below.items, time, begins, *keys),
                names=marked_names,
                where=(*below.where, f"{time} IS NOT NULL"),
                stage=Stage.SELECTED,
            )
        )
        width = len(below.items)
        at, begin, *own = marked.items[width:]
        by = f"PARTITION BY {', '.join(own)} " if own else ""
        # RANGE, because of rows of one time any can be the one that begins the session.
        frame = "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
        numbered = self.around(
            replace(
                marked,
                items=(*marked.items, f"SUM({begin}) OVER ({by}ORDER BY {at} {frame})"),
                names=distinct_names((*marked.names, "$N")),
                stage=Stage.SELECTED,
            )
        )
        at, _, *own = numbered.items[width:]
        by = f"PARTITION BY {', '.join(own)}"
        items = (
            *numbered.items[:width],
            f"MIN({at}) OVER ({by})",
            f"MAX({at}) OVER ({by}) + {gap}",
        )
        names = distinct_names((*below.names, "WINDOW_START", "WINDOW_END"))
        return self.around(replace(numbered, items=items, names=names, stage=Stage.SELECTED))
