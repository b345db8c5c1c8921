"""Read the steps of a case file as records."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from tck.corpus.case import Columns, ExpectedError, ExpectedLate, ExpectedWarning, Step
from tck.corpus.document import Problem, YamlNode
from tck.corpus.rows import (
    bad_row,
    catalog_name,
    cell_row,
    cell_rows,
    columns_of,
    wire_row,
    with_weights,
)
from tck.corpus.steps.dropped import with_places
from tck.corpus.values import UnreadableError, complete_timestamp
from tck.protocol import (
    Bound,
    CloseProducer,
    Elapse,
    End,
    Event,
    Now,
    OpenProducer,
    Rows,
    WireRow,
)

_Change = TypeVar("_Change", OpenProducer, CloseProducer)


@dataclass(frozen=True, slots=True)
class OwnTexts:
    """A case's own query and DDL, in which expected errors are located; None: it has none.

    ``before`` is the number of characters of the fixtures' DDL before the case's own DDL.
    """

    sql: str | None
    ddl: str | None
    before: int


def expected_error(node: YamlNode, texts: OwnTexts, problems: list[Problem]) -> ExpectedError:
    """The expected error in a mapping with ``code`` and perhaps ``at`` and ``in``.

    Its span is a range of the text that the backend gets.  If the case's own text does not contain
    ``at``, a problem is added.
    """
    code, at = node.texts("code")[0], node.get("at")
    if at is None:
        return ExpectedError(code)
    in_ddl = node.texts("in") == ("ddl",) or texts.sql is None
    start = ((texts.ddl if in_ddl else texts.sql) or "").find(at.text)
    if start < 0:
        kind = "ddl" if in_ddl else "sql"
        problems.append(at.problem(f"the case's {kind} has no text {at.text!r}"))
        return ExpectedError(code)
    start += texts.before if in_ddl else 0
    return ExpectedError(code, at.text, (start, start + len(at.text)), in_ddl)


@dataclass(frozen=True, slots=True)
class StepReader:
    """Reads the steps of a case.

    ``columns`` has the columns of the objects that can be fed.  ``streams`` has the rows that a
    step feeds with ``all``.  ``texts`` has the texts in which errors are located.  ``date`` is the
    date of times without a date; None: each time must have a date.  The faults of the steps are
    added to ``problems``.
    """

    columns: Columns
    date: str | None
    streams: tuple[Rows, ...]
    texts: OwnTexts
    problems: list[Problem]

    def steps(self, node: YamlNode | None) -> tuple[Step, ...]:
        """The steps in order; ``node`` None, for a case without steps: no steps."""
        return with_places(list(map(self.step, node.elements))) if node else ()

    def step(self, node: YamlNode) -> Step:
        """The step in a mapping."""
        clock, error, state = node.get("clock"), node.get("error"), node.get("state")
        late = tuple(self.late(node.get("late")))
        events = tuple(self.events(node, late))
        return Step(
            line=node.place.line,
            events=events,
            emit=cell_rows(node.get("emit")),
            may_emit=cell_rows(node.get("may_emit")),
            emit_by=cell_rows(node.get("emit_by")),
            output_bound=self.time(clock) if clock else None,
            late=late,
            error=expected_error(error, self.texts, self.problems) if error else None,
            state=state.number if state else None,
            warnings=tuple(self.warnings(node.get("warn"), events)),
            changes=tuple(
                (cell_row(row), weight) for row, weight in with_weights(node.get("changes"))
            ),
        )

    def events(self, node: YamlNode, late: tuple[ExpectedLate, ...]) -> Iterator[Event]:
        """The events of the step ``node``, in the order of the keys in `tck/case.schema.json`.

        ``late`` are the rows that the step expects to be dropped.
        """
        producer = next(iter(node.texts("producer")), None)
        yield from self.producers(node.get("open"), OpenProducer)
        if now := node.get("now"):
            yield Now(self.time(now))
        if elapse := node.get("elapse"):
            yield Elapse(elapse.text)
        if feed := node.get("feed"):
            yield from (replace(rows, producer=producer) for rows in self.feed(feed, late))
        bound = node.get("bound")
        for name, at in bound.items if bound else ():
            columns_of(name, at, self.columns, self.problems)
            yield replace(self.bound(catalog_name(name), at), producer=producer)
        yield from self.producers(node.get("close"), CloseProducer)
        if end := node.get("end"):
            names = () if end.data is True else node.texts("end")
            for name in names:
                columns_of(name, end, self.columns, self.problems)
            yield from [End(catalog_name(name)) for name in names] or [End()]

    def feed(self, node: YamlNode, late: tuple[ExpectedLate, ...]) -> Iterator[Rows]:
        """The rows of the key ``feed``; a row may be malformed if ``late`` has it as a BAD_ROW.

        ``node`` is the word ``all``, or has for each input its rows or ``all``.
        """
        if isinstance(node.data, str):
            if not self.streams:
                self.problems.append(node.problem("no fixture of this case has `streams`"))
            yield from self.streams
            return
        for name, rows in node.items:
            if isinstance(rows.data, str):
                yield from self.all_of(name, rows)
                continue
            columns = columns_of(name, rows, self.columns, self.problems)
            bad = [
                each.row
                for each in late
                if each.input == catalog_name(name) and each.code == "BAD_ROW"
            ]
            fed: list[WireRow] = []
            changes = list(with_weights(rows)) if columns else []
            for row, _ in changes:
                values = bad_row(row, columns, self.date)
                if values not in bad:
                    values = wire_row(row, columns, self.date, self.problems)
                fed.append(values)
            weights = tuple(weight for _, weight in changes)
            deletes = any(weight < 0 for weight in weights)
            yield Rows(catalog_name(name), tuple(fed), weights=weights if deletes else ())

    def all_of(self, name: str, node: YamlNode) -> Iterator[Rows]:
        """The fixtures' rows for the input ``name``; ``node`` is the place of a problem."""
        found = [rows for rows in self.streams if rows.input == catalog_name(name)]
        if not found:
            self.problems.append(node.problem(f"no fixture of this case has `streams` of {name}"))
        yield from found

    def bound(self, input: str, node: YamlNode) -> Bound:
        """A bound; it is written as a timestamp, or as a mapping with ``at`` and ``strict``."""
        at = node if isinstance(node.data, str) else node.get("at")
        assert at is not None
        strict = None if isinstance(node.data, str) else node.get("strict")
        return Bound(input, self.time(at), strict is not None and strict.data is True)

    def late(self, node: YamlNode | None) -> Iterator[ExpectedLate]:
        """The rows that must be dropped at ingress; ``node`` None: none.

        A row is written alone, with the code LATE, or in a mapping with ``row`` and ``code``.
        """
        for name, rows in node.items if node else ():
            columns = columns_of(name, rows, self.columns, self.problems)
            for row in rows.elements if columns else ():
                if isinstance(row.data, list):
                    values = wire_row(row, columns, self.date, self.problems)
                    yield ExpectedLate(catalog_name(name), values)
                    continue
                written = row.get("row")
                assert written is not None
                code = row.texts("code")[0]
                values = (
                    bad_row(written, columns, self.date)
                    if code == "BAD_ROW"
                    else wire_row(written, columns, self.date, self.problems)
                )
                yield ExpectedLate(catalog_name(name), values, code)

    def time(self, node: YamlNode) -> str:
        """A timestamp as the protocol writes it, or ``end``."""
        if node.text == "end":
            return "end"
        try:
            return complete_timestamp(node.text, self.date)
        except UnreadableError as error:
            self.problems.append(node.problem(str(error)))
            return node.text

    def producers(self, node: YamlNode | None, change: type[_Change]) -> Iterator[_Change]:
        """An event of the class ``change`` for each producer that opens, or that closes.

        ``node`` has the names of the producers by stream; None: there are none.
        """
        if node is None:
            return
        for name, listed in node.items:
            columns_of(name, listed, self.columns, self.problems)
            for producer in node.texts(name):
                yield change(catalog_name(name), producer)

    def warnings(
        self, node: YamlNode | None, events: tuple[Event, ...]
    ) -> Iterator[ExpectedWarning]:
        """The warnings that the step expects, by input; ``node`` None: none.

        The ``events`` of the step must have a bound of each of these inputs.
        """
        bounded = {event.input for event in events if isinstance(event, Bound)}
        for name, code in node.items if node else ():
            if catalog_name(name) not in bounded:
                self.problems.append(code.problem(f"the step sets no bound of {name}"))
            yield ExpectedWarning(catalog_name(name), code.text)
