"""Backends that do things otherwise than the reference, as the rules allow: none is wrong."""

# ruff: noqa: D102 - the methods of the backends are the protocol's, and documented there

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import ClassVar, Final

from reference.backend import ReferenceBackend
from reference.definitions import DEFINITIONS
from reference.environment import Forms
from reference.fast.forms import FAST
from rowtime.score.plans import Plans
from tck.corpus.needs import says_stream
from tck.protocol import (
    Accepted,
    Bound,
    ColumnInfo,
    End,
    Event,
    Hello,
    Open,
    Output,
    Refused,
    Rows,
    Tier,
    WireRow,
)


class Allowed:
    """The reference, which a subclass changes; ``tier`` is what it promises.

    ``gaps`` are the capabilities that it lacks.  ``why`` says what allows it.
    """

    tier: ClassVar[Tier] = "exact"
    gaps: ClassVar[Mapping[str, str]] = {}
    forms: ClassVar[Forms] = DEFINITIONS
    why: ClassVar[str] = ""

    def __init__(self, plans: Plans) -> None:
        self.inner = ReferenceBackend(self.forms, plans.prepare)
        self.place: int | None = None
        self.sql = ""
        self.ended = False
        self.numbers: list[int] = []  # of the kit's event, by that of the reference's
        self.taken = 0

    def start(self) -> Hello:
        return replace(self.inner.start(), tier=self.tier, gaps=self.gaps)

    def open(self, request: Open) -> Accepted | Refused:
        self.sql = request.sql or ""
        self.ended = False
        self.numbers, self.taken = [], 0
        answer = self.inner.open(request)
        if isinstance(answer, Accepted):
            self.place = rowtime_place(answer.columns)
        return self.answered(answer)

    def answered(self, answer: Accepted | Refused) -> Accepted | Refused:
        return answer

    def feed(self, event: Event) -> None:
        self.ended = self.ended or event == End()
        for each in self.fed(event):
            self.take(each, self.taken)
        self.taken += 1

    def take(self, event: Event, number: int) -> None:
        """Give an event to the reference; ``number`` is that of the kit's event."""
        self.inner.feed(event)
        self.numbers.append(number)

    def fed(self, event: Event) -> Iterator[Event]:
        yield event

    def poll(self) -> Output:
        output = self.inner.poll()
        named = {self.numbers[warning.event]: warning for warning in output.warnings}
        warnings = tuple(replace(warning, event=at) for at, warning in named.items())
        return self.polled(replace(output, warnings=warnings))

    def polled(self, output: Output) -> Output:
        return output

    def explain(self, row: int | None = None) -> str:
        return self.inner.explain(row)

    def close(self) -> None:
        self.inner.close()

    def stop(self) -> None:
        self.inner.stop()

    def time(self, row: WireRow) -> str:
        """The rowtime of a row as a text that sorts; empty without one."""
        return "" if self.place is None else str(row[self.place])


def rowtime_place(columns: Sequence[ColumnInfo]) -> int | None:
    """The place of the column ROWTIME in a result; None without one."""
    return next((place for place, each in enumerate(columns) if each.name == "ROWTIME"), None)


# --- the order of rows --------------------------------------------------------------------------


def leaves_ties_open(sql: str) -> bool:
    """Whether rows of one rowtime may come in any order; those of a stream itself may not."""
    mixing = (" JOIN ", " UNION ", " INTERSECT ", " EXCEPT ", "GROUP BY", "DISTINCT", " OVER ")
    mixes = any(word in " ".join(sql.upper().split()) for word in mixing)
    return says_stream(sql) and mixes and "ORDER BY" not in sql


class TiesReversed(Allowed):
    """Rows that show one rowtime and come together come in reverse."""

    why = "S-307.b: after a merge, a join or an aggregate the order of ties is open"

    def polled(self, output: Output) -> Output:
        if self.place is None or not leaves_ties_open(self.sql):
            return output
        ties = groupby(output.rows, key=self.time)
        return replace(output, rows=tuple(row for _, t in ties for row in reversed(list(t))))


class TiesByValue(Allowed):
    """Rows that show one rowtime and come together come in the order of their values."""

    why = "S-307.b"

    def polled(self, output: Output) -> Output:
        if self.place is None or not leaves_ties_open(self.sql):
            return output
        ties = groupby(output.rows, key=self.time)
        return replace(output, rows=tuple(row for _, t in ties for row in sorted(t, key=repr)))


