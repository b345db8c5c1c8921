"""Queries rewritten so that Flink sees that a group is complete, or that rows have an order.

Flink emits each group once if the group is a window, and else corrects it again and again; and it
emits rows in their order if ORDER BY names a time attribute.  So a group by ``CEIL(rowtime TO
HOUR)`` becomes one by windows, and UNION, INTERSECT and EXCEPT of rows with a rowtime become groups
by rowtimes.  Where Flink cannot plan the rewritten query, the driver runs the query as it is.
"""

from dataclasses import replace
from typing import Any, Final

from engines.dialect.unsupported import UnsupportedError
from engines.flink.aligned import by_table_function
from engines.flink.nodes import NOWHERE, binary, call, column, interval, select
from engines.flink.rewriting import rewrite
from engines.flink.windows import FIXED, grouped_by_floor
from grammar.tree import (
    Alias,
    BinaryOperator,
    ColumnRef,
    DerivedTable,
    Expression,
    FromItem,
    FunctionCall,
    GroupBy,
    GroupExpression,
    Grouping,
    GroupingKind,
    GroupItem,
    GroupTuple,
    Identifier,
    Join,
    Literal,
    LiteralKind,
    Query,
    QueryBody,
    Round,
    Select,
    SelectItem,
    SetOperation,
    SetOperator,
    SortItem,
    Star,
    TableFunction,
    TimeUnit,
)

#: One millisecond, the precision of a rowtime.
_TICK: Final = interval("0.001", TimeUnit.SECOND)
_ROWTIME: Final = "ROWTIME"


def completed(query: Query) -> Query:
    """The query with windows in place of rows that are complete at a time."""
    return rewrite(query, _completed)


def ordered(query: Query) -> Query:
    """The query sorted by its rowtime; as it is if it is sorted, or its rows have none.

    A SELECT can be sorted by a column that it does not show, unless it makes groups of rows.
    """
    body = query.body
    if query.order_by or query.limit is not None or _loses_rows_if_sorted(body):
        return query
    if not _has_rowtime(body) and not _is_plain(body):
        names = _union_names(body)
        if names is None:
            return query
        query = replace(query, body=_of_columns(_with_rowtime(body), names))
    return replace(query, order_by=(SortItem(column(_ROWTIME), False, None, None, NOWHERE),))


def _loses_rows_if_sorted(body: QueryBody) -> bool:
    """Whether some rows have a time that is below the watermark, or NULL: a sort drops these.

    A join of windows emits rows at the end of their window, with the times of the left rows.  In a
    union, the time of a group can be the start of its window.
    """
    if not isinstance(body, Select):
        return False
    if isinstance(body.from_, DerivedTable) and _merges_groups(body.from_.query.body):
        return True
    sets = () if body.group_by is None else body.group_by.items
    return _joins_windows(body.from_) or any(isinstance(each, Grouping) for each in sets)


def _merges_groups(body: QueryBody) -> bool:
    """Whether a UNION ALL has groups on one of its sides."""
    match body:
        case SetOperation(_, True, left, right):
            sides = (left, right)
            grouped = any(isinstance(each, Select) and each.group_by is not None for each in sides)
            return grouped or any(map(_merges_groups, sides))
        case _:
            return False


def _joins_windows(source: FromItem | None) -> bool:
    match source:
        case Join(left=left, right=right):
            return any(
                isinstance(each, TableFunction) or _joins_windows(each) for each in (left, right)
            )
        case _:
            return False


def _is_plain(body: QueryBody) -> bool:
    """Whether a SELECT gives a row for each input row, so that each has the input's rowtime."""
    return isinstance(body, Select) and not body.distinct and body.group_by is None


def _union_names(body: QueryBody) -> tuple[str, ...] | None:
    """The columns of a UNION ALL of SELECTs whose rows have a rowtime each; None of others."""
    match body:
        case SetOperation(SetOperator.UNION, True, left, right):
            names = _union_names(left)
            return names if _union_names(right) is not None else None
        case Select() if _is_plain(body) and not _calls(body):
            return _names(body)
        case _:
            return None


def _with_rowtime(body: QueryBody) -> QueryBody:
    """The UNION ALL with the rowtime as a further column, the last one."""
    match body:
        case SetOperation(_, _, left, right):
            return replace(body, left=_with_rowtime(left), right=_with_rowtime(right))
        case Select():
            rowtime = SelectItem(column(_ROWTIME), None, NOWHERE)
            return replace(body, items=(*body.items, rowtime))
        case _:
            return body


def _of_columns(body: QueryBody, names: tuple[str, ...]) -> Select:
    """Some columns of a query."""
    source = DerivedTable(
        Query(None, body, (), None, NOWHERE), None, Alias(_name("MERGED"), (), NOWHERE), NOWHERE
    )
    items = tuple(SelectItem(column(each), None, NOWHERE) for each in names)
    return select(items, source)


