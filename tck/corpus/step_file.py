"""The steps of a case as the file writes them."""

from collections.abc import Iterator
from dataclasses import dataclass

from tck.corpus.case import Columns, ExpectedError, ExpectedLate, ProducerChange, Step
from tck.corpus.document import Part, Problem
from tck.corpus.rows import catalogued, cell_rows, columns_of, raw_row, wire_row
from tck.corpus.values import UnreadableError, complete_timestamp
from tck.protocol import Bound, End, Event, Now, Rows, WireRow


def expected_error(
    part: Part, text: str | None, offset: int, in_ddl: bool, problems: list[Problem]
) -> ExpectedError:
    """The error that a mapping of code, at and in says.

    ``text`` is the case's own query or DDL, which begins at ``offset`` of what the backend is sent.
    """
    code, at = part.texts("code")[0], part.get("at")
    if at is None:
        return ExpectedError(code)
    start = (text or "").find(at.text)
    if start < 0:
        kind = "ddl" if in_ddl else "sql"
        problems.append(at.problem(f"the case's {kind} has no text {at.text!r}"))
        return ExpectedError(code)
    span = (offset + start, offset + start + len(at.text))
    return ExpectedError(code, at.text, span, in_ddl)


@dataclass(frozen=True, slots=True)
class StepReader:
    """Reads steps, given what can be fed, and the query that errors point into."""

    columns: Columns
    date: str | None
    streams: tuple[Rows, ...]
    sql: str | None
    problems: list[Problem]

    def steps(self, part: Part | None) -> tuple[Step, ...]:
        """The steps, in order; none where the case lists none."""
        return tuple(map(self.step, part.elements)) if part else ()

    def step(self, part: Part) -> Step:
        """One step."""
        clock, error, state = part.get("clock"), part.get("error"), part.get("state")
        late = tuple(self.late(part.get("late")))
        return Step(
            line=part.place.line,
            events=tuple(self.events(part, late)),
            emit=cell_rows(part.get("emit")),
            may_emit=cell_rows(part.get("may_emit")),
            emit_by=cell_rows(part.get("emit_by")),
            clock=self.time(clock) if clock else None,
            late=late,
            error=expected_error(error, self.sql, 0, False, self.problems) if error else None,
            state=state.number if state else None,
            producer=next(iter(part.texts("producer")), None),
            producers=tuple(self.producers(part)),
        )

    def events(self, part: Part, late: tuple[ExpectedLate, ...]) -> Iterator[Event]:
        """What happens, in the order now, feed, bound, end."""
        if now := part.get("now"):
            yield Now(self.time(now))
        if feed := part.get("feed"):
            yield from self.feed(feed, late)
        bound = part.get("bound")
        for name, at in bound.items if bound else ():
            columns_of(name, at, self.columns, self.problems)
            yield self.bound(catalogued(name), at)
        if end := part.get("end"):
            yield from (
                [End()] if end.data is True else [End(catalogued(n)) for n in part.texts("end")]
            )

    def feed(self, part: Part, late: tuple[ExpectedLate, ...]) -> Iterator[Rows]:
        """The rows that arrive.  One listed as a BAD_ROW goes over the wire as it is written."""
        if isinstance(part.data, str):
            if not self.streams:
                self.problems.append(part.problem("no fixture of this case has `streams`"))
            yield from self.streams
            return
        for name, rows in part.items:
            if isinstance(rows.data, str):
                yield from self.all_of(name, rows)
                continue
            columns = columns_of(name, rows, self.columns, self.problems)
            bad = [x.row for x in late if x.input == catalogued(name) and x.code == "BAD_ROW"]
            fed: list[WireRow] = []
            for row in rows.elements if columns else ():
                raw = raw_row(row)
                as_is = raw in bad
                fed.append(raw if as_is else wire_row(row, columns, self.date, self.problems))
            yield Rows(catalogued(name), tuple(fed))

    def all_of(self, name: str, part: Part) -> Iterator[Rows]:
        """The fixtures' rows of one input."""
        found = [rows for rows in self.streams if rows.input == catalogued(name)]
        if not found:
            self.problems.append(part.problem(f"no fixture of this case has `streams` of {name}"))
        yield from found

    def bound(self, input: str, part: Part) -> Bound:
        """A bound."""
        at = part if isinstance(part.data, str) else part.get("at")
        assert at is not None
        strict = None if isinstance(part.data, str) else part.get("strict")
        return Bound(input, self.time(at), strict is not None and strict.data is True)

    def late(self, part: Part | None) -> Iterator[ExpectedLate]:
        """The rows that are dropped at entry."""
        for name, rows in part.items if part else ():
            columns = columns_of(name, rows, self.columns, self.problems)
            for row in rows.elements if columns else ():
                if isinstance(row.data, list):
                    values = wire_row(row, columns, self.date, self.problems)
                    yield ExpectedLate(catalogued(name), values)
                    continue
                written = row.get("row")
                assert written is not None
                code = row.texts("code")[0]
                values = (
                    raw_row(written)
                    if code == "BAD_ROW"
                    else wire_row(written, columns, self.date, self.problems)
                )
                yield ExpectedLate(catalogued(name), values, code)

    def time(self, part: Part) -> str:
        """A timestamp as it goes over the wire; or ``end``."""
        if part.text == "end":
            return "end"
        try:
            return complete_timestamp(part.text, self.date)
        except UnreadableError as error:
            self.problems.append(part.problem(str(error)))
            return part.text

    def producers(self, part: Part) -> Iterator[ProducerChange]:
        """The producers that open, then those that close."""
        for key in ("open", "close"):
            changes = part.get(key)
            for name, _ in changes.items if changes else ():
                assert changes is not None
                for producer in changes.texts(name):
                    yield ProducerChange(catalogued(name), producer, key == "open")
