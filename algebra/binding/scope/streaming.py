"""Properties of plans and queries on which the streaming rules depend.

For a plan, these are the orders of its columns; for a query, its branches and its sources.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from algebra.binding.scope.join_base import with_base_side
from algebra.catalog import Profile, Stream
from algebra.constraints.column_ranges import column_ranges
from algebra.expression import Expression, InputRef
from algebra.monotonicity.columns import OrderOf, column_monotonicity, key_progresses
from algebra.monotonicity.deduction import monotonicity
from algebra.monotonicity.tables import Monotonicity
from algebra.plan import (
    Filter,
    Joining,
    Plan,
    Project,
    Scan,
    Sort,
    Window,
    nodes,
    row_type,
)
from algebra.types import Kind
from grammar import tree
from grammar.source import Span


def reads_a_stream(plan: Plan) -> bool:
    """Whether the plan reads a stream or its history, whose rows have an order (E-35)."""
    return any(isinstance(e, Scan) and isinstance(e.source, Stream) for e in nodes(plan))


def is_descending(plan: Plan, key: Expression, profile: Profile) -> bool | None:
    """Whether ``key`` is descending (True) or ascending (False) in ``plan``; None: neither.

    A quasi-monotonic key is ascending or descending, too; a constant is neither.  In profile
    sqlstream a descending key is neither (S-701).
    """
    if key_progresses(plan, key, Profile.SQLSTREAM):
        return False
    return True if profile is Profile.CALCITE and key_progresses(plan, key, profile) else None


def _unsorted(plan: Plan) -> Plan:
    """The plan without the ORDER BYs at its top, except t-sorts (S-507).

    An ORDER BY that changes the order of a stream is refused by another check.  So the check of the
    column ROWTIME ignores the ORDER BY.
    """
    match plan:
        case Sort(input) if plan.within is None:
            return _unsorted(input)
        case Project(input) | Filter(input):
            return replace(plan, input=_unsorted(input))
        case _:
            return plan


def progress(
    plan: Plan, keys: Sequence[Expression], profile: Profile
) -> tuple[Monotonicity | None, ...]:
    """The monotonicity of each key's bounds over the plan's rows; None: its bounds do not progress.

    In profile sqlstream the bounds of a descending key do not progress (S-701).  All keys are
    passed together, because the side that gives an inner join its rowtime depends on all columns
    that are read above the join (S-510).
    """
    source = with_base_side(plan, keys)
    columns, ranges = column_monotonicity(source, OrderOf.BOUNDS), column_ranges(source)
    orders = [monotonicity(each, columns, ranges) for each in keys]
    if profile is Profile.SQLSTREAM:
        return tuple(each if each.ascending else None for each in orders)
    return tuple(each if each.progresses else None for each in orders)


def natural_order(plan: Plan, profile: Profile) -> tuple[InputRef, bool] | None:
    """The column by which the plan's rows are ordered, and whether it is descending.

    It is ROWTIME if that is monotonic, else the first monotonic column; None if there is none, or
    if the plan reads no stream at all.

    Defines: S-505.d, S-505.p
    """
    if not reads_a_stream(plan):
        return None
    columns = [InputRef(i, each.type) for i, each in enumerate(row_type(plan))]
    names = [each.name for each in row_type(plan)]
    rowtime_first = sorted(columns, key=lambda each: names[each.index] != "ROWTIME")
    for each in rowtime_first:
        descending = is_descending(plan, each, profile)
        if descending is not None:
            return each, descending
    return None


def can_be_rowtime(plan: Plan, place: int) -> bool:
    """Whether column ``place`` can be a stream's rowtime.

    It can if it is a TIMESTAMP that ascends, or a constant TIMESTAMP that is not NULL (S-301.g).
    """
    plan = _unsorted(plan)
    column = InputRef(place, row_type(plan)[place].type)
    order = column_monotonicity(plan)[place]
    return column.type.kind is Kind.TIMESTAMP and (
        (order is Monotonicity.CONSTANT and not column.type.nullable) or order.ascending
    )


def declared_slack(plan: Plan, place: int) -> int | None:
    """The declared slack of a column in milliseconds; None if it has none, or is computed."""
    match plan:
        case Scan(source):
            ordering = source.columns[place].ordering
            return None if ordering is None else ordering.slack
        case Project(input, expressions):
            column = expressions[place]
            return declared_slack(input, column.index) if isinstance(column, InputRef) else None
        case Filter(input) | Sort(input):
            return declared_slack(input, place)
        case Window(input):
            return declared_slack(input, place) if place < len(row_type(input)) else None
        case Joining(left, right):
            width = len(row_type(left))
            if place < width:
                return declared_slack(left, place)
            # A column after those of both sides is one that the join itself adds.
            added = place >= width + len(row_type(right))
            return None if added else declared_slack(right, place - width)
        case _:  # columns of groups, set operations and VALUES are not declared
            return None


# --- the parts of a query -----------------------------------------------------------------------


def branches(body: tree.QueryBody) -> Iterator[tree.QueryBody]:
    """The operands of a query's set operations; the query itself if it has none.

    If one of them has STREAM, all must have it (S-302).

    Defines: S-302.c
    """
    match body:
        case tree.Query(_, inner):
            yield from branches(inner)
        case tree.SetOperation(_, _, left, right):
            yield from branches(left)
            yield from branches(right)
        case tree.Select() | tree.Values() | tree.ExplicitTable():
            yield body


def selects(body: tree.QueryBody) -> Iterator[tree.Select]:
    """Those of the `branches` that are SELECTs."""
    return (each for each in branches(body) if isinstance(each, tree.Select))


# --- the parts of a FROM clause -----------------------------------------------------------------


def sources(item: tree.FromItem | tree.QueryBody) -> Iterator[tree.TableRef | tree.QueryBody]:
    """The tables, VALUES and SELECTs without FROM that ``item`` reads, in the order of the text."""
    match item:
        case tree.TableRef():
            yield item
        case tree.DerivedTable(query):
            yield from sources(query)
        case tree.TableFunction(call):
            for each in call.arguments:
                if isinstance(each.value, tree.ExplicitTable | tree.Query):
                    yield from sources(each.value)
        case tree.Join(_, left, right) | tree.SetOperation(_, _, left, right):
            yield from sources(left)
            yield from sources(right)
        case tree.Query(_, body):
            yield from sources(body)
        case tree.Select():
            if item.from_ is None:
                yield item
            else:
                yield from sources(item.from_)
        case tree.ExplicitTable() | tree.Values():
            yield item


def source_name(item: tree.TableRef | tree.QueryBody) -> str:
    """The name of one of the `sources` in messages; VALUES if it has none."""
    if isinstance(item, tree.TableRef | tree.ExplicitTable):
        return item.name.parts[-1].name
    return "VALUES"


def source_span(item: tree.TableRef | tree.QueryBody) -> Span:
    """The place of a source, without its alias.

    Defines: S-802.c
    """
    return item.name.span if isinstance(item, tree.TableRef) else item.span
