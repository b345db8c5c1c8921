"""Generated streaming queries in SQL, grown from the streams of a generated catalog."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from tests.reference.incremental.plans_of_two import joined, united
from tests.reference.incremental.sources import STREAMS, Item, Source

_TABLE = """
CREATE TABLE T (k INTEGER, name VARCHAR(2));
INSERT INTO T VALUES (0, 'x'), (1, 'y'), (1, 'z'), (NULL, 'n');
"""
_ROWTIMES = (
    *["ASCENDING"] * 4,
    *["ASCENDING STRICT"] * 2,
    "ASCENDING WITHIN INTERVAL '2' MINUTE",
    "ASCENDING WITHIN 2 ROWS",
    "ASCENDING PUNCTUATED",
)
_NUMBERS = ("ASCENDING", "ASCENDING STRICT", "ASCENDING WITHIN 1 ROWS", "ASCENDING PUNCTUATED")
_MORE = ("VARCHAR(2)", "DECIMAL(6, 2)", "DOUBLE", "BOOLEAN")


@dataclass(frozen=True)
class Script:
    """A catalog and a query on it."""

    ddl: str
    sql: str
    sqlstream: bool


Step: TypeAlias = Callable[[DrawFn, Source], Source | None]


@st.composite
def scripts(draw: DrawFn, most_steps: int = 3) -> Script:
    """A query of up to so many operators over three streams; nearly all of them can be streamed."""
    ddl, fresh = draw(_catalogs())
    source = fresh(draw)
    for _ in range(draw(st.integers(1, most_steps))):
        source = _grown(draw, source, fresh)
    return Script(ddl, source.top, draw(st.integers(0, 3)) == 0)


@st.composite
def nested_scripts(draw: DrawFn, levels: int = 3) -> Script:
    """A query of so many operators with state, each over the one before, and some without."""
    ddl, fresh = draw(_catalogs())
    source = fresh(draw)
    for _ in range(levels):
        if draw(st.integers(0, 2)) == 0:
            between = draw(st.sampled_from(_STATELESS))(draw, source)
            source = source if between is None else between
        if draw(st.integers(0, 2)):
            grown = draw(st.sampled_from(_STATEFUL))(draw, source)
        else:
            grown = _beside(draw, source, fresh)
        source = source if grown is None else grown
    return Script(ddl, source.top, draw(st.integers(0, 3)) == 0)


@st.composite
def _catalogs(draw: DrawFn) -> tuple[str, Callable[[DrawFn], Source]]:
    more = draw(st.sampled_from(_MORE))
    descending = draw(st.integers(0, 4)) == 0
    ddl = ""
    for name in STREAMS:
        number = draw(st.sampled_from(_NUMBERS))
        number = number.replace("ASCENDING", "DESCENDING", 1) if descending else number
        ddl += (
            f"CREATE STREAM {name} (rowtime TIMESTAMP(3) {draw(st.sampled_from(_ROWTIMES))},"
            f" n INTEGER {number}, k INTEGER, v INTEGER, x {more});\n"
        )
    items = (
        Item("rowtime", moves=True, whole=False),
        Item("n", moves=True),
        Item("k"),
        Item("v"),
        Item("x", whole=False),
    )

    def fresh(draw: DrawFn) -> Source:
        return Source(draw(st.sampled_from(STREAMS)), items)

    return ddl + _TABLE, fresh


def _grown(draw: DrawFn, source: Source, fresh: Callable[[DrawFn], Source]) -> Source:
    """One operator more on ``source``, alone or with another that is a stream or little more."""
    if draw(st.integers(0, 2)):
        found = draw(st.sampled_from(_STEPS))(draw, source)
        return source if found is None else found
    found = _beside(draw, source, fresh)
    return source if found is None else found


def _beside(draw: DrawFn, source: Source, fresh: Callable[[DrawFn], Source]) -> Source | None:
    """``source`` joined or united with a stream, or with little more than one."""
    other = fresh(draw)
    if draw(st.booleans()):
        grown = draw(st.sampled_from(_BESIDE))(draw, other)
        other = other if grown is None else grown
    return draw(st.sampled_from([united, joined, joined]))(draw, source, other)


# --- one input ----------------------------------------------------------------------------------


def _filter(draw: DrawFn, source: Source) -> Source | None:
    conditions = ["1 = 1"]
    for each in source.numbers:
        conditions += [f"{each} = 1", f"{each} < 2", f"{each} <> 0 OR {each} IS NULL"]
        conditions += [f"{each} IN (SELECT k FROM T)"]
        conditions += [f"EXISTS (SELECT 1 FROM T AS t WHERE t.k = q.{each})"]
        conditions += [f"{each} < (SELECT MAX(k) FROM T)"]
    if source.has("rowtime"):
        conditions.append("rowtime >= TIMESTAMP '2015-02-15 10:05:00'")
    condition = draw(st.sampled_from(conditions))
    return replace(source, text=f"SELECT~ * FROM {source.nested} AS q WHERE {condition}")


def _project(draw: DrawFn, source: Source) -> Source | None:
    made: list[str] = []
    items: list[Item] = []
    for each in source.items:
        if each.name == "rowtime":
            forms = ["rowtime", "rowtime", "rowtime + INTERVAL '7' MINUTE", "CEIL(rowtime TO HOUR)"]
            forms += ["rowtime - INTERVAL '1' DAY", "FLOOR(rowtime TO MINUTE)", ""]
        elif each.moves:
            forms = ["{}", "{} + 1", "{} / 2", ""]
        elif each.whole:
            forms = ["{}", "{}", "{} + 1", ""]
        else:
            forms = ["{}", ""]
        form = draw(st.sampled_from(forms))
        word = source.arrival and each.whole and draw(st.integers(0, 5)) == 0
        if form and word:  # among ties the order decides which row is late
            form = f"MONOTONIC({form})"
        if form:
            made.append(f"{form.format(each.name)} AS {each.name}")
            items.append(replace(each, moves=each.moves or word))
    if not any(each.moves for each in items):
        return None
    order = draw(st.permutations(range(len(made))))
    text = f"SELECT~ {', '.join(made[i] for i in order)} FROM {source.nested} AS q"
    return Source(text, tuple(items[i] for i in order), source.arrival)


_HOURS = ("INTERVAL '2' MINUTE", "INTERVAL '10' MINUTE", "INTERVAL '90' SECOND")
_MONTHS = ("INTERVAL '1' MONTH", "INTERVAL '2' MONTH", "INTERVAL '1' YEAR")


def _time_key(draw: DrawFn) -> tuple[str, list[str]]:
    """A key that is of the rowtime, and what may stand for it in the select list."""
    form = draw(st.sampled_from(["FLOOR", "CEIL", "STEP", "TUMBLE", "TUMBLE", "HOP", "HOP"]))
    if form in ("FLOOR", "CEIL"):
        key = f"{form}(rowtime TO {draw(st.sampled_from(['MINUTE', 'HOUR', 'DAY', 'MONTH']))})"
        return key, [key]
    sizes = draw(st.sampled_from([_HOURS, _HOURS, _MONTHS]))
    if form == "STEP":
        key = f"STEP(rowtime BY {draw(st.sampled_from(_HOURS))})"
        return key, [key]
    arguments = ["rowtime", draw(st.sampled_from(sizes))]
    if form == "HOP":
        arguments.append(draw(st.sampled_from(sizes)))
    if sizes is _HOURS and draw(st.booleans()):
        arguments.append("TIME '00:01:00'")
    inside = ", ".join(arguments)
    return f"{form}({inside})", [f"{form}_END({inside})", f"{form}_START({inside})"]


def _measures(draw: DrawFn, source: Source) -> list[str]:
    choices = ["COUNT(*)"]
    for each in source.numbers:
        choices += [f"SUM({each})", f"MIN({each})", f"MAX({each})", f"AVG({each})"]
        choices += [f"COUNT(DISTINCT {each})", f"SUM({each}) FILTER (WHERE {each} > 0)"]
        choices += [f"MEDIAN({each})"]
    if source.has("x"):
        choices += ["COUNT(x)", "MIN(x)", "MAX(x)"]
    if source.has("rowtime"):
        choices += ["MAX(rowtime)"]
    if source.arrival and source.numbers:
        choices += [f"ANY_VALUE({source.numbers[0]})"]
    return draw(st.lists(st.sampled_from(choices), min_size=1, max_size=2))


def _group(draw: DrawFn, source: Source) -> Source | None:
    shown: list[str] = []
    items: list[Item] = []
    if source.has("rowtime") and draw(st.integers(0, 3)):
        key, ends = _time_key(draw)
        shown.append(f"{draw(st.sampled_from([ends[0], *ends]))} AS rowtime")
        items.append(Item("rowtime", moves=True, whole=False))
    elif source.has("n") and "n" in source.moving:
        key = draw(st.sampled_from(["n", "n / 2", "n + 1", "STEP(n BY 2)"]))
        shown.append(f"{key} AS n")
        items.append(Item("n", moves=True))
    else:
        return None
    keys = [key]
    more = draw(st.lists(st.sampled_from([*source.numbers, "x"]), max_size=2, unique=True))
    more = [each for each in more if source.has(each)]
    for each in more:
        shown.append(each)
        items.append(Item(each, whole=each != "x"))
    grouped = ", ".join(keys + more)
    if more and draw(st.integers(0, 2)) == 0:
        inner = ", ".join(more)
        forms = [f"{key}, ROLLUP({inner})", f"GROUPING SETS (({key}, {inner}), ({key}))"]
        grouped = draw(st.sampled_from([*forms, f"{key}, CUBE({inner})"]))
    for place, measure in enumerate(_measures(draw, source)):
        shown.append(f"{measure} AS m{place}")
        items.append(Item(f"m{place}", whole="x" not in measure and "rowtime" not in measure))
    having = draw(st.sampled_from(["", "", " HAVING COUNT(*) > 1"]))
    text = f"SELECT~ {', '.join(shown)} FROM {source.nested} AS q GROUP BY {grouped}{having}"
    return Source(text, tuple(items), arrival=False)


def _distinct(_draw: DrawFn, source: Source) -> Source | None:
    if not source.moving:
        return None
    return replace(source, text=f"SELECT~ DISTINCT * FROM {source.nested} AS q", arrival=False)


def _over(draw: DrawFn, source: Source) -> Source | None:
    if not source.has("rowtime") or source.has("w"):
        return None
    number = draw(st.sampled_from([*source.numbers, "1"]))
    calls = ["COUNT(*)", f"SUM({number})", f"MIN({number})", f"MAX({number})", f"AVG({number})"]
    frames = [
        "RANGE INTERVAL '2' MINUTE PRECEDING",
        "RANGE BETWEEN INTERVAL '3' MINUTE PRECEDING AND INTERVAL '1' MINUTE PRECEDING",
        "RANGE BETWEEN INTERVAL '1' MINUTE PRECEDING AND INTERVAL '2' MINUTE FOLLOWING",
        "RANGE BETWEEN INTERVAL '1' MINUTE FOLLOWING AND INTERVAL '3' MINUTE FOLLOWING",
        "RANGE BETWEEN INTERVAL '1' MINUTE PRECEDING AND INTERVAL '0' MINUTE PRECEDING",
    ]
    if source.arrival:  # CURRENT ROW is the row itself in one profile, and so open where ties are
        calls += [f"FIRST_VALUE({number})", f"LAST_VALUE({number})"]
        frames += ["RANGE UNBOUNDED PRECEDING", "", "ROWS 2 PRECEDING", "ROWS CURRENT ROW"]
        frames += ["ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING", "GROUPS 1 PRECEDING"]
        frames += ["GROUPS BETWEEN CURRENT ROW AND 1 FOLLOWING"]
        frames += ["RANGE BETWEEN CURRENT ROW AND INTERVAL '1' MINUTE FOLLOWING EXCLUDE TIES"]
        frames += ["ROWS BETWEEN 2 PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW"]
    partition = draw(st.sampled_from(["", *[f"PARTITION BY {e} " for e in source.numbers]]))
    call = f"{draw(st.sampled_from(calls))} OVER ({partition}ORDER BY rowtime"
    over = f"{call} {draw(st.sampled_from(frames))})"
    hour = f"PARTITION BY FLOOR(rowtime TO {draw(st.sampled_from(['MINUTE', 'HOUR']))})"
    forms = [over, over, over]
    forms += [f"RANK() OVER ({hour} ORDER BY {number})", f"SUM({number}) OVER ({hour})"]
    if source.arrival:
        forms += [
            f"{each}({number}) OVER ({partition}ORDER BY rowtime)" for each in ("LAG", "LEAD")
        ]
        last = "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"
        forms += [f"COUNT(*) OVER ({hour} ORDER BY rowtime {last})"]
    text = f"SELECT~ q.*, {draw(st.sampled_from(forms))} AS w FROM {source.nested} AS q"
    return Source(text, (*source.items, Item("w")), source.arrival)


def _over_twice(draw: DrawFn, source: Source) -> Source | None:
    """Two calls over frames that start in different ways."""
    if not source.has("rowtime") or source.has("w"):
        return None
    number, month = draw(st.sampled_from([*source.numbers, "1"])), "INTERVAL '1' MONTH"
    frames = [
        "ORDER BY rowtime RANGE INTERVAL '2' MINUTE PRECEDING",
        f"ORDER BY rowtime RANGE {month} PRECEDING",
        f"ORDER BY rowtime RANGE BETWEEN {month} PRECEDING AND INTERVAL '1' DAY FOLLOWING",
    ]
    if "n" in source.moving:
        frames += [f"ORDER BY n RANGE {each} PRECEDING" for each in (1, 3)]
        frames += ["ORDER BY n RANGE BETWEEN 2 PRECEDING AND 1 FOLLOWING"]
    if source.arrival:
        frames += ["ORDER BY rowtime", "ORDER BY rowtime ROWS 2 PRECEDING"]
        frames += ["ORDER BY rowtime ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING"]
    made = [f"SUM({number}) OVER ({draw(st.sampled_from(frames))})" for _ in range(2)]
    text = f"SELECT~ q.*, {made[0]} AS w, {made[1]} AS w2 FROM {source.nested} AS q"
    return Source(text, (*source.items, Item("w"), Item("w2")), source.arrival)


def _sort(draw: DrawFn, source: Source) -> Source | None:
    if not source.has("rowtime"):
        return None
    more = draw(st.sampled_from([*source.numbers, "rowtime"]))
    if draw(st.integers(0, 3)) == 0:
        key = f"FLOOR(rowtime TO HOUR), {more}"
        items = tuple(replace(each, moves=False) for each in source.items)
        text = f"SELECT~ * FROM {source.nested} AS q ORDER BY {key}"
        return Source(text, items, source.arrival)
    within = draw(st.sampled_from(["", "", " WITHIN INTERVAL '2' MINUTE"]))
    key = f"rowtime{within}" + draw(st.sampled_from(["", f", {more}"]))
    items = tuple(replace(each, moves=each.name == "rowtime") for each in source.items)
    return Source(f"SELECT~ * FROM {source.nested} AS q ORDER BY {key}", items, source.arrival)


def _t_sort(draw: DrawFn, source: Source) -> Source | None:
    """By a time that strays, and may be NULL; some rows are late."""
    if not source.has("rowtime") or not source.arrival or not source.numbers:
        return None
    number = draw(st.sampled_from(source.numbers))
    strays = f"rowtime - {number} * INTERVAL '1' MINUTE"
    kept = [each for each in source.items if each.name != "rowtime"]
    names = ", ".join(each.name for each in kept)
    within = draw(st.sampled_from(["INTERVAL '1' MINUTE", "INTERVAL '150' SECOND"]))
    inner = f"SELECT~ {strays} AS t, {names} FROM {source.nested} AS p ORDER BY t WITHIN {within}"
    text = f"SELECT~ t AS rowtime, {names} FROM ({inner.replace('~', '')}) AS q"
    items = (Item("rowtime", moves=True, whole=False), *(replace(e, moves=False) for e in kept))
    return Source(text, items, source.arrival)


def _table_join(draw: DrawFn, source: Source) -> Source | None:
    if not source.numbers or source.has("name"):
        return None
    on = f"q.{draw(st.sampled_from(source.numbers))} = t.k"
    forms = [f"{{}} AS q JOIN T AS t ON {on}", f"{{}} AS q LEFT JOIN T AS t ON {on}"]
    forms += [f"T AS t RIGHT JOIN {{}} AS q ON {on}"]
    text = f"SELECT~ q.*, t.name AS name FROM {draw(st.sampled_from(forms)).format(source.nested)}"
    return Source(text, (*source.items, Item("name", whole=False)), arrival=False)


#: The operators of one input; those without state and those with it; those of another input.
_STEPS: Sequence[Step] = (
    *(_filter, _project, _distinct, _sort, _t_sort, _table_join),
    *(_group, _group, _group, _over, _over),
)
_STATELESS: Sequence[Step] = (_filter, _project, _project, _table_join)
_STATEFUL: Sequence[Step] = (_group, _group, _group, _over, _over_twice, _sort, _distinct)
_BESIDE: Sequence[Step] = (_filter, _project, _project, _group, _group, _over, _table_join)
