"""ORDER BY, LIMIT, OFFSET and FETCH over a query's columns (S-205, S-206, S-310, S-507).

A *t-sort* is an ORDER BY with WITHIN: it sorts rows by a timestamp that is out of order by at most
a slack.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from algebra.binding.expression.bind_expression import bind_expression
from algebra.binding.expression.constants import constant, whole
from algebra.binding.expression.scopes import NO_COLUMNS, RowScope
from algebra.binding.expression.sort_key import sort_key
from algebra.binding.scope.environment import Environment
from algebra.binding.scope.join_base import with_base_side
from algebra.binding.scope.scope import Scope
from algebra.binding.scope.streaming import declared_slack
from algebra.expression import Expression, InputRef, Literal, Parameter, SortKey
from algebra.plan import Plan, Project, Sort
from algebra.refusal.suggestion import Namespace
from algebra.refusal.validate import check_limit, check_order, check_slack
from algebra.rewrite import subexpressions
from algebra.types import BIGINT, DAY_TO_SECOND, INTEGERS, Kind
from grammar import tree
from grammar.codes import Code
from grammar.counts import counted
from grammar.source import Location, SqlError
from grammar.tree import LiteralKind

#: A slack for the t-sort of `put_in_order`: the order of the sorted rows does not depend on it.
_ANY_SLACK: Final = Literal(0, DAY_TO_SECOND)


@dataclass(frozen=True, slots=True)
class Output:
    """A column of a query: its name as written (None: it has none), its unique name, its value."""

    written: str | None
    name: str
    expression: Expression


def order_values(
    items: Sequence[tree.SortItem],
    outputs: Sequence[Output],
    scope: Scope,
    environment: Environment,
) -> list[Expression]:
    """The value by which each item of ORDER BY sorts, over the row from which ``outputs`` are made.

    An item that is the name or the ordinal of an output is that output (S-205).  The fault of an
    item is noted; its value is left out of the list.

    Defines: S-205.c, S-205.f
    """
    found: list[Expression] = []
    for item in items:
        with environment.faults.noted(item.span):
            output = _named_output(item.expression, outputs, environment)
            found.append(output or bind_expression(item.expression, scope))
    return found


def _named_output(
    node: tree.Expression, outputs: Sequence[Output], environment: Environment
) -> Expression | None:
    """The output whose name or ordinal an item is; None: the item is another expression.

    Defines: S-205.g
    """
    if isinstance(node, tree.Literal) and node.kind is LiteralKind.NUMBER:
        place = int(node.text) if node.text.isdigit() else 0
        if not 1 <= place <= len(outputs):
            raise environment.error(
                Code.BAD_ORDINAL,
                f"Ordinal out of range: the result has {counted(len(outputs), 'column')}",
                node.span,
                f"{len(outputs)}",
            )
        return outputs[place - 1].expression
    if not isinstance(node, tree.ColumnRef) or len(node.name.parts) != 1:
        return None
    name = node.name.parts[0].name
    named = [o for o in outputs if name in (o.written, o.name)]
    if len({each.expression for each in named}) > 1:
        raise environment.error(
            Code.AMBIGUOUS_COLUMN,
            f"column '{name}' is ambiguous",
            node.span,
            f"{1 + list(outputs).index(named[0])}",
        )
    return named[0].expression if named else None


def arranged(
    base: Plan,
    keys: Sequence[InputRef],
    items: Sequence[tree.SortItem],
    limit: tree.Limit | None,
    namespaces: Sequence[Namespace],
    environment: Environment,
) -> Plan:
    """The rows of ``base`` sorted by ``keys``, which are columns of ``base``, then limited.

    ``items`` are the items of ORDER BY, one for each key.  ``namespaces`` have the names that
    suggestions for the items may use.
    """
    sort_keys = tuple(sort_key(i, k) for i, k in zip(items, keys, strict=True))
    base, within = _within(base, keys, items, environment)
    if sort_keys and within is None:
        check_order(base, sort_keys[0], items, namespaces, environment)
    offset = count = None
    if limit is not None:
        check_limit(base, limit, environment)
        offset = _count(limit.offset, environment)
        count = _count(limit.limit, environment)
        if limit.with_ties and not sort_keys:
            raise environment.error(
                Code.BAD_LIMIT,
                "WITH TIES requires an ORDER BY",
                limit.span,
                "FETCH FIRST 3 ROWS ONLY",
            )
    if not sort_keys and offset is None and count is None:
        return base
    ties = limit is not None and limit.with_ties
    return Sort(base, sort_keys, offset, count, ties, within)


def _within(
    base: Plan,
    keys: Sequence[InputRef],
    items: Sequence[tree.SortItem],
    environment: Environment,
) -> tuple[Plan, Literal | None]:
    """The rows to sort, and the slack of the t-sort that must still be put on top of them.

    WITHIN is allowed only at the first item, which must be ascending, and its slack must not be
    less than the declared one (S-507).  If the first key is a function f(t) of the time t, the
    returned rows already have a t-sort by t, below the computation of f(t), and the returned slack
    is None.  Without WITHIN, the result is ``base`` and None.

    Defines: S-507.j
    """
    slack: Literal | None = None
    for i, item in enumerate(items):
        if item.within is None:
            continue
        scope = RowScope(environment, NO_COLUMNS, "WITHIN")
        found = constant(item.within, scope)
        if i > 0 or item.descending:
            raise environment.error(
                Code.NOT_SUPPORTED,
                "WITHIN is allowed only at the first expression of ORDER BY, an ascending one",
                item.within.span,
                "ORDER BY t WITHIN INTERVAL '10' SECOND",
            )
        if found is None or found.type.kind is not Kind.MILLIS or whole(found) < 0:
            raise environment.error(
                Code.TYPE_MISMATCH,
                "WITHIN requires a constant interval of time",
                item.within.span,
                "WITHIN INTERVAL '10' SECOND",
            )
        times = _times(base, keys[0])
        if len(times) != 1:
            raise environment.error(
                Code.TYPE_MISMATCH,
                "WITHIN requires one TIMESTAMP column as the sort key",
                item.expression.span,
                "ORDER BY rowtime WITHIN INTERVAL '10' SECOND",
            )
        [time] = times
        if isinstance(base, Project) and base.expressions[keys[0].index] != time:
            declared = declared_slack(base.input, time.index)
            by_time = SortKey(time, descending=False, nulls_first=False)
            base = replace(
                base, input=Sort(with_base_side(base.input, [time]), (by_time,), within=found)
            )
        else:
            declared = declared_slack(base, keys[0].index)
            slack = found
        check_slack(item.within, whole(found), declared, item.span, environment)
    return base, slack


def put_in_order(base: Project, keys: Sequence[InputRef], items: Sequence[tree.SortItem]) -> Plan:
    """``base`` over rows that are sorted by the time of a t-sort in ``items``.

    It serves to find out which columns of ``base`` ascend after the t-sort.  It is ``base`` itself
    if ``items`` have no WITHIN, or a WITHIN that `arranged` refuses.
    """
    if not items or items[0].within is None:
        return base
    times = _times(base, keys[0])
    if len(times) != 1:
        return base
    [time] = times
    by_time = SortKey(time, descending=False, nulls_first=False)
    source = with_base_side(base.input, [time])
    return replace(base, input=Sort(source, (by_time,), within=_ANY_SLACK))


def _times(base: Plan, key: InputRef) -> frozenset[InputRef]:
    """The TIMESTAMP columns from which a key is computed; the key itself if it is not computed."""
    expression = base.expressions[key.index] if isinstance(base, Project) else key
    return frozenset(
        each
        for each in subexpressions(expression)
        if isinstance(each, InputRef) and each.type.kind is Kind.TIMESTAMP
    )


def _count(node: tree.Expression | None, environment: Environment) -> Expression | None:
    """The number of rows in LIMIT, OFFSET or FETCH: a constant or a parameter; None without it.

    BAD_LIMIT unless a constant is a whole number that is not negative.
    """
    if node is None:
        return None
    if isinstance(node, tree.Parameter):
        location = Location(environment.sql, node.span)
        return Parameter(node.index, BIGINT.as_nullable(False), location)
    bad = _bad_limit(node, environment)
    try:
        found = constant(node, RowScope(environment, NO_COLUMNS, "LIMIT"))
    except SqlError as error:
        if error.code in (Code.UNKNOWN_COLUMN, Code.AGGREGATE_MISPLACED):
            raise bad from None
        raise
    if found is None or found.type.kind not in INTEGERS or whole(found) < 0:
        raise bad
    return found


def _bad_limit(node: tree.Expression, environment: Environment) -> SqlError:
    return environment.error(
        Code.BAD_LIMIT, "a number of rows must be a whole number, not negative", node.span, "10"
    )
