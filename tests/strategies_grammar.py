"""Syntax trees of every kind of node, such as a text can have."""

from dataclasses import fields, is_dataclass, replace
from functools import cache
from itertools import count
from typing import Final, TypeVar, cast

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from grammar import statement as s
from grammar import tree as t
from grammar.source import Span

#: Spans take no part in equality.
HERE: Final = Span(0, 0)

_T = TypeVar("_T")


def _maybe(strategy: SearchStrategy[_T]) -> SearchStrategy[_T | None]:
    return st.none() | strategy


def _some(strategy: SearchStrategy[_T], least: int = 1) -> SearchStrategy[tuple[_T, ...]]:
    return st.lists(strategy, min_size=least, max_size=max(least, 2)).map(tuple)


def _any(strategy: SearchStrategy[_T]) -> SearchStrategy[tuple[_T, ...]]:
    return _some(strategy, 0)


def _built(
    node: type[_T], *parts: SearchStrategy[object], **more: SearchStrategy[object]
) -> SearchStrategy[_T]:
    return st.builds(node, *parts, span=st.just(HERE), **more)


# --- names, types, literals -------------------------------------------------------------------

TEXTS: Final = st.text(max_size=4) | st.sampled_from(["it's", 'a "b"', "\U0001f600", "--", "/*"])

_NAMES: Final = """
A B C ROWTIME UNITS É Y$1 YEAR HOUR SECOND FIRST LAST WITHIN HISTORY POSITION FLOOR STEP ROW
ROWS RANGE UNBOUNDED CURRENT PARTITION BOTH FILTER LIMIT OFFSET SET PERIOD CHECK KEY OPTIONS
NULLS ESCAPE EMIT QUALIFY WATERMARK MINUS GROUPING CUBE PRECEDING ASC GROUPS EXCLUDE TIES NO OTHERS
TIMESTAMPADD
"""
#: Among them words that have a meaning elsewhere.
NAMES: Final = st.sampled_from(_NAMES.split())
IDENTIFIERS: Final = _built(t.Identifier, NAMES, st.just(False)) | _built(
    t.Identifier, TEXTS.filter(bool), st.just(True)
)
QUALIFIED: Final = _built(t.Name, _some(IDENTIFIERS))

_FUNCTIONS: Final = "F COUNT SUM TUMBLE HOP FIRST LAST CHECK GROUPING WITHIN YEAR SOME"
_CALLED: Final = _built(
    t.Identifier,
    st.sampled_from(_FUNCTIONS.split()),
    st.just(False),
)
FUNCTIONS: Final = _built(t.Name, _CALLED.map(lambda each: (each,))) | _built(
    t.Name, _some(IDENTIFIERS, 2)
)

_INTERVALS: Final = "YEAR QUARTER MONTH WEEK DAY HOUR MINUTE SECOND"
_DAY_SECOND: Final = (t.TimeUnit.DAY, t.TimeUnit.HOUR, t.TimeUnit.MINUTE, t.TimeUnit.SECOND)
_PAIRS: Final = [(t.TimeUnit.YEAR, t.TimeUnit.MONTH)] + [
    (start, end)
    for start in _DAY_SECOND
    for end in _DAY_SECOND
    if _DAY_SECOND.index(start) < _DAY_SECOND.index(end)
]
_UNITS: Final = [each for each in t.TimeUnit if each.name in _INTERVALS.split()]
_DIGITS: Final = st.integers(0, 12)


@st.composite
def _qualifiers(draw: st.DrawFn) -> t.IntervalQualifier:
    precision = draw(_maybe(_DIGITS))
    if draw(st.booleans()):
        start, end = draw(st.sampled_from(_PAIRS))
        fraction = draw(_maybe(_DIGITS)) if end is t.TimeUnit.SECOND else None
        return t.IntervalQualifier(start, end, precision, fraction, HERE)
    start = draw(st.sampled_from(_UNITS))
    both = start is t.TimeUnit.SECOND and precision is not None
    return t.IntervalQualifier(
        start, None, precision, draw(_maybe(_DIGITS)) if both else None, HERE
    )


QUALIFIERS: Final = _qualifiers()

