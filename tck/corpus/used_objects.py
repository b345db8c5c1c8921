"""Find the statements of a fixture's script that a case uses, because an engine runs only these."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from tck.corpus.document import Data, YamlNode

#: A piece of a script: a comment, a string, a quoted name, a semicolon, or other text.
_PIECES: Final = re.compile(
    r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|;|[^;'\"/-]+|.", re.DOTALL
)
#: The start of a statement that creates a table or stream; the group is the last part of its name,
#: without quotes.
_CREATES: Final = re.compile(
    r"\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:TABLE|STREAM)\s+(?:[\w\"]+\s*\.\s*)*\"?(\w+)", re.IGNORECASE
)
_WORD: Final = re.compile(r"\w+")

#: The keys of a case whose texts can name a table or stream.
_USING: Final = ("sql", "equal_to", "ddl", "steps", "tables")


def statements_of(script: str) -> tuple[tuple[str | None, str], ...]:
    """The statements of a script in order, as pairs of a created name and a text.

    The texts include the semicolons; joined, they are the whole script. The name is the last part
    of the name of the table or stream that the statement creates, in upper case. It is None if the
    statement creates neither.
    """
    texts = [""]
    for piece in _PIECES.findall(script):
        texts[-1] += piece
        if piece == ";":
            texts.append("")
    whole = texts if texts[-1].strip() else texts[:-1]
    return tuple((_created(text), text) for text in whole)


def used_statements(
    scripts: Iterable[str], case: YamlNode
) -> tuple[tuple[str, ...], frozenset[str]]:
    """The text of each script without the objects that a case does not use, and the unused names.

    A table or stream is used if its name occurs in the query of the case, in its DDL, its steps or
    its tables, or in a statement of a script that does not create a table or stream.  The names are
    the last parts of qualified names, in upper case.
    """
    split = [statements_of(script) for script in scripts]
    texts: list[Data] = [text for listed in split for name, text in listed if name is None]
    texts += [each.data for key in _USING if (each := case.get(key))]
    words = {word for text in texts for word in _words(text)}
    names = {name for listed in split for name, _ in listed if name is not None}
    return (
        tuple(
            "".join(text for name, text in each if name is None or name in words) for each in split
        ),
        frozenset(names - words),
    )


def last_part(name: str) -> str:
    """The last part of a qualified name such as ``A.B.ORDERS``, in upper case."""
    return name.rpartition(".")[2].upper()


def _created(statement: str) -> str | None:
    """The name of the table or stream that a statement creates, as in `statements_of`."""
    found = _CREATES.search(statement)
    return found[1].upper() if found else None


def _words(value: Data) -> Iterator[str]:
    """The words in all strings and keys of a YAML value, in upper case."""
    match value:
        case str():
            yield from (word.upper() for word in _WORD.findall(value))
        case dict():
            for key, each in value.items():
                yield from _words(key)
                yield from _words(each)
        case list():
            for each in value:
                yield from _words(each)
        case _:
            pass
