"""Plans as queries of a dialect: each operator adds a clause to a SELECT, or puts one around it."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import ClassVar

from algebra.expression import Expression, Literal
from algebra.plan import (
    Aggregate,
    AsofJoin,
    Changes,
    Delta,
    Filter,
    Hop,
    Join,
    Plan,
    Project,
    Scan,
    Session,
    SetOp,
    Sort,
    Values,
    Window,
    WindowJoin,
    row_type,
)
from algebra.rewrite import columns_of
from algebra.types import Type
from engines.dialect.aggregates import AggregatePrinter
from engines.dialect.block import Block, Stage, distinct_names
from engines.dialect.expressions import Scope
from engines.dialect.unsupported import UnsupportedError


class Printer(AggregatePrinter):
    """Queries in the standard's spelling; one printer prints one statement.

    A plan's Filter, Project, Aggregate, … become the clauses of one SELECT as far as SQL's order of
    clauses (`Stage`) allows, else of a SELECT over a derived table.  So an expression may be
    printed where the plan only names its column.
    """

    #: Whether a derived table may list the names of its columns: ``AS t (a, b)``.
    column_lists: ClassVar[bool] = True

    def __init__(self) -> None:
        self._numbers = count()

    def query(self, plan: Plan, outer: Scope = ()) -> str:
        """The text of a query; ``outer`` are the columns of the queries around it."""
        return self.text(self.block(plan, outer))

    def subquery(self, plan: Plan, scope: Scope) -> str:
        """The query of an expression."""
        return self.query(plan, scope)

    def answer(self, plan: Plan) -> str:
        """The query as a driver asks it: its columns in forms that the engine's client reads."""
        block = self.block(plan, ())
        types = [each.type for each in row_type(plan)]
        if block.text is not None and any(self.shown("", type) for type in types):
            block = self.around(block)
        pairs = zip(block.items, types, strict=True) if block.items else ()
        return self.text(replace(block, items=tuple(self.shown(i, t) or i for i, t in pairs)))

    def shown(self, item: str, type: Type) -> str:
        """The form in which a column of the answer is read; "": as it is."""
        return ""

    def alias(self) -> str:
        """A name for a source that no other source of the statement has."""
        return f"t{next(self._numbers)}"

    # --- from operators to clauses --------------------------------------------------------------

    def block(self, plan: Plan, outer: Scope) -> Block:
        """The query that denotes the rows of ``plan``."""
        match plan:
            case Scan():
                return self.scan(plan)
            case Values():
                return self.values(plan, outer)
            case Filter(input, condition):
                below = self.block(input, outer)
                if below.stage in (Stage.GROUPED, Stage.HAVING):
                    text = self.expression(condition, (below.items, *outer))
                    return replace(below, stage=Stage.HAVING, having=(*below.having, text))
                below = self.until(below, Stage.WHERE)
                text = self.expression(condition, (below.items, *outer))
                return replace(below, stage=Stage.WHERE, where=(*below.where, text))
            case Project():
                return self.project(plan, self.block(plan.input, outer), outer)
            case Aggregate():
                return self.aggregated(plan, self.block(plan.input, outer), outer)
            case Window():
                return self.windowed(plan, self.block(plan.input, outer), outer)
            case Join():
                return self.join(plan, outer)
            case SetOp():
                return self.set_operation(plan, outer)
            case Sort():
                return self.sort(plan, self.block(plan.input, outer), outer)
            case Hop():
                return self.hop(plan, outer)
            case Session():
                return self.session(plan, outer)
            case WindowJoin():
                return self.window_join(plan, outer)
            case AsofJoin():
                return self.asof_join(plan, outer)
            case Delta():
                return self.delta(plan, outer)
            case Changes():
                return self.changes(plan, outer)

    def scan(self, node: Scan) -> Block:
        """The rows of a table, or of a stream's history."""
        alias = self.alias()
        return self.source(f"{self.table_name(node.source.name)} AS {alias}", alias, node)

    def table_name(self, name: Sequence[str]) -> str:
        """A table by its qualified name, which is one name in the engine: ``"SALES.ORDERS"``."""
        return self.identifier(".".join(name))

    def source(self, text: str, alias: str, plan: Plan) -> Block:
        """A block of all columns of the source called ``alias``, which has those of ``plan``."""
        names = distinct_names(tuple(each.name for each in row_type(plan)))
        items = tuple(f"{alias}.{self.identifier(each)}" for each in names)
        return Block(items, names, text, Stage.FROM)

    def values(self, node: Values, outer: Scope) -> Block:
        """The rows listed; each value is cast to its column's type where it has another."""
        if not node.fields and len(node.rows) == 1:
            return Block((), (), "", Stage.FROM)  # a SELECT without FROM has one row
        alias = self.alias()
        names = distinct_names(tuple(each.name for each in node.fields))
        rows = [tuple(self.expression(value, ((), *outer)) for value in row) for row in node.rows]
        if self.column_lists and rows:
            listed = ", ".join(f"({', '.join(row)})" for row in rows)
            columns = ", ".join(map(self.identifier, names))
            return self.source(f"(VALUES {listed}) AS {alias} ({columns})", alias, node)
        if not rows:
            rows = [tuple(self.null(each.type) for each in node.fields)]
        selects = [
            ", ".join(f"{v} AS {self.identifier(n)}" for v, n in zip(row, names, strict=True))
            for row in rows
        ]
        text = " UNION ALL ".join(f"SELECT {each}" for each in selects)
        text += "" if node.rows else " WHERE 1 = 0"
        return self.source(f"({text}) AS {alias}", alias, node)

    def project(self, node: Project, below: Block, outer: Scope) -> Block:
        """SELECT of expressions; over computed items a new one, so that none is written twice."""
        stage = Stage.SELECTED
        match node.input:
            case Sort() if below.text is None:
                stage = Stage.COMPLETE  # the sort keys are texts over the source: they stay valid
            case Window():
                pass  # its calls are only texts so far, and this SELECT writes them
            case Aggregate(sets=((),)) if not any(map(columns_of, node.expressions)):
                below = self.around(below)  # without its aggregates the SELECT would not group
            case _:
                below = self.until(below, Stage.HAVING)
        items = tuple(self.expression(each, (below.items, *outer)) for each in node.expressions)
        return replace(below, items=items, names=distinct_names(node.names), stage=stage)

    def aggregated(self, node: Aggregate, below: Block, outer: Scope) -> Block:
        """GROUP BY, or SELECT DISTINCT's groups."""
        below = self.until(below, Stage.WHERE)
        scope = (below.items, *outer)
        keys = tuple(self.group_key(each, scope) for each in node.keys)
        measures = tuple(self.measure(each, keys, scope) for each in node.measures)
        group = self.group_by(node, keys)
        names = distinct_names(node.names)
        items = (*self.shown_keys(node, keys), *measures)
        return replace(below, items=items, names=names, stage=Stage.GROUPED, group=group)

    def shown_keys(self, node: Aggregate, keys: Sequence[str]) -> tuple[str, ...]:
        """The columns of the keys: one that is in no set is NULL in every row."""
        sets = {place for each in node.sets for place in each}
        return tuple(
            text if place in sets else self.null(key.type)
            for place, (key, text) in enumerate(zip(node.keys, keys, strict=True))
        )

    def group_key(self, key: Expression, scope: Scope) -> str:
        """A key of GROUP BY, where a bare number would be the place of a column."""
        text = self.expression(key, scope)
        return f"CAST({text} AS {self.type_name(key.type)})" if isinstance(key, Literal) else text

    def windowed(self, node: Window, below: Block, outer: Scope) -> Block:
        """The columns of the input, then a call with OVER for each of the window's."""
        below = self.until(below, Stage.HAVING)
        scope = (below.items, *outer)
        calls = tuple(
            self.window_call(call, group, scope) for group in node.groups for call in group.calls
        )
        names = distinct_names(below.names + node.names)
        return replace(below, items=below.items + calls, names=names, stage=Stage.SELECTED)

    def join(self, node: Join, outer: Scope) -> Block:
        """A join of two sources."""
        left = self.until(self.block(node.left, outer), Stage.FROM)
        right = self.until(self.block(node.right, outer), Stage.FROM)
        items = left.items + right.items
        condition = self.expression(node.condition, (items, *outer))
        second = f"({right.source})" if isinstance(node.right, Join) else right.source
        source = f"{left.source} {node.kind} JOIN {second} ON {condition}"
        return Block(items, distinct_names(left.names + right.names), source, Stage.FROM)

    def set_operation(self, node: SetOp, outer: Scope) -> Block:
        """UNION, INTERSECT or EXCEPT of queries in brackets."""
        blocks = [self.block(each, outer) for each in node.inputs]
        word = f" {node.operator}{' ALL' if node.all else ''} "
        text = word.join(self.branch(self.text(each)) for each in blocks)
        return Block((), blocks[0].names, "", Stage.COMPLETE, text=text)

    def branch(self, text: str) -> str:
        """A branch of a set operation."""
        return f"({text})"

    def sort(self, node: Sort, below: Block, outer: Scope) -> Block:
        """ORDER BY, OFFSET and FETCH."""
        if node.within is not None:
            raise UnsupportedError("no ORDER BY … WITHIN")
        if below.stage is Stage.COMPLETE:
            below = self.around(below)
        scope = (below.items, *outer)
        tail = f" ORDER BY {self.order_by(node.keys, scope)}" if node.keys else ""
        tail += self.limit(node, scope)
        return replace(below, stage=Stage.COMPLETE, tail=tail)

    def limit(self, node: Sort, scope: Scope) -> str:
        """The clauses after ORDER BY, which select the rows to return."""
        text = ""
        if node.offset is not None:
            text += f" OFFSET {self.expression(node.offset, scope)} ROWS"
        if node.limit is not None:
            ties = "WITH TIES" if node.with_ties else "ONLY"
            text += f" FETCH NEXT {self.expression(node.limit, scope)} ROWS {ties}"
        return text

    # --- what only dialects with streams or windows can say ---------------------------------------

    def hop(self, node: Hop, outer: Scope) -> Block:
        """The rows of a TUMBLE or HOP, with WINDOW_START and WINDOW_END."""
        raise UnsupportedError("no group windows")

    def session(self, node: Session, outer: Scope) -> Block:
        """The rows in their sessions, with WINDOW_START and WINDOW_END."""
        raise UnsupportedError("no sessions")

    def window_join(self, node: WindowJoin, outer: Scope) -> Block:
        """A join over windows."""
        raise UnsupportedError("no join over windows")

    def asof_join(self, node: AsofJoin, outer: Scope) -> Block:
        """An ASOF join."""
        raise UnsupportedError("no ASOF JOIN")

    def delta(self, node: Delta, outer: Scope) -> Block:
        """A streaming query."""
        raise UnsupportedError("no streaming queries")

    def changes(self, node: Changes, outer: Scope) -> Block:
        """A changelog: its rows at the end are those of the relational query."""
        raise UnsupportedError("no changelogs")

    # --- from clauses to text -------------------------------------------------------------------

    def until(self, block: Block, stage: Stage) -> Block:
        """The block if it has not come further than ``stage``, else a query around it."""
        return block if block.stage <= stage else self.around(block)

    def around(self, block: Block) -> Block:
        """The block as a derived table."""
        alias = self.alias()
        items = tuple(f"{alias}.{self.identifier(each)}" for each in block.names)
        return Block(items, block.names, f"({self.text(block)}) AS {alias}", Stage.FROM)

    def text(self, block: Block) -> str:
        """The whole query."""
        if block.text is not None:
            return block.text
        pairs = zip(block.items, block.names, strict=True)
        text = "SELECT " + ", ".join(f"{item} AS {self.identifier(name)}" for item, name in pairs)
        if block.source:
            text += f" FROM {block.source}"
        if block.where:
            text += f" WHERE {' AND '.join(block.where)}"
        if block.group is not None:
            text += f" GROUP BY {block.group}"
        if block.having:
            text += f" HAVING {' AND '.join(block.having)}"
        return text + block.tail
