"""The capabilities that a case needs by its expectations, its events and the text of its query."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Final

from tck.corpus.case import Case
from tck.protocol import Bound, Now

#: Comments, text literals and quoted names: their contents are no syntax.
_OPAQUE: Final = re.compile(r"--[^\n]*|/\*.*?\*/|('(?:[^']|'')*'|\"(?:[^\"]|\"\")*\")", re.DOTALL)
_INNERMOST: Final = re.compile(r"\([^()]*\)")
_UNITS: Final = "YEAR|QUARTER|MONTH|WEEK|DAY|HOUR|MINUTE|SECOND|MILLISECOND"


def _syntax(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace(" ", r"\s+"), re.IGNORECASE)


#: The syntax, in the query or the DDL, that needs each capability.
_IN_ANY_TEXT: Final[Mapping[str, re.Pattern[str]]] = {
    "streaming": _syntax(r"\bSELECT STREAM\b"),
    "disorder": _syntax(r"\bASCENDING (?:WITHIN|PUNCTUATED)\b"),
    "dml": _syntax(r"(?:^|;)\s*(?:INSERT|UPDATE|DELETE|MERGE|UPSERT)\b"),
    "pumps": _syntax(r"\bPUMP\b"),
    "views": _syntax(r"\bCREATE (?:OR REPLACE )?VIEW\b"),
    "tumble": _syntax(r"\bTUMBLE\s*\("),
    "hop": _syntax(r"\bHOP\s*\("),
    "over": _syntax(r"\bOVER\b|\bWINDOW \w+ AS\b"),
    "groups-frames": _syntax(
        r"\bGROUPS (?:BETWEEN\b|(?:UNBOUNDED|CURRENT|\S+) (?:PRECEDING|FOLLOWING|ROW)\b)"
    ),
    "frame-exclusion": _syntax(r"\bEXCLUDE (?:CURRENT ROW|GROUP|TIES|NO OTHERS)\b"),
    "ignore-nulls": _syntax(r"\b(?:IGNORE|RESPECT) NULLS\b"),
    "within-group": _syntax(r"\bWITHIN GROUP\s*\("),
    "similar-to": _syntax(r"\bSIMILAR TO\b"),
    "grouping-sets": _syntax(r"\bGROUPING SETS\b|\b(?:CUBE|ROLLUP|GROUPING|GROUP_ID)\s*\("),
    "set-operations": _syntax(r"\b(?:UNION|INTERSECT|EXCEPT)\b"),
    "joins": _syntax(r"\bJOIN\b"),
    "subqueries": _syntax(r"\(\s*SELECT\b"),
    "versioned-tables": _syntax(r"\bFOR SYSTEM_TIME\b|\bPERIOD\s*\("),
    "intervals": _syntax(r"\bINTERVAL\b"),
    "datetime-literals": _syntax(r"\b(?:DATE|TIME|TIMESTAMP)\s*'"),
    "floor-to-unit": _syntax(
        rf"\b(?:FLOOR|CEIL|CEILING)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*?\bTO (?:{_UNITS})\b"
    ),
    "extract": _syntax(r"\bEXTRACT\s*\("),
    "step": _syntax(r"\bSTEP\s*\("),
    "column-lists": _syntax(r"\)\s*AS \w+\s*\(\s*[^\W\d]"),
}

_SELECT: Final = _syntax(r"\bSELECT\b( STREAM\b)?")

#: The same, for syntax in the query only.
_IN_QUERY: Final[Mapping[str, re.Pattern[str]]] = {
    "values": _syntax(r"\bVALUES\b"),
    "with": _syntax(r"^\s*WITH\b"),
    "t-sort": _syntax(r"\bORDER BY [^()]*\bWITHIN\b(?!\s+GROUP\b)"),
    "with-ties": _syntax(r"\bWITH TIES\b"),
}

#: The same, for syntax in the query outside all parentheses, where ORDER BY is no window's.
_AT_TOP_OF_QUERY: Final[Mapping[str, re.Pattern[str]]] = {
    "order-by": _syntax(r"\bORDER BY\b"),
    "limit": _syntax(r"\b(?:LIMIT|OFFSET|FETCH)\b"),
}


#: The capabilities that the expectations, the events and the names in a case need.
_OTHERS: Final = (
    *("monotonicity", "metadata", "plan", "schema", "refusals", "failures", "scripts"),
    *("late", "now", "bounds", "producers"),
    *("relational", "history", "stream-table-join"),
)

#: All capabilities that `implied_needs` can give.
IMPLIED: Final = frozenset((*_IN_ANY_TEXT, *_IN_QUERY, *_AT_TOP_OF_QUERY, *_OTHERS))


#: Emits the rows of a stream in the order of their rowtimes (S-303).
ORDERED_OUTPUT: Final = "ordered-output"

#: Says of a failure at run time which expression failed, at a case that expects it (S-802).
FAILURE_PLACES: Final = "failure-places"

#: The capabilities that no case needs: without one, a case runs and less of it is judged.
EASING: Final = frozenset({ORDERED_OUTPUT, FAILURE_PLACES})


def known_words(cases: Iterable[Case]) -> frozenset[str]:
    """The names of capabilities: the kit's own, and those that these cases list."""
    return IMPLIED.union(EASING, *(case.needs for case in cases))


