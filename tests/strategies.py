"""Generated queries and the rows they run on: SQL text over two small tables with NULLs."""

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from tck.protocol import Wire, WireRow

DDL = """\
CREATE TABLE T (
  a INTEGER, b INTEGER, c DECIMAL(6, 2), d VARCHAR(4), t TIMESTAMP(3), p BOOLEAN, x DOUBLE);
CREATE TABLE U (a INTEGER, b BIGINT, d VARCHAR(4), t TIMESTAMP(3));
"""

#: The columns by kind of value, of each table.
COLUMNS = {
    "T": {"int": ["a", "b"], "dec": ["c"], "text": ["d"], "time": ["t"], "bool": ["p"]},
    "U": {"int": ["a", "b"], "dec": [], "text": ["d"], "time": ["t"], "bool": []},
}


def _nullable(values: SearchStrategy[Wire]) -> SearchStrategy[Wire]:
    return st.one_of(st.none(), values, values)


_INTS = _nullable(st.integers(-3, 5))
_DECIMALS = _nullable(st.integers(-999, 999).map(lambda cents: f"{cents / 100:.2f}"))
_TEXTS = _nullable(st.sampled_from(["", "a", "b", "ab", "Ab", "a_b", "é", "b%", " a"]))
_TIMES = _nullable(
    st.sampled_from(
        [
            "1969-12-31 23:30:00",
            "1970-01-01 00:00:00",
            "2015-02-15 10:00:00",
            "2015-02-15 10:17:00.001",
            "2015-02-15 10:59:59.999",
            "2015-02-15 11:00:00",
            "2016-02-29 00:00:00",
        ]
    )
)
_BOOLEANS = _nullable(st.booleans())
_DOUBLES = _nullable(st.sampled_from([0.0, 0.5, -1.25, 3.0, 1e10]))


def _rows(row: SearchStrategy[WireRow], most: int) -> SearchStrategy[list[WireRow]]:
    """Mostly some rows, now and then none: an empty table says little about most queries."""
    some = st.lists(row, min_size=3, max_size=most)
    return st.one_of(some, some, some, st.lists(row, max_size=2))


def rows_of_t() -> SearchStrategy[list[WireRow]]:
    """Up to ten rows of T."""
    row = st.tuples(_INTS, _INTS, _DECIMALS, _TEXTS, _TIMES, _BOOLEANS, _DOUBLES)
    return _rows(row, 10)


def rows_of_u() -> SearchStrategy[list[WireRow]]:
    """Up to six rows of U."""
    return _rows(st.tuples(_INTS, _INTS, _TEXTS, _TIMES), 6)


