"""All errors of a script (refusals), and corrections of its statements by their suggestions.

`rowtime lint` reports the refusals, and `rowtime lint --fix` applies the corrections.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from algebra.catalog import Profile
from algebra.prepare import ScriptBinder
from grammar.codes import Code
from grammar.generated.StreamingSqlParser import StreamingSqlParser as P
from grammar.parse import parse_script
from grammar.parsing.tokens import scan
from grammar.source import Edit, Span, SqlError

#: The greatest number of corrections of one statement.  There can be several, because a correction
#: may reveal another error.
_ROUNDS: Final = 20


def refusals(sql: str, profile: Profile) -> tuple[SqlError, ...]:
    """The refusals of the script ``sql``, at most one for each statement, in the order of the text.

    Later statements are judged as if a refused statement were not in the script.  But an object is
    not reported as unknown if the statement that creates it was refused.
    """
    script = ScriptBinder(profile)
    missing: set[str] = set()  # the names of objects whose CREATE statements were refused
    found: list[SqlError] = []
    texts = list(_statements(sql))
    for text in texts:
        error = _bind(script, text)
        if error is not None:
            if error.code is not Code.UNKNOWN_OBJECT or _text_at(error) not in missing:
                # The error's span also fits the whole script, because blanks stand for the text
                # before the statement.  An error in another text, such as a view's, keeps its text.
                found.append(replace(error, sql=sql) if error.sql in texts else error)
            missing |= _created(text)
    return tuple(found)


def corrections(sql: str, profile: Profile, start: int = 0) -> tuple[Edit, ...]:
    """An edit for each refused statement of the script ``sql`` that can be corrected.

    The edit replaces the whole statement by a text that is accepted.  This text is the statement
    after the edits that its refusal suggests, then after the edits of the next refusal, and so on.
    The statement is bound after the statements before it, in their corrected form.  There is no
    edit for a statement that cannot be corrected in this way, or that begins before the offset
    ``start``.

    Defines: S-801.i
    """
    script = ScriptBinder(profile)
    found: list[Edit] = []
    for text in _statements(sql):
        begin = len(text) - len(text.lstrip())
        if _bind(script, text) is None or begin < start:
            continue
        accepted = _bind_corrected(script, text)
        if accepted is not None:
            found.append(Edit(Span(begin, len(text)), accepted[begin:]))
    return tuple(found)


def _bind_corrected(script: ScriptBinder, text: str) -> str | None:
    """Bind ``text`` after the edits that its refusals suggest, and return the text that was bound.

    None: a refusal suggests no edit, its edits are in another text (such as a view's), or the text
    is not accepted after `_ROUNDS` attempts.
    """
    for _ in range(_ROUNDS):
        error = _bind(script, text)
        if error is None:
            return text
        if not error.edits or error.sql != text:
            return None
        text = error.corrected
    return None


def _bind(script: ScriptBinder, text: str) -> SqlError | None:
    """Bind the statement ``text`` as the next one of ``script``, and return its refusal.

    None: the statement was accepted, so that later statements see the object that it creates.
    """
    try:
        for statement in parse_script(text):
            script.bind(statement, text)
    except SqlError as error:
        return error
    return None


def _statements(sql: str) -> Iterator[str]:
    """The statements of ``sql``, each after blanks in place of the text before it.

    With the blanks, spans in a statement are also spans in ``sql``.  The last statement ends at the
    end of ``sql``, even if ``sql`` ends within a literal or a comment.
    """
    start = 0
    for word in scan(sql):
        text = sql[word.start : word.stop + 1]
        if text == ";" or not text:  # the word at the end of `sql` has no text
            blank = "".join(each if each in "\r\n" else " " for each in sql[:start])
            yield blank + sql[start : word.start]
            start = word.start + 1


def _text_at(error: SqlError) -> str:
    """The text to which an error's span points, in upper case."""
    return error.sql[error.at.start : error.at.end].upper()


def _created(text: str) -> set[str]:
    """The name of the object that ``text`` creates, in upper case, as a set of one.

    The name is the first identifier, with the identifiers that dots join to it.  Empty if ``text``
    is not a CREATE statement, or has no name.
    """
    words = scan(text)  # the last word is the end of the text
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
