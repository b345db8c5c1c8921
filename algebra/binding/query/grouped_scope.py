"""The scopes of SELECT, HAVING and ORDER BY after GROUP BY.

A scope binds the names and calls of an expression to columns.  After GROUP BY there are two rows to
which they can be bound: the Aggregate's row, with the keys and the measures (`GroupedScope`), and,
inside the argument of an aggregate, the row of FROM below the Aggregate (`ArgumentScope`).
"""

from collections.abc import Iterator
from dataclasses import replace

from algebra.binding.expression.bind_aggregate import bind_aggregate
from algebra.binding.expression.bind_expression import bind_expression
from algebra.binding.expression.scopes import AN_AGGREGATE, RowScope
from algebra.binding.query.bind_group import Grouping
from algebra.binding.query.group_window import place_of_window
from algebra.binding.scope.calls import (
    GROUP_WINDOWS,
    GROUPING_FUNCTIONS,
    function_name,
    has_query,
    leaves_in,
)
from algebra.binding.scope.faults import Faults
from algebra.binding.scope.function_calls import check_plain
from algebra.binding.scope.names import Visible
from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Expression,
    GroupId,
    InputRef,
)
from algebra.expression import Grouping as GroupingBits
from grammar import tree
from grammar.codes import Code
from grammar.source import Span, SqlError
from grammar.suggestion import Suggestion, replacement


class ArgumentScope(RowScope):
    """The scope of an aggregate's argument, which is evaluated for each row of FROM (CAL-069).

    GROUPING, GROUP_ID, and the starts and ends of the windows of GROUP BY can also stand there.
    They have the same value for all rows of a group.

    Defines: S-504.i
    """

    def __init__(self, grouping: Grouping) -> None:
        super().__init__(grouping.environment, grouping.row, AN_AGGREGATE)
        self.grouping = grouping

    def aggregate(self, node: tree.FunctionCall) -> Expression:
        """GROUPING and GROUP_ID; another aggregate is refused."""
        if function_name(node) in GROUPING_FUNCTIONS:
            return bind_grouping(node, self.grouping)
        return super().aggregate(node)

    def window_end(self, node: tree.FunctionCall) -> Expression:
        """The start (`*_START`) or end (`*_END`) of a window of GROUP BY.

        It is a column of the Aggregate's input, to whose rows each window appends its start and,
        after it, its end.
        """
        scope = RowScope(self.environment, self.row, "GROUP BY")
        found = place_of_window(node, self.grouping.windows, scope, self.environment)
        if found is None:
            return super().window_end(node)
        return self.grouping.window_column(found, function_name(node).endswith("_END"))


