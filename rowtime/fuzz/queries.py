"""Random queries for `rowtime tck fuzz`: a stack of operators, each with columns ROWTIME, K and V.

Because all have the same columns, any operator can read the rows of any other.  Many queries cannot
be streamed; the reference refuses those, and they are drawn again.

The constants are the pieces from which operators are drawn.  A letter in braces in a piece is
replaced by another piece, for example ``{s}`` by a span.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from rowtime.fuzz.choices import Choices
from rowtime.fuzz.schema import STREAMS, TABLE

_CONDITIONS: Final = ("v > 1", "k IS NOT NULL", "k = 1 OR v < 3", "NOT (k > 1)", "v <> k")
_SPANS: Final = ("INTERVAL '1' MINUTE", "INTERVAL '10' SECOND", "INTERVAL '90' SECOND")
#: The expression that a group shows as its rowtime, and the key that it is grouped by.  ``{s}`` is
#: a span, and ``{w}`` is ``rowtime`` and a span.
_ENDS: Final = (
    ("FLOOR(rowtime TO MINUTE)",) * 2,
    ("CEIL(rowtime TO MINUTE)",) * 2,
    ("TUMBLE_END({w})", "TUMBLE({w})"),
    ("TUMBLE_START({w})", "TUMBLE({w})"),
    ("HOP_END({w}, {s})", "HOP({w}, {s})"),
    ("rowtime",) * 2,
)
_AGGREGATES: Final = ("SUM(v)", "COUNT(*)", "MAX(v)", "MIN(v)", "COUNT(DISTINCT v)", "AVG(v)")
#: The second key of a group; with NULL there is no second key, and K is NULL in the result.
_KEYS: Final = ("k", "NULL")
_HAVING: Final = ("", " HAVING COUNT(*) > 1")
#: Frames, and below the functions of windows: the results of those ``BY_TIME`` do not depend on the
#: order of ties.  ``{s}`` is a span.
_FRAMES_BY_TIME: Final = (
    "RANGE {s} PRECEDING",
    "RANGE UNBOUNDED PRECEDING",
    "RANGE BETWEEN CURRENT ROW AND {s} FOLLOWING",
)
_FRAMES: Final = (
    *_FRAMES_BY_TIME,
    "ROWS 1 PRECEDING",
    "ROWS UNBOUNDED PRECEDING",
    "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
)
#: The functions of windows with a frame.
_FRAMED: Final = (*_AGGREGATES, "FIRST_VALUE(v)", "LAST_VALUE(v)", "NTH_VALUE(v, 2)")
#: The functions of windows without a frame.
_RANKING_BY_TIME: Final = ("RANK()", "DENSE_RANK()")
_RANKING: Final = ("ROW_NUMBER()", *_RANKING_BY_TIME, "LAG(v)", "LEAD(v)", "LAG(v, 2)")
_PARTITIONS: Final = ("PARTITION BY k ", "", "PARTITION BY FLOOR(rowtime TO MINUTE) ")
_JOINS: Final = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
#: The conditions on the times of two joined streams.
_NEAR: Final = (
    "b.rowtime BETWEEN a.rowtime - {s} AND a.rowtime + {s}",
    "b.rowtime BETWEEN a.rowtime AND a.rowtime + {s}",
    "FLOOR(a.rowtime TO MINUTE) = FLOOR(b.rowtime TO MINUTE)",
    "a.rowtime = b.rowtime",
)
#: Windows as table functions: ``{d}`` is their data, ``{s}`` and ``{w}`` are spans, and ``{o}`` is
#: an offset or nothing.
_WINDOW_TABLES: Final = (
    "TUMBLE({d}, DESCRIPTOR(rowtime), {w}{o})",
    "HOP({d}, DESCRIPTOR(rowtime), {s}, {w}{o})",
    "CUMULATE({d}, DESCRIPTOR(rowtime), {s}, {s} * 3{o})",
)
_OFFSETS: Final = ("", ", INTERVAL '7' SECOND", ", INTERVAL -'100' SECOND")
#: Queries over rows in windows: ``{i}`` is the item of FROM, ``{n}`` an aggregate.  RANK does not
#: depend on the order of ties.
_OF_WINDOWS: Final = (
    "SELECT window_end AS rowtime, k, {n} AS v FROM {i} GROUP BY window_start, window_end, k",
    "SELECT window_start AS rowtime, k, {n} AS v FROM {i} GROUP BY window_end, window_start, k",
    "SELECT rowtime, k, v FROM {i}",
    "SELECT rowtime, k, v FROM {i} QUALIFY RANK() OVER (PARTITION BY window_end ORDER BY v) <= 2",
)
#: Queries over sessions; `_sessions` lists the meanings of the letters.  A row of the table
#: function SESSION has its WINDOW_END as its rowtime.
_OF_SESSIONS: Final = (
    "SELECT {e} AS rowtime, k, {n} AS v FROM {f} AS a GROUP BY {s}, k",
    "SELECT {e} AS rowtime, CAST(NULL AS INTEGER) AS k, {n} AS v FROM {f} AS a GROUP BY {s}",
    "SELECT window_end AS rowtime, k, v FROM TABLE(SESSION({d} PARTITION BY k, {t}, {g}))",
    "SELECT window_end AS rowtime, k, v FROM SESSION({d}, {t}, {g})",
    "SELECT window_end AS rowtime, k, {n} AS v FROM {i} GROUP BY window_start, window_end, k",
)
#: The kinds of ASOF joins.
_NEAREST: Final = ("ASOF JOIN", "LEFT ASOF JOIN")
#: The conditions of an ASOF join; ``{t}`` is the compared column.  Those in `_AFTER` choose the
#: next row, and are used only for a join with a table.
_BEFORE: Final = ("a.{t} >= b.{t}", "a.{t} > b.{t}", "b.{t} < a.{t}")
_AFTER: Final = ("a.{t} <= b.{t}", "b.{t} > a.{t}")
_SAME_KEY: Final = (" ON a.k = b.k", "")
#: The right side of an ASOF join of two streams, and the value that is shown of it.
#: If several rows have one key and time, any of them may be joined (S-904.m): one row has both, or
#: only its time is shown.
_RIGHTS: Final = (
    ("(SELECT rowtime, k, MAX(v) AS v FROM {f} GROUP BY rowtime, k)", "b.v"),
    ("{f}", "EXTRACT(SECOND FROM b.rowtime)"),
)
_SETS: Final = ("UNION ALL", "UNION", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL")
EMIT_CHANGES: Final = " EMIT CHANGES"
_SORTS: Final = ("rowtime", "rowtime, v DESC", "FLOOR(rowtime TO MINUTE), k", "rowtime DESC")


@dataclass(frozen=True, slots=True)
class Query:
    """The text of a query without STREAM; ``depth`` operators stand on one another.

    ``free_ties``: the order of its ties is not defined (S-307.b), so that no operator on top of it
    may depend on that order (S-307.c).  ``pieces`` are the names of its pieces
    (`rowtime.fuzz.choices`).  ``changelog``: the streaming query says EMIT CHANGES.
    """

    text: str
    depth: int
    free_ties: bool = False
    pieces: frozenset[str] = frozenset()
    changelog: bool = False

    @property
    def streaming(self) -> str:
        """The text with SELECT STREAM, and with EMIT CHANGES."""
        text = self.text.replace("SELECT", "SELECT STREAM", 1)
        return f"{text}{EMIT_CHANGES}" if self.changelog else text


def queries(
    most_operators: int = 3, missing: frozenset[str] = frozenset(), changelogs: bool = True
) -> SearchStrategy[Query]:
    """A query of up to ``most_operators``, sorted or not; the simplest is ``SELECT * FROM R``.

    ``missing`` are the names of pieces that are left out.  With ``changelogs`` some say EMIT
    CHANGES; they have operators that no other streaming query can have.
    """
    return _queries(most_operators, missing, changelogs)


@st.composite
def _queries(draw: DrawFn, most: int, missing: frozenset[str], changelogs: bool) -> Query:
    choices = Choices(draw, missing)
    changelog = changelogs and bool(choices.of(("", "", EMIT_CHANGES)))  # one query in three
    operators = {**OPERATORS, **_OF_CHANGELOGS} if changelog else OPERATORS
    # The rows of a stream WITH CHANGES have no order of arrival.
    query = Query(f"SELECT * FROM {draw(st.sampled_from(STREAMS))}", 0, free_ties=changelog)
    for _ in range(draw(st.integers(0, most))):
        query = operators[choices.of(tuple(operators))](choices, query)
    # Only as the topmost operator: the rows of a sub-query need not be sorted (S-507.n).
    if draw(st.sampled_from((False, False, False, True))) and "sort" not in missing:
        choices.made.add("sort")
        query = _sort(choices, query)
    nested = {"a query in a query"} if "(SELECT" in query.text else set[str]()
    return replace(query, pieces=frozenset(choices.made | nested), changelog=changelog)


def _other(choices: Choices) -> Query:
    """The second input of an operator: a query that reads a stream, filtered or not."""
    query = Query(f"SELECT * FROM {choices.draw(st.sampled_from(STREAMS[::-1]))}", 0)
    return _filter(choices, query) if choices.coin() else query


def _from(query: Query) -> str:
    """The query as a FROM item: a stream's name if it only reads a stream, else a sub-query."""
    name = query.text.removeprefix("SELECT * FROM ")
    return name if name in STREAMS else f"({query.text})"