def merges(query: Query) -> bool:
    """Whether rows of several inputs come together in the query."""
    found: list[object] = []

    def note(node: Any) -> Any:  # Any: a node of any class
        if isinstance(node, Join | SetOperation):
            found.append(node)
        return node

    rewrite(query, note)
    return bool(found)


def _has_rowtime(body: QueryBody) -> bool:
    """Whether the query has a column ROWTIME, as far as its text shows."""
    match body:
        case SetOperation(_, _, left):
            return _has_rowtime(left)
        case Query(_, inner):
            return _has_rowtime(inner)
        case Select():
            return any(
                isinstance(each.expression, Star) or _named(each) == _ROWTIME for each in body.items
            )
        case _:
            return False


def _completed(node: Any) -> Any:  # Any: a node of any class
    match node:
        case Select(qualify=condition) if condition is not None:
            return _filtered_above(node, condition)
        case Select():
            try:
                return _windows_of_sets(_windows_of_keys(_groups_of_distinct(node)))
            except UnsupportedError:
                return node
        case SetOperation(operator, False, left, right):
            return _set_as_groups(operator, left, right) or node
        case _:
            return node


# --- QUALIFY --------------------------------------------------------------------------------------


def _filtered_above(node: Select, condition: Expression) -> Select:
    """QUALIFY as WHERE around the SELECT: so Flink writes the first rows of a window.

    A SELECT with ``*`` stays as it is, because the calls would be columns of the result.
    """
    if any(isinstance(each.expression, Star) for each in node.items):
        return node
    names = [_named(each) or f"COLUMN_{i}" for i, each in enumerate(node.items)]
    added: dict[Expression, str] = {}

    def note_call(each: Any) -> Any:  # Any: a node of any class
        if isinstance(each, FunctionCall) and each.over is not None:
            return column(added.setdefault(each, f"CALL_{len(added)}"))
        return each

    def note_column(each: Any) -> Any:  # Any: a node of any class
        if not isinstance(each, ColumnRef) or each.name.parts[-1].name in {*names, *calls}:
            return each
        return column(added.setdefault(each, f"READ_{len(added)}"))

    where = rewrite(condition, note_call)
    calls = set(added.values())
    where = rewrite(where, note_column)
    items = [replace(each, alias=_name(n)) for each, n in zip(node.items, names, strict=True)]
    items += [SelectItem(each, _name(name), NOWHERE) for each, name in added.items()]
    inner = replace(node, distinct=False, items=tuple(items), qualify=None)
    query = Query(None, inner, (), None, NOWHERE)
    return replace(
        node,
        items=tuple(SelectItem(column(each), None, NOWHERE) for each in names),
        from_=DerivedTable(query, None, Alias(_name("WINDOWED"), (), NOWHERE), NOWHERE),
        where=where,
        group_by=None,
        having=None,
        qualify=None,
    )


# --- keys -----------------------------------------------------------------------------------------


def _windows_of_keys(node: Select) -> Select:
    """GROUP BY of a unit rounded up, or of the rowtime itself, as one of windows."""
    keys = _keys(node)
    for key in keys:
        match key:
            case Round(True, ColumnRef() as time, unit) if unit in FIXED:
                # The rows after one whole unit, up to the next one: [whole + 1 ms, next + 1 ms).
                assert unit is not None, "a fixed unit"
                window = (time, interval("1", unit), _TICK)
                end = binary(call("TUMBLE_END", *window), BinaryOperator.MINUS, _TICK)
                return by_table_function(_replaced(node, key, call("TUMBLE", *window), end))
            case _:
                pass
    if any(isinstance(each, Round | FunctionCall) for each in keys):
        return node
    for key in keys:
        match key:
            case ColumnRef(name) if name.parts[-1].name == _ROWTIME:
                start = call("TUMBLE_START", key, _TICK)
                return _replaced(node, key, call("TUMBLE", key, _TICK), start)
            case _:
                pass
    return node


def _replaced(node: Select, key: Expression, group: Expression, shown: Expression) -> Select:
    """The SELECT with ``group`` for a key, which its other clauses show as ``shown``."""
    group_by = rewrite(node.group_by, lambda each: group if each == key else each)
    items = tuple(replace(each, alias=each.alias or _alias(each)) for each in node.items)
    items, having = rewrite((items, node.having), lambda each: shown if each == key else each)
    return replace(node, items=items, group_by=group_by, having=having)


def _groups_of_distinct(node: Select) -> Select:
    """SELECT DISTINCT as GROUP BY of all items."""
    items = [each.expression for each in node.items]
    plain = not any(isinstance(each, Star) for each in items) and not _calls(node)
    if not node.distinct or node.group_by is not None or not plain:
        return node
    keys = tuple(GroupExpression(each, None, NOWHERE) for each in dict.fromkeys(items))
    grouped = replace(node, distinct=False, group_by=GroupBy(keys, NOWHERE))
    return grouped_by_floor(grouped)


def _calls(node: Select) -> bool:
    """Whether a call stands in the select list: it may be an aggregate, or over a window."""
    found: list[object] = []

    def note(each: Any) -> Any:  # Any: a node of any class
        if isinstance(each, FunctionCall):
            found.append(each)
        return each

    rewrite(node.items, note)
    return bool(found)


