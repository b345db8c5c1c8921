"""Find the words of SQL texts that are marked as keywords."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from pygments.lexers import (
    get_lexer_by_name,  # pyright: ignore[reportUnknownVariableType] - its options have no type
)
from pygments.token import Keyword, Name, is_token_subtype

#: A word of at least two letters.  A single letter names a column, but is a keyword for the lexer.
_WORD: Final = re.compile(r"[A-Za-z_]\w+")


def keywords(texts: Iterable[str]) -> list[str]:
    """The keywords and names of types that occur in some texts, in upper case and in order.

    >>> keywords(["SELECT STREAM a FROM t", "select 'from' || b"])
    ['FROM', 'SELECT', 'STREAM']
    """
    words = {word.upper() for text in texts for word in _WORD.findall(text)}
    return sorted(filter(_is_keyword, words))


@cache
def _is_keyword(word: str) -> bool:
    """Whether the lexer takes a word for a keyword or the name of a type."""
    if word == "STREAM":  # the lexer does not know it
        return True
    lexer = get_lexer_by_name("sql", ensurenl=False)
    # `Name.Builtin` is the lexer's word for types.
    return any(
        is_token_subtype(kind, each)
        for kind, _ in lexer.get_tokens(word)
        for each in (Keyword, Name.Builtin)
    )
