"""The scopes of the clauses of one SELECT: the columns and calls that an expression may use.

A `Scope` is given to `bind_expression`.  After GROUP BY there are other scopes, those of
`algebra.binding.query.grouped_scope`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from algebra.binding.expression.bind_expression import bind_expression
from algebra.binding.scope.calls import (
    GROUP_WINDOW_ENDS,
    GROUP_WINDOWS,
    GROUPING_FUNCTIONS,
    function_name,
    operands_of,
)
from algebra.binding.scope.environment import Modality
from algebra.binding.scope.meant import names_meant, text_meant
from algebra.binding.scope.names import FromRow, Visible, parts_of, quoted
from algebra.functions.aggregates import AGGREGATES
from algebra.parts.mentions import references
from algebra.plan import Values
from algebra.rewrite import outward
from grammar import tree
from grammar.codes import Code
from grammar.source import Span, SqlError
from grammar.suggestion import Suggestion, replacement

if TYPE_CHECKING:
    from algebra.binding.scope.environment import Environment
    from algebra.binding.scope.scope import Enclosing
    from algebra.catalog import Catalog, Profile
    from algebra.expression import Expression
    from algebra.plan import Plan

#: The row without columns, of VALUES and of a SELECT without FROM.
NO_COLUMNS = FromRow(Values(((),), ()), (), (), ())

#: The place of an operand of an aggregate, in messages.
AN_AGGREGATE: Final = "an aggregate"


class RowScope:
    """The scope of an expression over the row of FROM, and over those of enclosing queries.

    ``clause`` is the name of the expression's clause in messages.
    """

    def __init__(self, environment: "Environment", row: FromRow, clause: str) -> None:
        self.environment = environment
        self.row = row
        self.clause = clause

    @property
    def sql(self) -> str:
        """The text that spans count in."""
        return self.environment.sql

    @property
    def catalog(self) -> "Catalog":
        """Where user-defined functions are found."""
        return self.environment.catalog

    @property
    def profile(self) -> "Profile":
        """The dialect of the text."""
        return self.environment.profile

    @property
    def streaming(self) -> bool:
        """Whether the SELECT is part of a streaming query."""
        return self.environment.modality in (
            Modality.STREAM,
            Modality.SUBQUERY,
            Modality.CHANGES,
        )

    def subquery(self, query: tree.Query) -> "Plan":
        """The plan of a sub-query, whose enclosing scope this is."""
        return self.environment.bind(query, self.environment.in_expression(self)).plan

    def column(self, name: tree.Name) -> "Expression":
        """The column of that name here, else in the nearest enclosing query that has it."""
        found = self.local(name)
        if found is not None:
            return found
        # A qualifier that names an item of this FROM cannot mean an item of an enclosing query.
        qualifier = parts_of(name)[:-1]
        can_be_outer = not qualifier or not self.row.qualified(qualifier)
        if self.environment.outer is not None and can_be_outer:
            return outward(self.environment.outer.column(name))
        raise self._unknown(name)

    def local(self, name: tree.Name) -> "Expression | None":
        """The column of that name in this row; None: there is none."""
        parts = parts_of(name)
        if len(parts) == 1:
            return self._one(name, self.row.named(parts[0]))
        variables = self.row.qualified(parts[:-1])
        if len(variables) > 1:
            raise self._ambiguous(name)
        return self._one(
            name, tuple(c for v in variables for c in v.columns if c.name == parts[-1])
        )

    def visible(self, column: Visible, at: Span) -> "Expression":
        """The value of a column for which the ``*`` at ``at`` stands.

        Only the scope after GROUP BY can refuse the column, and needs ``at`` for that.
        """
        assert at.start < at.end, "a * has a place in the text"
        return column.expression

    def _one(self, name: tree.Name, found: tuple[Visible, ...]) -> "Expression | None":
        """The only column of ``found``; None: it is empty.  AMBIGUOUS_COLUMN if it has several."""
        if len(found) > 1:
            raise self._ambiguous(name)
        return found[0].expression if found else None

    def _ambiguous(self, name: tree.Name) -> SqlError:
        """The error for a name that several columns have; its hint qualifies the name."""
        column = name.parts[-1].name
        holders = [
            v.name[-1] for v in self.row.variables if any(c.name == column for c in v.columns)
        ]
        return self.environment.error(
            Code.AMBIGUOUS_COLUMN,
            f"column '{'.'.join(parts_of(name))}' is ambiguous",
            name.span,
            f"{quoted(holders[0]) if holders else 'o'}.{quoted(column)}",
        )

    def _unknown(self, name: tree.Name) -> SqlError:
        """The error for a name whose qualifier is not in FROM, or else for an unknown column."""
        parts = parts_of(name)
        if len(parts) > 1 and not self.row.qualified(parts[:-1]):
            names = [each.name[-1] for each in self.row.variables]
            aliases = ", ".join(names) or "nothing"
            return self.environment.refusal(
                Code.UNKNOWN_OBJECT,
                f"table '{'.'.join(parts[:-1])}' not found in FROM",
                name.parts[0].span.to(name.parts[-2].span),
                f"FROM has {aliases}",
                lambda: self._aliases_meant(name, names),
            )
        columns = self.row.unqualified
        if len(parts) > 1:
            columns = tuple(c for v in self.row.qualified(parts[:-1]) for c in v.columns)
        names = list(dict.fromkeys(each.name for each in columns))
        last = name.parts[-1]
        return self.environment.refusal(
            Code.UNKNOWN_COLUMN,
            f"column '{'.'.join(parts)}' not found in any table",
            last.span,
            f"the columns here are: {', '.join(names) or 'none'}",
            lambda: (*names_meant(last, names), *text_meant(last, name.span)),
        )

    def _aliases_meant(self, name: tree.Name, names: Sequence[str]) -> Iterator[Suggestion]:
        """Suggest the FROM items with a similar name; if there is only one, suggest that one."""
        if len(name.parts) == 2:
            yield from names_meant(name.parts[0], names)
            if len(names) == 1:
                only = quoted(names[0])
                yield replacement(f"write {only}, its name in FROM", name.parts[0].span, only)

    def special(self, node: tree.Expression) -> "Expression | None":
        """The meaning of a call that only some clauses allow; in the other clauses it is refused.

        Such calls are those of aggregates, of group windows and of their ends.  None: ``node`` is
        not such a call.
        """
        if not isinstance(node, tree.FunctionCall):
            return None
        name = function_name(node)
        if node.over is not None:
            return None  # the subclass of SELECT and ORDER BY handles a call with OVER
        if self.is_outer(node):
            assert self.environment.outer is not None, "its columns are of enclosing queries"
            found = self.environment.outer.special(node)
            assert found is not None, "an aggregate is special in all clauses"
            return outward(found)
        if name in AGGREGATES or name in GROUPING_FUNCTIONS:
            return self.aggregate(node)
        if name in GROUP_WINDOWS:
            raise self._misplaced(
                Code.GROUP_WINDOW_MISPLACED,
                f"Group function '{name}' can only appear in GROUP BY clause",
                node,
                f"name an end of the window: {name}_END(…)",
            )
        return self.window_end(node) if name in GROUP_WINDOW_ENDS else None

    def is_outer(self, node: tree.FunctionCall) -> bool:
        """Whether an aggregate belongs to an enclosing query.

        It belongs to the innermost query of which its arguments, order or filter use a column.  If
        they use no column, it belongs to the query in whose text it is (SQL:2016, set function
        specification: aggregation query).
        """
        if self.environment.outer is None or function_name(node) not in AGGREGATES:
            return False
        inside = self.ungrouped()
        try:
            bound = [bind_expression(each, inside) for each in operands_of(node)]
        except SqlError:
            return False  # the fault is raised where the aggregate is bound
        levels = {level for each in bound for level, _ in references(each)}
        return bool(levels) and 0 not in levels

    def ungrouped(self) -> "RowScope":
        """The scope of the rows before GROUP BY: of the arguments of the query's aggregates."""
        outer = self.environment.outer
        environment = self.environment
        if outer is not None:
            environment = replace(environment, outer=outer.ungrouped())
        return RowScope(environment, self.row, AN_AGGREGATE)

    def aggregate(self, node: tree.FunctionCall) -> "Expression":
        """The value of an aggregate, which is refused here; subclasses allow it."""
        if self.clause == AN_AGGREGATE:
            raise self._misplaced(
                Code.AGGREGATE_NESTED,
                "Aggregate expressions cannot be nested",
                node,
                "aggregate in a sub-query, then again outside",
            )
        raise self._misplaced(
            Code.AGGREGATE_MISPLACED,
            f"aggregate {function_name(node)} is not allowed in {self.clause}",
            node,
            "put the condition into HAVING, or aggregate in a sub-query"
            if self.clause == "WHERE"
            else "aggregate in a sub-query",
        )

    def window_end(self, node: tree.FunctionCall) -> "Expression":
        """The value of TUMBLE_END or a similar call, which is refused here; subclasses allow it."""
        name = function_name(node)
        raise self._misplaced(
            Code.NO_MATCHING_GROUP_WINDOW,
            f"Call to auxiliary group function '{name}' must have matching call to group "
            f"function '{name.split('_')[0]}' in GROUP BY clause",
            node,
            f"GROUP BY {name.split('_')[0]}(…) with the same arguments",
        )

    def _misplaced(self, code: Code, message: str, node: tree.FunctionCall, hint: str) -> SqlError:
        """The error for a call that the clause does not allow.

        If an operand of the call has a fault, this fault is raised instead, because it is reported
        before the fault of the call (S-801.c).
        """
        inside = self.ungrouped()
        for each in operands_of(node):
            bind_expression(each, inside)
        return self.environment.error(code, message, node.span, hint)


