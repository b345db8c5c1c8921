"""Checks that reject a streaming query, each with place, reason and suggestions (S-802).

The rules that they check:

==============  =================================================================================
S-302, S-309    the branches of a set operation all stream, or none does
S-308, S-512    a stream without history is not read as a relation, nor in an expression
S-309           a streaming query reads a stream, and neither VALUES nor tables alone
S-106           a streaming query is deterministic
S-311           its ROWTIME ascends, at every level
S-503, S-404    each grouping set has a key that progresses; a constant does not
S-502, S-512    DISTINCT, UNION, INTERSECT and EXCEPT have a column that progresses
S-507           ORDER BY starts with a key that progresses in its direction; WITHIN is long enough
S-310           there is no OFFSET, LIMIT or FETCH
S-505           a window completes, and keeps few rows        (`algebra.refusal.validate_window`)
S-508           an outer join preserves no table              (`algebra.refusal.validate_join`)
S-509           the window of a side of a join is finite      (`algebra.refusal.validate_join`)
S-510           two streams are joined in lock step           (`algebra.refusal.validate_join`)
S-408           no node has unbounded latency or state
==============  =================================================================================

The binder calls the ``check_…`` functions as soon as it has both the plan and its text.  The first
line of each docstring is a rule.  If the query breaks the rule, the function notes a fault in the
environment; the first fault in the text is raised at the end (S-801).  After a fault in an input,
the binder passes an environment that is `Environment.undecided`, in which no rule is checked.
`algebra.binding.statement.modify` refuses statements other than queries.

Defines: S-803.a
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from algebra.binding.scope.environment import Environment, Modality
from algebra.binding.scope.streaming import (
    can_be_rowtime,
    is_descending,
    progress,
    source_name,
    source_span,
    sources,
)
from algebra.expression import InputRef, SortKey
from algebra.metadata.schedule.facts import schedule_of, unbounded_node
from algebra.monotonicity.columns import key_progresses, order_progresses
from algebra.plan import (
    Aggregate,
    Plan,
    SetOp,
    is_streaming,
    row_type,
)
from algebra.refusal import suggest_group, suggest_join, suggest_query
from algebra.refusal.suggestion import Namespace, seconds
from grammar import tree
from grammar.codes import Code
from grammar.source import Span
from grammar.suggestion import SuggestingError
from grammar.tree import SetOperator


def applies(plan: Plan, environment: Environment) -> bool:
    """Whether the rules apply to ``plan``: it is part of a streaming query, and it streams."""
    return environment.modality is Modality.STREAM and is_streaming(plan)


# --- what is read: S-302, S-308, S-309, S-512 ---------------------------------------------------


def check_reading(name: tree.Name, environment: Environment) -> None:
    """S-308, S-512: only the FROM of a streaming query reads a stream without history.

    The binder calls the function for each ``name`` in the text that denotes such a stream.

    Defines: S-308.a, S-512.c, S-512.e
    """
    shown = name.parts[-1].name
    match environment.modality:
        case Modality.RELATION:
            environment.fault(
                Code.STREAM_TO_TABLE,
                f"Cannot convert stream '{shown}' to a table",
                name.span,
                "declare the stream WITH HISTORY, or read its rows as they arrive: SELECT STREAM",
            )
        case Modality.SUBQUERY:
            environment.fault(
                Code.STREAM_IN_SUBQUERY,
                f"Cannot convert stream '{shown}' to a table: a sub-query in an expression "
                "reads tables and histories",
                name.span,
                "join the stream in FROM, or declare it WITH HISTORY",
                partial(suggest_join.suggest_join, environment.query, name.span, environment.sql),
            )
        case Modality.STREAM | Modality.CHANGES | Modality.DEFINITION:
            return


def check_input(node: tree.Select, plan: Plan, environment: Environment) -> None:
    """S-309: a streaming query reads a stream; VALUES and tables alone cannot be streamed.

    Defines: S-309.a, S-309.b, S-802.d
    """
    if environment.modality is not Modality.STREAM or not environment.top or is_streaming(plan):
        return
    found = [node] if node.from_ is None else list(sources(node.from_))
    names = ", ".join(source_name(each) for each in found)
    hint = "read a stream in FROM"
    if len(found) == 1 and isinstance(found[0], tree.Values | tree.Select):
        at = found[0].span
        environment.fault(Code.STREAMING_VALUES, "Cannot stream VALUES", at, hint)
    elif len(found) == 1:
        message = f"Cannot convert table '{names}' to a stream"
        environment.fault(Code.TABLE_TO_STREAM, message, source_span(found[0]), hint)
    elif node.from_ is not None:
        environment.fault(
            Code.NO_STREAMING_INPUT,
            f"Cannot stream results of a query with no streaming inputs: '{names}'. "
            "At least one input should be convertible to a stream",
            node.from_.span,
            hint,
        )


_MIXED: Final = "Set operator cannot combine streaming and non-streaming inputs"


def check_branches(branches: Sequence[tree.QueryBody], environment: Environment) -> bool:
    """S-302: all branches of a set operation have STREAM, or none has it.

    Returns whether this holds.  The fault is noted at the first branch that differs from
    ``branches[0]``.

    Defines: S-302.d, S-802.e
    """
    have_stream = [isinstance(each, tree.Select) and each.stream for each in branches]
    for branch, has_stream in zip(branches, have_stream, strict=True):
        if has_stream != have_stream[0]:
            hint = "write STREAM in all branches, or in none"
            assert environment.query is not None, "its branches are at hand"
            suggestions = partial(suggest_query.suggest_with_stream, environment.query)
            environment.fault(Code.MIXED_SET_OPERATION, _MIXED, branch.span, hint, suggestions)
            return False
    return True


def check_inputs(node: tree.SetOperation, inputs: Sequence[Plan], environment: Environment) -> None:
    """S-309: in a streaming query, all inputs of a set operation are streams, or none is.

    For the set operation of the whole query nothing is checked here, because `check_input` refuses
    each of its branches that has STREAM and reads no stream.

    Defines: S-309.c
    """
    streaming = [is_streaming(each) for each in inputs]
    inner = environment.modality is Modality.STREAM and not environment.top
    if inner and streaming[0] != streaming[1]:
        environment.fault(
            Code.MIXED_SET_OPERATION,
            _MIXED,
            node.right.span,
            "unite streams with streams; join a stream with a table",
        )


# --- rows: S-106, S-311 -------------------------------------------------------------------------


def not_deterministic(call: tree.FunctionCall, sql: str) -> SuggestingError:
    """The refusal of a call of RAND: a streaming query gives the same rows in all runs (S-106).

    Defines: S-106.c
    """
    return SuggestingError(
        Code.NOT_DETERMINISTIC,
        "RAND has no place in a streaming query: its result must be the same each time",
        sql,
        call.span,
        "let the producer put a random number into each row",
        suggestions=partial(suggest_query.suggest_constant, call.span, "0.5E0"),
    )


def check_rowtime(
    orders: Sequence[Plan],
    items: Sequence[tuple[str, tree.SelectItem]],
    columns: Callable[[tree.Star], Sequence[tuple[str, str]]],
    environment: Environment,
) -> None:
    """S-311: a column of a stream that is named ROWTIME is an ascending TIMESTAMP.

    ``orders`` are two plans of the selected rows, in the order of their arrival and in that of
    ORDER BY; the column must ascend in one of them.  ``items`` are the names of the columns, each
    with the select item from which it comes.  ``columns`` returns the texts and names of the
    columns for which a ``*`` stands.

    Defines: S-311.d, S-507.o
    """
    if not applies(orders[0], environment):
        return
    names = [name for name, _ in items]
    for place, (name, item) in enumerate(items):
        if name == "ROWTIME" and not any(can_be_rowtime(each, place) for each in orders):
            environment.fault(
                Code.ROWTIME_NOT_ASCENDING,
                "The column ROWTIME of a stream must be an ascending TIMESTAMP",
                item.span,
                "give it another name",
                partial(suggest_query.suggest_new_name, item, columns, names, environment.sql),
            )


# --- groups: S-404, S-502, S-503, S-507, S-512 --------------------------------------------------


def check_groups(
    node: tree.Select,
    grouped: Plan,
    keys: Sequence[tree.Expression],
    aggregate: tree.FunctionCall | None,
    namespace: Namespace,
    environment: Environment,
) -> bool:
    """S-503, S-404: every grouping set has a key that progresses; a constant does not.

    Returns whether this holds, or the query does not stream.  ``grouped`` is the plan of the
    groups.  ``keys`` are the keys in the text.  ``aggregate`` is the first aggregate of the SELECT,
    None if it has none.  ``namespace`` has the names of FROM's row, for suggestions.

    Defines: S-503.a
    """
    if not applies(grouped, environment):
        return True
    # Grouping sets with different windows are several Aggregates under a UNION.
    inputs = grouped.inputs if isinstance(grouped, SetOp) else (grouped,)
    parts = [each for each in inputs if isinstance(each, Aggregate)]
    moving: list[tree.Expression] = []  # the keys that progress
    complete = True  # whether each grouping set so far has such a key
    for part in parts:
        orders = progress(part.input, part.keys, environment.profile)
        progressing = {i for i, order in enumerate(orders) if order is not None}
        complete &= all(not progressing.isdisjoint(each) for each in part.sets)
        moving += [keys[i] for each in part.sets for i in each if i in progressing]
    if complete:
        return True
    sets = [[keys[i] for i in one] for part in parts for one in part.sets]
    environment.fault(
        Code.NO_MONOTONIC_KEY,
        "Streaming aggregation requires at least one monotonic expression in GROUP BY clause",
        _groups_span(node, aggregate),
        "group by the rowtime, or by another monotonic column",
        partial(
            suggest_group.suggest_progressing_key,
            node,
            sets,
            moving[:1],
            namespace,
            environment.sql,
        ),
    )
    return False


def _groups_span(node: tree.Select, aggregate: tree.FunctionCall | None) -> Span:
    """The GROUP BY clause, else the first aggregate, else HAVING's condition (S-802).

    Defines: S-802.a
    """
    if node.group_by is not None:
        return node.group_by.span
    if aggregate is not None:
        return aggregate.span
    assert node.having is not None, "a SELECT that groups says so somewhere"
    return node.having.span


def check_distinct(
    plan: Plan,
    node: tree.Select,
    names: Sequence[str],
    namespace: Namespace,
    environment: Environment,
) -> None:
    """S-512: DISTINCT is GROUP BY all columns, one of which must progress.

    ``plan`` has the rows before DISTINCT, and ``names`` the names of its columns.  ``namespace``
    has the names of FROM's row, for suggestions.

    Defines: S-802.h
    """
    keys = [InputRef(i, each.type) for i, each in enumerate(row_type(plan))]
    if not applies(plan, environment):
        return
    if not any(key_progresses(plan, each, environment.profile) for each in keys):
        environment.fault(
            Code.NO_MONOTONIC_KEY,
            "Streaming SELECT DISTINCT requires at least one monotonic column",
            node.items[0].span.to(node.items[-1].span),
            "select the rowtime, too",
            partial(suggest_group.suggest_distinct, node, namespace, names, environment.sql),
        )


def check_set_operation(
    node: tree.SetOperation, inputs: Sequence[Plan], environment: Environment
) -> None:
    """S-502: a set operation other than UNION ALL has a column that progresses.

    The column must progress in the same direction in all inputs.

    Defines: S-802.i
    """
    if environment.modality is not Modality.STREAM or not all(is_streaming(i) for i in inputs):
        return
    if node.all and node.operator is SetOperator.UNION:
        return
    # For each column, its directions in the inputs; None: it does not progress in one of them.
    directions = [
        {is_descending(each, InputRef(place, field.type), environment.profile) for each in inputs}
        for place, field in enumerate(row_type(inputs[0]))
    ]
    if not any(len(each) == 1 and None not in each for each in directions):
        environment.fault(
            Code.NO_MONOTONIC_KEY,
            f"Streaming {node.operator} requires at least one monotonic column",
            node.span,
            "select the rowtime in all branches",
            partial(suggest_group.suggest_union_all, node, environment.sql),
        )


def check_slack(
    within: tree.Expression, slack: int, declared: int | None, at: Span, environment: Environment
) -> None:
    """S-507: the slack of WITHIN is not less than the slack with which the column is declared.

    ``slack`` and ``declared`` are the two slacks in milliseconds; ``declared`` is None if the
    column has no slack.  ``within`` is the expression of ``slack``, and ``at`` is the place of the
    item of ORDER BY or GROUP BY.

    Defines: S-507.h, S-507.q, S-802.k
    """
    if declared is not None and slack < declared:
        environment.fault(
            Code.NOT_MONOTONIC_ORDER,
            "WITHIN is less than the slack that the column is declared with",
            at,
            f"{seconds(declared)} or more",
            partial(suggest_query.suggest_declared_slack, within.span, declared),
        )


# --- ORDER BY and LIMIT: S-310, S-507 -----------------------------------------------------------


def check_order(
    base: Plan,
    key: SortKey,
    items: Sequence[tree.SortItem],
    namespaces: Sequence[Namespace],
    environment: Environment,
) -> None:
    """S-507: the first key of ORDER BY is monotonic in its direction.

    ``base`` has the rows to sort, ``key`` is the first key, and ``items`` are all keys in the text.
    ``namespaces`` have the names for suggestions.

    Defines: S-507.a, S-802.b
    """
    if applies(base, environment) and not order_progresses(base, key, environment.profile):
        environment.fault(
            Code.NOT_MONOTONIC_ORDER,
            "Streaming ORDER BY must start with monotonic expression",
            items[0].span,
            "select the rowtime, and order by it first",
            partial(suggest_query.suggest_order, items, namespaces, environment.sql),
        )


def check_limit(base: Plan, limit: tree.Limit, environment: Environment) -> None:
    """S-310: a streaming query has no OFFSET, LIMIT or FETCH.

    Defines: S-310.a, S-310.b
    """
    if applies(base, environment):
        environment.fault(
            Code.STREAMING_LIMIT,
            "Streaming queries cannot have OFFSET, LIMIT or FETCH",
            limit.span,
            "leave it out",
            partial(suggest_query.suggest_without_limit, limit, environment.sql),
        )


# --- the whole: S-408 ---------------------------------------------------------------------------


def check_state(plan: Plan, query: tree.Query, environment: Environment) -> None:
    """S-408: no node of a streaming plan has unbounded latency or state.

    The rules above reject such nodes one by one; others are rejected here, at the whole query.

    Defines: S-408.e, S-802.l
    """
    found = unbounded_node(plan) if applies(plan, environment) else None
    if found is not None:
        node, reason = found
        message = f"Streaming query never completes at {type(node).__name__}: {reason}"
        hint = "ask for less: a window, a monotonic key, a bound on the distance of two rowtimes"
        environment.fault(schedule_of(node).code, message, query.span, hint)