class RelationReversed(Allowed):
    """The rows of a relational query without ORDER BY come in reverse."""

    why = "a relation has no order"

    def polled(self, output: Output) -> Output:
        if says_stream(self.sql) or "ORDER BY" in self.sql:
            return output
        return replace(output, rows=output.rows[::-1])


class NoOrder(Allowed):
    """The rows of a step come in the order of their values, whatever their rowtimes.

    The changes of a changelog stay in order, because a row is inserted before it is deleted.
    """

    gaps: ClassVar = {"ordered-output": "rows come as they are made"}
    why = "the gap ordered-output"

    def polled(self, output: Output) -> Output:
        if "ORDER BY" in self.sql or output.weights:
            return output
        return replace(output, rows=tuple(sorted(output.rows, key=repr)))


# --- how input is taken -------------------------------------------------------------------------


def _part(event: Rows, first: int, end: int) -> Rows:
    """The rows of an event from ``first`` until, not including, ``end``, with their weights."""
    return replace(event, rows=event.rows[first:end], weights=event.weights[first:end])


class RowByRow(Allowed):
    """Rows that arrive together are taken one by one."""

    why = "S-104.d: results do not show how trains are cut"

    def fed(self, event: Event) -> Iterator[Event]:
        match event:
            case Rows(_, rows):
                yield from (_part(event, at, at + 1) for at in range(len(rows)))
            case _:
                yield event


class ByPairs(Allowed):
    """Rows that arrive together are taken two by two."""

    why = "S-104.d"

    def fed(self, event: Event) -> Iterator[Event]:
        match event:
            case Rows(_, rows):
                yield from (_part(event, at, at + 2) for at in range(0, len(rows), 2))
            case _:
                yield event


class AtThePoll(Allowed):
    """What happens is taken when the backend is polled, not before."""

    why = "the step is the unit of time at every tier"

    def __init__(self, plans: Plans) -> None:
        super().__init__(plans)
        self.events: list[tuple[Event, int]] = []

    def open(self, request: Open) -> Accepted | Refused:
        self.events.clear()
        return super().open(request)

    def fed(self, event: Event) -> Iterator[Event]:
        self.events.append((event, self.taken))
        yield from ()

    def poll(self) -> Output:
        for event, number in self.events:
            self.take(event, number)
        self.events.clear()
        return super().poll()


class InTrains(AtThePoll):
    """Rows of one input that follow one another in a step are taken together."""

    why = "S-104.d"

    def poll(self) -> Output:
        together: list[tuple[Event, int]] = []
        for event, number in self.events:
            match event, together[-1][0] if together else None:
                case Rows(), Rows(_, before) as last if replace(event, rows=before) == last:
                    together[-1] = replace(last, rows=before + event.rows), number
                case _:
                    together.append((event, number))
        self.events[:] = together
        return super().poll()


class BoundsTwice(Allowed):
    """Every bound is taken twice."""

    why = "S-104.a: a bound that is eclipsed says nothing"

    def fed(self, event: Event) -> Iterator[Event]:
        yield event
        if isinstance(event, Bound):
            yield event


class FastForms(Allowed):
    """The reference in the forms that pipelines run."""

    forms = FAST
    why = "the fast forms have the results of the definitions"


# --- what is said -------------------------------------------------------------------------------


class NoMetadata(Allowed):
    """Nothing is deduced of a query but the columns of its result."""

    gaps: ClassVar = {"metadata": "deduces none", "monotonicity": "deduces none"}
    why = "both are gaps"

    def answered(self, answer: Accepted | Refused) -> Accepted | Refused:
        if isinstance(answer, Refused):
            return answer
        return replace(answer, monotonicity={}, metadata={})


class NoPlan(Allowed):
    """Plans have another text."""

    gaps: ClassVar = {"plan": "other plans"}
    why = "a gap"

    def explain(self, row: int | None = None) -> str:
        return "" if row is None else self.inner.explain(row)


class _OtherColumns(Allowed):
    gaps: ClassVar = {"schema": "columns of another name or type"}

    def answered(self, answer: Accepted | Refused) -> Accepted | Refused:
        if isinstance(answer, Refused):
            return answer
        return replace(answer, columns=tuple(map(self.column, answer.columns)))

    def column(self, column: ColumnInfo) -> ColumnInfo:
        return column


class WideIntegers(_OtherColumns):
    """All whole numbers are BIGINT."""

    why = "a type may stand for another if it holds all its values"

    def column(self, column: ColumnInfo) -> ColumnInfo:
        narrow = column.type in ("TINYINT", "SMALLINT", "INTEGER")
        return replace(column, type="BIGINT") if narrow else column