_NO: Final = st.none()
TYPES: Final = st.one_of(
    _built(
        t.TypeName,
        st.sampled_from(["BOOLEAN", "TINYINT", "BIGINT", "REAL", "DOUBLE", "DATE"]),
        _NO,
        _NO,
        _NO,
    ),
    _built(
        t.TypeName,
        st.sampled_from(["CHAR", "VARCHAR", "VARBINARY", "TIME", "TIMESTAMP", "DECIMAL"]),
        _maybe(_DIGITS),
        _NO,
        _NO,
    ),
    _built(t.TypeName, st.just("DECIMAL"), _DIGITS, _DIGITS, _NO),
    _built(t.TypeName, st.just("INTERVAL"), _NO, _NO, QUALIFIERS),
)

NUMBERS: Final = st.sampled_from(["0", "1", "42", "0.25", ".5", "1.", "1E3", "2.5e-3"])
INTERVALS: Final = _built(t.IntervalLiteral, TEXTS, st.booleans(), QUALIFIERS)
LITERALS: Final = st.one_of(
    _built(t.Literal, st.just(t.LiteralKind.NUMBER), NUMBERS),
    _built(
        t.Literal, st.just(t.LiteralKind.BOOLEAN), st.sampled_from(["TRUE", "FALSE", "UNKNOWN"])
    ),
    _built(t.Literal, st.just(t.LiteralKind.NULL), st.just("NULL")),
    *[
        _built(t.Literal, st.just(kind), TEXTS)
        for kind in t.LiteralKind
        if kind.name in ("STRING", "BINARY", "DATE", "TIME", "TIMESTAMP")
    ],
)
_LEAVES: Final = st.one_of(
    LITERALS,
    INTERVALS,
    _built(t.Parameter, st.just(0)),
    _built(t.ColumnRef, QUALIFIED),
    _built(
        t.CurrentTime,
        st.sampled_from(["CURRENT_DATE", "CURRENT_TIMESTAMP", "LOCALTIME"]),
        _maybe(_DIGITS),
    ),
)

# --- expressions ------------------------------------------------------------------------------

_SIGNS: Final = "= <> < <= > >="
_COMPARISONS: Final = st.sampled_from([t.BinaryOperator(each) for each in _SIGNS.split()])


def _in_list(items: tuple[t.Expression, ...]) -> bool:
    """Whether ``items`` are read as a list: one sub-query in brackets is asked itself."""
    return len(items) != 1 or not isinstance(items[0], t.ScalarQuery)


@cache
def expressions(depth: int = 2) -> SearchStrategy[t.Expression]:
    """Expressions of at most ``depth`` levels above their leaves."""
    if depth == 0:
        return _LEAVES
    e = expressions(depth - 1)
    q = queries(depth - 1)
    flag = st.booleans()
    units = st.sampled_from(t.TimeUnit)
    return st.one_of(
        _LEAVES,
        _built(t.Unary, st.sampled_from(t.UnaryOperator), e),
        *[_built(t.Binary, st.sampled_from(t.BinaryOperator), e, e)] * 3,
        _built(t.Between, e, e, e, flag, flag),
        _built(t.Like, e, e, _maybe(e), flag, flag),
        _built(t.Is, e, st.sampled_from(t.Truth), flag),
        _built(t.InList, e, _some(e).filter(_in_list), flag),
        _built(t.InQuery, e, q, flag),
        _built(t.Exists, q),
        _built(t.Quantified, _COMPARISONS, st.sampled_from(t.Quantifier), e, q),
        _built(t.ScalarQuery, q),
        _built(t.Row, _some(e, 2)),
        _built(t.Case, _maybe(e), _some(_built(t.When, e, e)), _maybe(e)),
        _built(t.Cast, e, TYPES),
        _built(t.Extract, units, e),
        _built(t.Round, flag, e, _maybe(units)),
        _built(t.Step, e, e),
        _built(t.TimestampAdd, st.sampled_from(_UNITS), e, e),
        _built(t.TimestampDiff, st.sampled_from(_UNITS), e, e),
        _built(t.Substring, e, e, _maybe(e)),
        _built(t.Position, e, e),
        _built(t.Trim, st.sampled_from(t.TrimSide), _maybe(e), e),
        _built(t.Overlay, e, e, e, _maybe(e)),
        _built(t.DatetimeMinus, e, e, QUALIFIERS),
        _built(t.Monotonic, e),
        calls(depth - 1),
    )