class GroupedScope(RowScope):
    """The scope of an Aggregate's row: keys, then measures, which are collected as they occur."""

    def __init__(self, grouping: Grouping, clause: str) -> None:
        super().__init__(grouping.environment, grouping.row, clause)
        self.grouping = grouping
        self.measures: dict[AggregateCall, int] = {}  # each aggregate so far, with its place

    def local(self, name: tree.Name) -> Expression | None:
        """A key's column; NOT_GROUPED for a column of FROM that is not a key.

        None: no column has the name.
        """
        found = super().local(name)
        shown = ".".join(each.name for each in name.parts)
        return None if found is None else self._grouped(found, shown, name.span)

    def visible(self, column: Visible, at: Span) -> Expression:
        """The key that is the column for which ``*`` stands; NOT_GROUPED if it is not a key."""
        return self._grouped(column.expression, column.name, at)

    def in_clause(self, clause: str) -> "GroupedScope":
        """The same groups and measures, in another clause."""
        other = GroupedScope(self.grouping, clause)
        other.measures = self.measures
        return other

    def _grouped(self, column: Expression, shown: str, at: Span) -> Expression:
        """The key that is the column of FROM named ``shown``; NOT_GROUPED if none is."""
        for i, each in enumerate(self.grouping.keys):
            if each.expression == column:
                return self.grouping.key_column(i)
        raise self.environment.refusal(
            Code.NOT_GROUPED,
            f"Expression '{shown}' is not being grouped",
            at,
            f"group by {shown}, too, or aggregate it: MAX({shown})",
            lambda: self._grouped_suggestions(shown, at),
        )

    def _grouped_suggestions(self, shown: str, at: Span) -> Iterator[Suggestion]:
        """Suggest a key that is computed from the column; then one more key, and an aggregate."""
        sql = self.environment.sql
        written = sql[at.start : at.end]
        nodes = [each.node for each in self.grouping.keys]
        name = shown.rpartition(".")[2]
        for key in self.grouping.keys:
            names = [each.name for each in leaves_in(key.node) if isinstance(each, tree.ColumnRef)]
            if _is_group_window(key.node) or name not in [each.parts[-1].name for each in names]:
                continue
            text = sql[key.node.span.start : key.node.span.end]
            yield replacement(f"select the key: {text}", at, f"{text} AS {name}")
            yield replacement(f"write the key: {text}", at, text)
        if written != "*":
            if nodes:
                end = max(each.span.end for each in nodes)
                yield replacement(f"group by {shown}, too", Span(end, end), f", {written}")
            yield replacement(f"aggregate it: MAX({shown})", at, f"MAX({written})")

    def special(self, node: tree.Expression) -> Expression | None:
        """The column of the key that equals ``node``; without one, as in other scopes."""
        key = self._key(node)
        return super().special(node) if key is None else key

    def _key(self, node: tree.Expression) -> Expression | None:
        """The column of the key whose bound expression equals that of ``node``; None: no key does.

        Equal expressions can be written in different ways, for example MOD(a, b) and a % b.

        Defines: S-205.j
        """
        # A sub-query is bound once more here only if a key has a sub-query, too: else nested
        # sub-queries would be bound again at each level.
        keys, nested = self.grouping.keys, has_query(node)
        places = [i for i, key in enumerate(keys) if not nested or has_query(key.node)]
        bound = self._bound_over_from(node) if places else None
        found = (place for place in places if keys[place].expression == bound)
        place = next(found, None)
        return None if place is None else self.grouping.key_column(place)

    def _bound_over_from(self, node: tree.Expression) -> Expression | None:
        """``node`` bound over the row of FROM; None if that fails, as for an aggregate."""
        faults = Faults(self.environment.sql)
        environment = replace(self.environment, faults=faults)
        try:
            bound = bind_expression(node, RowScope(environment, self.row, self.clause))
        except SqlError:
            return None
        return None if faults.count else bound

    def aggregate(self, node: tree.FunctionCall) -> Expression:
        """The column of an aggregate, which is added to the measures; equal calls share one."""
        if function_name(node) in GROUPING_FUNCTIONS:
            bits = bind_grouping(node, self.grouping)
            call = AggregateCall(AggregateFunction.LITERAL_AGG, (bits,), bits.type)
        else:
            call = bind_aggregate(node, ArgumentScope(self.grouping), self.environment)
        place = self.measures.setdefault(call, len(self.measures))
        return InputRef(len(self.grouping.keys) + place, call.type)

    def window_end(self, node: tree.FunctionCall) -> Expression:
        """The key that holds the start (`*_START`) or end of a window of GROUP BY.

        Of the two keys of a window, the end comes first.

        Defines: S-504.f
        """
        scope = RowScope(self.environment, self.row, "GROUP BY")
        found = place_of_window(node, self.grouping.windows, scope, self.environment)
        if found is None:
            return super().window_end(node)
        end = self.grouping.places[found]  # the key after it is the start of the window
        return self.grouping.key_column(end + 1 if function_name(node).endswith("_START") else end)


def _is_group_window(node: tree.Expression) -> bool:
    """Whether ``node`` is a call of TUMBLE, HOP or SESSION."""
    return isinstance(node, tree.FunctionCall) and function_name(node) in GROUP_WINDOWS


def bind_grouping(node: tree.FunctionCall, grouping: Grouping) -> Expression:
    """A call of GROUPING, GROUPING_ID or GROUP_ID, bound (CAL-081).

    WRONG_ARGUMENTS for a wrong number of arguments; NOT_GROUPED for an argument that is not a key.
    """
    environment = grouping.environment
    check_plain(node, environment.sql)
    name = function_name(node)
    if (name == "GROUP_ID") != (not node.arguments):
        raise environment.error(
            Code.WRONG_ARGUMENTS,
            f"{name} takes {'no arguments' if name == 'GROUP_ID' else 'one key or more'}",
            node.span,
            "GROUP_ID()" if name == "GROUP_ID" else "GROUPING(productId)",
        )
    if name == "GROUP_ID":
        return GroupId()
    places: list[int] = []
    for argument in node.arguments:
        place = _grouping_key(argument, grouping)
        if place is None:
            raise environment.error(
                Code.NOT_GROUPED,
                "Argument to operator 'GROUPING' must be a grouped expression",
                argument.span,
                "GROUPING(k) of a key k of GROUP BY",
            )
        places.append(place)
    return GroupingBits(tuple(places))


def _grouping_key(argument: tree.Expression, grouping: Grouping) -> int | None:
    """The place of the key that an argument of GROUPING denotes; None if it is not a key."""
    scope = RowScope(grouping.environment, grouping.row, "GROUPING")
    if isinstance(argument, tree.FunctionCall) and function_name(argument) in GROUP_WINDOWS:
        found = place_of_window(argument, grouping.windows, scope, grouping.environment)
        return None if found is None else grouping.places[found]
    bound = bind_expression(argument, scope)
    return next((i for i, k in enumerate(grouping.keys) if k.expression == bound), None)
