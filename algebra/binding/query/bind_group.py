"""Binding of GROUP BY, from its text to an Aggregate (S-503, S-504).

A grouping set is a set of keys; the rows are grouped once by each grouping set.  `bind_group_by`
makes a `Grouping`, with all keys and grouping sets.  When the rest of the SELECT has been bound,
all aggregates are known, and `aggregate` makes the plan.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from algebra.binding.expression.bind_expression import bind_expression
from algebra.binding.expression.constants import constant, whole
from algebra.binding.expression.scopes import RowScope
from algebra.binding.query.group_window import (
    GroupSession,
    GroupWindow,
    group_session,
    group_window,
)
from algebra.binding.scope.calls import GROUP_WINDOWS, function_name
from algebra.binding.scope.environment import Environment
from algebra.binding.scope.function_calls import check_plain
from algebra.binding.scope.join_base import project, with_base_side
from algebra.binding.scope.names import FromRow, own_name
from algebra.binding.scope.streaming import declared_slack
from algebra.expression import AggregateCall, Expression, InputRef, Literal, SortKey
from algebra.plan import Aggregate, Hop, Plan, Session, SetOp, Sort, row_type
from algebra.refusal.suggestion import Namespace
from algebra.refusal.validate import check_slack
from algebra.rewrite import subexpressions
from algebra.types import TIMESTAMP, Kind
from grammar import tree
from grammar.codes import Code
from grammar.tree import GroupingKind, SetOperator

#: The most grouping sets that a GROUP BY may have.
#:
#: Defines: S-703.a
MOST_SETS: Final = 1_024
#: A grouping set: the places of its keys in `Grouping.keys`.
GroupingSet = frozenset[int]


@dataclass(frozen=True, slots=True)
class Key:
    """A key of GROUP BY: its syntax, its expression over FROM's row, and its column's name."""

    node: tree.Expression
    expression: Expression
    name: str


@dataclass(slots=True)
class Grouping:
    """The keys, grouping sets and group windows of a GROUP BY clause.

    ``windows`` are in the order of their first mention.  Window i appends two columns to those of
    FROM, its start and its end.  Among the keys, the end has the place ``places[i]``, and the start
    the next place: the first ascending key is the rowtime of the groups, and this has to be the end
    (S-311).  ``slack`` has the key and the slack of each t-sort (WITHIN) below the Aggregate.
    """

    environment: Environment
    row: FromRow
    keys: list[Key] = field(default_factory=list[Key])
    sets: list[GroupingSet] = field(default_factory=list[GroupingSet])
    windows: list[GroupWindow | GroupSession] = field(
        default_factory=list[GroupWindow | GroupSession]
    )
    places: list[int] = field(default_factory=list[int])
    slack: list[tuple[SortKey, Literal]] = field(default_factory=list[tuple[SortKey, Literal]])

    @property
    def width(self) -> int:
        """The number of columns of FROM's row."""
        return len(row_type(self.row.plan))

    def window_column(self, window: int, end: bool) -> InputRef:
        """The start or end of a window in the row below the Aggregate; NULL without the window."""
        return InputRef(self.width + 2 * window + end, TIMESTAMP)

    def key_column(self, place: int) -> InputRef:
        """A key in the row of the Aggregate; NULL for a grouping set that lacks it."""
        type = self.keys[place].expression.type
        missing = any(place not in each for each in self.sets)
        return InputRef(place, type.as_nullable(type.nullable or missing))


def bind_group_by(clause: tree.GroupBy | None, row: FromRow, environment: Environment) -> Grouping:
    """The keys and grouping sets of GROUP BY; without the clause, one set without keys."""
    grouping = Grouping(environment, row)
    sets = [GroupingSet()]
    for item in () if clause is None else clause.items:
        of_item = _sets(item, grouping)
        _check_number(len(sets) * len(of_item), item, grouping)
        # GROUP BY a, b groups by both: each set so far is combined with each set of the next item.
        sets = [a | b for a in sets for b in of_item]
    grouping.sets = sets
    return grouping


def _sets(item: tree.GroupItem, grouping: Grouping) -> list[GroupingSet]:
    """The grouping sets that an element of GROUP BY denotes; its keys are added to ``grouping``."""
    match item:
        case tree.GroupExpression():
            return [_key(item, grouping)]
        case tree.GroupTuple(items):
            return [GroupingSet().union(*(_key(each, grouping) for each in items))]
        case tree.Grouping(GroupingKind.GROUPING_SETS, items):
            found = [each for inner in items for each in _sets(inner, grouping)]
            _check_number(len(found), item, grouping)
            return found
        case tree.Grouping(kind, items):
            units = [_unit(each, grouping) for each in items]
            if kind is GroupingKind.ROLLUP:
                chosen = [tuple(units[:n]) for n in range(len(units), -1, -1)]
            else:
                _check_number(2 ** len(units), item, grouping)
                chosen = [c for n in range(len(units), -1, -1) for c in combinations(units, n)]
            return [GroupingSet().union(*each) for each in chosen]


