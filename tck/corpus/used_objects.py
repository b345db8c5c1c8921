"""The statements of a fixture's script that a case uses: an engine is asked for no others."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from tck.corpus.document import Data, YamlNode

#: A piece of a script: a comment, a text, a quoted name, the end of a statement, or other text.
_PIECES: Final = re.compile(
    r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|;|[^;'\"/-]+|.", re.DOTALL
)
#: A statement that creates a table or stream, and the last part of its name.
_CREATES: Final = re.compile(
    r"\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:TABLE|STREAM)\s+(?:[\w\"]+\s*\.\s*)*\"?(\w+)", re.IGNORECASE
)
_WORD: Final = re.compile(r"\w+")

#: The keys of a case in which a name is a use of the object.
_USING: Final = ("sql", "equal_to", "ddl", "steps", "tables")


def statements_of(script: str) -> tuple[tuple[str | None, str], ...]:
    """The statements of a script with their ends, in order; they make up the whole script.

    Each comes with the last part of the name of the table or stream that it creates, in upper case;
    None: it creates neither.
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
    """Of each script, the statements that a case uses; and the names of the objects it does not.

    A table or stream is used if its name stands in the query of the case, in its DDL, its steps or
    its tables, or in a statement that creates neither.  The names are the last parts, in upper
    case.
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
    """The last part of a name in the catalog, in upper case."""
    return name.rpartition(".")[2].upper()


def _created(statement: str) -> str | None:
    found = _CREATES.search(statement)
    return found[1].upper() if found else None


def _words(value: Data) -> Iterator[str]:
    """The words of all texts and keys of a value of YAML, in upper case."""
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
