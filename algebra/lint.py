"""All refusals of a script, and the script with the corrections that they suggest."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from algebra.catalog import Profile
from algebra.prepare import ScriptBinder
from grammar.codes import Code
from grammar.generated.StreamingSqlParser import StreamingSqlParser as P
from grammar.parse import parse_script
from grammar.parsing.tokens import scan
from grammar.source import Edit, SqlError, edited

#: How often a script is corrected anew, since a correction may bring another refusal to light.
_ROUNDS: Final = 20


def refusals(sql: str, profile: Profile) -> tuple[SqlError, ...]:
    """The refusals of the script ``sql``, at most one for each statement, in the order of the text.

    Later statements are judged as if a refused one were not there.  An object is not reported as
    unknown if the statement that creates it was refused.
    """
    script = ScriptBinder(sql, profile)
    missing: set[str] = set()
    found: list[SqlError] = []
    for text in _statements(sql):
        try:
            for statement in parse_script(text):
                script.bind(statement)
        except SqlError as error:
            if error.code is not Code.UNKNOWN_OBJECT or _at(error) not in missing:
                found.append(replace(error, sql=sql) if error.sql == text else error)
            missing |= _created(text)
    return tuple(found)


def corrected(sql: str, profile: Profile, start: int = 0) -> str:
    """``sql`` with the edits that its refusals suggest, then with those of the refusals left.

    That goes on until no refusal suggests an edit, for `_ROUNDS` rounds at most.  Nothing before
    the offset ``start`` is changed.
    """
    for _ in range(_ROUNDS):
        edits = [
            edit for error in refusals(sql, profile) if error.sql == sql for edit in error.edits
        ]
        chosen = list(_apart(edit for edit in edits if edit.at.start >= start))
        if not chosen:
            break
        sql = edited(sql, chosen)
    return sql


def _statements(sql: str) -> Iterator[str]:
    """The statements of ``sql``, each with blanks for what stands before it: its spans are right.

    A text that ends within a literal or a comment is a statement to its end.
    """
    start = 0
    for word in scan(sql):
        text = sql[word.start : word.stop + 1]
        if text == ";" or not text:
            blank = "".join(each if each in "\r\n" else " " for each in sql[:start])
            yield blank + sql[start : word.start]
            start = word.start + 1


def _at(error: SqlError) -> str:
    return error.sql[error.at.start : error.at.end].upper()


def _created(text: str) -> set[str]:
    """The name of what a statement would create, as it is written, in upper case."""
    words = scan(text)
    if words[0].type != P.CREATE:
        return set()
    is_name = [word.type in (P.IDENTIFIER, P.QUOTED_IDENTIFIER) for word in words]
    if True not in is_name:
        return set()
    first = is_name.index(True)
    last = first
    while words[last + 1].type == P.DOT and is_name[last + 2]:
        last += 2
    return {text[words[first].start : words[last].stop + 1].upper()}


def _apart(edits: Iterator[Edit]) -> Iterator[Edit]:
    """The edits in order, without those that overlap an earlier one."""
    end = -1
    for edit in sorted(set(edits)):
        if edit.at.start >= end:
            yield edit
            end = max(edit.at.end, edit.at.start + 1)