def _check_number(sets: int, item: tree.GroupItem, grouping: Grouping) -> None:
    """Refuse more grouping sets than `MOST_SETS`."""
    if sets > MOST_SETS:
        raise grouping.environment.error(
            Code.NOT_SUPPORTED,
            f"GROUP BY has more than {MOST_SETS:,} grouping sets",
            item.span,
            "fewer elements of CUBE, whose sets double with each",
        )


def _unit(item: tree.GroupItem, grouping: Grouping) -> GroupingSet:
    """The places of the keys of an element of CUBE or ROLLUP; a set has all of them or none."""
    if isinstance(item, tree.Grouping):
        raise grouping.environment.error(
            Code.NOT_SUPPORTED,
            f"{item.kind} inside CUBE or ROLLUP is not supported",
            item.span,
            f"GROUPING SETS may hold it: GROUPING SETS ({item.kind} (…), …)",
        )
    return _sets(item, grouping)[0]


def _key(item: tree.GroupExpression, grouping: Grouping) -> GroupingSet:
    """The places of a key, which is added to ``grouping`` unless that has an equal key.

    The key of a window has two places, for its end and its start; any other key has one.

    Defines: S-205.d
    """
    node = item.expression
    scope = RowScope(grouping.environment, grouping.row, "GROUP BY")
    if isinstance(node, tree.FunctionCall) and function_name(node) in GROUP_WINDOWS:
        return _window_key(node, item, scope, grouping)
    bound = bind_expression(node, scope)
    if item.within is not None:
        _add_slack(item, bound, scope, grouping)
    for i, each in enumerate(grouping.keys):
        if each.expression == bound:
            return GroupingSet((i,))
    grouping.keys.append(Key(node, bound, own_name(node) or f"$f{len(grouping.keys)}"))
    return GroupingSet((len(grouping.keys) - 1,))


def _window_places(grouping: Grouping) -> GroupingSet:
    """The places of the starts and ends of all windows among the keys."""
    return GroupingSet(place + i for place in grouping.places for i in (0, 1))


def _window_key(
    node: tree.FunctionCall, item: tree.GroupExpression, scope: RowScope, grouping: Grouping
) -> GroupingSet:
    """The places of a window's start and end among the keys, to which they are added if needed.

    Defines: S-902.m
    """
    check_plain(node, grouping.environment.sql)
    bind_call = group_session if function_name(node) == "SESSION" else group_window
    window = bind_call(node, scope, grouping.environment)
    if item.within is not None:
        _add_slack(item, window.time, scope, grouping)
    for place, each in zip(grouping.places, grouping.windows, strict=True):
        if each.meaning == window.meaning:
            return GroupingSet((place, place + 1))
    if grouping.windows and any(
        isinstance(each, GroupSession) for each in (window, *grouping.windows)
    ):
        raise grouping.environment.error(
            Code.NOT_SUPPORTED,
            "SESSION and another window in one GROUP BY are not supported",
            node.span,
            "group by the window first, in a sub-query",
        )
    place = len(grouping.keys)
    column = grouping.width + 2 * len(grouping.windows)
    type = TIMESTAMP.as_nullable(False)
    grouping.windows.append(window)
    grouping.places.append(place)
    grouping.keys.append(Key(node, InputRef(column + 1, type), "WINDOW_END"))
    grouping.keys.append(Key(node, InputRef(column, type), "WINDOW_START"))
    return GroupingSet((place, place + 1))


