"""A case file as cases, with everything looked up."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from tck.corpus.case import Case, Columns, ExpectedError, Fixture, Order
from tck.corpus.document import Document, InvalidFilesError, Part, Problem, schema_problems
from tck.corpus.fixture import Shelf
from tck.corpus.rows import catalogued, cell_rows, column, read_columns, wire_rows
from tck.corpus.step_file import StepReader, expected_error
from tck.judging.schedule import unordered_ranges
from tck.protocol import Load


def read_cases(document: Document, chapter: str, shelf: Shelf) -> tuple[list[Case], list[Problem]]:
    """The cases of a file in the order of the file, and what is wrong with the others."""
    problems = schema_problems(document, "case.schema.json", "caseFile")
    if problems:
        return [], problems
    top = Part(document, (), document.data)
    listed = top.get("cases")
    assert listed is not None
    cases: list[Case] = []
    for part in listed.elements:
        reader = _CaseReader(top, part, chapter, shelf)
        try:
            case = reader.case()
        except InvalidFilesError as error:
            reader.problems.extend(error.problems)
        else:
            if not reader.problems:
                cases.append(case)
        problems.extend(reader.problems)
    return cases, problems


@dataclass(frozen=True, slots=True)
class _CaseReader:
    """Reads one case of a file, and collects what is wrong with it."""

    top: Part
    part: Part
    chapter: str
    shelf: Shelf
    problems: list[Problem] = field(default_factory=list[Problem])

    def case(self) -> Case:
        """The case.  Raises `InvalidFilesError` where no more can be said of it."""
        part = self.part
        given = (part if part.get("given") else self.top).texts("given")
        fixtures = [self.shelf.fixture(name, part.place) for name in given]
        date = self.date(fixtures)
        columns = {name: c for fixture in fixtures for name, c in fixture.columns.items()}
        columns |= read_columns(part.get("columns"))
        streams = tuple(rows for fixture in fixtures for rows in fixture.streams)
        before = "".join(f"{fixture.ddl.rstrip()}\n\n" for fixture in fixtures)
        ddl = self.text("ddl")
        sql = self.text("sql")
        steps = StepReader(columns, date, streams, sql, self.problems).steps(part.get("steps"))
        rows = part.get("rows")
        listed = cell_rows(rows)
        schema = part.get("schema")
        case = Case(
            id=self.text("id") or "",
            chapter=self.chapter,
            subject=self._subject(),
            place=part.place,
            cites=part.texts("cites"),
            ddl=before + (ddl or ""),
            sql=sql,
            profile=self.text("profile") or "calcite",
            date=date,
            given=given,
            needs=part.texts("needs"),
            columns=columns,
            tables=self.tables(fixtures, columns, date),
            streams=streams,
            steps=steps,
            order=self.order(),
            rows=listed if rows else None,
            accepted=part.get("accepted") is not None,
            error=self.error(len(before)),
            may_accept=part.get("may_accept") is not None,
            schema=tuple(map(column, part.texts("schema"))) if schema else None,
            monotonicity=self.mapping("monotonicity", names=True),
            also_sound=part.texts("also_sound"),
            metadata=self.mapping("metadata", names=False),
            plan=self.text("plan"),
            equal_to=self.text("equal_to"),
            why=self.text("why") or "",
        )
        self.problems.extend(self.contradictions(case))
        return case

    def text(self, key: str) -> str | None:
        """The text of a key, None where it is left out."""
        part = self.part.get(key)
        return part.text if part else None

    def date(self, fixtures: list[Fixture]) -> str | None:
        """The case's date, else the file's, else the first that a fixture has."""
        part = self.part.get("date") or self.top.get("date")
        if part:
            return part.text
        return next((fixture.date for fixture in fixtures if fixture.date), None)

    def tables(
        self, fixtures: list[Fixture], columns: Columns, date: str | None
    ) -> tuple[Load, ...]:
        """What is loaded: the fixtures' tables, the case's in place of those of their name."""
        loads = {load.object: load for fixture in fixtures for load in fixture.tables}
        part = self.part.get("tables")
        for name, rows in part.items if part else ():
            loaded = wire_rows(name, rows, columns, date, self.problems)
            loads[catalogued(name)] = Load(catalogued(name), loaded)
        return tuple(load for load in loads.values() if load.rows)

    def order(self) -> Order | None:
        """How the rows must be ordered, if the case says so."""
        match self.text("order"):
            case "rowtime":
                return "rowtime"
            case "exact":
                return "exact"
            case "any":
                return "any"
            case None:
                return None
            case other:
                raise AssertionError(f"the schema of the files lets {other} pass")

    def error(self, offset: int) -> ExpectedError | None:
        """The refusal that is expected; ``offset`` is where the case's DDL begins in the script."""
        part = self.part.get("error")
        if part is None:
            return None
        in_ddl = part.texts("in") == ("ddl",) or self.part.get("sql") is None
        text = self.text("ddl" if in_ddl else "sql")
        return expected_error(part, text, offset if in_ddl else 0, in_ddl, self.problems)

    def mapping(self, key: str, names: bool) -> dict[str, str]:
        """Texts by key; ``names``: the keys are names of columns."""
        part = self.part.get(key)
        items = part.items if part else []
        return {catalogued(name) if names else name: value.text for name, value in items}

    def contradictions(self, case: Case) -> Iterator[Problem]:
        """What the parts of a case say against one another."""
        emits = [s for s in case.steps if s.emit or s.may_emit]
        if case.rows is not None and emits:
            yield self.part.problem(
                "`rows` is the whole result, and so are the rows its steps emit: say it once"
            )
        may = [row for step in case.steps for row in step.may_emit]
        if case.order == "exact" and may:
            yield self.part.problem("`may_emit` leaves the order open, `order: exact` does not")
        due = [row for step in case.steps for row in step.emit_by]
        if excess := [row for row in due if due.count(row) > may.count(row)]:
            yield self.part.problem(f"`emit_by` without `may_emit`: {list(excess[0])}")
        for row in unordered_ranges(case):
            yield self.part.problem(f"`emit_by` before `may_emit`: {list(row)}")
        failing = [i for i, step in enumerate(case.steps) if step.error]
        if failing and failing[0] != len(case.steps) - 1:
            yield self.part.problem("nothing happens after the step that fails: make it the last")

    def _subject(self) -> str:
        part = self.top.get("subject")
        assert part is not None
        return part.text
