"""Checks that reject wrong uses of EMIT, of changelogs, and of streams WITH CHANGES.

The first line of each docstring is a rule.  A query that breaks the rule is rejected: the fault is
noted in the environment, or raised at once if nothing else can be checked after it.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from algebra.binding.scope.calls import nodes_in
from algebra.binding.scope.environment import Environment, Modality
from algebra.catalog import Stream, Table
from algebra.parts.mentions import reads_clock
from algebra.plan import Plan
from algebra.refusal import suggest_query
from algebra.refusal.suggestion import insert, leave_out
from grammar import statement as syntax
from grammar import tree
from grammar.codes import Code
from grammar.source import Edit, Span
from grammar.suggestion import Suggestion


def check_emit(query: tree.Query, environment: Environment) -> bool:
    """S-1001, S-1006: a query that has EMIT has STREAM; returns whether this holds.

    Defines: S-1001.g, S-1006.d
    """
    if query.emit is None or environment.modality is not Modality.RELATION:
        return True
    environment.fault(
        Code.EMIT_MISPLACED,
        "EMIT belongs to a streaming query: it says which rows a stream emits",
        query.emit.span,
        "write SELECT STREAM",
        partial(suggest_query.suggest_with_stream, query),
    )
    return False


def check_emit_at_the_end(query: tree.Query, environment: Environment) -> None:
    """S-1006: EMIT is at the end of the whole query, and not of a query inside another.

    Defines: S-1006.e
    """
    if query.emit is not None and query is not environment.query:
        environment.fault(
            Code.EMIT_MISPLACED,
            "EMIT belongs at the end of the whole query",
            query.emit.span,
            "leave it out here",
            partial(_suggest_leaving_out, query.emit.span, environment.sql),
        )


def _suggest_leaving_out(at: Span, sql: str) -> Iterator[Suggestion]:
    """Suggest the query without the EMIT at ``at``."""
    yield Suggestion("leave it out here", (leave_out(at, sql),))


def check_clock(plan: Plan, query: tree.Query, environment: Environment) -> None:
    """S-1001: a changelog is the same in all runs, so it does not read the session's clock.

    Defines: S-1001.f
    """
    if environment.modality is not Modality.CHANGES or not reads_clock(plan):
        return
    clocks = list(_clocks(query))
    environment.fault(
        Code.NOT_DETERMINISTIC,
        "a changelog cannot read the session's clock: its rows would change without an event",
        clocks[0].span if clocks else query.span,
        "let the producer put the time into each row",
        partial(_suggest_constants, clocks),
    )


#: The constant that replaces each function that reads the clock.
_CONSTANTS: Final = {
    "CURRENT_DATE": "DATE '2015-02-15'",
    "CURRENT_TIME": "TIME '10:00:00'",
    "LOCALTIME": "TIME '10:00:00'",
}


def _suggest_constants(clocks: Sequence[tree.CurrentTime]) -> Iterator[Suggestion]:
    """Suggest a constant in place of each reading of the clock."""
    times = (_CONSTANTS.get(each.function, "TIMESTAMP '2015-02-15 10:00:00'") for each in clocks)
    edits = tuple(Edit(each.span, time) for each, time in zip(clocks, times, strict=True))
    if edits:
        yield Suggestion("write a constant, or let the producer put the time into each row", edits)


def _clocks(node: object) -> Iterator[tree.CurrentTime]:
    """The expressions of a query that read the clock, in the order of the text."""
    return (each for each in nodes_in(node) if isinstance(each, tree.CurrentTime))


def check_changing(found: Table, name: tree.Name, environment: Environment) -> None:
    """S-1005: only a relational query or EMIT CHANGES reads a stream WITH CHANGES.

    In the catalog, such a stream is a `Table` that is ``changing``.

    Defines: S-1005.g
    """
    if not found.changing or environment.modality not in (Modality.STREAM, Modality.SUBQUERY):
        return
    raise environment.refusal(
        Code.NOT_APPEND_ONLY,
        f"the rows of '{name.parts[-1].name}' can be deleted again, and SELECT STREAM emits rows "
        "that are final",
        name.span,
        "write EMIT CHANGES at the end of the query",
        partial(_suggest_emit_changes, environment.query),
    )


def _suggest_emit_changes(query: tree.Query | None) -> Iterator[Suggestion]:
    """Suggest the query with EMIT CHANGES; nothing if it has an EMIT, or is None."""
    if query is not None and query.emit is None:
        added = insert(query.span.end, " EMIT CHANGES")
        yield Suggestion("write EMIT CHANGES, to get the changes of the result", (added,))


def check_target(
    target: Table | Stream, node: syntax.Insert, modality: Modality, environment: Environment
) -> None:
    """S-1005: the changes of a query go into a stream WITH CHANGES, a `Table` that is ``changing``.

    Defines: S-1005.h
    """
    changing = isinstance(target, Table) and target.changing
    if modality is Modality.CHANGES and not changing:
        raise environment.error(
            Code.NOT_APPEND_ONLY,
            f"'{node.target.parts[-1].name}' only takes rows, and EMIT CHANGES deletes rows, too",
            node.target.span,
            f"declare it WITH CHANGES: CREATE STREAM {node.target.parts[-1].name} (…) WITH CHANGES",
        )
