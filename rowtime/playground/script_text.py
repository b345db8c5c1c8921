"""Writes events as the YAML text of a script, which `rowtime trace` and the playground read."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from tck.corpus.case import Columns, Step
from tck.corpus.rows import name_text
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
    Wire,
    WireRow,
)

#: The keys of a step, in the order in which their events happen.
_KEYS: Final = ("open", "now", "elapse", "feed", "bound", "close", "end")
#: A decimal number that YAML reads back as the same text; ``-0`` is not one.
_NUMBER: Final = re.compile(r"(?!-0$)-?(0|[1-9][0-9]*)([.][0-9]+)?")

#: The values of a key as texts, by the name of the input; under "" if they concern no single input.
_Values: TypeAlias = dict[str, list[str]]


def script_text(
    tables: Sequence[Load], steps: Sequence[Step], columns: Columns, date: str | None, ddl: str
) -> str:
    """The script of ``tables`` and ``steps``, without query, DDL and expectations.

    There is one exception: a row that the case expects as BAD_ROW is also listed under ``late``,
    because the reader of a script rejects a malformed row that is not listed there.  Times are
    written without ``date``, and names as ``ddl`` spells them.  ``columns`` has the columns of each
    input.
    """
    return _Writer(columns, date, ddl).text(tables, steps)


@dataclass(slots=True)
class _ScriptStep:
    """A step of the script that is being written.

    ``values`` has the values of each key of `_KEYS`.  ``bad`` has the rows that are expected as
    BAD_ROW.  ``producer`` is the sender of the step's rows and bounds.
    """

    producer: str | None = None
    values: dict[str, _Values] = field(default_factory=dict[str, _Values])
    bad: _Values = field(default_factory=dict[str, list[str]])

    def can_add(self, key: str, name: str, producer: str | None) -> bool:
        """Whether an event can be appended, so that a reader of the script still sees their order.

        The event has a key of `_KEYS`, and concerns the input ``name``.  A reader handles the keys
        of a step in the order of `_KEYS`, and within a key one input after the other.  A step has
        rows and bounds of one producer only.
        """
        if not self.values:
            return True
        # Only rows and bounds have a producer.
        sends = key in ("feed", "bound")
        has_sent = bool({"feed", "bound"} & set(self.values))
        fits_producer = not sends or not has_sent or producer == self.producer
        last = list(self.values)[-1]
        if key == last:
            # A reader would handle the new event before those of inputs that were added later.
            out_of_order = name in self.values[key] and name != list(self.values[key])[-1]
            # `bound` and `end` have one value for each input.  `now`, `elapse` and the `end` of all
            # inputs (``name`` is empty) have one value in the step.
            is_taken = key in ("now", "elapse", "bound", "end") and (
                name in self.values[key] or not name
            )
            return producer == self.producer and not out_of_order and not is_taken
        return fits_producer and _KEYS.index(key) > _KEYS.index(last)


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes a script; its fields are the parameters of `script_text`.

    The columns decide how values are written.
    """

    columns: Columns
    date: str | None
    ddl: str

    def text(self, tables: Sequence[Load], steps: Sequence[Step]) -> str:
        """The whole script."""
        lines = [f"date: {_quoted(self.date)}"] if self.date else []
        if tables:
            lines.append("tables:")
        for load in tables:
            rows = [self.row(load.object, row) for row in load.rows]
            lines += _listed(f"  {self.name(load.object)}:", rows, "  ")
        lines.append("steps:")
        for step in steps:
            for script_step in self.split(step):
                lines += self.lines_of(script_step)
        return "\n".join(lines) + "\n"

    def split(self, step: Step) -> Iterator[_ScriptStep]:
        """The steps of the script for a step of a case: as many as are needed for its events."""
        bad = {(late.input, late.row) for late in step.late if late.code == "BAD_ROW"}
        current = _ScriptStep()
        for event in step.events:
            for key, name, producer, value in self.entries(event):
                if not current.can_add(key, name, producer):
                    yield current
                    current = _ScriptStep()
                if key in ("feed", "bound"):
                    current.producer = producer
                current.values.setdefault(key, {}).setdefault(name, []).append(value)
            if isinstance(event, Rows):
                rows = [
                    self.row(event.input, row) for row in event.rows if (event.input, row) in bad
                ]
                if rows:
                    current.bad.setdefault(event.input, []).extend(rows)
        yield current

    def entries(self, event: Event) -> Iterator[tuple[str, str, str | None, str]]:
        """The key of an event, its input, its producer and its value as text.

        An event of several rows has such an entry for each row.  The input is "" for an event that
        concerns no single input.
        """
        match event:
            case OpenProducer(name, producer):
                yield "open", name, None, _quoted(producer)
            case CloseProducer(name, producer):
                yield "close", name, None, _quoted(producer)
            case Now(at):
                yield "now", "", None, self.time(at)
            case Elapse(span):
                yield "elapse", "", None, span
            case Rows(name, rows, producer, weights):
                for row, weight in zip(rows, weights or (1,) * len(rows), strict=True):
                    text = self.row(name, row)
                    yield "feed", name, producer, text if weight > 0 else f'{{"-": {text}}}'
            case Bound(name, at, strict, producer):
                time = self.time(at)
                yield "bound", name, producer, f"{{at: {time}, strict: true}}" if strict else time
            case End(None):
                yield "end", "", None, "true"
            case End(name):
                yield "end", name or "", None, self.name(name or "")
            case Load():
                raise AssertionError("the contents of a table come before the steps")

    def lines_of(self, step: _ScriptStep) -> list[str]:
        """The lines of a step of the script."""
        lines: list[str] = []
        if step.producer is not None:
            lines.append(f"producer: {_quoted(step.producer)}")
        for key, values in step.values.items():
            match key:
                case "feed":
                    lines.append("feed:")
                    for name, rows in values.items():
                        lines += _listed(f"  {self.name(name)}:", rows, "  ")
                case "now" | "elapse":
                    lines.append(f"{key}: {values[''][0]}")
                case "end":
                    names = [each for listed in values.values() for each in listed]
                    lines.append(f"end: {names[0] if len(names) == 1 else _flow(names)}")
                case "bound":
                    at = ", ".join(f"{self.name(name)}: {each[0]}" for name, each in values.items())
                    lines.append(f"bound: {{{at}}}")
                case _:
                    of = ", ".join(f"{self.name(n)}: {_flow(each)}" for n, each in values.items())
                    lines.append(f"{key}: {{{of}}}")
        if step.bad:
            lines.append("late:")
        for name, rows in step.bad.items():
            lines += _listed(
                f"  {self.name(name)}:", [f"{{row: {row}, code: BAD_ROW}}" for row in rows], "  "
            )
        return [("- " if place == 0 else "  ") + line for place, line in enumerate(lines)]

    # --- names and values -------------------------------------------------------------------------

    def name(self, name: str) -> str:
        """The name of an object, spelled as in the DDL, or in quotes if it needs them."""
        text = name_text(name)
        if text != name:
            return _quoted(text)
        spelled = re.search(rf"(?<![\w\"]){re.escape(name)}(?![\w\"])", self.ddl, re.IGNORECASE)
        return spelled.group() if spelled else name

    def row(self, name: str, row: WireRow) -> str:
        """The text of a row of the input ``name``; values without a column have no known type."""
        known: list[ColumnInfo | None] = [*self.columns.get(name, ()), *[None] * len(row)]
        return _flow([self.value(v, column) for v, column in zip(row, known, strict=False)])

    def value(self, value: Wire, column: ColumnInfo | None) -> str:
        """The text of a value in YAML; ``column`` is None if the column is not known."""
        type = column.type if column else ""
        match value:
            case None:
                return "null"
            case bool():
                return "true" if value else "false"
            case int() | float():
                return repr(value)
            case str() if type.startswith("DECIMAL") and _NUMBER.fullmatch(value):
                return value
            case str():
                return self.time(value) if type.startswith("TIMESTAMP") else _quoted(value)

    def time(self, at: str) -> str:
        """A timestamp as text; the date is left out if it is the script's date."""
        return _quoted(at.removeprefix(f"{self.date} ") if self.date else at)


def _listed(head: str, rows: Sequence[str], indent: str) -> list[str]:
    """The lines of a key with a list: the line ``head``, and a line for each element."""
    return [head, *(f"{indent}- {row}" for row in rows)] if rows else [f"{head} []"]


def _flow(values: Sequence[str]) -> str:
    """A list of YAML in one line."""
    return f"[{', '.join(values)}]"


#: The characters that have a short escape in a quoted scalar of YAML.
_ESCAPES: Final[Mapping[str, str]] = {"\n": "\\n", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def _quoted(text: str) -> str:
    """A text as a quoted scalar of YAML."""
    if text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    escaped = (_ESCAPES.get(c, c if c.isprintable() else f"\\U{ord(c):08x}") for c in text)
    return '"' + "".join(escaped) + '"'