class AggregateMet(Exception):  # noqa: N818  it is not an error: binding continues in another way
    """A sub-query has an aggregate of an enclosing SELECT, which was being bound without groups.

    ``scope`` is the scope of this SELECT, and ``node`` the aggregate.
    """

    def __init__(self, scope: "RowScope", node: tree.FunctionCall) -> None:
        super().__init__()
        self.scope = scope
        self.node = node


class PlainScope(RowScope):
    """The scope of a SELECT that has no GROUP BY, no HAVING, and no aggregate in its own text."""

    def aggregate(self, node: tree.FunctionCall) -> "Expression":
        """Raise `AggregateMet`: the SELECT has to be bound again, with groups."""
        raise AggregateMet(self, node)


class OutwardScope:
    """The scope of an enclosing query, as seen from a sub-query that is ``levels`` deeper."""

    def __init__(self, scope: "Enclosing", levels: int) -> None:
        self._scope = scope
        self._levels = levels

    def column(self, name: tree.Name) -> "Expression":
        """The column of the enclosing query, ``levels`` further out."""
        return outward(self._scope.column(name), self._levels)

    def ungrouped(self) -> "OutwardScope":
        """The enclosing query's scope of the rows before GROUP BY, as seen from the sub-query."""
        return OutwardScope(self._scope.ungrouped(), self._levels)

    def special(self, node: tree.Expression) -> "Expression | None":
        """An aggregate of the enclosing query, ``levels`` further out.

        None: ``node`` is not an aggregate.
        """
        found = self._scope.special(node)
        return None if found is None else outward(found, self._levels)
