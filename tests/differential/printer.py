"""A tree as text of rowtime; other dialects are printed from the plan of that text."""

from tests.differential.schema import TableSchema
from tests.differential.sqltypes import Kind, SqlType
from tests.differential.tree import (
    Aggregate,
    Call,
    Case,
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
    Shift,
    SortKey,
    Source,
    Table,
)


class Printer:
    """The dialect of rowtime."""

    def ddl(self, table: TableSchema) -> str:
        """CREATE TABLE."""
        columns = ", ".join(f"{name} {self.column_type(type)}" for name, type in table.columns)
        return f"CREATE TABLE {table.name} ({columns});"

    def column_type(self, type: SqlType) -> str:
        """The type as DDL has it."""
        return str(type)

    # --- queries --------------------------------------------------------------------------------

    def query(self, query: Query) -> str:
        """A query."""
        match query:
            case Select():
                return self.select(query)
            case Combined(operator, all, left, right):
                words = f"{operator}{' ALL' if all else ''}"
                return f"{self.branch(left)} {words} {self.branch(right)}"
            case Ordered(inner, places, keys, limit, offset):
                order = ", ".join(
                    f"{place + 1}{self.direction(key)}"
                    for place, key in zip(places, keys, strict=True)
                )
                cut = "" if limit is None else f" LIMIT {limit}"
                cut += "" if offset is None else f" OFFSET {offset}"
                return f"{self.body(inner)} ORDER BY {order}{cut}"

    def body(self, query: Query) -> str:
        """What ORDER BY stands behind."""
        return f"({self.query(query)})" if isinstance(query, Ordered) else self.query(query)

    def branch(self, query: Query) -> str:
        """A branch of a set operation."""
        return f"({self.query(query)})"

    def select(self, query: Select) -> str:
        """One SELECT."""
        items = ", ".join(f"{self.expression(item)} AS C{i}" for i, item in enumerate(query.items))
        distinct = "DISTINCT " if query.distinct else ""
        text = f"SELECT {distinct}{items} FROM {self.source(query.source)}"
        if query.where is not None:
            text += f" WHERE {self.expression(query.where)}"
        if query.keys:
            text += f" GROUP BY {self.group_by(query)}"
        if query.having is not None:
            text += f" HAVING {self.expression(query.having)}"
        return text

    def group_by(self, query: Select) -> str:
        """The keys, in sets."""
        keys = [self.expression(each) for each in query.keys]
        if query.grouping == "GROUPING SETS":
            sets = ("(" + ", ".join(keys[i] for i in each) + ")" for each in query.sets)
            return f"GROUPING SETS ({', '.join(sets)})"
        joined = ", ".join(keys)
        return f"{query.grouping} ({joined})" if query.grouping else joined

    def source(self, source: Source) -> str:
        """FROM."""
        match source:
            case Table(name, alias):
                return f"{name} AS {alias}"
            case Derived(query, alias):
                return f"({self.query(query)}) AS {alias}"
            case Join(kind, left, right, on, using):
                text = f"{self.source(left)} {kind} JOIN {self.source(right)}"
                if on is not None:
                    text += f" ON {self.expression(on)}"
                return f"{text} USING ({', '.join(using)})" if using else text

    def direction(self, key: SortKey) -> str:
        """What stands after a sort key."""
        text = " DESC" if key.descending else ""
        if key.nulls_first is None:
            return text
        return f"{text} NULLS {'FIRST' if key.nulls_first else 'LAST'}"

    # --- expressions ----------------------------------------------------------------------------

    def expression(self, node: Expression) -> str:
        """An expression, in brackets where it needs them."""
        match node:
            case Column(alias, name):
                return f"{alias}.{name}" if alias else name
            case Literal(text, type):
                return self.null(type) if text is None else self.constant(text, type)
            case Call():
                return self.call(node, [self.expression(each) for each in node.operands])
            case Shift(operand, sign, interval):
                word = "+" if sign > 0 else "-"
                return f"({self.expression(operand)} {word} {self.interval(interval)})"
            case Case(branches, otherwise):
                parts = "".join(
                    f" WHEN {self.expression(condition)} THEN {self.expression(value)}"
                    for condition, value in branches
                )
                end = "" if otherwise is None else f" ELSE {self.expression(otherwise)}"
                return f"CASE{parts}{end} END"
            case Aggregate():
                return self.aggregate(node)
            case Over():
                return self.over(node)
            case Scalar(query):
                return f"({self.query(query)})"
            case InQuery(operand, query, negated):
                word = "NOT IN" if negated else "IN"
                return f"({self.expression(operand)} {word} ({self.query(query)}))"
            case Exists(query):
                return f"EXISTS ({self.query(query)})"

    def null(self, type: SqlType) -> str:
        """NULL of a type."""
        return f"CAST(NULL AS {type})"

    def constant(self, text: str, type: SqlType) -> str:
        """A literal."""
        match type.kind:
            case Kind.VARCHAR:
                return "'" + text.replace("'", "''") + "'"
            case Kind.DATE | Kind.TIMESTAMP:
                return f"{type.kind} '{text}'"
            case Kind.DECIMAL:
                return f"CAST({text} AS {type})"
            case _:
                return f"({text})" if text.startswith("-") else text

    def interval(self, interval: Interval) -> str:
        """An interval literal."""
        return f"INTERVAL '{interval.text}' {interval.qualifier}"

    def call(self, node: Call, operands: list[str]) -> str:
        """An operator or function."""
        match node.op, operands:
            case Op.NOT, [a]:
                return f"(NOT {a})"
            case Op.NEGATE, [a]:
                return f"(- {a})"
            case Op.IS, [a]:
                return f"({a} IS {node.option})"
            case ((Op.IN | Op.NOT_IN), [a, *listed]):
                return f"({a} {node.op} ({', '.join(listed)}))"
            case Op.BETWEEN, [a, low, high]:
                return f"({a} BETWEEN {low} AND {high})"
            case Op.POSITION, [a, b]:
                return f"POSITION({a} IN {b})"
            case Op.SUBSTRING, [a]:
                start, _, length = node.option.partition(",")
                return f"SUBSTRING({a} FROM {start}{f' FOR {length}' if length else ''})"
            case Op.CAST, [a]:
                return f"CAST({a} AS {node.type})"
            case Op.EXTRACT, [a]:
                return f"EXTRACT({node.option} FROM {a})"
            case ((Op.FLOOR | Op.CEIL), [a]):
                return f"{node.op}({a} TO {node.option})"
            case Op.DISTANCE, [a, b]:
                # An INTERVAL SECOND has its milliseconds, which the cast rounds HALF_UP.
                return f"CAST(({a} - {b}) {node.option} AS BIGINT)"
            case (
                Op.MOD | Op.ABS | Op.UPPER | Op.LOWER | Op.TRIM | Op.CHAR_LENGTH | Op.COALESCE
                | Op.NULLIF
            ), _:  # fmt: skip
                return f"{node.op}({', '.join(operands)})"
            case _, [a, b]:
                return f"({a} {node.op} {b})"
            case _:
                raise AssertionError(node)

    # --- aggregates and windows -----------------------------------------------------------------

    def aggregate(self, node: Aggregate, over: str = "") -> str:
        """An aggregate, of a group or over a window."""
        argument = "*" if node.argument is None else self.expression(node.argument)
        distinct = "DISTINCT " if node.distinct else ""
        kept = "" if node.filter is None else f" FILTER (WHERE {self.expression(node.filter)})"
        function = node.function
        return f"{function}({distinct}{argument}){kept}{over}"

    def over(self, node: Over) -> str:
        """A call over a window."""
        over = f" OVER ({self.window(node)})"
        if node.function in {"COUNT", "SUM", "AVG", "MIN", "MAX", "EVERY", "SOME"}:
            argument = node.arguments[0] if node.arguments else None
            call = Aggregate(node.function, argument, node.type, filter=node.filter)
            return self.aggregate(call, over)
        arguments = ", ".join(self.expression(each) for each in node.arguments)
        return f"{node.function}({arguments}){over}"

    def window(self, node: Over) -> str:
        """PARTITION BY, ORDER BY and frame."""
        parts: list[str] = []
        if node.partition:
            parts.append("PARTITION BY " + ", ".join(map(self.expression, node.partition)))
        if node.order:
            keys = (f"{self.expression(k.expression)}{self.direction(k)}" for k in node.order)
            parts.append("ORDER BY " + ", ".join(keys))
        if node.frame is not None:
            parts.append(self.frame(node.frame))
        return " ".join(parts)

    def frame(self, frame: Frame) -> str:
        """ROWS, RANGE or GROUPS BETWEEN."""
        ends = (self.end(each) for each in (frame.start, frame.end))
        without = "" if frame.exclude is None else f" EXCLUDE {frame.exclude}"
        return f"{frame.unit} BETWEEN {' AND '.join(ends)}{without}"

    def end(self, end: End) -> str:
        """An end of a frame."""
        word = "PRECEDING" if end.preceding else "FOLLOWING"
        match end.distance:
            case None:
                return f"UNBOUNDED {word}"
            case 0:
                return "CURRENT ROW"
            case distance:
                return f"{self.distance(distance)} {word}"

    def distance(self, distance: int | str | Interval) -> str:
        """How far an end of a frame is."""
        return self.interval(distance) if isinstance(distance, Interval) else str(distance)
