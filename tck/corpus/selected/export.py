"""Export whole cases as plain JSON, so that a runner in any language needs no other file."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from decimal import Decimal
from importlib.resources import files
from typing import Final, TypeAlias

import tck
from tck.corpus.case import Case, CellRow, ExpectedError, ExpectedLate, Step
from tck.corpus.needs import needs_of, says_stream
from tck.corpus.permitted import permitted_rows
from tck.corpus.selected.selection import expectation_kind
from tck.corpus.values import UnreadableError, read_value, wire_value
from tck.protocol import (
    Bound,
    CloseProducer,
    ColumnInfo,
    Elapse,
    End,
    Event,
    Load,
    Now,
    OpenProducer,
    Rows,
    WireRow,
)

#: The version of the format; it grows by one if an old reader would misread the new format.
FORMAT: Final = 1

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


def exported(cases: Iterable[Case], version: str) -> dict[str, Json]:
    """The document with these cases, in their order; ``tck/export.schema.json`` describes it.

    ``version`` is that of the kit.
    """
    return {"format": FORMAT, "rowtime": version, "cases": [exported_case(c) for c in cases]}


def export_schema() -> str:
    """The JSON schema of the format, as text."""
    return files(tck).joinpath("export.schema.json").read_text("utf-8")


def exported_case(case: Case) -> dict[str, Json]:
    """The whole case as an object.  Keys whose value would be empty, false or null are left out.

    Only ``rows`` can be empty, and ``required`` can be false.

    Fed rows are wire rows, and so are expected rows if the types of the result are known.
    """
    document: dict[str, Json] = {
        "id": case.id,
        "chapter": case.chapter,
        "subject": case.subject,
        "file": case.place.file,
        "line": case.place.line,
        "cites": [*case.cites],
        "why": case.why.strip(),
        "report": {**asdict(case.report)} if case.report else None,
        "kind": expectation_kind(case),
        "needs": [*needs_of(case)],
        "required": case.required,
        "profile": case.profile,
        "ddl": case.ddl,
        "sql": case.sql,
        "equal_to": case.equal_to,
        "columns": {name: _columns(columns) for name, columns in case.columns.items()},
        "result": _columns(case.result),
        "load": {load.object: _rows(load.rows) for load in case.tables},
        "steps": [_step(case, place, step) for place, step in enumerate(_steps(case))],
        "order": case.order,
        "rows": None if case.rows is None else [_expected(case, row) for row in case.rows],
        "ended": case.ended,
        "accepted": case.accepted,
        "error": _error(case.error),
        "may_accept": case.may_accept,
        "schema": _columns(case.schema),
        "monotonicity": {**case.monotonicity},
        "also_sound": [*case.also_sound],
        "metadata": {**case.metadata},
        "plan": case.plan,
    }
    always = ("rows", "required")
    return {k: v for k, v in document.items() if v or (k in always and v is not None)}


def _steps(case: Case) -> tuple[Step, ...]:
    """The steps; if a case that runs has none, one step that feeds all rows and the end."""
    if case.steps or not case.runs:
        return case.steps
    fed = case.streams if says_stream(case.sql or "") else ()
    return (Step(case.place.line, (*fed, End())),)


def _step(case: Case, place: int, step: Step) -> dict[str, Json]:
    """The step at ``place``, from 0, as an object with its events and expectations.

    ``emit`` has the rows that are due at this step.  ``may_emit`` has the rows that this step is
    the first to permit, each with the last step that permits it.  ``changes`` has the changes of a
    changelog.
    """
    first = [row for row in permitted_rows(case) if row.first == place] if case.steps else []
    document: dict[str, Json] = {
        "events": [_event(event) for event in step.events],
        "emit": [_expected(case, row.cells) for row in first if not row.ranged],
        "may_emit": [
            {"row": _expected(case, row.cells), "last_step": row.last}
            for row in first
            if row.ranged
        ],
        "changes": [
            {"row": _expected(case, row), "weight": weight} for row, weight in step.changes
        ],
        "late": list(map(_late, step.late)),
        "warnings": [{"input": w.input, "code": w.code} for w in step.warnings],
        "clock": step.output_bound,
        "error": _error(step.error),
        "state": step.state,
    }
    return {k: v for k, v in document.items() if v or (k == "state" and v is not None)}


def _late(late: ExpectedLate) -> dict[str, Json]:
    """A row that must be dropped, with its place if that is judged."""
    place: dict[str, Json] = {} if late.place is None else {"place": late.place}
    return {"input": late.input, "row": [*late.row], "code": late.code, **place}


def _event(event: Event) -> dict[str, Json]:
    """An event as an object, with its kind in ``event``."""
    match event:
        case Load(name, rows):
            return {"event": "load", "object": name, "rows": _rows(rows)}
        case Rows(name, rows, producer, weights):
            changes: dict[str, Json] = (
                {"weights": [*weights]} if any(w < 0 for w in weights) else {}
            )
            sent: dict[str, Json] = {"event": "rows", "input": name, "rows": _rows(rows)}
            return {**sent, **_sender(producer), **changes}
        case Bound(name, at, strict, producer):
            bound: dict[str, Json] = {"input": name, "at": at, "strict": strict}
            return {"event": "bound", **bound, **_sender(producer)}
        case OpenProducer(name, producer):
            return {"event": "open_producer", "input": name, "producer": producer}
        case CloseProducer(name, producer):
            return {"event": "close_producer", "input": name, "producer": producer}
        case Now(at):
            return {"event": "now", "at": at}
        case Elapse(span):
            return {"event": "elapse", "span": span}
        case End(name):
            return {"event": "end", "input": name}


def _sender(producer: str | None) -> dict[str, Json]:
    """The key for the producer of an event; empty if the session itself sends it."""
    return {} if producer is None else {"producer": producer}


def _error(error: ExpectedError | None) -> Json:
    """An expected error; its span is half-open, in code points of ``sql`` or the whole ``ddl``."""
    if error is None:
        return None
    where: Mapping[str, Json] = (
        {"text": error.text, "span": [*error.span], "in": "ddl" if error.in_ddl else "sql"}
        if error.span
        else {}
    )
    return {"code": error.code, **where}


def _columns(columns: Iterable[ColumnInfo] | None) -> list[Json]:
    """Columns as objects; empty if they are not known (None)."""
    return [{"name": c.name, "type": c.type, "nullable": c.nullable} for c in columns or ()]


def _rows(rows: Iterable[WireRow]) -> list[Json]:
    """Wire rows as arrays."""
    return [[*row] for row in rows]


def _expected(case: Case, row: CellRow) -> list[Json]:
    """An expected row as a wire row; as it is in the file, if the result's types are not known."""
    types = [column.type for column in case.result or ()]
    if len(types) != len(row):
        return [str(cell) if isinstance(cell, Decimal) else cell for cell in row]
    values: list[Json] = []
    for cell, type in zip(row, types, strict=True):
        try:
            values.append(wire_value(read_value(cell, type, case.date), type))
        except UnreadableError:
            values.append(str(cell) if isinstance(cell, Decimal) else cell)
    return values