def needs_of(case: Case) -> tuple[str, ...]:
    """The capabilities that a case needs, each once: those it lists, then those it implies."""
    return tuple(dict.fromkeys((*case.needs, *implied_needs(case))))


def implied_needs(case: Case) -> Iterator[str]:
    """The capabilities that a case needs besides those that it lists, each once."""
    yield from _by_expectations(case)
    yield from _by_events(case)
    yield from _by_text(case.sql or "", case.equal_to or "", case.ddl)


@cache
def says_stream(sql: str) -> bool:
    """Whether a query says SELECT STREAM: it itself, not a subquery, a WITH list or a view of it.

    >>> says_stream("WITH t AS (SELECT STREAM * FROM Orders) SELECT orderId FROM t")
    False
    """
    query = _bare(sql)
    while (first := _SELECT.search(_top(query))) is None and ")" in query:
        # The query is in parentheses, or its last branch is: what they hold comes to the top.
        before, _, after = query.rpartition(")")
        query = f"{before} {after}"
    return first is not None and first[1] is not None


def _by_expectations(case: Case) -> Iterator[str]:
    """The capabilities that the expectations of a case need."""
    if case.monotonicity:
        yield "monotonicity"
    if case.metadata:
        yield "metadata"
    if case.plan is not None:
        yield "plan"
    if case.schema is not None:
        yield "schema"
    if case.error:
        yield "refusals"
    if case.failure:
        yield "failures"
    if case.sql is None:
        yield "scripts"


def _by_events(case: Case) -> Iterator[str]:
    """The capabilities that the events of a case need."""
    events = [event for step in case.steps for event in step.events]
    if any(step.late for step in case.steps):
        yield "late"
    if any(isinstance(event, Now) for event in events):
        yield "now"
    if any(isinstance(event, Bound) for event in events):
        yield "bounds"
    if any(step.producer or step.producers for step in case.steps):
        yield "producers"


@cache
def _by_text(sql: str, equal_to: str, ddl: str) -> tuple[str, ...]:
    """The capabilities that the texts of a case need."""
    query = _bare(f"{sql}\n;{equal_to}")
    script = _bare(ddl)
    needs = [
        *(need for need, form in _IN_ANY_TEXT.items() if form.search(f"{query}\n;{script}")),
        *(need for need, form in _IN_QUERY.items() if form.search(query)),
        *(need for need, form in _AT_TOP_OF_QUERY.items() if form.search(_top(query))),
    ]
    if not sql:
        return tuple(needs)
    read = f"{query}\n{_views(script)}"
    if "streaming" not in needs:
        needs.append("relational")
        if _names_one(read, _declared("STREAM", script)):
            needs.append("history")
    elif "joins" in needs and _names_one(read, _declared("TABLE", script)):
        needs.append("stream-table-join")
    return tuple(needs)


def _bare(sql: str) -> str:
    """The text without comments, and with text literals and quoted names made empty."""
    return _OPAQUE.sub(lambda found: found[1][0] * 2 if found[1] else " ", sql)


def _top(sql: str) -> str:
    """The text without parentheses and their contents."""
    while (cut := _INNERMOST.sub("", sql)) != sql:
        sql = cut
    return sql


def _declared(kind: str, script: str) -> list[str]:
    """The names of the objects of a kind, STREAM or TABLE, that a script creates."""
    found: list[str] = re.findall(rf"(?i)\bCREATE\s+(?:OR\s+REPLACE\s+)?{kind}\s+([\w.]+)", script)
    return found


def _views(script: str) -> str:
    """The CREATE VIEW statements of a script."""
    return "\n".join(s for s in script.split(";") if _IN_ANY_TEXT["views"].search(s))


def _names_one(text: str, names: list[str]) -> bool:
    return any(re.search(rf"(?i)\b{re.escape(name)}\b", text) for name in names)
