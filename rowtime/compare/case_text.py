"""Write a case as the text of a case file (docs/case-format.md).

The case is a recorded one: its expectations are the answers of the reference
(`rowtime.compare.expected_case`).
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final

import yaml

from tck.corpus.case import Case, Cell, Columns, ExpectedLate, Step
from tck.corpus.rows import identifier_text, name_text
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
    Wire,
    weighted,
)

#: A node of the file.
_Node = Mapping[str, "_Node"] | Sequence["_Node"] | Cell | float

#: A width that is greater than that of any line, so that no row is broken into two lines.
_ONE_LINE: Final = 2**30


class _Row(list[Cell | float]):
    """A row, which is written in one line."""


class _Value(str):
    """A text within a row, which is quoted: without quotes, YAML could read it as a number."""

    __slots__ = ()


class _Dumper(yaml.SafeDumper):
    """Writes rows in one line, their texts in quotes, and SQL as blocks of lines."""


def _write_row(dumper: yaml.SafeDumper, row: _Row) -> yaml.Node:
    return dumper.represent_sequence("tag:yaml.org,2002:seq", row, flow_style=True)


def _write_value(_dumper: yaml.SafeDumper, value: _Value) -> yaml.Node:
    style = "'" if value.isprintable() else '"'
    return yaml.ScalarNode("tag:yaml.org,2002:str", str(value), style=style)


def _write_text(_dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    """A text of several lines as a block; a text with control characters in quotes with escapes."""
    printable = text.replace("\n", "").isprintable()
    style = '"' if not printable else "|" if "\n" in text else None
    return yaml.ScalarNode("tag:yaml.org,2002:str", text, style=style)


def _write_number(_dumper: yaml.SafeDumper, number: Decimal | float) -> yaml.Node:
    """A number in JSON's form, with a decimal point: without it, YAML 1.1 reads a text."""
    text = repr(float(number))
    text = text if "." in text else text.replace("e", ".0e")
    return yaml.ScalarNode("tag:yaml.org,2002:float", text)


_Dumper.add_representer(_Row, _write_row)
_Dumper.add_representer(_Value, _write_value)
_Dumper.add_representer(str, _write_text)
_Dumper.add_representer(Decimal, _write_number)
_Dumper.add_representer(float, _write_number)


def case_text(case: Case) -> str:
    """The text of a case file with this one case, which `rowtime.compare.expected_case` has made.

    `tck.corpus.load` reads the same case from the text, except for its chapter and place.
    """
    node: dict[str, _Node] = {"id": case.id, "cites": list(case.cites), "why": case.why}
    if case.profile != "calcite":
        node["profile"] = str(case.profile)
    node["ddl"] = case.ddl
    node["columns"] = _columns(case.columns)
    node["sql"] = case.sql
    if case.tables:
        node["tables"] = {name_text(load.object): _rows(load.rows) for load in case.tables}
    if case.order is not None:
        node["order"] = str(case.order)
    if case.equal_to is not None:
        node["equal_to"] = case.equal_to
    node["steps"] = [_step(step) for step in case.steps]
    file = {"subject": case.subject, "given": [], "cases": [node]}
    return yaml.dump(file, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=_ONE_LINE)


def _columns(columns: Columns) -> _Node:
    """The columns by the names of their streams and tables, each as ``NAME TYPE [NOT NULL]``."""
    return {
        name_text(name): [
            f"{identifier_text(each.name)} {each.type}{'' if each.nullable else ' NOT NULL'}"
            for each in listed
        ]
        for name, listed in columns.items()
    }


def _step(step: Step) -> _Node:
    """A step of a recorded case, with a key for each kind of event.

    A recorded step has at most one event of a kind, or only events of rows of one stream.
    """
    node: dict[str, _Node] = {}
    for event in _merge_rows(step.events):
        node.update(_event(event))
    if step.emit:
        node["emit"] = _rows(step.emit)
    if step.changes:
        node["changes"] = _changes(step.changes)
    if step.late:
        inputs = dict.fromkeys(late.input for late in step.late)
        node["late"] = {
            name_text(name): [_late(late) for late in step.late if late.input == name]
            for name in inputs
        }
    if step.warnings:
        node["warn"] = {name_text(each.input): each.code for each in step.warnings}
    if step.output_bound is not None:
        node["clock"] = _Value(step.output_bound)
    if step.error:
        node["error"] = {"code": step.error.code}
    return node


def _merge_rows(events: Sequence[Event]) -> Sequence[Event]:
    """The events of a recorded step, with several events of rows merged into one."""
    rows = [event for event in events if isinstance(event, Rows)]
    if len(rows) < 2:
        return events
    assert len(rows) == len(events), events
    (name,) = {each.input for each in rows}
    changes = [change for each in rows for change in weighted(each.rows, each.weights)]
    return [Rows(name, tuple(r for r, _ in changes), weights=tuple(w for _, w in changes))]


def _event(event: Event) -> dict[str, _Node]:
    """The keys of an event of a recorded case: rows, a bound, an end, or the session's clock."""
    match event:
        case Now(at):
            return {"now": _Value(at)}
        case Elapse(span):
            return {"elapse": _Value(span)}
        case Rows(name, rows, weights=weights):
            deletes = any(weight < 0 for weight in weights)
            fed = _changes(weighted(rows, weights)) if deletes else _rows(rows)
            return {"feed": {name_text(name): fed}}
        case Bound(name, at, strict):
            moment: _Node = {"at": _Value(at), "strict": True} if strict else _Value(at)
            return {"bound": {name_text(name): moment}}
        case End(name):
            return {"end": True if name is None else [name_text(name)]}
        case Load() | OpenProducer() | CloseProducer():
            raise AssertionError(f"no recorded case has a {event} in a step")


def _late(late: ExpectedLate) -> _Node:
    """A dropped row: the row alone if it is late, else with the code of its fault."""
    row = _row(late.row)
    return row if late.code == "LATE" else {"row": row, "code": late.code}


def _changes(changes: Sequence[tuple[Sequence[Cell | Wire], int]]) -> list[_Node]:
    """Pairs (row, weight), each as ``+: row`` (insert) or ``-: row`` (delete)."""
    return [{"+" if weight > 0 else "-": _row(row)} for row, weight in changes]


def _rows(rows: Sequence[Sequence[Cell | Wire]]) -> list[_Node]:
    return [_row(row) for row in rows]


def _row(row: Sequence[Cell | Wire]) -> _Row:
    return _Row(_Value(value) if isinstance(value, str) else value for value in row)
