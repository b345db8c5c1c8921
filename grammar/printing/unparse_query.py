"""The SQL text of expressions and queries; they are one module because each contains the other.

Each function returns the text of a syntax node; it has the name of the node's class or clause.
"""

from collections.abc import Iterable, Sequence

from grammar.printing.precedence import (
    ADD,
    MULTIPLY,
    NOT,
    OR,
    PRIMARY,
    SIGN,
    STRENGTHS,
    TEST,
    begins_with_some,
    ends_in_interval,
    strength,
)
from grammar.printing.unparse_name import (
    alias,
    function_name,
    identifier,
    identifiers,
    literal,
    name,
    numbers,
    qualifier,
    string,
    type_name,
)
from grammar.tree import (
    Between,
    Binary,
    BoundKind,
    Case,
    Cast,
    ColumnRef,
    CurrentTime,
    DatetimeMinus,
    DerivedTable,
    Exists,
    ExplicitTable,
    Expression,
    Extract,
    Frame,
    FrameBound,
    FromItem,
    FunctionCall,
    GroupExpression,
    Grouping,
    GroupItem,
    GroupTuple,
    InList,
    InQuery,
    IntervalLiteral,
    Is,
    Join,
    JoinKind,
    Like,
    Limit,
    Literal,
    Monotonic,
    Overlay,
    Parameter,
    Position,
    Quantified,
    Query,
    QueryBody,
    Round,
    Row,
    ScalarQuery,
    Select,
    SelectItem,
    SetOperation,
    SetOperator,
    SortItem,
    Star,
    Step,
    Substring,
    TableArgument,
    TableCall,
    TableFunction,
    TableRef,
    TimestampAdd,
    TimestampDiff,
    Trim,
    Unary,
    UnaryOperator,
    Values,
    WindowSpec,
    With,
)

# --- expressions ------------------------------------------------------------------------------


def expression(node: Expression, least: int = OR) -> str:
    """``node``, in brackets if its `strength` is less than ``least``."""
    text = _bare(node)
    return f"({text})" if strength(node) < least else text


def expressions(nodes: Iterable[Expression]) -> str:
    """The expressions, separated by commas."""
    return ", ".join([expression(each) for each in nodes])


def _bare(node: Expression) -> str:
    """``node`` without brackets around it."""
    match node:
        case Literal():
            return literal(node)
        case IntervalLiteral(text, negative, fields):
            return f"INTERVAL {'-' if negative else ''}{string(text)} {qualifier(fields)}"
        case Parameter():
            return "?"
        case ColumnRef(column):
            return name(column)
        case Star(table):
            return "*" if table is None else f"{name(table)}.*"
        case Unary(UnaryOperator.NOT, operand):
            return f"NOT {expression(operand, NOT)}"
        case Unary(operator, operand):
            text = expression(operand, SIGN)
            # Two dashes would begin a comment.
            return f"{operator} {text}" if text[0] in "+-" else f"{operator}{text}"
        case Binary(operator, left, right):
            least = STRENGTHS[operator]
            # After a comparison, SOME of a single query would be the quantifier, so this operand is
            # always in brackets: no strength reaches PRIMARY + 1.
            least_right = PRIMARY + 1 if least == TEST and begins_with_some(right) else least + 1
            return f"{expression(left, least)} {operator} {expression(right, least_right)}"
        case Between() | Like() | Is() | InList() | InQuery() | Quantified():
            return _test(node)
        case Exists(inner):
            return f"EXISTS ({query(inner)})"
        case ScalarQuery(inner):
            return f"({query(inner)})"
        case Row(items):
            return f"({expressions(items)})"
        case Case():
            return _case(node)
        case DatetimeMinus(left, right, fields):
            return f"({expression(left, ADD)} - {expression(right, MULTIPLY)}) {qualifier(fields)}"
        case CurrentTime(function, precision):
            return function + numbers(precision)
        case FunctionCall():
            return _call(node)
        case _:
            return _special_call(node)