@cache
def calls(depth: int) -> SearchStrategy[t.FunctionCall]:
    """Calls by name, with all that may follow them."""
    e = expressions(depth)
    tail = (
        _any(sort_items(depth)),
        _maybe(e),
        _maybe(st.sampled_from(t.Nulls)),
        _maybe(windows(depth)),
    )
    no, yes = st.just(False), st.just(True)
    return st.one_of(
        _built(t.FunctionCall, FUNCTIONS, _any(e), no, no, *tail),
        _built(t.FunctionCall, FUNCTIONS, _some(e), no, yes, *tail),
        _built(t.FunctionCall, FUNCTIONS, st.just(()), yes, no, *tail),
    )


@cache
def sort_items(depth: int) -> SearchStrategy[t.SortItem]:
    """Items of ORDER BY."""
    e = expressions(depth)
    return _built(t.SortItem, e, st.booleans(), _maybe(st.booleans()), _maybe(e))


@cache
def windows(depth: int) -> SearchStrategy[t.WindowSpec]:
    """Windows, empty ones and mere names included."""
    e = expressions(depth)
    bound = _built(
        t.FrameBound,
        st.sampled_from([t.BoundKind.PRECEDING, t.BoundKind.FOLLOWING]),
        e,
    ) | _built(
        t.FrameBound,
        st.sampled_from([each for each in t.BoundKind if " " in each]),
        _NO,
    )
    frame = _built(
        t.Frame,
        st.sampled_from(t.FrameUnit),
        bound,
        _maybe(bound),
        exclude=_maybe(st.sampled_from(t.Exclusion)),
    )
    return _built(
        t.WindowSpec, _maybe(IDENTIFIERS), _any(e), _any(sort_items(depth)), _maybe(frame)
    )


# --- queries ----------------------------------------------------------------------------------


@cache
def from_items(depth: int) -> SearchStrategy[t.FromItem]:
    """Items of FROM."""
    alias = _maybe(_built(t.Alias, IDENTIFIERS, _any(IDENTIFIERS)))
    e = expressions(depth)
    over = _maybe(windows(depth))
    no = st.just(False)
    plain: SearchStrategy[t.FromItem] = _built(t.TableRef, QUALIFIED, _maybe(e), over, alias)
    if depth == 0:
        return plain
    plain |= _built(t.DerivedTable, queries(depth - 1), over, alias)
    plain |= _built(t.TableFunction, table_calls(depth - 1), alias)
    item = from_items(depth - 1)
    kinds = st.sampled_from([each for each in t.JoinKind if each is not t.JoinKind.CROSS])
    cross, none, nothing = st.just(t.JoinKind.CROSS), _NO, st.just(())
    return st.one_of(
        plain,
        _built(t.Join, cross, item, item, no, none, nothing, st.booleans()),
        _built(t.Join, kinds, item, item, st.just(True), none, nothing, no),
        _built(t.Join, kinds, item, item, no, e, nothing, no),
        _built(t.Join, kinds, item, item, no, none, _some(IDENTIFIERS), no),
    )


@cache
def table_calls(depth: int) -> SearchStrategy[t.TableCall]:
    """Calls of table functions, with tables, queries and names among their arguments."""
    e = expressions(depth)
    # A query in brackets is the argument itself, and a row value is several keys.
    plain = e.filter(lambda each: not isinstance(each, t.ScalarQuery))
    key = e.filter(lambda each: not isinstance(each, t.Row)).map(lambda each: (each,))
    argument = _built(
        t.TableArgument,
        _maybe(IDENTIFIERS),
        plain | _built(t.ExplicitTable, QUALIFIED) | queries(depth),
        st.just(()) | key | _some(e, 2),
        st.just(()) | sort_items(depth).map(lambda each: (each,)),
    )
    return _built(t.TableCall, _built(t.Name, _some(IDENTIFIERS)), _any(argument))