def _windows_of_sets(node: Select) -> Select:
    """GROUPING SETS that all have one ``FLOOR(column TO unit)``, as sets of its windows."""
    items = () if node.group_by is None else node.group_by.items
    if len(items) != 1:
        return node
    match items[0]:
        case Grouping(GroupingKind.GROUPING_SETS, sets):
            listed = [_set(each) for each in sets]
        case _:
            return node
    shared = [
        key
        for key in listed[0]
        if all(key in each for each in listed)
        if isinstance(key.expression, Round)
    ]
    if len(shared) != 1:
        return node
    (key,) = shared
    match key.expression:
        case Round(False, ColumnRef() as time, unit) if unit in FIXED and unit is not None:
            window = (time, interval("1", unit), interval("0", unit))
        case _:
            return node
    rest = tuple(
        GroupTuple(tuple(each for each in set_ if each != key), NOWHERE) for set_ in listed
    )
    group = GroupExpression(call("TUMBLE", *window), None, NOWHERE)
    sets_ = Grouping(GroupingKind.GROUPING_SETS, rest, NOWHERE)
    whole = replace(node, group_by=GroupBy((group, sets_), NOWHERE))
    start = call("TUMBLE_START", *window)
    return by_table_function(_replaced(whole, key.expression, key.expression, start))


def _set(item: GroupItem) -> tuple[GroupExpression, ...]:
    """The keys of one set; raises `UnsupportedError` for one that is several."""
    match item:
        case GroupTuple(keys):
            return keys
        case GroupExpression():
            return (item,)
        case Grouping():
            raise UnsupportedError("sets of sets")


# --- set operations -------------------------------------------------------------------------------


def _set_as_groups(operator: SetOperator, left: QueryBody, right: QueryBody) -> Select | None:
    """UNION, INTERSECT or EXCEPT as groups by all columns; None if no column is the rowtime."""
    names = _names(left)
    if names is None or _ROWTIME not in names or not isinstance(right, Select):
        return None
    assert isinstance(left, Select), "only a SELECT has names"
    sides = (_marked(left, names, 1, 0), _marked(right, names, 0, 1))
    both = SetOperation(SetOperator.UNION, True, *sides, NOWHERE)
    source = DerivedTable(
        Query(None, both, (), None, NOWHERE), None, Alias(_name("BOTH"), (), NOWHERE), NOWHERE
    )
    items = tuple(SelectItem(column(each), None, NOWHERE) for each in names)
    keys = tuple(GroupExpression(column(each), None, NOWHERE) for each in names)
    groups = select(items, source, GroupBy(keys, NOWHERE), _having(operator))
    return _windows_of_keys(groups)


def _having(operator: SetOperator) -> Expression | None:
    """Which groups are rows of the result, by the number of rows of each side."""
    zero = Literal(LiteralKind.NUMBER, "0", NOWHERE)
    ones, others = (call("SUM", column(name)) for name in ("IN_LEFT", "IN_RIGHT"))
    in_left = binary(ones, BinaryOperator.GREATER, zero)
    match operator:
        case SetOperator.UNION:
            return None
        case SetOperator.INTERSECT:
            in_right = binary(others, BinaryOperator.GREATER, zero)
            return binary(in_left, BinaryOperator.AND, in_right)
        case SetOperator.EXCEPT:
            not_right = binary(others, BinaryOperator.EQUAL, zero)
            return binary(in_left, BinaryOperator.AND, not_right)


def _marked(side: Select, names: tuple[str, ...], left: int, right: int) -> Select:
    """A side, its columns by the names of the result, with how often a row is of each side."""
    marks = {"IN_LEFT": left, "IN_RIGHT": right}
    items = tuple(
        replace(each, alias=_name(name)) for each, name in zip(side.items, names, strict=False)
    )
    counts = tuple(
        SelectItem(Literal(LiteralKind.NUMBER, str(count), NOWHERE), _name(name), NOWHERE)
        for name, count in marks.items()
    )
    return replace(side, items=items + counts)


def _names(body: QueryBody) -> tuple[str, ...] | None:
    """The names of a SELECT's columns; None if the text does not show them all."""
    if not isinstance(body, Select) or body.distinct:
        return None
    names = tuple(_named(each) for each in body.items)
    return tuple(filter(None, names)) if all(names) and len(set(names)) == len(names) else None


def _named(item: SelectItem) -> str | None:
    alias = item.alias or _alias(item)
    return None if alias is None else alias.name


def _alias(item: SelectItem) -> Identifier | None:
    """The name that a column has by itself."""
    match item.expression:
        case ColumnRef(name):
            return name.parts[-1]
        case _:
            return None


def _name(text: str) -> Identifier:
    return Identifier(text, True, NOWHERE)


def _keys(node: Select) -> tuple[Expression, ...]:
    items = () if node.group_by is None else node.group_by.items
    return tuple(each.expression for each in items if isinstance(each, GroupExpression))
