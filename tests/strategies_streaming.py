"""Generated streaming queries, most of which cannot be streamed: SQL text over `DDL`."""

from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

#: S and C have a history, O and L none; L strays, C falls, T is a table, V and W are views.
DDL = """
CREATE STREAM S (rowtime TIMESTAMP(3) ASCENDING, id INTEGER ASCENDING STRICT, k INTEGER,
  v INTEGER, u TIMESTAMP(3)) WITH HISTORY;
CREATE STREAM O (rowtime TIMESTAMP(3) ASCENDING, id INTEGER ASCENDING, k INTEGER, v INTEGER,
  u TIMESTAMP(3));
CREATE STREAM L (rowtime TIMESTAMP(3) ASCENDING WITHIN INTERVAL '10' SECOND, id INTEGER,
  k INTEGER, v INTEGER, u TIMESTAMP(3));
CREATE STREAM C (rowtime TIMESTAMP(3) ASCENDING, id INTEGER DESCENDING, k INTEGER, v INTEGER,
  u TIMESTAMP(3)) WITH HISTORY;
CREATE TABLE T (rowtime TIMESTAMP(3), id INTEGER, k INTEGER, v INTEGER, u TIMESTAMP(3));
CREATE VIEW V AS SELECT rowtime, id, k, v, u FROM S WHERE v > 0;
CREATE VIEW W AS SELECT k, COUNT(*) AS v FROM S GROUP BY k;
"""

_TIMES = ("rowtime", "u")
_NUMBERS = ("id", "k", "v")


@dataclass(frozen=True)
class Source:
    """A FROM item or a whole FROM: its text, and its columns as they may be written."""

    text: str
    columns: tuple[str, ...]

    def of(self, names: tuple[str, ...]) -> list[str]:
        """The columns of these names."""
        return [each for each in self.columns if each.rpartition(".")[2] in names]


def _base() -> SearchStrategy[Source]:
    every = ("rowtime", "id", "k", "v", "u")
    streams = [Source(name, every) for name in ("S", "S", "O", "L", "C", "V", "T")]
    return st.sampled_from([*streams, Source("W", ("k", "v"))])


@st.composite
def _derived(draw: DrawFn) -> Source:
    """A sub-query in FROM: it drops columns, or is itself at fault."""
    base = draw(_base())
    columns = draw(st.lists(st.sampled_from(base.columns), min_size=1, max_size=3, unique=True))
    columns = [*columns, *(each for each in ("k",) if each not in columns)]
    text = f"SELECT {draw(st.sampled_from(['', '', 'DISTINCT ']))}{', '.join(columns)}"
    text += f" FROM {base.text}"
    if draw(st.integers(0, 3)) == 0:
        operator = draw(st.sampled_from(["UNION", "UNION ALL", "INTERSECT", "EXCEPT ALL"]))
        text += f" {operator} SELECT {', '.join(columns)} FROM {draw(_base()).text}"
    text += draw(st.sampled_from(["", "", "", " ORDER BY k", " LIMIT 3"]))
    return Source(f"({text})", tuple(columns))


@st.composite
def _from(draw: DrawFn) -> Source:
    """A FROM clause of one item or two."""
    left = draw(st.one_of(_base(), _base(), _derived()))
    if draw(st.integers(0, 2)):
        return Source(f"{left.text} AS a", tuple(f"a.{each}" for each in left.columns))
    right = draw(st.one_of(_base(), _base(), _derived()))
    kind = draw(st.sampled_from(["JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL OUTER JOIN"]))
    on = ["a.k = b.k", "a.k = b.k OR a.k = 3"]
    if "id" in left.columns and "id" in right.columns:
        on += ["a.id = b.id"]
    if "rowtime" in left.columns and "rowtime" in right.columns:
        on += [
            "b.rowtime BETWEEN a.rowtime AND a.rowtime + INTERVAL '1' HOUR",
            "a.k = b.k AND b.rowtime >= a.rowtime",
            "b.rowtime <= a.rowtime - INTERVAL '90' MINUTE",
            "FLOOR(a.rowtime TO HOUR) = FLOOR(b.rowtime TO HOUR)",
        ]
    over = st.sampled_from(
        [
            "RANGE UNBOUNDED PRECEDING",
            "RANGE INTERVAL '1' HOUR PRECEDING",
            "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
            "",
            "ORDER BY rowtime",
        ]
    )
    forms = [
        f"{left.text} AS a {kind} {right.text} AS b ON {draw(st.sampled_from(on))}",
        f"{left.text} AS a, {right.text} AS b",
        f"{left.text} AS a {kind} {right.text} AS b USING (k)",
        f"{left.text} OVER ({draw(over)}) AS a {kind} {right.text} AS b ON a.k = b.k",
    ]
    columns = (f"{side}.{c}" for side, of in (("a", left), ("b", right)) for c in of.columns)
    return Source(draw(st.sampled_from([forms[0], *forms])), tuple(columns))