@cache
def group_items(depth: int) -> SearchStrategy[t.GroupItem]:
    """Elements of GROUP BY."""
    key = _built(t.GroupExpression, expressions(depth), _maybe(expressions(depth)))
    many = _built(t.GroupTuple, _some(key, 2) | st.just(()))
    if depth == 0:
        return key | many
    inner = _some(group_items(depth - 1))
    return st.one_of(key, many, _built(t.Grouping, st.sampled_from(t.GroupingKind), inner))


@st.composite
def _selects(draw: st.DrawFn, depth: int) -> t.Select:
    e = expressions(depth)
    item = _built(t.SelectItem, e, _maybe(IDENTIFIERS)) | _built(
        t.SelectItem, _built(t.Star, _maybe(QUALIFIED)), _NO
    )
    stream = draw(st.booleans())
    select = t.Select(
        stream, draw(st.booleans()), draw(_some(item)), None, None, None, None, (), None, None, HERE
    )
    if draw(st.booleans()):
        return select
    named = _built(t.NamedWindow, IDENTIFIERS, windows(depth))
    return replace(
        select,
        from_=draw(from_items(depth)),
        where=draw(_maybe(e)),
        group_by=draw(_maybe(_built(t.GroupBy, _some(group_items(min(depth, 1)))))),
        having=draw(_maybe(e)),
        windows=draw(_any(named)),
        qualify=draw(_maybe(e)),
    )


@cache
def _bodies(depth: int) -> SearchStrategy[t.QueryBody]:
    e = expressions(depth)
    plain: SearchStrategy[t.QueryBody] = st.one_of(
        _selects(depth),
        _built(t.Values, _some(_some(e))),
        _built(t.ExplicitTable, QUALIFIED),
    )
    if depth == 0:
        return plain
    plain |= queries(depth - 1)
    flag = st.booleans()
    loose = st.sampled_from([t.SetOperator.UNION, t.SetOperator.EXCEPT])
    tight = st.just(t.SetOperator.INTERSECT)
    tights = plain | _built(t.SetOperation, tight, flag, plain, plain)
    term = plain | _built(t.SetOperation, tight, flag, tights, plain)
    looses = term | _built(t.SetOperation, loose, flag, term, term)
    return term | _built(t.SetOperation, loose, flag, looses, term)


@cache
def queries(depth: int = 2) -> SearchStrategy[t.Query]:
    """Whole queries."""
    e = expressions(depth)
    limit = st.one_of(
        _built(t.Limit, _maybe(e), _maybe(e), st.just(False)),
        _built(t.Limit, _maybe(e), e, st.just(True)),
    )
    with_: SearchStrategy[t.With | None] = _NO
    if depth:
        table = _built(t.CommonTable, IDENTIFIERS, _any(IDENTIFIERS), queries(depth - 1))
        with_ = _maybe(_built(t.With, st.booleans(), _some(table)))
    return _built(t.Query, with_, _bodies(depth), _any(sort_items(depth)), _maybe(limit))


# --- statements -------------------------------------------------------------------------------


def _orders() -> SearchStrategy[s.ColumnOrder]:
    disorder = st.one_of(
        _built(s.Disorder, expressions(1), _NO, st.just(False)),
        _built(s.Disorder, _NO, st.integers(0, 99), st.just(False)),
        _built(s.Disorder, _NO, _NO, st.just(True)),
    )
    return _built(s.ColumnOrder, st.sampled_from(s.Direction), st.booleans(), _maybe(disorder))