class _Expressions:
    """Expressions over the columns in reach, ``{alias: table}``, by kind of value."""

    def __init__(self, scope: dict[str, str]) -> None:
        self.scope = scope

    def column(self, kind: str) -> SearchStrategy[str]:
        names = [f"{s}.{c}" for s, table in self.scope.items() for c in COLUMNS[table][kind]]
        return st.sampled_from(names) if names else st.nothing()

    def integer(self, depth: int) -> SearchStrategy[str]:
        leaf = st.one_of(self.column("int"), self.column("int"), st.integers(-3, 9).map(str))
        if depth == 0:
            return leaf
        inner, text = self.integer(depth - 1), self.text(depth - 1)
        return st.one_of(
            leaf,
            st.builds("({} {} {})".format, inner, st.sampled_from("+-*"), inner),
            st.builds("({} / NULLIF({}, 0))".format, inner, inner),
            st.builds("MOD({}, NULLIF({}, 0))".format, inner, inner),
            st.builds("CASE WHEN {} THEN {} ELSE {} END".format, self.boolean(0), inner, inner),
            st.builds("COALESCE({}, {})".format, inner, inner),
            st.builds("CHAR_LENGTH({})".format, text),
            st.builds("POSITION({} IN {})".format, text, text),
            st.builds("CAST({} AS INTEGER)".format, self.decimal(depth - 1)),
            st.builds(
                "EXTRACT({} FROM {})".format,
                st.sampled_from(["YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"]),
                self.time(depth - 1),
            ),
            inner.map("(- {})".format),
        )

    def decimal(self, depth: int) -> SearchStrategy[str]:
        leaf = st.one_of(self.column("dec"), st.sampled_from(["0.25", "1.50", "-2.005", "7.0"]))
        if depth == 0:
            return leaf
        inner = self.decimal(depth - 1)
        return st.one_of(
            leaf,
            st.builds("({} {} {})".format, inner, st.sampled_from("+-*"), inner),
            st.builds("({} + {})".format, inner, self.integer(0)),
            st.builds("CAST({} AS DECIMAL(9, 1))".format, inner),
            st.builds("({} / NULLIF({}, 0))".format, leaf, leaf),
        )

    def text(self, depth: int) -> SearchStrategy[str]:
        literal = st.sampled_from(["'a'", "'ab'", "''", "'é'"])
        leaf = st.one_of(self.column("text"), self.column("text"), literal)
        if depth == 0:
            return leaf
        inner = self.text(depth - 1)
        return st.one_of(
            leaf,
            st.builds(
                "({} || {})".format, inner, st.one_of(inner, self.integer(0), self.decimal(0))
            ),
            st.builds("UPPER({})".format, inner),
            st.builds(
                "SUBSTRING({} FROM {} FOR {})".format, inner, st.integers(0, 3), st.integers(0, 3)
            ),
            st.builds("TRIM(BOTH ' ' FROM {})".format, inner),
        )

    def time(self, depth: int) -> SearchStrategy[str]:
        literal = st.just("TIMESTAMP '2015-02-15 10:30:00'")
        leaf = st.one_of(self.column("time"), self.column("time"), literal)
        if depth == 0:
            return leaf
        inner = self.time(depth - 1)
        units = st.sampled_from(
            ["YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"]
        )
        steps = st.sampled_from(
            [
                "INTERVAL '1' MONTH",
                "INTERVAL '90' MINUTE",
                "INTERVAL '1-1' YEAR TO MONTH",
                "INTERVAL '1' DAY",
            ]
        )
        return st.one_of(
            leaf,
            st.builds("{}({} TO {})".format, st.sampled_from(["FLOOR", "CEIL"]), inner, units),
            st.builds("({} {} {})".format, inner, st.sampled_from("+-"), steps),
        )

    def boolean(self, depth: int) -> SearchStrategy[str]:
        comparison = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
        leaf = st.one_of(
            self.column("bool"),
            st.builds("{} {} {}".format, self.integer(0), comparison, self.integer(0)),
            st.builds("{} {} {}".format, self.text(0), comparison, self.text(0)),
            st.builds("{} {} {}".format, self.time(0), comparison, self.time(0)),
            st.builds("{} IS NULL".format, st.one_of(self.integer(0), self.text(0))),
        )
        if depth == 0:
            return leaf
        inner = self.boolean(depth - 1)
        return st.one_of(
            leaf,
            st.builds("({} {} {})".format, inner, st.sampled_from(["AND", "OR"]), inner),
            st.builds("NOT ({})".format, inner),
            st.builds("({}) IS NOT TRUE".format, inner),
            st.builds(
                "{} IN ({}, {}, NULL)".format, self.integer(0), self.integer(0), self.integer(0)
            ),
            st.builds(
                "{} BETWEEN {} AND {}".format, self.integer(1), self.integer(0), self.integer(0)
            ),
            st.builds("{} IS NOT DISTINCT FROM {}".format, self.integer(0), self.integer(0)),
            st.builds("{} LIKE {}".format, self.text(0), st.sampled_from(["'a%'", "'_b'", "'%'"])),
        )

    def any(self, depth: int) -> SearchStrategy[str]:
        return st.one_of(
            self.integer(depth),
            self.decimal(depth),
            self.text(depth),
            self.time(depth),
            self.boolean(depth),
        )

    def aggregate(self) -> SearchStrategy[str]:
        distinct = st.sampled_from(["", "", "DISTINCT "])
        filters = st.one_of(
            st.just(""), st.just(""), self.boolean(0).map(" FILTER (WHERE {})".format)
        )
        numbers = st.one_of(self.integer(1), self.decimal(0))
        return st.one_of(
            st.just("COUNT(*)"),
            st.builds("COUNT({}{}){}".format, distinct, self.any(0), filters),
            st.builds(
                "{}({}{}){}".format,
                st.sampled_from(["SUM", "AVG", "MIN", "MAX"]),
                distinct,
                numbers,
                filters,
            ),
            st.builds(
                "{}({})".format,
                st.sampled_from(["MIN", "MAX"]),
                st.one_of(self.text(0), self.time(0)),
            ),
            st.builds("EVERY({})".format, self.boolean(0)),
        )


@st.composite
def queries(draw: DrawFn) -> str:
    """A filter, project, join or aggregate over T and U, one to two of them at a time."""
    join = draw(st.sampled_from(["", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN"]))
    scope = {"t1": "T", "u1": "U"} if join else {"t1": "T"}
    reach = _Expressions(scope)
    source = "T AS t1"
    if join:
        on = (
            ""
            if join == "CROSS JOIN"
            else " ON "
            + draw(
                st.one_of(
                    st.just("t1.a = u1.a"),
                    st.just("t1.d = u1.d AND t1.b <= u1.b"),
                    st.builds("t1.a = u1.a AND {}".format, reach.boolean(1)),
                    reach.boolean(1),
                )
            )
        )
        source += f" {join} U AS u1{on}"
    where = draw(st.one_of(st.just(""), reach.boolean(2).map(" WHERE {}".format)))
    if draw(st.booleans()):
        items = draw(st.lists(reach.any(2), min_size=1, max_size=3))
        distinct = draw(st.sampled_from(["", "", "DISTINCT "]))
        columns = ", ".join(f"{item} AS c{i}" for i, item in enumerate(items))
        return f"SELECT {distinct}{columns} FROM {source}{where}"
    keys = draw(
        st.lists(st.one_of(reach.column("int"), reach.column("text"), reach.time(1)), max_size=2)
    )
    keys = [key for key in dict.fromkeys(keys) if not key.startswith("TIMESTAMP")]
    measures = draw(st.lists(reach.aggregate(), min_size=1, max_size=3))
    columns = ", ".join(f"{item} AS c{i}" for i, item in enumerate([*keys, *measures]))
    group = ""
    if keys:
        sets = draw(
            st.sampled_from(["{}", "{}", "GROUPING SETS (({}), ())", "ROLLUP ({})", "CUBE ({})"])
        )
        group = " GROUP BY " + sets.format(", ".join(keys))
    having = draw(st.sampled_from(["", "", " HAVING COUNT(*) > 1"]))
    return f"SELECT {columns} FROM {source}{where}{group}{having}"