def _add_operator(query: Query, text: str) -> Query:
    """The query with one more operator on top, which preserves the order of ties."""
    return Query(text, query.depth + 1, query.free_ties)


def _add_operator_with_free_ties(query: Query, text: str) -> Query:
    """The query with one more operator on top, after which the order of ties is not defined."""
    return Query(text, query.depth + 1, free_ties=True)


# --- operators ----------------------------------------------------------------------------------

#: Draws the query with one more operator on top.
_Operator: TypeAlias = Callable[[Choices, Query], Query]


def _filter(choices: Choices, query: Query) -> Query:
    condition = choices.of(_CONDITIONS)
    return _add_operator(query, f"SELECT * FROM {_from(query)} AS a WHERE {condition}")


def _project(choices: Choices, query: Query) -> Query:
    time = choices.of(["rowtime", "rowtime + {s}", "FLOOR(rowtime TO MINUTE)"])
    time = time.format(s=choices.of(_SPANS))
    number = choices.of(["v", "v + 1", "CASE WHEN v > 1 THEN v END", "COALESCE(v, 0)"])
    return _add_operator(
        query, f"SELECT {time} AS rowtime, k, {number} AS v FROM {_from(query)} AS a"
    )


def _group(choices: Choices, query: Query) -> Query:
    spans = {"w": f"rowtime, {choices.of(_SPANS)}", "s": choices.of(_SPANS)}
    end, key = (each.format(**spans) for each in choices.of(_ENDS))
    number, second = choices.of(_AGGREGATES), choices.of(_KEYS)
    keys = key if second == "NULL" else f"{key}, {second}"
    shown = "CAST(NULL AS INTEGER) AS k" if second == "NULL" else "k"
    text = f"SELECT {end} AS rowtime, {shown}, {number} AS v FROM {_from(query)} AS a"
    return _add_operator_with_free_ties(query, f"{text} GROUP BY {keys}{choices.of(_HAVING)}")


