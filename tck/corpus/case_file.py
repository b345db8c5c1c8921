"""Read the cases of a case file, and complete them by their fixtures and defaults."""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tck.corpus.case import Case, Columns, FieldReport, Fixture, Place, RowOrder
from tck.corpus.ddl import declared_columns
from tck.corpus.document import Document, InvalidFilesError, Problem, YamlNode, schema_problems
from tck.corpus.fixture import FixtureLibrary
from tck.corpus.permitted import reversed_ranges
from tck.corpus.rows import catalog_name, cell_rows, column, read_columns, wire_rows
from tck.corpus.series import expand_series, series_ids
from tck.corpus.steps.step_file import OwnTexts, StepReader, expected_error
from tck.corpus.used_objects import last_part, used_statements
from tck.protocol import ColumnInfo, Load

#: The form of a file, as ``case.schema.json`` names it: cases of a kit, or tests of a user's SQL.
Form: TypeAlias = Literal["caseFile", "testFile"]


def read_cases(
    document: Document,
    chapter: str,
    library: FixtureLibrary,
    form: Form = "caseFile",
    always: Sequence[Fixture] = (),
) -> tuple[list[Case], list[Problem]]:
    """The valid cases in the order of the file, and the problems of the other cases.

    ``library`` finds the fixtures that cases name.  Each case also gets the fixtures ``always``,
    before those that it names.  If the file violates its schema, there are no cases.
    """
    problems = schema_problems(document, "case.schema.json", form)
    if problems:
        return [], problems
    expanded, problems = expand_series(document)
    problems = problems or schema_problems(expanded, "case.schema.json", form)
    if problems:
        return [], _first_of_each_line(problems)
    top = YamlNode(expanded, (), expanded.data)
    listed = top.get("cases")
    assert listed is not None
    cases: list[Case] = []
    for node, series in zip(listed.elements, series_ids(document), strict=True):
        reader = _CaseReader(top, node, chapter, library, series, tuple(always))
        try:
            case = reader.case()
        except InvalidFilesError as error:
            reader.problems.extend(error.problems)
        else:
            if not reader.problems:
                cases.append(case)
        problems.extend(reader.problems)
    return cases, list(dict.fromkeys(problems))


def _first_of_each_line(problems: Iterable[Problem]) -> list[Problem]:
    """The first problem of each line, because all cases of a series repeat a fault of its text."""
    first: dict[Place, Problem] = {}
    for problem in problems:
        first.setdefault(problem.place, problem)
    return list(first.values())


