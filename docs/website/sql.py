"""SQL as HTML with its keywords, literals and comments marked."""

from functools import cache
from typing import Final

from markupsafe import Markup, escape
from pygments.lexers import (
    get_lexer_by_name,  # pyright: ignore[reportUnknownVariableType] - its options have no type
)
from pygments.token import Comment, Keyword, Name, Number, String, is_token_subtype

#: The CSS class of each kind of token; text of other kinds has none.
_CLASSES: Final = {
    Keyword: "kw",
    Name.Builtin: "kw",  # the lexer's word for types
    String: "lit",
    Number: "lit",
    Comment: "com",
}


@cache
def highlighted(sql: str) -> Markup:
    """The text with ``span`` elements of the classes ``kw``, ``lit`` and ``com``.

    >>> print(highlighted("SELECT 1 < 2"))
    <span class="kw">SELECT</span> <span class="lit">1</span> &lt; <span class="lit">2</span>
    """
    pieces: list[Markup] = []
    for kind, text in get_lexer_by_name("sql", ensurenl=False).get_tokens(sql.strip()):
        looks = (look for each, look in _CLASSES.items() if is_token_subtype(kind, each))
        look = "kw" if text.upper() == "STREAM" else next(looks, "")  # no word of other dialects
        inner = escape(text)
        pieces.append(Markup('<span class="{}">{}</span>').format(look, inner) if look else inner)
    return Markup("").join(pieces)