def _data(query: Query) -> str:
    """The query as the data of a table function."""
    name = _from(query)
    return f"TABLE {name}" if name in STREAMS else name


def _windows(choices: Choices, query: Query) -> str:
    """An item of FROM: the rows of a query in windows."""
    window, offset = choices.of(_WINDOW_TABLES), choices.of(_OFFSETS)
    return window.format(d=_data(query), w=choices.of(_SPANS), s=choices.of(_SPANS), o=offset)


def _window_table(choices: Choices, query: Query) -> Query:
    text, number = choices.of(_OF_WINDOWS), choices.of(_AGGREGATES)
    return _add_operator_with_free_ties(query, text.format(i=_windows(choices, query), n=number))


def _window_join(choices: Choices, query: Query) -> Query:
    one, other = _windows(choices, query), _windows(choices, _other(choices))
    time = choices.of(["a.rowtime", "b.rowtime", "a.window_end"])
    on = choices.of(["a.k = b.k AND ", ""]) + "a.window_end = b.window_end"
    if choices.coin():
        on += " AND a.window_start = b.window_start"
    kind = choices.of(_JOINS)
    text = f"SELECT {time} AS rowtime, a.k, b.v FROM {one} AS a {kind} {other} AS b ON {on}"
    return _add_operator_with_free_ties(query, text)