def _test(node: Between | Like | Is | InList | InQuery | Quantified) -> str:
    """A test after its operand."""
    operand = expression(node.operand, TEST)
    if isinstance(node, Quantified):
        return f"{operand} {node.operator} {node.quantifier} ({query(node.query)})"
    if isinstance(node, Is):
        return f"{operand} IS {'NOT ' if node.negated else ''}{node.truth}"
    if node.negated:
        operand += " NOT"
    match node:
        case Between(_, low, high, symmetric):
            between = "BETWEEN SYMMETRIC" if symmetric else "BETWEEN"
            return f"{operand} {between} {expression(low, ADD)} AND {expression(high, ADD)}"
        case Like(_, pattern, escape, similar):
            like = f"{operand} {'SIMILAR TO' if similar else 'LIKE'} {expression(pattern, ADD)}"
            return like if escape is None else f"{like} ESCAPE {expression(escape, ADD)}"
        case InList(_, items):
            return f"{operand} IN ({expressions(items)})"
        case InQuery(_, inner):
            return f"{operand} IN ({query(inner)})"


def _case(node: Case) -> str:
    """Both forms of CASE."""
    words = ["CASE"]
    if node.operand is not None:
        words.append(expression(node.operand))
    for when in node.whens:
        words += ["WHEN", expression(when.condition), "THEN", expression(when.result)]
    if node.otherwise is not None:
        words += ["ELSE", expression(node.otherwise)]
    return " ".join([*words, "END"])


def _special_call(
    node: (
        Cast
        | Extract
        | Round
        | Step
        | TimestampAdd
        | TimestampDiff
        | Substring
        | Position
        | Trim
        | Overlay
        | Monotonic
    ),
) -> str:
    """A call whose arguments are not only separated by commas, or whose name is a keyword."""
    match node:
        case Cast(operand, type):
            return f"CAST({expression(operand)} AS {type_name(type)})"
        case Extract(unit, operand):
            return f"EXTRACT({unit} FROM {expression(operand)})"
        case Round(up, operand, unit):
            function = "CEIL" if up else "FLOOR"
            if unit is None:
                return f"{function}({expression(operand)})"
            # TO would continue the interval with which the operand ends.
            least = PRIMARY + 1 if ends_in_interval(operand) else OR
            return f"{function}({expression(operand, least)} TO {unit})"
        case Step(operand, by):
            return f"STEP({expression(operand)} BY {expression(by)})"
        case TimestampAdd(unit, count, operand):
            return f"TIMESTAMPADD({unit}, {expression(count)}, {expression(operand)})"
        case TimestampDiff(unit, start, end):
            return f"TIMESTAMPDIFF({unit}, {expression(start)}, {expression(end)})"
        case Substring(operand, start, length):
            text = f"SUBSTRING({expression(operand)} FROM {expression(start)}"
            return text + (")" if length is None else f" FOR {expression(length)})")
        case Position(needle, haystack):
            return f"POSITION({expression(needle, ADD)} IN {expression(haystack, ADD)})"
        case Trim(side, characters, operand):
            which = side if characters is None else f"{side} {expression(characters, ADD)}"
            return f"TRIM({which} FROM {expression(operand, ADD)})"
        case Overlay(operand, replacement, start, length):
            text = f"OVERLAY({expression(operand)} PLACING {expression(replacement)}"
            text += f" FROM {expression(start)}"
            return text + (")" if length is None else f" FOR {expression(length)})")
        case Monotonic(operand):
            return f"MONOTONIC({expression(operand)})"


def _call(node: FunctionCall) -> str:
    """A call by name, with its DISTINCT, FILTER, OVER and the like."""
    inside = "*" if node.star else expressions(node.arguments)
    text = f"{function_name(node.name)}({'DISTINCT ' if node.distinct else ''}{inside})"
    if node.within_group:
        text += f" WITHIN GROUP ({order_by(node.within_group)})"
    if node.filter is not None:
        text += f" FILTER (WHERE {expression(node.filter)})"
    if node.nulls is not None:
        text += f" {node.nulls} NULLS"
    return text if node.over is None else f"{text} OVER {window(node.over)}"


# --- orders and windows -----------------------------------------------------------------------


def order_by(items: Iterable[SortItem]) -> str:
    """An ORDER BY clause."""
    return "ORDER BY " + ", ".join([_sort_item(each) for each in items])


