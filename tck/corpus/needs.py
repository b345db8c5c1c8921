"""Find the capabilities that a case needs: by its expectations, its events and its texts.

A *capability*, such as ``hop``, is a feature that a backend may lack.  A case lists some needs; the
others are implied.  The texts are not parsed, but searched by patterns (`tck.corpus.syntax`).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Final

from grammar.codes import Code, Family, family
from tck.corpus.case import Case
from tck.corpus.syntax import AT_TOP_OF_QUERY, IN_ANY_TEXT, IN_QUERY
from tck.protocol import (
    Bound,
    CloseProducer,
    Elapse,
    End,
    Event,
    Load,
    Now,
    OpenProducer,
    Rows,
)

#: Comments, text literals and quoted names, whose contents are not syntax.  The group is the
#: literal or quoted name; a comment has no group.
_OPAQUE: Final = re.compile(r"--[^\n]*|/\*.*?\*/|('(?:[^']|'')*'|\"(?:[^\"]|\"\")*\")", re.DOTALL)
#: A parenthesis; the group makes `re.split` return the parentheses, too.
_PARENTHESIS: Final = re.compile(r"([()])")
#: OVER with the name or the specification of a window, which can have one level of parentheses.
_WINDOW: Final = re.compile(r"\bOVER\s*(\w+|\([^()]*(?:\([^()]*\)[^()]*)*\))", re.IGNORECASE)
_EMIT_CHANGES: Final = re.compile(r"\bEMIT\s+CHANGES\b", re.IGNORECASE)
#: SELECT; the group is STREAM, if that follows.
_SELECT: Final = re.compile(r"\bSELECT\b(\s+STREAM\b)?", re.IGNORECASE)

#: The capabilities that the functions below deduce without a pattern of `tck.corpus.syntax`.
_OTHERS: Final = (
    *("monotonicity", "metadata", "plan", "schema", "refusals", "failures", "scripts"),
    *("metadata-collation", "metadata-latency", "metadata-sortable", "metadata-state"),
    *("late", "now", "wall-clock", "bounds", "producers", "warnings", "end-of-one-input"),
    *("relational", "history", "stream-table-join", "several-windows"),
)

#: All capabilities that `implied_needs` can return.
IMPLIED: Final = frozenset((*IN_ANY_TEXT, *IN_QUERY, *AT_TOP_OF_QUERY, *_OTHERS))

#: The capabilities that the kit cannot find in a case, so that cases must list them.
LISTED: Final = frozenset(
    {
        "join-by-condition",
        "window-join",
        "t-sort",
        "changing-tables",
        "changes-in-pipelines",
        "moving-clock",
        "uneven-hop",
        "interval-arithmetic",
        "check-constraints",
        "exact-double-sums",
        "infinities",
    }
)

# Capabilities by name: the comment says what a backend with the capability does.

#: Emits the changes of a result, and accepts deletes of input rows (S-1001, S-1005).
CHANGELOGS: Final = "changelogs"
#: Accepts bounds of its inputs from the kit, besides those that rows imply.
BOUNDS: Final = "bounds"
#: Accepts events by which wall-clock time passes.
WALL_CLOCK: Final = "wall-clock"
#: Accepts the end of one stream while other streams continue.
ONE_END: Final = "end-of-one-input"
#: Emits the rows of a stream in the order of their rowtimes (S-303).
ORDERED_OUTPUT: Final = "ordered-output"
#: Reports the expression at which a query fails at run time, in cases that expect it (S-802).
FAILURE_PLACES: Final = "failure-places"
#: Reports the rows that it has dropped; without it, only the emitted rows are judged.
LATE_REPORTS: Final = "late-reports"
#: Reports which columns are NOT NULL; without it, only names and types of a `schema` are judged.
NOT_NULL: Final = "not-null"

#: The capabilities without which cases are run, but judged less strictly (`tck.judging.leniency`).
EASING: Final = frozenset({ORDERED_OUTPUT, FAILURE_PLACES, LATE_REPORTS, NOT_NULL})

#: By class of an event: the capabilities that such an event can need.
_NEEDS_OF_EVENTS: Final[Mapping[type[Event], frozenset[str]]] = {
    Load: frozenset({"history", "stream-table-join"}),
    Rows: frozenset({"late", "changing-tables", "changing-streams", "producers"}),
    Bound: frozenset({BOUNDS, "warnings", "producers"}),
    OpenProducer: frozenset({"producers"}),
    CloseProducer: frozenset({"producers"}),
    Now: frozenset({"now"}),
    Elapse: frozenset({WALL_CLOCK}),
    End: frozenset({ONE_END}),
}

#: The codes of failures at run time; a script, which is run at once, can be refused with one.
_RUN_TIME: Final = frozenset(code for code in Code if family(code) is Family.RUNTIME)


def known_words(cases: Iterable[Case]) -> frozenset[str]:
    """The names of all capabilities: those of this module, and those that ``cases`` list."""
    return IMPLIED.union(LISTED, EASING, *(case.needs for case in cases))


def needs_of(case: Case) -> tuple[str, ...]:
    """The capabilities that a case needs, each once: those that it lists, then the implied ones."""
    return tuple(dict.fromkeys((*case.needs, *implied_needs(case))))


def needs_of_event(case: Case, event: Event) -> tuple[str, ...]:
    """The needs of a case that can be about one of its events.

    If a backend does not implement the event, it probably lacks one of these capabilities.  Empty
    if no need of the case is about such events.
    """
    possible = _NEEDS_OF_EVENTS[type(event)]
    return tuple(need for need in needs_of(case) if need in possible)


def implied_needs(case: Case) -> Iterator[str]:
    """The capabilities that a case needs besides those that it lists, each once."""
    yield from _by_expectations(case)
    yield from _by_events(case)
    yield from _by_text(case.sql or "", case.equal_to or "", case.ddl)


@cache
def says_stream(sql: str) -> bool:
    """Whether the query itself has SELECT STREAM, and not only a subquery or WITH list in it.

    >>> says_stream("WITH t AS (SELECT STREAM * FROM Orders) SELECT orderId FROM t")
    False
    """
    query = _bare(sql)
    while (first := _SELECT.search(_top(query))) is None and ")" in query:
        # The query is in parentheses, or its last branch is.  Without the last ")", its "(" has no
        # partner, so `_top` retains the text after it.
        before, _, after = query.rpartition(")")
        query = f"{before} {after}"
    return first is not None and first[1] is not None


@cache
def emits_changes(sql: str | None) -> bool:
    """Whether a query has EMIT CHANGES, so that its result is a changelog.

    >>> emits_changes("SELECT STREAM k, COUNT(*) FROM t GROUP BY k EMIT CHANGES")
    True
    """
    return sql is not None and _EMIT_CHANGES.search(_top(_bare(sql))) is not None


def _by_expectations(case: Case) -> Iterator[str]:
    """The capabilities that the expectations of a case need."""
    if case.monotonicity:
        yield "monotonicity"
    if case.metadata:
        yield "metadata"
        yield from (f"metadata-{key}" for key in case.metadata)
    if case.plan is not None:
        yield "plan"
    if case.schema is not None:
        yield "schema"
    if case.error and case.error.code not in _RUN_TIME:
        yield "refusals"
    if case.failure or (case.error and case.error.code in _RUN_TIME):
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
    if any(isinstance(event, Elapse) for event in events):
        yield WALL_CLOCK
    if any(isinstance(event, Bound) for event in events):
        yield BOUNDS
    if case.has_producers:
        yield "producers"
    if any(step.warnings for step in case.steps):
        yield "warnings"
    one_ends = any(isinstance(event, End) and event.input is not None for event in events)
    if one_ends and len(_declared("STREAM", _bare(case.ddl))) > 1:
        yield ONE_END


@cache
def _by_text(sql: str, equal_to: str, ddl: str) -> tuple[str, ...]:
    """The capabilities that the texts of a case need: its query, ``equal_to``, and its script."""
    query = _bare(f"{sql}\n;{equal_to}")
    script = _bare(ddl)
    in_texts = _in_text(query) | _in_text(script)
    needs = [
        *(need for need in IN_ANY_TEXT if need in in_texts),
        *(need for need, form in IN_QUERY.items() if form.search(query)),
        *(need for need, form in AT_TOP_OF_QUERY.items() if form.search(_top(query))),
    ]
    if len(_windows(query)) > 1:
        needs.append("several-windows")
    queries = [each for each in (sql, equal_to) if each]
    # A query may read a stream or table through a view.  Which view is not looked up, so all views
    # of the script count.
    views = _views(script)
    relational = "\n".join(_bare(each) for each in queries if not says_stream(each))
    if relational:
        needs.append("relational")
        if _names_one(f"{relational}\n{views}", _declared("STREAM", script)):
            needs.append("history")
    streaming = "\n".join(_bare(each) for each in queries if says_stream(each))
    if "joins" in needs and streaming:
        tables = _declared("TABLE", script)
        needs += ["stream-table-join"] if _names_one(f"{streaming}\n{views}", tables) else []
    return tuple(needs)


@cache
def _in_text(text: str) -> frozenset[str]:
    """The capabilities of `IN_ANY_TEXT` that a text without comments and literals needs.

    Cached, because many cases share their DDL.
    """
    return frozenset(need for need, form in IN_ANY_TEXT.items() if form.search(text))


def _windows(query: str) -> set[str]:
    """The windows after OVER in a query, as names or specifications, each once."""
    return {" ".join(found.upper().split()) for found in _WINDOW.findall(query)}


def _bare(sql: str) -> str:
    """The text without comments, and with text literals and quoted names made empty."""

    def without_contents(found: re.Match[str]) -> str:
        """Two quotes in place of a literal or quoted name; a blank in place of a comment."""
        return found[1][0] * 2 if found[1] else " "

    return _OPAQUE.sub(without_contents, sql)


def _top(sql: str) -> str:
    """The text without pairs of parentheses and their contents; unpaired parentheses stay.

    >>> _top("SELECT (a + (b)), c FROM t) ((")
    'SELECT , c FROM t) (('
    """
    pieces: list[str] = []
    opened: list[int] = []  # the places of parentheses in ``pieces`` that are not closed yet
    for piece in _PARENTHESIS.split(sql):
        if piece == ")" and opened:
            del pieces[opened.pop() :]
            continue
        if piece == "(":
            opened.append(len(pieces))
        pieces.append(piece)
    return "".join(pieces)


def _declared(kind: str, script: str) -> list[str]:
    """The names of the objects of a kind, STREAM or TABLE, that a script creates."""
    found: list[str] = re.findall(rf"(?i)\bCREATE\s+(?:OR\s+REPLACE\s+)?{kind}\s+([\w.]+)", script)
    return found


def _views(script: str) -> str:
    """The CREATE VIEW statements of a script."""
    return "\n".join(s for s in script.split(";") if IN_ANY_TEXT["views"].search(s))


def _names_one(text: str, names: list[str]) -> bool:
    """Whether a text has one of the names, as a word."""
    return any(re.search(rf"(?i)\b{re.escape(name)}\b", text) for name in names)
