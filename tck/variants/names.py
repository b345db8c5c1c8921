"""Make variants with other names of streams, tables and columns: nothing else changes."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from tck.corpus.case import Case, ExpectedError, Step
from tck.corpus.ddl import declared_columns, is_token
from tck.corpus.needs import needs_of
from tck.protocol import (
    ColumnInfo,
    Elapse,
    Event,
    Load,
    Now,
)

#: A piece of a text: a comment, a text literal, a quoted name, a word, or another character.
_PIECES: Final = re.compile(
    r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|[^\W\d][\w$]*|.", re.DOTALL
)
#: A word: a letter, and then letters, digits, "_" or "$".
_WORD: Final = re.compile(r"[^\W\d][\w$]*")
#: A word that is called like a function.
_CALLED: Final = re.compile(r"([^\W\d][\w$]*)\s*\(")
#: The column by which the kit judges order and bounds; it keeps its name.
_ROWTIME: Final = "ROWTIME"
#: Features with which names cannot be changed: options of foreign streams name columns in texts,
#: user functions are defined outside of the case, and plans show the names.
_NAMED_ELSEWHERE: Final = frozenset({"foreign-streams", "user-functions", "plan"})

_Event = TypeVar("_Event", bound=Event)


def renamed(case: Case) -> Case | None:
    """The case with other names of its streams, tables and columns; the expected rows are the same.

    An expected error has the same code, at the same words (S-801.b).  A name that is also a word of
    the grammar or the name of a function stays as it is.  None if no name can be changed.
    """
    names = _new_names(case)
    if not names or not _NAMED_ELSEWHERE.isdisjoint(needs_of(case)):
        return None
    ddl, sql = _Renamed(case.ddl, names), _Renamed(case.sql or "", names)

    def error(expected: ExpectedError | None) -> ExpectedError | None:
        """The error at its place in the new text."""
        return None if expected is None else _moved(expected, ddl if expected.in_ddl else sql)

    return replace(
        case,
        ddl=ddl.text,
        sql=None if case.sql is None else sql.text,
        equal_to=None if case.equal_to is None else _Renamed(case.equal_to, names).text,
        columns={
            _object(name, names): tuple(_column(each, names) for each in columns)
            for name, columns in case.columns.items()
        },
        tables=tuple(_event(each, names) for each in case.tables),
        streams=tuple(_event(each, names) for each in case.streams),
        steps=tuple(_step(each, names, error) for each in case.steps),
        result=None if case.result is None else tuple(_column(e, names) for e in case.result),
        error=error(case.error),
    )


def _new_names(case: Case) -> Mapping[str, str]:
    """By name that can be changed: a new name that does not occur in the case."""
    declared = declared_columns(case.ddl)
    objects = dict.fromkeys(name.rpartition(".")[2] for name in declared)
    columns = dict.fromkeys(column.name for each in declared.values() for column in each)
    queries = f"{case.sql or ''}\n{case.equal_to or ''}"
    called = {word.upper() for word in _CALLED.findall(queries)}
    # A column with the name of a called function stays as it is.
    own = [*objects, *(each for each in columns if each not in objects and each not in called)]
    changeable = [each for each in own if _is_changeable(each)]
    words = {each.upper() for each in _WORD.findall(f"{case.ddl}\n{queries}")}
    unused = (name for number in range(1, 10_000) if (name := f"NAME_{number}") not in words)
    return dict(zip(changeable, unused, strict=False))


def _is_changeable(name: str) -> bool:
    """Whether a name needs no quotes, and means only an object or column of the script."""
    plain = name == name.upper() and _WORD.fullmatch(name) is not None
    return plain and name != _ROWTIME and not is_token(name)


@dataclass(frozen=True)
class _Renamed:
    """A text of SQL, and the same text with new ``names`` (the new name by the old one)."""

    before: str
    names: Mapping[str, str]

    @property
    def text(self) -> str:
        """The text with the new names."""
        return "".join(now for _, now in self._pieces())

    def place(self, offset: int) -> int:
        """The place of a character in the new text; inside a name, the start of the name."""
        old = new = 0
        for was, now in self._pieces():
            if offset < old + len(was):
                return new + (offset - old if was == now else 0)
            old, new = old + len(was), new + len(now)
        return new

    def _pieces(self) -> Iterator[tuple[str, str]]:
        """The pieces of the old text, each with the piece that takes its place."""
        for piece in _PIECES.findall(self.before):
            quoted = piece.startswith('"') and piece[1:-1] in self.names
            name = piece[1:-1] if quoted else piece.upper()
            yield piece, self.names.get(name, piece)


def _moved(expected: ExpectedError, within: _Renamed) -> ExpectedError:
    """An expected error at the same place of the text with the new names."""
    if expected.span is None or expected.text is None:
        return expected
    start, end = map(within.place, expected.span)
    return replace(expected, text=within.text[start:end], span=(start, end))


def _object(name: str, names: Mapping[str, str]) -> str:
    """The name of an object in the catalog, with a new last part."""
    *schema, last = name.split(".")
    return ".".join((*schema, names.get(last, last)))


def _column(column: ColumnInfo, names: Mapping[str, str]) -> ColumnInfo:
    """A column with its new name."""
    return replace(column, name=names.get(column.name, column.name))


def _event(event: _Event, names: Mapping[str, str]) -> _Event:
    """An event with the new name of its table or input."""
    match event:
        case Load():
            return replace(event, object=_object(event.object, names))
        case Now() | Elapse():
            return event
        case _ if event.input is not None:
            return replace(event, input=_object(event.input, names))
        case _:
            return event


def _step(
    step: Step,
    names: Mapping[str, str],
    error: Callable[[ExpectedError | None], ExpectedError | None],
) -> Step:
    """A step with the new names; ``error`` moves an expected error to its place in the new text."""
    return replace(
        step,
        events=tuple(_event(each, names) for each in step.events),
        late=tuple(replace(each, input=_object(each.input, names)) for each in step.late),
        warnings=tuple(replace(each, input=_object(each.input, names)) for each in step.warnings),
        error=error(step.error),
    )