def _sort_item(node: SortItem) -> str:
    text = expression(node.expression) + _within(node.within)
    if node.descending:
        text += " DESC"
    match node.nulls_first:
        case None:
            return text
        case True:
            return text + " NULLS FIRST"
        case False:
            return text + " NULLS LAST"


def _within(slack: Expression | None) -> str:
    return "" if slack is None else f" WITHIN {expression(slack, ADD)}"


def window(node: WindowSpec) -> str:
    """The window after the word OVER."""
    if node.base is not None and not (node.partition or node.order or node.frame):
        return identifier(node.base)
    return window_body(node)


def window_body(node: WindowSpec) -> str:
    """A window in brackets, even an empty one."""
    clauses: list[str] = []
    if node.base is not None:
        clauses.append(identifier(node.base))
    if node.partition:
        clauses.append(f"PARTITION BY {expressions(node.partition)}")
    if node.order:
        clauses.append(order_by(node.order))
    if node.frame is not None:
        clauses.append(_frame(node.frame))
    return f"({' '.join(clauses)})"


def _frame(node: Frame) -> str:
    exclude = "" if node.exclude is None else f" EXCLUDE {node.exclude}"
    if node.end is None:
        return f"{node.unit} {_bound(node.start)}{exclude}"
    return f"{node.unit} BETWEEN {_bound(node.start)} AND {_bound(node.end)}{exclude}"


def _bound(node: FrameBound) -> str:
    if node.kind not in (BoundKind.PRECEDING, BoundKind.FOLLOWING) or node.offset is None:
        return node.kind
    offset = expression(node.offset, ADD)
    # The column UNBOUNDED is not a word of the frame.
    return f"({offset}) {node.kind}" if offset == "UNBOUNDED" else f"{offset} {node.kind}"


# --- FROM -------------------------------------------------------------------------------------


def from_item(node: FromItem, *, bracketed: bool = False) -> str:
    """An item of FROM; a join is in brackets if ``bracketed``."""
    match node:
        case TableRef(table, system_time, over, as_):
            text = name(table)
            if system_time is not None:
                text += f" FOR SYSTEM_TIME AS OF {_instant(system_time)}"
            return text + _over(over) + alias(as_)
        case DerivedTable(inner, over, as_):
            return f"({query(inner)}){_over(over)}{alias(as_)}"
        case TableFunction(call, as_):
            return f"TABLE({_table_call(call)}){alias(as_)}"
        case Join():
            return f"({_join(node)})" if bracketed else _join(node)


def _table_call(node: TableCall) -> str:
    return f"{name(node.name)}({', '.join([_table_argument(each) for each in node.arguments])})"


def _table_argument(node: TableArgument) -> str:
    match node.value:
        case ExplicitTable(table):
            text = f"TABLE {name(table)}"
        case Query():
            text = f"({query(node.value)})"
        case _:
            text = expression(node.value)
    if node.name is not None:
        text = f"{identifier(node.name)} => {text}"
    match node.partition:
        case ():
            pass
        case (key,):
            text += f" PARTITION BY {expression(key)}"
        case keys:
            text += f" PARTITION BY ({expressions(keys)})"
    return text + (f" {order_by(node.order)}" if node.order else "")


def _instant(node: Expression) -> str:
    """The time after AS OF, in brackets unless the grammar allows it there without brackets."""
    match node:
        case Literal() | Parameter() | CurrentTime() | ColumnRef() | DatetimeMinus() | Row():
            return expression(node)
        case _:
            return f"({expression(node)})"


def _over(node: WindowSpec | None) -> str:
    return "" if node is None else f" OVER {window(node)}"


def _join(node: Join) -> str:
    left, right = node.left, node.right
    if node.comma:
        second = from_item(right, bracketed=isinstance(right, Join) and right.comma)
        return f"{from_item(left)}, {second}"
    first = from_item(left, bracketed=isinstance(left, Join) and left.comma)
    natural = "NATURAL " if node.natural else ""
    kind = "" if node.kind is JoinKind.INNER else f"{node.kind} "
    asof = "" if node.match is None else "ASOF "
    text = f"{first} {natural}{kind}{asof}JOIN {from_item(right, bracketed=True)}"
    if node.match is not None:
        text += f" MATCH_CONDITION ({expression(node.match)})"
    if node.on is not None:
        return f"{text} ON {expression(node.on)}"
    return f"{text} USING {identifiers(node.using)}" if node.using else text


