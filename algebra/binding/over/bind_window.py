"""OVER: the calls with a window in one SELECT become the columns of one Window node (S-505, S-506).

While the expressions of the SELECT are bound, `Windows` collects the calls, and each call is
replaced by a column with a provisional place.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from algebra.binding.expression.bind_aggregate import argument_fault, bind_aggregate
from algebra.binding.expression.bind_expression import bind_condition, bind_expression
from algebra.binding.expression.scopes import RowScope
from algebra.binding.expression.sort_key import bind_sort_key
from algebra.binding.over.frames import bind_frame, default_frame
from algebra.binding.over.window_spec import resolved
from algebra.binding.scope.calls import WINDOW_FUNCTIONS
from algebra.binding.scope.environment import Environment
from algebra.binding.scope.function_calls import suggest_without_over
from algebra.binding.scope.join_base import with_base_side
from algebra.binding.scope.names import Visible
from algebra.binding.scope.scope import Scope
from algebra.binding.scope.streaming import natural_order
from algebra.expression import (
    Expression,
    InputRef,
    Literal,
    SortKey,
    WindowCall,
    WindowFunction,
)
from algebra.folding import fold
from algebra.functions.aggregates import (
    AGGREGATES,
    WINDOW_TABLE,
    ArgumentError,
    window_arguments,
    window_type,
)
from algebra.parts.frames import ITSELF, WHOLE
from algebra.plan import Frame, Plan, RowOffset, Unbounded, Window, WindowGroup, row_type
from algebra.refusal.suggestion import Namespace
from algebra.refusal.validate_window import check_window
from algebra.rewrite import rewritten
from algebra.types import INTEGER
from grammar import tree
from grammar.codes import Code
from grammar.source import Location, Span
from grammar.tree import Nulls

#: The frame of the rows up to the current one, on which ranks and row numbers depend.
_SO_FAR: Final = Frame(Unbounded(), ITSELF)
#: The offset of LAG and LEAD that are called without one.
_ONE_ROW: Final = Literal(1, INTEGER)


@dataclass(frozen=True, slots=True)
class _Over:
    """A window in a plan: partition, order and frame."""

    partition: tuple[Expression, ...]
    order: tuple[SortKey, ...]
    frame: Frame


#: The provisional place of the first window function's column.  It is greater than any real place;
#: `Windows.with_final_places` replaces it by the final one.
_LATER: Final = 1 << 30


@dataclass(slots=True)
class Windows:
    """The window functions of one SELECT, which are collected while its expressions are bound.

    ``namespace`` returns the plan over whose rows the functions are computed, and the names that a
    suggestion may use. It is called for each function, because after GROUP BY each aggregate in the
    text before the function has added a column.  ``named`` has the windows of the clause WINDOW.
    ``calls`` are the functions so far, in the order of the text.
    """

    namespace: Callable[[], Namespace]
    named: Mapping[str, tree.WindowSpec]
    environment: Environment
    calls: list[tuple[_Over, WindowCall]] = field(default_factory=list[tuple[_Over, WindowCall]])

    def add_call(self, node: tree.FunctionCall, name: str, scope: Scope) -> Expression:
        """Add the call ``node`` of the function ``name``, and return its provisional column.

        Equal calls share one column.
        """
        bound = _bind_call(self, node, name, scope)
        if bound not in self.calls:
            self.calls.append(bound)
        _, call = bound
        return InputRef(_LATER + self.calls.index(bound), call.type)

    def check_named(self, scope: Scope) -> None:
        """Note the faults of the named windows, whether they are used or not."""
        for spec in self.named.values():
            for each in (*spec.partition, *(item.expression for item in spec.order)):
                with self.environment.faults.noted(each.span):
                    bind_expression(each, scope)

    def plan_over(self, input: Plan) -> Plan:
        """The Window over ``input``, with a column for each call after those of ``input``.

        It is ``input`` itself if there are no calls.
        """
        if not self.calls:
            return input
        groups = tuple(
            WindowGroup(over.partition, over.order, over.frame, tuple(calls))
            for over, calls in self._groups().items()
        )
        order = [key.expression for group in groups for key in group.order]
        names = tuple(f"$w{i}" for i in range(len(self.calls)))
        return Window(with_base_side(input, order), groups, names)

    def with_final_places(self, expression: Expression, input: Plan) -> Expression:
        """``expression`` with provisional columns replaced by the columns of `plan_over`."""
        if not self.calls:
            return expression
        width = len(row_type(input))
        order = [(over, call) for over, calls in self._groups().items() for call in calls]

        def change(leaf: Expression) -> Expression:
            if isinstance(leaf, InputRef) and leaf.index >= _LATER:
                return InputRef(width + order.index(self.calls[leaf.index - _LATER]), leaf.type)
            return leaf

        return rewritten(expression, change)

    def _groups(self) -> dict[_Over, list[WindowCall]]:
        """The calls by their windows."""
        groups: dict[_Over, list[WindowCall]] = {}
        for over, call in self.calls:
            groups.setdefault(over, []).append(call)
        return groups


class ItemScope:
    """The scope of SELECT and ORDER BY: ``inner``, and calls with OVER."""

    def __init__(self, inner: RowScope, windows: Windows) -> None:
        self.inner = inner
        self.windows = windows
        self.sql = inner.sql
        self.catalog = inner.catalog
        self.profile = inner.profile
        self.streaming = inner.streaming

    def column(self, name: tree.Name) -> Expression:
        """The column of that name."""
        return self.inner.column(name)

    def visible(self, column: Visible, at: Span) -> Expression:
        """The value of a column that the ``*`` at ``at`` stands for."""
        return self.inner.visible(column, at)

    def subquery(self, query: tree.Query) -> Plan:
        """The plan of a sub-query."""
        return self.inner.subquery(query)

    def special(self, node: tree.Expression) -> Expression | None:
        """The column of a window function; else the meaning that the clause gives the call.

        None: ``node`` has no meaning of its own in the clause.
        """
        if isinstance(node, tree.FunctionCall) and node.over is not None:
            name = node.name.parts[-1].name
            known = name in AGGREGATES or name in WINDOW_FUNCTIONS
            if known and len(node.name.parts) == 1:
                return self.windows.add_call(node, name, self.inner)
        return self.inner.special(node)


# --- one call -----------------------------------------------------------------------------------


def _bind_call(
    windows: Windows, node: tree.FunctionCall, name: str, scope: Scope
) -> tuple[_Over, WindowCall]:
    """The window and the call that ``node``, a call of the function ``name``, denotes.

    Faults that concern streaming are noted, not raised.
    """
    environment = windows.environment
    assert node.over is not None
    spec = resolved(node.over, windows.named, environment)
    if name in WINDOW_FUNCTIONS:
        call = _window_call(node, WINDOW_FUNCTIONS[name], scope, environment)
    else:
        aggregate = bind_aggregate(node, scope, environment)
        if aggregate.order:
            raise environment.refusal(
                Code.OVER_NOT_ALLOWED,
                f"{name} with WITHIN GROUP has no window",
                node.over.span,
                "",
                partial(suggest_without_over, node, environment.sql),
            )
        call = WindowCall(
            aggregate.function,
            aggregate.arguments,
            aggregate.type,
            distinct=aggregate.distinct,
            filter=aggregate.filter,
        )
    call = replace(call, location=Location(environment.sql, node.span))
    partition = tuple(bind_expression(each, scope) for each in spec.partition)
    order = tuple(bind_sort_key(each, scope) for each in spec.order)
    if not order:
        found = natural_order(windows.namespace().plan, environment.profile)
        if found is not None:
            key, descending = found
            order = (SortKey(key, descending, nulls_first=descending),)
    frame = _frame(node, spec, call, order, scope, environment)
    group, namespace = WindowGroup(partition, order, frame, (call,)), windows.namespace()
    check_window(namespace.plan, node, spec, group, windows.named, namespace, environment)
    return _Over(partition, order, frame), call


def _window_call(
    node: tree.FunctionCall, function: WindowFunction, scope: Scope, environment: Environment
) -> WindowCall:
    """The call of a function that is not an aggregate, with its modifiers checked."""
    arguments = tuple(bind_expression(each, scope) for each in node.arguments)
    if node.filter is not None:
        bind_condition(node.filter, scope)
    if node.star or node.distinct or node.within_group:
        raise environment.error(
            Code.WRONG_ARGUMENTS,
            f"{function} takes neither * nor DISTINCT",
            node.span,
            f"write {function}()",
        )
    if node.nulls is not None and not WINDOW_TABLE[function].nulls:
        raise environment.error(
            Code.WRONG_ARGUMENTS,
            f"{function} has no null treatment",
            node.span,
            f"write {function}()",
        )
    if node.filter is not None:
        raise environment.error(
            Code.WRONG_ARGUMENTS,
            f"{function} takes no FILTER",
            node.filter.span,
            "only aggregates take it: SUM(x) FILTER (…)",
        )
    try:
        fitted = window_arguments(function, arguments)
        type = window_type(function, [each.type for each in fitted])
    except ArgumentError as error:
        raise argument_fault(error, node, node.arguments, environment) from None
    return WindowCall(function, fitted, type, ignore_nulls=node.nulls is Nulls.IGNORE)


def _frame(
    node: tree.FunctionCall,
    spec: tree.WindowSpec,
    call: WindowCall,
    order: tuple[SortKey, ...],
    scope: Scope,
    environment: Environment,
) -> Frame:
    """The frame of a call: the explicit one, else the default one.

    A function for which no frame is allowed, such as RANK, has the frame of the rows on which it
    depends.
    """
    if isinstance(call.function, WindowFunction) and WINDOW_TABLE[call.function].by_place:
        if spec.frame is not None:
            raise environment.error(
                Code.BAD_FRAME,
                f"ROW/RANGE not allowed with {call.function}",
                spec.frame.span,
                f"leave the frame out: {call.function}(…) OVER (ORDER BY rowtime)",
            )
        if not order and WINDOW_TABLE[call.function].ordered:
            assert node.over is not None
            raise environment.error(
                Code.BAD_WINDOW,
                f"{call.function} requires ORDER BY clause in window specification",
                node.over.span,
                f"write {call.function}(…) OVER (ORDER BY x)",
            )
        return _dependence(call)
    if spec.frame is not None:
        return bind_frame(spec.frame, order, scope, environment)
    return default_frame(order, environment.profile)


def _dependence(call: WindowCall) -> Frame:
    """The rows on which a function without a frame depends (ranks, LAG, LEAD), as a frame.

    A value is determined as soon as the rows of this frame are known.  LAG and LEAD reach as far as
    their constant offset; if they skip NULLs, or the offset is not constant, they reach any
    distance.  A rank depends on the rows before the current row; PERCENT_RANK, CUME_DIST and NTILE
    depend on all rows of the partition.
    """
    match call.function:
        case WindowFunction.LAG | WindowFunction.LEAD:
            back = call.function is WindowFunction.LAG
            offset = fold(call.arguments[1]) if len(call.arguments) > 1 else _ONE_ROW
            rows = None if offset is None else offset.value
            if isinstance(rows, int) and not call.ignore_nulls:
                other = RowOffset(-rows if back else rows)
                start, end = sorted((other, ITSELF), key=lambda each: each.rows)
                return Frame(start, end)
            return _SO_FAR if back else WHOLE
        case WindowFunction.PERCENT_RANK | WindowFunction.CUME_DIST | WindowFunction.NTILE:
            return WHOLE
        case _:
            return _SO_FAR