def _add_slack(
    item: tree.GroupExpression, key: Expression, scope: RowScope, grouping: Grouping
) -> None:
    """Add a t-sort of the rows below the Aggregate, for a key with WITHIN (S-507).

    For a key f(t) the rows are sorted by t, not by f(t), because the slack is declared for t.

    Defines: S-507.i
    """
    assert item.within is not None
    environment = grouping.environment
    within = constant(item.within, scope)
    times = [
        e for e in subexpressions(key) if isinstance(e, InputRef) and e.type.kind is Kind.TIMESTAMP
    ]
    if len(set(times)) != 1:
        raise environment.error(
            Code.TYPE_MISMATCH,
            "WITHIN requires a group key over one TIMESTAMP column",
            item.expression.span,
            "FLOOR(rowtime TO HOUR) WITHIN INTERVAL '10' SECOND",
        )
    if within is None or within.type.kind is not Kind.MILLIS:
        raise environment.error(
            Code.TYPE_MISMATCH,
            "WITHIN requires a constant interval",
            item.within.span,
            "WITHIN INTERVAL '10' SECOND",
        )
    declared = declared_slack(grouping.row.plan, times[0].index)
    check_slack(item.within, whole(within), declared, item.span, environment)
    sort = SortKey(times[0], descending=False, nulls_first=False)
    if (sort, within) not in grouping.slack:
        grouping.slack.append((sort, within))


# --- the node -----------------------------------------------------------------------------------


def aggregate(grouping: Grouping, source: Plan, measures: Sequence[AggregateCall]) -> Plan:
    """The plan of the groups of ``source``, which has the rows of FROM and WHERE.

    A grouping set without a window must count each row once, not once for each window that contains
    it. So sets that differ in their windows are computed by different Aggregates, under a UNION
    ALL.
    """
    for sort, within in grouping.slack:
        source = Sort(with_base_side(source, [sort.expression]), (sort,), within=within)
    # The grouping sets by the windows that they have, and by the keys of their sessions.
    parts: dict[tuple[tuple[bool, ...], GroupingSet], list[GroupingSet]] = {}
    for each in grouping.sets:
        has = tuple(place in each for place in grouping.places)
        parts.setdefault((has, _session_keys(grouping, each)), []).append(each)
    names = (*(k.name for k in grouping.keys), *(f"$m{i}" for i in range(len(measures))))
    keys = tuple(each.expression for each in grouping.keys)
    plans = tuple(
        Aggregate(
            with_base_side(_with_windows(grouping, source, has, partition), keys),
            keys,
            tuple(tuple(sorted(each)) for each in sets),
            tuple(measures),
            names,
        )
        for (has, partition), sets in parts.items()
    )
    return plans[0] if len(plans) == 1 else SetOp(plans, SetOperator.UNION, all=True)


def _session_keys(grouping: Grouping, grouping_set: GroupingSet) -> GroupingSet:
    """The keys for each of which a grouping set has sessions: its keys other than the session.

    Without SESSION there are none.

    Defines: S-902.b
    """
    match grouping.windows:
        case [GroupSession()] if grouping.places[0] in grouping_set:  # SESSION is the only window
            return grouping_set - _window_places(grouping)
        case _:
            return GroupingSet()


def _with_windows(
    grouping: Grouping, source: Plan, has: tuple[bool, ...], partition: GroupingSet
) -> Plan:
    """The rows of ``source`` with two more columns for each window: its start and its end.

    ``has`` states for each window whether the grouping set has it; if not, the columns are NULL.
    ``partition`` are the places of the keys of sessions.

    Defines: S-504.l
    """
    for window, present in zip(grouping.windows, has, strict=True):
        match window if present else None:
            case GroupSession(time, gap, location):
                by = tuple(grouping.keys[i].expression for i in sorted(partition))
                source = Session(with_base_side(source, [*by, time]), by, time, gap, location)
            case GroupWindow(time, emit, retain, align, location):
                below = with_base_side(source, [time])
                source = Hop(below, time, emit, retain, align, location=location)
            case None:
                fields = row_type(source)
                columns = (InputRef(i, each.type) for i, each in enumerate(fields))
                no_time = Literal(None, TIMESTAMP)
                names = (*(each.name for each in fields), "WINDOW_START", "WINDOW_END")
                source = project(source, (*columns, no_time, no_time), names)
    return source


def namespace_of_groups(grouping: Grouping, grouped: Plan) -> Namespace:
    """The names that suggestions can use for the keys of the groups ``grouped``: their texts.

    For the keys of a window, they are calls such as ``TUMBLE_END(…)``.
    """
    sql = grouping.environment.sql
    window_places = _window_places(grouping)
    named: list[tuple[str, Expression]] = []
    for i, key in enumerate(grouping.keys):
        text = sql[key.node.span.start : key.node.span.end]
        if i in window_places and isinstance(key.node, tree.FunctionCall):
            suffix = "_END" if i in grouping.places else "_START"
            after_name = len(function_name(key.node))
            text = text[:after_name] + suffix + text[after_name:]
        named.append((text, grouping.key_column(i)))
    return Namespace(grouped, tuple(named), grouping.environment.profile, grouped=True)