def _value(source: Source) -> SearchStrategy[str]:
    """An expression over a column: some are monotonic, most are not."""
    column = st.sampled_from(source.columns)
    choices = [column, column, st.sampled_from(["1", "'a'", "RAND()"])]
    if numbers := source.of(_NUMBERS):
        divided = "{} / {}".format
        choices.append(st.builds(divided, st.sampled_from(numbers), st.sampled_from(["10", "-2"])))
        choices.append(st.sampled_from(numbers).map("-{}".format))
    if times := source.of(_TIMES):
        units = st.sampled_from(["HOUR", "DAY"])
        choices.append(st.builds("FLOOR({} TO {})".format, st.sampled_from(times), units))
        choices.append(st.sampled_from(times).map("EXTRACT(HOUR FROM {})".format))
    return st.one_of(choices)


@st.composite
def _where(draw: DrawFn, source: Source) -> str:
    k = source.of(("k",))[0]
    return draw(
        st.sampled_from(
            [
                "",
                "",
                "",
                "",
                f" WHERE {k} > 3",
                f" WHERE {k} IN (SELECT k FROM T)",
                f" WHERE {k} IN (SELECT k FROM O)",
                f" WHERE EXISTS (SELECT 1 FROM O AS o WHERE o.k = {k}) AND {k} > 1",
                f" WHERE {k} = 1 OR {k} = 2",
            ]
        )
    )


@st.composite
def _window(draw: DrawFn, source: Source) -> str:
    k = source.of(("k",))[0]
    framed = draw(st.booleans())
    calls = ["SUM({0})", "MEDIAN({0})"] if framed else ["RANK()", "LAG({0}, {0})", "NTILE(2)"]
    call = draw(st.sampled_from(calls)).format(k)
    partition = draw(st.one_of(st.just(""), _value(source).map("PARTITION BY {} ".format)))
    order = draw(_value(source)) + draw(st.sampled_from(["", "", " DESC"]))
    frames = [
        "",
        "ROWS 2 PRECEDING",
        "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
        "ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING",
    ]
    frame = draw(st.sampled_from(frames)) if framed else ""
    if framed and draw(st.booleans()):
        return f"{call} OVER ({partition}{frame})"
    return f"{call} OVER ({partition}ORDER BY {order} {frame})"


@st.composite
def _select(draw: DrawFn) -> str:
    """A SELECT of groups, windows, or columns, with an ORDER BY of what it selects."""
    source = draw(_from())
    where = draw(_where(source))
    distinct = draw(st.sampled_from(["", "", "", "DISTINCT "]))
    named = draw(st.sampled_from([" AS x", " AS x", " AS x", " AS rowtime"]))
    order = draw(st.sampled_from(["", "", "", " ORDER BY 1", " ORDER BY 1 DESC"]))
    head = f"SELECT STREAM {distinct}"
    match draw(st.integers(0, 3)):
        case 0:
            keys = draw(st.lists(_value(source), min_size=1, max_size=2, unique=True))
            forms = ["{}", "{}", "({})", "CUBE ({})", "ROLLUP ({})"]
            group = draw(st.sampled_from(forms)).format(", ".join(keys))
            if len(keys) == 2 and draw(st.booleans()):
                group = f"GROUPING SETS (({keys[0]}, {keys[1]}), ({keys[0]}), ())"
            having = draw(st.sampled_from(["", "", " HAVING COUNT(*) > 1"]))
            columns = f"{keys[0]}{named}, COUNT(*) AS c"
            return f"{head}{columns} FROM {source.text}{where} GROUP BY {group}{having}{order}"
        case 1:
            having = draw(st.sampled_from(["", "", " HAVING COUNT(*) > 1"]))
            return f"{head}COUNT(*) AS c FROM {source.text}{where}{having}{order}"
        case 2:
            columns = f"{draw(_value(source))}{named}, {draw(_window(source))} AS w"
            return f"{head}{columns} FROM {source.text}{where}{order}"
        case _:
            items = draw(st.lists(_value(source), min_size=1, max_size=3))
            columns = draw(st.sampled_from(["*", ", ".join([items[0] + named, *items[1:]])]))
            return f"{head}{columns} FROM {source.text}{where}{order}"


@st.composite
def _united(draw: DrawFn) -> str:
    """A set operation, whose branches need not all stream."""
    operator = draw(st.sampled_from(["UNION", "UNION ALL", "INTERSECT", "EXCEPT ALL"]))
    stream = draw(st.sampled_from(["STREAM ", "STREAM ", "STREAM ", ""]))
    columns = draw(st.sampled_from(["rowtime", "id", "k", "rowtime, k", "*"]))
    names = st.sampled_from(["S", "O", "L", "C", "V", "T"])
    text = f"SELECT STREAM {columns} FROM {draw(names)} {operator} "
    text += f"SELECT {stream}{columns} FROM {draw(names)}"
    text += draw(st.sampled_from(["", "", "", " UNION ALL VALUES (1)"])) if columns == "k" else ""
    return text + draw(st.sampled_from(["", "", " ORDER BY 1", " ORDER BY 1 DESC"]))


@st.composite
def queries(draw: DrawFn) -> str:
    """A streaming query, of all that may be wrong with one as a stream, and hardly otherwise."""
    text = draw(st.one_of(_select(), _select(), _select(), _united()))
    limits = [" LIMIT 3", " OFFSET 2 ROWS", " FETCH FIRST 2 ROWS ONLY"]
    return text + draw(st.sampled_from([*[""] * 9, *limits]))
