"""Finds the features of a case, so that the core can have a case for each feature.

Features are the kinds of nodes in its plans, the kinds of operations, and the tiers that judge it.
"""

from collections.abc import Iterator
from typing import Final

from algebra.expression import Round, Subquery
from algebra.modify import Insert, Modify
from algebra.parts.mentions import Node, parts
from algebra.plan import (
    Aggregate,
    AsofJoin,
    Exclude,
    FrameBound,
    GroupOffset,
    Hop,
    Join,
    Plan,
    RangeOffset,
    RowOffset,
    RowsWindow,
    Session,
    SetOp,
    Sort,
    TimeWindow,
    Unbounded,
    Window,
    WindowGroup,
    WindowJoin,
    is_streaming,
)
from algebra.prepare import Prepared
from tck.corpus.case import Case
from tck.corpus.needs import emits_changes
from tck.corpus.permitted import last_step
from tck.judging.rows.reading import read_rows
from tck.judging.schedule import schedule
from tck.judging.timing import rows_are_timed
from tck.protocol import TIERS, Tier

#: The classes of the nodes that `node_names` lists: operators, statements that change tables or
#: streams, and expressions that contain a plan.
_NODES: Final = (Plan, Modify, Subquery)


def node_names(prepared: Prepared) -> frozenset[str]:
    """The class names of the nodes in the plans of a script and its query, also in sub-queries."""
    return frozenset(type(each).__name__ for each in _nodes(prepared) if isinstance(each, _NODES))


def operation_names(prepared: Prepared) -> frozenset[str]:
    """The names of the operations in the plans, also in sub-queries.

    An operation is a kind of join, window, grouping, set operation or sort: ``LEFT JOIN of
    streams``, for example.
    """
    return frozenset(name for each in _nodes(prepared) for name in _operations(each))


def _nodes(prepared: Prepared) -> Iterator[Node]:
    """All parts of the query and of the statements of a script, also those of sub-queries."""
    query = () if prepared.query is None else (prepared.query,)
    for each in (*query, *prepared.steps, *prepared.standing):
        yield from (part for part, _ in parts(each))


def _operations(part: Node) -> Iterator[str]:
    """The names of the operations of a node; none if all nodes of its class do the same."""
    match part:
        case Join(left, right, kind):
            streams = is_streaming(left) + is_streaming(right)
            of = ("tables", "a stream and a table", "streams")[streams]
            yield f"{kind} JOIN of {of}"
        case WindowJoin(_, _, kind, _, left, right):
            sides = {"rows" if isinstance(each, RowsWindow) else "time" for each in (left, right)}
            yield f"{kind} JOIN of windows of {' and '.join(sorted(sides))}"
            if TimeWindow(0, 0) in (left, right):  # only the rows of the same time
                yield f"{kind} JOIN of windows of CURRENT ROW"
        case AsofJoin(left, right, kind, _, match):
            streams = is_streaming(left) + is_streaming(right)
            of = ("tables", "a stream and a table", "streams")[streams]
            yield f"{kind} ASOF JOIN of {of}"
            yield f"ASOF JOIN by {match.op}"
        case Hop(_, _, emit, retain, _, cumulative):
            # Windows of TUMBLE do not overlap: each begins at the end of the one before.
            tumbles = emit == retain
            yield "CUMULATE" if cumulative else "TUMBLE" if tumbles else "HOP"
        case Session(_, keys):
            yield "SESSION of keys" if keys else "SESSION of all rows"
        case Aggregate(_, keys, sets):
            for key in (part for each in keys for part, _ in parts(each)):
                if isinstance(key, Round):
                    yield f"grouping by {'CEIL' if key.up else 'FLOOR'}"
            if len(sets) > 1:
                yield "GROUPING SETS"
            if () in sets:
                yield "grouping of all rows"
        case Window(_, groups):
            for each in groups:
                yield from _frame_names(each)
        case SetOp(_, operator, all):
            yield f"{operator}{' ALL' if all else ''}"
        case Sort(_, keys, offset, limit, with_ties, within):
            yield "t-sort" if within else "ORDER BY"
            yield from (f"ORDER BY {'DESC' if key.descending else 'ASC'}" for key in keys)
            if offset is not None:
                yield "OFFSET"
            if limit is not None:
                yield "FETCH WITH TIES" if with_ties else "FETCH"
        case Insert(_, _, upsert):
            yield "UPSERT" if upsert else "INSERT"
        case _:
            pass


def _frame_names(group: WindowGroup) -> Iterator[str]:
    """The name of the frame of a window group, and the name of its EXCLUDE, if it has one."""
    start, end, exclude = group.frame.start, group.frame.end, group.frame.exclude
    yield f"OVER from {_end(start)} to {_end(end)}"
    if exclude is not Exclude.NO_OTHERS:
        yield f"EXCLUDE {exclude}"


def _end(bound: FrameBound) -> str:
    """The kind of one end of a frame; its offset is left out."""
    match bound:
        case Unbounded():
            return "UNBOUNDED"
        case RowOffset(0):
            return "the row"
        case RowOffset():
            return "ROWS"
        case RangeOffset():
            return "RANGE"
        case GroupOffset():
            return "GROUPS"


def tiers_of(case: Case) -> frozenset[Tier]:
    """The tiers at which the case demands more than at the tier below.

    ``final``: the case lists the rows.  ``bounded``: a row must be emitted before the inputs end.
    ``exact``: a row must be emitted at an earlier step than at ``bounded``.
    """
    if emits_changes(case.sql):
        return frozenset(TIERS)  # every fold is judged, more strictly at each tier
    if case.equal_to is not None or not case.lists_rows:
        return frozenset()
    found: set[Tier] = {"final"}
    if rows_are_timed(case) and case.result is not None:
        expected = read_rows(case.all_rows, case.result, case.date)
        bounded = schedule(case, expected, "bounded")
        exact = schedule(case, expected, "exact")
        if any(each.last < last_step(case) for each in bounded):
            found.add("bounded")
        if any(due.last < forced.last for due, forced in zip(exact, bounded, strict=True)):
            found.add("exact")
    return frozenset(found)