def _sessions(choices: Choices, query: Query) -> Query:
    text, number, gap = choices.of(_OF_SESSIONS), choices.of(_AGGREGATES), choices.of(_SPANS)
    pieces = {
        "d": _data(query),
        "e": f"SESSION_END(rowtime, {gap})",
        "f": _from(query),
        "g": gap,
        "i": f"SESSION({_data(query)} PARTITION BY k, DESCRIPTOR(rowtime), {gap})",
        "n": number,
        "s": f"SESSION(rowtime, {gap})",
        "t": "DESCRIPTOR(rowtime)",
    }
    return _add_operator_with_free_ties(query, text.format_map(pieces))


def _asof_join(choices: Choices, query: Query) -> Query:
    kind, condition = choices.of(_NEAREST), choices.of(_BEFORE).format(t="rowtime")
    right, number = choices.of(_RIGHTS)
    right, key = right.format(f=_from(_other(choices))), choices.of(_SAME_KEY)
    # Without a condition on K, all rows have the same key.  Rows of one time with different values
    # of K would then be ties, so the right side is grouped by its time alone.
    if not key:
        right = right.replace("rowtime, k, ", "rowtime, ").replace(", k)", ")")
    text = f"SELECT a.rowtime, a.k, {number} AS v FROM {_from(query)} AS a {kind} {right} AS b"
    return _add_operator_with_free_ties(query, f"{text} MATCH_CONDITION ({condition}){key}")


def _asof_table_join(choices: Choices, query: Query) -> Query:
    kind, condition = choices.of(_NEAREST), choices.of((*_BEFORE, *_AFTER)).format(t="v")
    text = f"SELECT a.rowtime, a.k, b.v FROM {_from(query)} AS a {kind} {TABLE} AS b"
    return _add_operator_with_free_ties(
        query, f"{text} MATCH_CONDITION ({condition}){choices.of(_SAME_KEY)}"
    )


def _distinct(_choices: Choices, query: Query) -> Query:
    return _add_operator_with_free_ties(
        query, f"SELECT DISTINCT rowtime, k, v FROM {_from(query)} AS a"
    )


def _window(choices: Choices, query: Query) -> Query:
    partition = choices.of(_PARTITIONS)
    by_time = query.free_ties  # the result must not depend on the order of ties
    if choices.coin():
        call, frame = choices.of(_RANKING_BY_TIME if by_time else _RANKING), ""
    else:
        call = choices.of(_AGGREGATES if by_time else _FRAMED)
        frames = choices.of(_FRAMES_BY_TIME if by_time else _FRAMES)
        frame = f" {frames.format(s=choices.of(_SPANS))}"
    over = f"{call} OVER ({partition}ORDER BY rowtime{frame})"
    return _add_operator(query, f"SELECT rowtime, k, {over} AS v FROM {_from(query)} AS a")


