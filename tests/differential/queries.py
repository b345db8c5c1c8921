"""Generated queries over a generated schema, and both together as a `Question`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from tests.differential.expressions import Expressions
from tests.differential.schema import Features, TableSchema, schemas
from tests.differential.sqltypes import (
    BIGINT,
    BOOLEAN,
    INTEGER,
    INTEGERS,
    NUMBERS,
    Kind,
    SqlType,
    averaged,
    summed,
)
from tests.differential.tree import (
    Aggregate,
    Call,
    Column,
    Combined,
    Derived,
    End,
    Exists,
    Expression,
    Frame,
    InQuery,
    Interval,
    Join,
    Literal,
    Op,
    Ordered,
    Over,
    Query,
    Scalar,
    Select,
    SortKey,
    Source,
    Table,
    types_of,
)

#: The most joins of one FROM.
MOST_JOINS: Final = 4
_DAYS: Final = (
    Interval("1", "DAY", millis=86_400_000),
    Interval("40", "DAY", millis=40 * 86_400_000),
    Interval("1", "MONTH", months=1),
    Interval("2", "YEAR", months=24),
)
_HOURS: Final = (*_DAYS, Interval("1", "HOUR", millis=3_600_000))


@dataclass(frozen=True, slots=True)
class Question:
    """Tables and a query over them."""

    tables: tuple[TableSchema, ...]
    query: Query


@dataclass(frozen=True, slots=True)
class Scope:
    """A FROM clause and the columns that it brings in reach."""

    source: Source
    columns: tuple[Column, ...]


class Queries:
    """Queries over ``tables``; each FROM item in them has an alias of its own."""

    def __init__(self, draw: DrawFn, tables: Sequence[TableSchema], features: Features) -> None:
        self.draw = draw
        self.tables = tuple(tables)
        self.features = features
        self.aliases = 0

    def reach(self, columns: Sequence[Column]) -> Expressions:
        """Expressions over the columns."""
        return Expressions(self.draw, columns, self.features)

    def alias(self) -> str:
        """A new name for a FROM item."""
        self.aliases += 1
        return f"R{self.aliases}"

    # --- FROM -----------------------------------------------------------------------------------

    def table(self) -> Scope:
        """A table under a new alias."""
        table = self.draw(st.sampled_from(self.tables))
        alias = self.alias()
        columns = tuple(Column(alias, name, type) for name, type in table.columns)
        return Scope(Table(table.name, alias), columns)

    def derived(self, query: Query) -> Scope:
        """A query in FROM."""
        alias = self.alias()
        columns = (Column(alias, f"C{i}", type) for i, type in enumerate(types_of(query)))
        return Scope(Derived(query, alias), tuple(columns))

    def item(self, depth: int) -> Scope:
        """A table, or seldom a query."""
        if depth and self.draw(st.integers(0, 5)) == 5:
            return self.derived(self.query(depth - 1, joins=1))
        return self.table()

    def scope(self, depth: int, joins: int) -> Scope:
        """A FROM clause of so many joins."""
        found = self.item(depth)
        for _ in range(joins):
            found = self.joined(found, self.item(depth))
        return found

    def joined(self, left: Scope, right: Scope) -> Scope:
        """The join of two FROM items."""
        kind = self.draw(st.sampled_from(["INNER", "INNER", "LEFT", "RIGHT", "FULL", "CROSS"]))
        if isinstance(left.source, Join) and not self.features.right_of_joins:
            kind = "LEFT" if kind in ("RIGHT", "FULL") else kind
        columns = (*left.columns, *right.columns)
        if kind == "CROSS":
            return Scope(Join(kind, left.source, right.source), columns)
        shared = [
            a.name
            for a in left.columns
            for b in right.columns
            if a.name == b.name and a.type == b.type
        ]
        lone = not isinstance(left.source, Join) and not isinstance(right.source, Join)
        if shared and lone and self.draw(st.integers(0, 2)) == 2:
            return self.using(kind, left, right, shared)
        return Scope(Join(kind, left.source, right.source, self.on(left, right)), columns)

    def using(self, kind: str, left: Scope, right: Scope, shared: list[str]) -> Scope:
        """A join by USING, in a query of its own, so that its columns have one name each."""
        names = tuple(
            self.draw(st.lists(st.sampled_from(shared), min_size=1, max_size=2, unique=True))
        )
        merged = [Column("", each.name, each.type) for each in left.columns if each.name in names]
        others = [e for e in (*left.columns, *right.columns) if e.name not in names]
        joined = Join(kind, left.source, right.source, using=names)
        return self.derived(Select((*merged, *others), joined))

    def on(self, left: Scope, right: Scope) -> Expression:
        """A condition: mostly an equality of columns, alone or with more."""
        pairs = [(a, b) for a in left.columns for b in right.columns if a.type == b.type]
        pairs += [
            (a, b)
            for a in left.columns
            for b in right.columns
            if a.type != b.type and {a.type.kind, b.type.kind} <= NUMBERS
        ]
        reach = self.reach((*left.columns, *right.columns))
        if not pairs or self.draw(st.integers(0, 3)) == 3:
            return reach.boolean(1)
        a, b = self.draw(st.sampled_from(pairs))
        op = self.draw(st.sampled_from([Op.EQUAL, Op.EQUAL, Op.NOT_DISTINCT, Op.LESS_OR_EQUAL]))
        equal = Call(op, (a, b), BOOLEAN)
        if self.draw(st.booleans()):
            return equal
        return Call(Op.AND, (equal, reach.boolean(1)), BOOLEAN)

    # --- sub-queries ----------------------------------------------------------------------------

    def condition(self, columns: Sequence[Column], depth: int) -> Expression:
        """A condition of WHERE, with a sub-query one time in three."""
        reach = self.reach(columns)
        if depth == 0 or self.draw(st.integers(0, 2)) < 2:
            return reach.boolean(2)
        found = self.subquery_condition(columns, depth)
        match self.draw(st.integers(0, 4)):
            case 0:
                return Call(Op.AND, (found, reach.boolean(1)), BOOLEAN)
            case 1:
                return Call(Op.OR, (reach.boolean(1), found), BOOLEAN)
            case 2:
                return Call(Op.NOT, (found,), BOOLEAN)
            case _:
                return found

    def subquery_condition(self, outer: Sequence[Column], depth: int) -> Expression:
        """EXISTS, IN or a comparison with a scalar sub-query; correlated two times in three."""
        inner = self.scope(depth - 1, self.draw(st.sampled_from([0, 0, 1])))
        where = self.correlation(inner.columns, outer)
        reach = self.reach(inner.columns)
        match self.draw(st.integers(0, 3)):
            case 0:
                return Exists(Select((Literal("1", INTEGER),), inner.source, where), BOOLEAN)
            case 1:
                item = reach.any(1)
                operand = self.reach(outer).of(item.type, 0)
                negated = self.draw(st.booleans())
                return InQuery(operand, Select((item,), inner.source, where), negated, BOOLEAN)
            case 2:
                key = self.draw(st.sampled_from(inner.columns))
                having = Call(
                    Op.GREATER, (Aggregate("COUNT", None, BIGINT), Literal("1", INTEGER)), BOOLEAN
                )
                grouped = Select((key,), inner.source, where, keys=(key,), having=having)
                operand = self.reach(outer).of(key.type, 0)
                return InQuery(operand, grouped, self.draw(st.booleans()), BOOLEAN)
            case _:
                scalar = self.scalar(inner, where)
                operand = self.reach(outer).of(scalar.type, 0)
                op = self.draw(st.sampled_from([Op.EQUAL, Op.LESS, Op.NOT_EQUAL, Op.NOT_DISTINCT]))
                return Call(op, (operand, scalar), BOOLEAN)

    def correlation(self, inner: Sequence[Column], outer: Sequence[Column]) -> Expression | None:
        """A condition over both, or over ``inner`` alone, or nothing."""
        pairs = [(a, b) for a in inner for b in outer if a.type == b.type]
        pairs += [
            (a, b)
            for a in inner
            for b in outer
            if a.type != b.type and {a.type.kind, b.type.kind} <= NUMBERS
        ]
        match self.draw(st.integers(0, 5)):
            case 0:
                return None
            case 1:
                return self.reach(inner).boolean(1)
            case 2:
                return self.reach((*inner, *outer)).boolean(1)
            case _ if not pairs:
                return None
            case _:
                a, b = self.draw(st.sampled_from(pairs))
                op = self.draw(st.sampled_from([Op.EQUAL, Op.EQUAL, Op.LESS, Op.NOT_DISTINCT]))
                found = Call(op, (a, b), BOOLEAN)
                if self.draw(st.integers(0, 2)):
                    return found
                return Call(Op.AND, (found, self.reach(inner).boolean(1)), BOOLEAN)

    def scalar(self, inner: Scope, where: Expression | None) -> Scalar:
        """An aggregate in brackets: always one row."""
        measure = self.aggregate(inner.columns)
        return Scalar(Select((measure,), inner.source, where), measure.type)

    # --- SELECT ---------------------------------------------------------------------------------

    def items(self, columns: Sequence[Column], depth: int) -> list[Expression]:
        """Columns of a SELECT without groups."""
        reach = self.reach(columns)
        found = [reach.any(2) for _ in range(self.draw(st.integers(1, 3)))]
        if depth and self.draw(st.integers(0, 5)) == 5:
            inner = self.scope(0, 0)
            found.append(self.scalar(inner, self.correlation(inner.columns, columns)))
        return found

    def aggregate(self, columns: Sequence[Column]) -> Aggregate:
        """An aggregate of a group of such rows."""
        reach = self.reach(columns)
        kept = reach.boolean(1) if self.draw(st.integers(0, 3)) == 3 else None
        distinct = self.draw(st.integers(0, 3)) == 3
        match self.draw(st.integers(0, 6)):
            case 0:
                return Aggregate("COUNT", None, BIGINT, filter=kept)
            case 1:
                return Aggregate("COUNT", reach.any(1), BIGINT, distinct, kept)
            case 2:
                name = self.draw(st.sampled_from(["MIN", "MAX"]))
                argument = reach.any(1)
                return Aggregate(name, argument, argument.type, distinct, kept)
            case 3 if not self.features.as_written:
                name = self.draw(st.sampled_from(["EVERY", "SOME"]))
                return Aggregate(name, reach.boolean(1), BOOLEAN, False, kept)
            case 4 if not self.features.as_written:
                argument = self.averageable(reach)
                return Aggregate("AVG", argument, averaged(argument.type), distinct, kept)
            case _:
                argument = self.addable(reach)
                return Aggregate("SUM", argument, summed(argument.type), distinct, kept)

    def addable(self, reach: Expressions) -> Expression:
        """A number whose sum does not depend on the order of adding: of DOUBLE, a column."""
        argument = reach.number(1)
        return reach.leaf(reach.number_type()) if argument.type.kind is Kind.DOUBLE else argument

    def averageable(self, reach: Expressions) -> Expression:
        """A number whose average fits in the other engines' whole numbers."""
        argument = self.addable(reach)
        scale = max(argument.type.scale, 6)
        room = argument.type.precision + scale - argument.type.scale + 2
        if argument.type.kind is Kind.DECIMAL and room > self.features.precision - 1:
            return Literal("1", INTEGER)
        return argument

    def plain(self, scope: Scope, depth: int) -> Select:
        """SELECT … WHERE …, DISTINCT one time in four."""
        where = self.condition(scope.columns, depth) if self.draw(st.booleans()) else None
        items = self.items(scope.columns, depth)
        return Select(tuple(items), scope.source, where, self.draw(st.integers(0, 3)) == 3)

    def grouped(self, scope: Scope, depth: int) -> Select:
        """SELECT … GROUP BY … HAVING …, also without keys."""
        where = self.condition(scope.columns, depth) if self.draw(st.booleans()) else None
        reach = self.reach(scope.columns)
        keys: list[Expression] = []
        for _ in range(self.draw(st.integers(0, 3))):
            key = (
                reach.any(1)
                if self.draw(st.integers(0, 2)) == 2
                else self.draw(st.sampled_from(scope.columns))
            )
            # A key without a column is a constant, which an engine may take for an ordinal.
            if key not in keys and has_column(key):
                keys.append(key)
        measures = [self.aggregate(scope.columns) for _ in range(self.draw(st.integers(1, 3)))]
        grouping, sets = self.sets(len(keys))
        having: Expression | None = None
        if self.draw(st.integers(0, 3)) == 3:
            measure = self.draw(st.sampled_from(measures))
            if measure.type.kind in NUMBERS:
                having = Call(Op.GREATER, (measure, Literal("0", INTEGER)), BOOLEAN)
            else:
                having = Call(Op.IS, (measure,), BOOLEAN, "NOT NULL")
        return Select(
            (*keys, *measures), scope.source, where, False, tuple(keys), grouping, sets, having
        )

    def sets(self, width: int) -> tuple[str, tuple[tuple[int, ...], ...]]:
        """Which kind of grouping, and its sets."""
        if not width or not self.features.grouping_sets or self.draw(st.integers(0, 2)) < 2:
            return "", ()
        kind = self.draw(st.sampled_from(["GROUPING SETS", "ROLLUP", "CUBE"]))
        if kind != "GROUPING SETS":
            return kind, ()
        one = st.lists(st.integers(0, width - 1), max_size=width, unique=True).map(tuple)
        sets = self.draw(st.lists(one, min_size=1, max_size=3))
        # A key that no set holds is not a key, and may not be selected.
        if len({place for each in sets for place in each}) < width:
            sets.append(tuple(range(width)))
        return kind, tuple(sets)

    # --- windows --------------------------------------------------------------------------------

    def windowed(self, scope: Scope, depth: int) -> Select:
        """SELECT of columns and window functions."""
        where = self.condition(scope.columns, depth) if self.draw(st.integers(0, 2)) == 2 else None
        calls = [self.over(scope.columns) for _ in range(self.draw(st.integers(1, 2)))]
        shown = self.draw(st.lists(st.sampled_from(scope.columns), max_size=2))
        return Select((*shown, *calls), scope.source, where)

    def over(self, columns: Sequence[Column]) -> Over:
        """A call over a window whose rows are ordered as far as it matters."""
        reach = self.reach(columns)
        by = st.lists(st.sampled_from(columns), min_size=1, max_size=2, unique=True)
        partition = tuple(self.draw(by)) if self.draw(st.booleans()) else ()
        match self.draw(st.integers(0, 8)):
            case 0:
                name = self.draw(st.sampled_from(["RANK", "DENSE_RANK"]))
                return Over(name, (), BIGINT, partition, self.keys(columns))
            case 1:
                return Over("ROW_NUMBER", (), BIGINT, partition, self.total(columns))
            case 2:
                value = reach.any(1)
                order = self.total(columns)
                return Over(
                    self.draw(st.sampled_from(["FIRST_VALUE", "LAST_VALUE"])),
                    (value,),
                    value.type,
                    partition,
                    order,
                    self.rows_frame(True),
                )
            case 3:
                value = reach.any(1)
                offset = Literal(str(self.draw(st.integers(0, 2))), INTEGER)
                arguments: tuple[Expression, ...] = self.draw(
                    st.sampled_from(
                        [(value,), (value, offset), (value, offset, reach.leaf(value.type))]
                    )
                )
                return Over(
                    self.draw(st.sampled_from(["LAG", "LEAD"])),
                    arguments,
                    value.type,
                    partition,
                    self.total(columns),
                )
            case _:
                return self.aggregate_over(columns, partition)

    def aggregate_over(self, columns: Sequence[Column], partition: tuple[Column, ...]) -> Over:
        """An aggregate over a window."""
        call = self.aggregate(columns)
        while call.distinct or call.function in {"EVERY", "SOME"}:
            call = replace(call, distinct=False, function="COUNT", type=BIGINT)
        arguments = () if call.argument is None else (call.argument,)
        base = Over(call.function, arguments, call.type, partition, filter=call.filter)
        match self.draw(st.integers(0, 6)):
            case 0:
                return base
            case 1:
                return replace(base, order=self.keys(columns))
            case 2:
                ends = self.ordered_ends(
                    End(None), End(0), End(0, preceding=False), End(None, preceding=False)
                )
                return replace(base, order=self.keys(columns), frame=Frame("RANGE", *ends))
            case 3 | 4:
                frame = self.range_frame(columns)
                if frame is not None:
                    return replace(base, order=(frame[0],), frame=frame[1])
                return base
            case _:
                order = self.total(columns)
                return replace(base, order=order, frame=self.rows_frame(False))

    def keys(self, columns: Sequence[Column]) -> tuple[SortKey, ...]:
        """One or two sort keys; they may leave ties."""
        chosen = self.draw(st.lists(st.sampled_from(columns), min_size=1, max_size=2, unique=True))
        return tuple(self.key(each) for each in chosen)

    def total(self, columns: Sequence[Column]) -> tuple[SortKey, ...]:
        """All columns in some order: rows that still tie are the same row."""
        return tuple(self.key(each) for each in self.draw(st.permutations(columns)))

    def key(self, expression: Expression) -> SortKey:
        """An order by the expression."""
        nulls = self.draw(st.sampled_from([None, None, True, False]))
        return SortKey(expression, self.draw(st.booleans()), nulls)

    def ordered_ends(self, *ends: End) -> tuple[End, End]:
        """Two of the ends, the earlier one first; never all on one outer side."""
        first = self.draw(st.integers(0, len(ends) - 2))
        last = self.draw(st.integers(max(first, 1), len(ends) - 1))
        return ends[first], ends[last]

    def rows_frame(self, may_lack: bool) -> Frame | None:
        """ROWS between two ends; None: the default frame."""
        if may_lack and self.draw(st.booleans()):
            return None
        near, far = sorted(self.draw(st.tuples(st.integers(1, 3), st.integers(1, 3))))
        ends = self.ordered_ends(
            End(None), End(far), End(near), End(0), End(near, False), End(far, False),
            End(None, False),
        )  # fmt: skip
        return Frame("ROWS", *ends)

    def range_frame(self, columns: Sequence[Column]) -> tuple[SortKey, Frame] | None:
        """RANGE by a distance over one numeric key or time."""
        kinds = set(INTEGERS) | {Kind.DECIMAL, Kind.DOUBLE}
        if self.features.interval_frames:
            kinds |= {Kind.DATE, Kind.TIMESTAMP}
        found = [each for each in columns if each.type.kind in kinds]
        if not found:
            return None
        key = self.draw(st.sampled_from(found))
        distance = self.distance(key.type)
        ends = self.ordered_ends(
            End(None), End(distance), End(0), End(distance, False), End(None, False)
        )
        return self.key(key), Frame("RANGE", *ends)

    def distance(self, type: SqlType) -> int | str | Interval:
        """A distance along a sort key."""
        match type.kind:
            case Kind.DATE:
                return self.draw(st.sampled_from(_DAYS))
            case Kind.TIMESTAMP:
                return self.draw(st.sampled_from(_HOURS))
            case Kind.DECIMAL:
                return self.draw(st.sampled_from(("1", "0.50")))
            case Kind.DOUBLE:
                return self.draw(st.sampled_from(("2", "0.5")))
            case _:
                return self.draw(st.integers(1, 3))

    # --- queries --------------------------------------------------------------------------------

    def select(self, depth: int, joins: int) -> Select:
        """One SELECT of any kind."""
        scope = self.scope(depth, joins)
        match self.draw(st.integers(0, 5)):
            case 0 | 1:
                return self.plain(scope, depth)
            case 2 | 3:
                return self.grouped(scope, depth)
            case _:
                return self.windowed(scope, depth)

    def query(self, depth: int, joins: int | None = None) -> Query:
        """A query with sub-queries so deep; ``joins`` at most (None: up to `MOST_JOINS`)."""
        counts = [0, 0, 0, 1, 1, 1, 2, 2, 3, MOST_JOINS]
        most = self.draw(st.sampled_from(counts))
        match self.draw(st.integers(0, 5)):
            case 0 if depth:
                return self.combined(depth)
            case 1 if depth and joins is None:
                return self.cut(self.query(depth - 1, joins=1))
            case _:
                return self.select(depth, most if joins is None else min(most, joins))

    def combined(self, depth: int) -> Combined:
        """A set operation of two queries of the same types; half of them on the same rows."""
        if self.draw(st.booleans()):
            return self.repeated()
        left = self.query(depth - 1, joins=1)
        scope = self.scope(0, self.draw(st.sampled_from([0, 0, 1])))
        reach = self.reach(scope.columns)
        where = reach.boolean(1) if self.draw(st.booleans()) else None
        items = tuple(reach.of(each, 1) for each in types_of(left))
        operator = self.draw(st.sampled_from(["UNION", "INTERSECT", "EXCEPT"]))
        can_be_all = operator == "UNION" or self.features.set_all
        every = can_be_all and self.draw(st.booleans())
        return Combined(operator, every, left, Select(items, scope.source, where))

    def repeated(self) -> Combined:
        """A set operation of parts of one table, some of whose rows are there several times."""
        scope = self.table()
        columns = self.draw(st.lists(st.sampled_from(scope.columns), min_size=1, max_size=2))

        def part() -> Select:
            kept = self.reach(scope.columns).boolean(1) if self.draw(st.booleans()) else None
            return Select(tuple(columns), scope.source, kept)

        def side() -> Query:
            if self.draw(st.booleans()):
                return part()
            return Combined("UNION", True, part(), part())

        operator = self.draw(st.sampled_from(["UNION", "INTERSECT", "EXCEPT"]))
        can_be_all = operator == "UNION" or self.features.set_all
        every = can_be_all and self.draw(st.booleans())
        return Combined(operator, every, side(), side())

    def cut(self, query: Query) -> Ordered:
        """The query in a total order, cut."""
        types = types_of(query)
        places = tuple(self.draw(st.permutations(range(len(types)))))
        keys = tuple(self.key(Literal("1", INTEGER)) for _ in places)
        limit = self.draw(st.sampled_from([None, 0, 1, 2, 5]))
        offset = None if limit is None else self.draw(st.sampled_from([None, 1, 3]))
        return Ordered(query, places, keys, limit, offset)


def has_column(node: Expression) -> bool:
    """Whether the expression depends on the row."""
    match node:
        case Column():
            return True
        case Call(_, operands):
            return any(map(has_column, operands))
        case Literal():
            return False
        case _:
            return True


@st.composite
def questions(draw: DrawFn, features: Features) -> Question:
    """Tables and a query over them."""
    tables = draw(schemas(features))
    return Question(tables, Queries(draw, tables, features).query(2))


@st.composite
def scalar_questions(draw: DrawFn, features: Features) -> Question:
    """Expressions over each row of one table: whatever fails on one row fails the query."""
    tables = draw(schemas(features))[:1]
    queries = Queries(draw, tables, features)
    scope = queries.table()
    reach = queries.reach(scope.columns)
    items = tuple(reach.any(draw(st.integers(1, 3))) for _ in range(draw(st.integers(1, 2))))
    return Question(tables, Select(items, scope.source))