@dataclass(frozen=True, slots=True)
class _CaseReader:
    """Reads one case of a file, and collects its problems.

    ``top`` is the whole file, and ``node`` is the case in it.  ``series`` is the id of the case's
    series; None: it has none.  The fixtures ``always`` come before those that the case names.
    """

    top: YamlNode
    node: YamlNode
    chapter: str
    library: FixtureLibrary
    series: str | None
    always: tuple[Fixture, ...]
    problems: list[Problem] = field(default_factory=list[Problem])

    def case(self) -> Case:
        """Read the case; it is valid only if ``problems`` is empty then.

        Raises `InvalidFilesError` if a fixture is missing or invalid, which ends the reading.
        """
        node = self.node
        names = (node if node.get("given") else self.top).texts("given")
        named = [self.library.fixture(name, node.place) for name in names]
        fixtures = [*self.always, *named]
        date = self.date(fixtures)
        columns = {name: c for fixture in fixtures for name, c in fixture.columns.items()}
        columns |= self.own_columns()
        used, unused = used_statements([fixture.ddl for fixture in fixtures], node)
        streams = tuple(
            rows
            for fixture in fixtures
            for rows in fixture.streams
            if last_part(rows.input) not in unused
        )
        shared_ddl = "".join(f"{script.strip()}\n\n" for script in used if script.strip())
        ddl = self.text("ddl")
        sql = self.text("sql")
        texts = OwnTexts(sql, ddl, len(shared_ddl))
        steps = StepReader(columns, date, streams, texts, self.problems).steps(node.get("steps"))
        error = node.get("error")
        rows = node.get("rows")
        listed = cell_rows(rows)
        schema = node.get("schema")
        case = Case(
            id=self.text("id") or "",
            chapter=self.chapter,
            subject=self._subject(),
            place=node.place,
            cites=node.texts("cites"),
            ddl=shared_ddl + (ddl or ""),
            sql=sql,
            profile=self.text("profile") or "calcite",
            date=date,
            fixtures=names,
            needs=node.texts("needs"),
            columns=columns,
            tables=self.tables(fixtures, unused, columns, date),
            streams=streams,
            steps=steps,
            order=self.order(),
            rows=listed if rows else None,
            accepted=node.get("accepted") is not None,
            error=expected_error(error, texts, self.problems) if error else None,
            may_accept=node.get("may_accept") is not None,
            schema=tuple(map(column, node.texts("schema"))) if schema else None,
            monotonicity=self.mapping("monotonicity", names=True),
            also_sound=node.texts("also_sound"),
            metadata=self.mapping("metadata", names=False),
            plan=self.text("plan"),
            equal_to=self.text("equal_to"),
            why=self.text("why") or "",
            series=self.series,
            report=self.report(),
        )
        self.problems.extend(self.contradictions(case))
        return case

    def text(self, key: str) -> str | None:
        """The text of a key; None: it is left out."""
        node = self.node.get(key)
        return node.text if node else None

    def report(self) -> FieldReport | None:
        """The report of a defect on which the case is built; None: there is none."""
        texts = self.mapping("report", names=False)
        return FieldReport(**texts) if texts else None

    def own_columns(self) -> dict[str, tuple[ColumnInfo, ...]]:
        """The columns of the objects that the case's own DDL creates, if the case feeds rows.

        The case can also list columns of an object, which take precedence.
        """
        listed = read_columns(self.node.get("columns"))
        ddl = self.text("ddl")
        if ddl is None or not (self.node.get("steps") or self.node.get("tables")):
            return listed
        return {**declared_columns(ddl), **listed}

    def date(self, fixtures: list[Fixture]) -> str | None:
        """The date of the case, or else of the file, or else of its first fixture with a date."""
        node = self.node.get("date") or self.top.get("date")
        if node:
            return node.text
        return next((fixture.date for fixture in fixtures if fixture.date), None)

    def tables(
        self, fixtures: list[Fixture], unused: Container[str], columns: Columns, date: str | None
    ) -> tuple[Load, ...]:
        """The contents to load: the case's tables, and the fixtures' tables with other names.

        Tables without rows, and ``unused`` tables of the fixtures, are left out.
        """
        loads = {
            load.object: load
            for fixture in fixtures
            for load in fixture.tables
            if last_part(load.object) not in unused
        }
        node = self.node.get("tables")
        for name, rows in node.items if node else ():
            loaded = wire_rows(name, rows, columns, date, self.problems)
            loads[catalog_name(name)] = Load(catalog_name(name), loaded)
        return tuple(load for load in loads.values() if load.rows)

    def order(self) -> RowOrder | None:
        """The order that the case demands; None: it demands none."""
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

    def mapping(self, key: str, names: bool) -> dict[str, str]:
        """The texts of a mapping by key; ``names``: the keys are names of columns."""
        node = self.node.get(key)
        items = node.items if node else []
        return {catalog_name(name) if names else name: value.text for name, value in items}

    def contradictions(self, case: Case) -> Iterator[Problem]:
        """A problem for each pair of parts of the case that contradict each other."""
        emits = [s for s in case.steps if s.emit or s.may_emit]
        if case.rows is not None and emits:
            yield self.node.problem(
                "`rows` is the whole result, and so are the rows its steps emit: say it once"
            )
        may = [row for step in case.steps for row in step.may_emit]
        if case.order == "exact" and may:
            yield self.node.problem("`may_emit` leaves the order open, `order: exact` does not")
        due = [row for step in case.steps for row in step.emit_by]
        if excess := [row for row in due if due.count(row) > may.count(row)]:
            yield self.node.problem(f"`emit_by` without `may_emit`: {list(excess[0])}")
        for row in reversed_ranges(case):
            yield self.node.problem(f"`emit_by` before `may_emit`: {list(row)}")
        failing = [i for i, step in enumerate(case.steps) if step.error]
        if failing and failing[0] != len(case.steps) - 1:
            yield self.node.problem("nothing happens after the step that fails: make it the last")

    def _subject(self) -> str:
        """The subject of the file; empty if it has none."""
        node = self.top.get("subject")
        return node.text if node else ""