def _join(choices: Choices, query: Query) -> Query:
    kind, near = choices.of(_JOINS), choices.of(_NEAR)
    near = near.format(s=choices.of(_SPANS))
    on = choices.of(["a.k = b.k AND ", ""]) + near
    time = choices.of(["a.rowtime", "b.rowtime", "GREATEST(a.rowtime, b.rowtime)"])
    return _add_operator_with_free_ties(
        query,
        f"SELECT {time} AS rowtime, a.k, b.v FROM {_from(query)} AS a "
        f"{kind} {_from(_other(choices))} AS b ON {on}",
    )


def _table_join(choices: Choices, query: Query) -> Query:
    kind = choices.of(_JOINS[:2])
    return _add_operator_with_free_ties(
        query,
        f"SELECT a.rowtime, t.k, a.v FROM {_from(query)} AS a {kind} {TABLE} AS t ON a.k = t.k",
    )


def _set_operation(choices: Choices, query: Query) -> Query:
    operator, other = choices.of(_SETS), _other(choices)
    both = f"SELECT * FROM {_from(query)} AS a {operator} SELECT * FROM {_from(other)} AS b"
    return _add_operator_with_free_ties(query, f"SELECT * FROM ({both}) AS c")


def _sort(choices: Choices, query: Query) -> Query:
    keys = choices.of(_SORTS)
    return _add_operator(query, f"SELECT rowtime, k, v FROM {_from(query)} AS a ORDER BY {keys}")


#: The operators that can stand on one another, the plainest first.
OPERATORS: Final[Mapping[str, _Operator]] = {
    "filter": _filter,
    "project": _project,
    "group": _group,
    "window": _window,
    "set operation": _set_operation,
    "join": _join,
    "table join": _table_join,
    "distinct": _distinct,
    "window table": _window_table,
    "window join": _window_join,
    "sessions": _sessions,
    "ASOF join": _asof_join,
    "ASOF table join": _asof_table_join,
}


# --- operators of changelogs: their rows are never final ------------------------------------------


def _keyed_group(choices: Choices, query: Query) -> Query:
    number, having = choices.of(_AGGREGATES), choices.of(_HAVING)
    text = f"SELECT MAX(rowtime) AS rowtime, k, {number} AS v FROM {_from(query)} AS a"
    return _add_operator_with_free_ties(query, f"{text} GROUP BY k{having}")


def _keyed_join(choices: Choices, query: Query) -> Query:
    tables = f"{_from(query)} AS a {choices.of(_JOINS)} {_from(_other(choices))} AS b"
    time = choices.of(["a.rowtime", "b.rowtime"])
    return _add_operator_with_free_ties(
        query, f"SELECT {time} AS rowtime, a.k, b.v FROM {tables} ON a.k = b.k"
    )


def _first_rows(choices: Choices, query: Query) -> Query:
    """The query with ORDER BY all columns and LIMIT on top: rows that tie are equal."""
    keys, skipped = (
        choices.of(["v DESC, k, rowtime", "rowtime DESC, v, k"]),
        choices.of(["", " OFFSET 1"]),
    )
    text = f"SELECT rowtime, k, v FROM {_from(query)} AS a ORDER BY {keys} LIMIT 2{skipped}"
    return _add_operator_with_free_ties(query, text)


def _known_keys(choices: Choices, query: Query) -> Query:
    known = choices.of(["EXISTS", "NOT EXISTS"])
    condition = f"{known} (SELECT 1 FROM {_from(_other(choices))} AS b WHERE b.k = a.k)"
    return _add_operator_with_free_ties(
        query, f"SELECT * FROM {_from(query)} AS a WHERE {condition}"
    )


_OF_CHANGELOGS: Final[Mapping[str, _Operator]] = {
    "group by key": _keyed_group,
    "join by key": _keyed_join,
    "first rows": _first_rows,
    "known keys": _known_keys,
}
