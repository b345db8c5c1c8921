"""Converts errors to faults of the playground: a message at a place in one of the entered texts.

The page marks the place.  A browser counts the characters of a text in UTF-16 code units.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from algebra.catalog import Profile
from algebra.lint import refusals
from grammar.source import Edit, Span, SqlError
from rowtime.script import Script
from tck.corpus.document import Problem
from tck.protocol import Refused

#: The texts of a question: its DDL, its query, its script of rows and bounds.
TextName: TypeAlias = Literal["schema", "query", "script"]


@dataclass(frozen=True, slots=True)
class Change:
    """The replacement of a half-open range of UTF-16 code units of a text."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of one of the texts: a half-open range of its UTF-16 code units, and a message.

    ``code`` is empty for a fault of the script.  ``changes`` are the edits of the text that
    ``hint`` advises; they are empty if no such edits are known.
    """

    text: TextName
    start: int
    end: int
    code: str
    message: str
    hint: str
    changes: tuple[Change, ...] = ()


def sql_faults(error: SqlError, schema: str, query: str, profile: Profile) -> tuple[Fault, ...]:
    """All refusals of ``schema`` and ``query``, of which ``error`` is the first.

    The two texts are checked as one script, in which statements of any kind are allowed.  If this
    check does not find an error with the code of ``error``, the result is ``error`` alone.
    """
    script = Script((("schema", schema), ("query", query)))
    found = [_in_script(each, script, schema, query) for each in refusals(script.text, profile)]
    first = sql_fault(error, schema, query)
    return (*found,) if any(each.code == first.code for each in found) else (first,)


def refused_fault(refused: Refused, schema: str, query: str) -> Fault:
    """A refusal, or a failure at run time, in one of the two texts."""
    name: TextName = "schema" if refused.in_ddl else "query"
    text = schema if refused.in_ddl else query
    start, end = (_utf16(text, each) for each in refused.at)
    return Fault(name, start, end, refused.code, refused.message, refused.hint)


def sql_fault(error: SqlError, schema: str, query: str) -> Fault:
    """An error in one of the two texts; one without a place is at the query's first character."""
    inside: TextName = "schema" if error.sql == schema and error.sql != query else "query"
    return _fault(error, inside, schema if inside == "schema" else query, 0)


def _in_script(error: SqlError, script: Script, schema: str, query: str) -> Fault:
    """An error in ``script``, which consists of the schema and the query."""
    start = len(script.text) - len(query)
    if error.sql != script.text or error.at.start < start:
        return _fault(error, "schema", schema, 0)
    return _fault(error, "query", query, start)


def _fault(error: SqlError, name: TextName, text: str, start: int) -> Fault:
    """An error as a fault of ``text``, the text with this name.

    ``start`` is the place of ``text`` in the SQL of the error.  If ``text`` is not there, the fault
    is at the first character.
    """
    placed = error.sql[start : start + len(text)] == text
    at = error.at.shifted(-start) if placed else Span(0, 0)
    edits = [each.shifted(-start) for each in error.edits]
    fits = placed and all(0 <= each.at.start <= each.at.end <= len(text) for each in edits)
    return Fault(
        name,
        start=_utf16(text, at.start),
        end=_utf16(text, at.end),
        code=str(error.code),
        message=error.message,
        hint=error.hint,
        changes=tuple(_changes(text, edits)) if fits else (),
    )


def _changes(text: str, edits: Iterable[Edit]) -> Iterator[Change]:
    """Edits of ``text`` as changes, in the order of their places."""
    for each in sorted(edits):
        yield Change(_utf16(text, each.at.start), _utf16(text, each.at.end), each.text)


def script_faults(problems: Iterable[Problem], text: str) -> Iterator[Fault]:
    """The problems of the script ``text``; the range of each is its whole line, without spaces."""
    lines = text.split("\n")
    for each in problems:
        place = min(each.place.line, len(lines)) - 1
        start = sum(len(line) + 1 for line in lines[:place])
        start += len(lines[place]) - len(lines[place].lstrip())
        end = max(start, start + len(lines[place].strip()))
        yield Fault("script", _utf16(text, start), _utf16(text, end), "", each.message, each.hint)


def _utf16(text: str, place: int) -> int:
    r"""The number of UTF-16 code units before ``place``, which counts code points.

    >>> _utf16("\U0001f600x", 1)
    2
    """
    return place + sum(ord(each) > 0xFFFF for each in text[:place])