@cache
def statements() -> SearchStrategy[s.Statement]:
    """Statements of every kind."""
    e = expressions(1)
    q = queries(1)
    flag = st.booleans()
    names = _some(IDENTIFIERS)
    alias = _maybe(_built(t.Alias, IDENTIFIERS, _any(IDENTIFIERS)))
    column = _built(
        s.ColumnDef,
        IDENTIFIERS,
        TYPES,
        flag,
        flag,
        _maybe(_orders()),
        _maybe(e),
        _maybe(e),
        _maybe(_built(t.Literal, st.just(t.LiteralKind.STRING), TEXTS)),
        _any(_built(s.Option, IDENTIFIERS, e)),
    )
    none = st.just(())
    constraint = st.one_of(
        _built(s.TableConstraint, names, none, _NO, _NO),
        _built(s.TableConstraint, none, names, _NO, _NO),
        _built(s.TableConstraint, none, none, e, _NO),
        _built(s.TableConstraint, none, none, _NO, _built(s.Watermark, IDENTIFIERS, e)),
    )
    options = _any(_built(s.Option, IDENTIFIERS, e))
    history = st.tuples(st.just(True), _maybe(e)) | st.just((False, None))

    def stream(foreign: bool) -> SearchStrategy[s.CreateStream]:
        columns = _some(column, 0 if foreign else 1)
        return history.flatmap(
            lambda kept: _built(
                s.CreateStream,
                QUALIFIED,
                flag,
                st.just(foreign),
                columns,
                _any(constraint),
                st.just(kept[0]),
                st.just(kept[1]),
                options,
            )
        )

    assignments = _some(_built(s.Assignment, IDENTIFIERS, e))
    insert = st.one_of(
        _built(s.Insert, QUALIFIED, _any(IDENTIFIERS), q, st.just(True), st.just(False)),
        _built(s.Insert, QUALIFIED, _any(IDENTIFIERS), q, st.just(False), flag),
    )
    yes, no = st.just(True), st.just(False)
    clause = st.one_of(
        _built(s.MergeClause, yes, _maybe(e), assignments, none, none),
        _built(s.MergeClause, yes, _maybe(e), none, none, none),
        _built(s.MergeClause, no, _maybe(e), none, _any(IDENTIFIERS), _some(e)),
    )
    change = st.one_of(
        insert,
        _built(s.Update, QUALIFIED, alias, assignments, _maybe(e)),
        _built(s.Delete, QUALIFIED, alias, _maybe(e)),
        _built(s.Merge, QUALIFIED, alias, from_items(1), e, _some(clause)),
    )
    parameter = _built(s.FunctionParameter, IDENTIFIERS, TYPES)
    plain: SearchStrategy[s.Statement] = st.one_of(
        q,
        change,
        _built(s.CreateSchema, QUALIFIED, flag),
        stream(False),
        stream(True),
        _built(s.CreateTable, QUALIFIED, flag, _some(column), _any(constraint)),
        _built(s.CreateView, QUALIFIED, flag, _any(IDENTIFIERS), q),
        _built(s.CreatePump, QUALIFIED, flag, flag, change),
        _built(s.CreateFunction, QUALIFIED, flag, _any(parameter), TYPES, e),
        _built(s.Drop, st.sampled_from(s.ObjectKind), QUALIFIED, flag, flag),
        _built(s.AlterPump, QUALIFIED, flag),
        _built(s.SetOption, QUALIFIED, e),
        _built(s.Transaction, st.sampled_from(s.TransactionKind)),
    )
    return plain.map(numbered) | _built(s.Explain, plain).map(numbered)


# --- trees as values --------------------------------------------------------------------------


def numbered(node: _T) -> _T:
    """``node`` with its parameters counted in the order of their text, which is that of fields."""
    numbers = count()

    def walk(value: object) -> object:
        if isinstance(value, t.Parameter):
            return replace(value, index=next(numbers))
        if isinstance(value, tuple):
            return tuple(walk(each) for each in cast("tuple[object, ...]", value))  # nodes
        if is_dataclass(value) and not isinstance(value, type):
            return replace(
                value, **{each.name: walk(getattr(value, each.name)) for each in fields(value)}
            )
        return value

    return walk(node)  # type: ignore[return-value]  # the same node with other numbers


def nodes_of(node: object) -> list[object]:
    """``node`` and all nodes below it."""
    found: list[object] = []
    left: list[object] = [node]
    while left:
        value = left.pop()
        if isinstance(value, tuple):
            left.extend(cast("tuple[object, ...]", value))  # nodes, or what is none
        elif is_dataclass(value) and not isinstance(value, type | Span):
            found.append(value)
            left.extend(getattr(value, each.name) for each in fields(value))
    return found