class AnyType(_OtherColumns):
    """The types of the result are not known."""

    why = "ANY may stand for any type"

    def column(self, column: ColumnInfo) -> ColumnInfo:
        return replace(column, type="ANY", nullable=True)


class OtherNames(_OtherColumns):
    """The columns of the result are called by their places."""

    why = "a column is known by its place"

    def answered(self, answer: Accepted | Refused) -> Accepted | Refused:
        if isinstance(answer, Refused):
            return answer
        named = [replace(c, name=f"_{i}") for i, c in enumerate(answer.columns)]
        orders = dict(zip(answer.monotonicity, answer.monotonicity.values(), strict=True))
        return replace(answer, columns=tuple(named), monotonicity=orders)


class OtherWords(Allowed):
    """Refusals have other messages, and no hints."""

    why = "S-801.b: wording is no contract"

    def answered(self, answer: Accepted | Refused) -> Accepted | Refused:
        if isinstance(answer, Accepted):
            return answer
        return replace(answer, message="no", hint="", rendered="")


class NoState(Allowed):
    """State is not counted."""

    why = "state is judged for backends that count it"

    def polled(self, output: Output) -> Output:
        return replace(output, state=None)


class NoPlaces(Allowed):
    """A failure at run time has no place in the text."""

    gaps: ClassVar = {"failure-places": "an error says what, not where"}
    why = "the gap failure-places"

    def polled(self, output: Output) -> Output:
        error = output.error
        return output if error is None else replace(output, error=replace(error, at=(0, 0)))


class NearDoubles(Allowed):
    """DOUBLEs are off in the twelfth digit."""

    gaps: ClassVar = {"exact-double-sums": "rounds on the way"}
    why = "DOUBLEs are equal within a relative 1e-9"

    def polled(self, output: Output) -> Output:
        def near(value: object) -> object:
            return value * (1 - 1e-12) if isinstance(value, float) and value == value else value

        rows = tuple(tuple(near(value) for value in row) for row in output.rows)
        return replace(output, rows=rows)  # type: ignore[arg-type]  # floats stay floats


# --- when rows arrive -----------------------------------------------------------------------------


class NoBound(Allowed):
    """No bound of the output is told."""

    tier = "bounded"
    why = "a backend returns bounds if it makes any"

    def polled(self, output: Output) -> Output:
        return replace(output, bound=None)


class Watermarks(Allowed):
    """Each row is held until the watermark is beyond its rowtime, and then sorted in.

    So does an engine that knows no row but by the watermark that passes it.
    """

    tier = "bounded"
    why = "a row may wait as long as the right output bound is not above its rowtime"

    def __init__(self, plans: Plans) -> None:
        super().__init__(plans)
        self.held: list[WireRow] = []

    def open(self, request: Open) -> Accepted | Refused:
        self.held.clear()
        return super().open(request)

    def polled(self, output: Output) -> Output:
        if self.place is None or not says_stream(self.sql) or output.error:
            return output
        rows = [*self.held, *output.rows]
        bound = output.bound or ""
        out = [row for row in rows if bound == "end" or self.time(row) < bound]
        self.held = [row for row in rows if row not in out]
        return replace(output, rows=tuple(out), bound=None)


class AtTheEnd(Allowed):
    """All rows arrive when all inputs have ended."""

    tier = "final"
    why = "tier final"

    def __init__(self, plans: Plans) -> None:
        super().__init__(plans)
        self.held: list[WireRow] = []
        self.weights: list[int] = []

    def open(self, request: Open) -> Accepted | Refused:
        self.held.clear()
        self.weights.clear()
        return super().open(request)

    def polled(self, output: Output) -> Output:
        self.held += output.rows
        self.weights += output.weights
        if not self.ended and output.error is None:
            return replace(output, rows=(), weights=(), bound=None)
        rows, self.held = tuple(self.held), []
        weights, self.weights = tuple(self.weights), []
        return replace(output, rows=rows, weights=weights, bound=None)


#: All of them.
ALLOWED: Final[tuple[type[Allowed], ...]] = (
    TiesReversed,
    TiesByValue,
    RelationReversed,
    NoOrder,
    RowByRow,
    ByPairs,
    AtThePoll,
    InTrains,
    BoundsTwice,
    FastForms,
    NoMetadata,
    NoPlan,
    WideIntegers,
    AnyType,
    OtherNames,
    OtherWords,
    NoState,
    NoPlaces,
    NearDoubles,
    NoBound,
    Watermarks,
    AtTheEnd,
)