# --- queries ----------------------------------------------------------------------------------


def query(node: Query) -> str:
    """A whole query."""
    clauses: list[str] = []
    if node.with_ is not None:
        clauses.append(_with(node.with_))
    clauses.append(_body(node.body))
    if node.order_by:
        clauses.append(order_by(node.order_by))
    if node.limit is not None:
        clauses.append(_limit(node.limit))
    if node.emit is not None:
        clauses.append(f"EMIT {node.emit.kind}")
    return " ".join(clauses)


def _with(node: With) -> str:
    tables = [
        f"{identifier(each.name)}{f' {identifiers(each.columns)}' if each.columns else ''}"
        f" AS ({query(each.query)})"
        for each in node.tables
    ]
    return f"WITH {'RECURSIVE ' if node.recursive else ''}{', '.join(tables)}"


def _limit(node: Limit) -> str:
    words: list[str] = []
    if node.offset is not None:
        words.append(f"OFFSET {expression(node.offset, ADD)} ROWS")
    if node.limit is not None:
        ties = "WITH TIES" if node.with_ties else "ONLY"
        words.append(f"FETCH FIRST {expression(node.limit, ADD)} ROWS {ties}")
    return " ".join(words) if words else "LIMIT ALL"


def _body(node: QueryBody) -> str:
    match node:
        case Select():
            return _select(node)
        case Values(rows):
            return "VALUES " + ", ".join([_values_row(row) for row in rows])
        case ExplicitTable(table):
            return f"TABLE {name(table)}"
        case SetOperation(operator, all_, left, right):
            word = f"{operator} ALL" if all_ else operator
            return f"{_operand(left, operator)} {word} {_operand(right, operator, right=True)}"
        case Query():
            return f"({query(node)})"


def _values_row(row: tuple[Expression, ...]) -> str:
    match row:
        case [ScalarQuery()]:  # it has brackets already; `((SELECT …))` is the same expression
            return expressions(row)
        case _:
            return f"({expressions(row)})"


def _operand(node: QueryBody, operator: SetOperator, *, right: bool = False) -> str:
    """An operand of a set operation, in brackets if it would otherwise be parsed differently.

    INTERSECT binds more strongly than UNION and EXCEPT; equally strong ones associate to the left.
    """
    if not isinstance(node, SetOperation):
        return _body(node)
    inner, outer = (each is SetOperator.INTERSECT for each in (node.operator, operator))
    is_safe = not right if inner is outer else inner
    return _body(node) if is_safe else f"({_body(node)})"


def _select(node: Select) -> str:
    words = ["SELECT"]
    if node.stream:
        words.append("STREAM")
    if node.distinct:
        words.append("DISTINCT")
    words.append(", ".join([_select_item(each) for each in node.items]))
    if node.from_ is not None:
        words.append(f"FROM {from_item(node.from_)}")
    if node.where is not None:
        words.append(f"WHERE {expression(node.where)}")
    if node.group_by is not None:
        words.append(f"GROUP BY {_group_items(node.group_by.items)}")
    if node.having is not None:
        words.append(f"HAVING {expression(node.having)}")
    if node.windows:
        named = [f"{identifier(each.name)} AS {window_body(each.spec)}" for each in node.windows]
        words.append(f"WINDOW {', '.join(named)}")
    if node.qualify is not None:
        words.append(f"QUALIFY {expression(node.qualify)}")
    return " ".join(words)


def _select_item(node: SelectItem) -> str:
    text = expression(node.expression)
    return text if node.alias is None else f"{text} AS {identifier(node.alias)}"


def _group_items(nodes: Sequence[GroupItem]) -> str:
    return ", ".join([_group_item(each) for each in nodes])


def _group_item(node: GroupItem) -> str:
    match node:
        case GroupExpression(Row(items), within):  # `(a, b)` would be a grouping set
            return f"ROW({expressions(items)}){_within(within)}"
        case GroupExpression(key, within):
            return expression(key) + _within(within)
        case GroupTuple(items):
            return f"({_group_items(items)})"
        case Grouping(kind, items):
            return f"{kind} ({_group_items(items)})"
