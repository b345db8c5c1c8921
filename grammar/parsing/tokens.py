"""The lexer: the words that `StreamingSqlLexer.g4` defines, found by regular expressions.

The generated lexer needs microseconds for each character, this one for each word.  A test compares
the two on generated texts, so that the grammar remains the definition.
"""

import re
from typing import Final

from antlr4.BufferedTokenStream import TokenStream
from antlr4.Token import Token

from grammar.generated.StreamingSqlParser import StreamingSqlParser as P
from grammar.names import begins_name, continues_name

#: The characters between words, spelled for a character class.
_SPACES: Final = " \t\r\n\v\f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

#: An exponent without a sign, which could be the beginning of a name.
_UNSIGNED: Final = re.compile("[eE][0-9]")

#: One word, or a separator of words.  The name of the group that matched determines how `scan`
#: continues.  A name with a character outside ASCII is not a ``word``: its first letter matches as
#: ``other``, and `_name` finds its end.  ``comment`` is a comment without its end.
_WORD: Final = re.compile(
    rf"""
      (?P<skip> [{_SPACES}]+ | --[^\r\n]* | /\*(?>.*?\*/) )
    | (?P<string> [xX]?'(?>[^']*(?:''[^']*)*)(?P<string_end>'?) )
    | (?P<word> [A-Za-z_][A-Za-z0-9_$]*+(?![^\x00-\x7f]) )
    | (?P<number> (?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)? )
    | (?P<quoted> "(?>[^"]*(?:""[^"]*)*)(?P<quoted_end>"?) )
    | (?P<comment> /\*.* )
    | (?P<sign> \|\||=>|==|<>|!=|<=|>=|[(),;.?+\-*/%=<>] )
    | (?P<other> . )
    """,
    re.VERBOSE | re.DOTALL,
)

#: The token type of each keyword, by its upper-case spelling, and of each sign.  In ANTLR's names,
#: a fixed spelling is in quotes.
KEYWORDS: Final[dict[str, int]] = {}
_SIGNS: Final[dict[str, int]] = {"<>": P.NOT_EQUAL, "!=": P.NOT_EQUAL}
for _type, _literal in enumerate(P.literalNames):
    if _literal != "<INVALID>":
        (KEYWORDS if _literal[1].isalpha() else _SIGNS)[_literal[1:-1]] = _type


class Word(Token):
    """A token with its own text, from offset ``start`` to ``stop``, both included.

    ``index`` is its place among the words of the text.
    """

    __slots__ = ()

    def __init__(self, type: int, start: int, text: str, index: int) -> None:
        self.source = (None, None)
        self.type = type
        self.channel = 0
        self.start = start
        self.stop = start + len(text) - 1
        self.tokenIndex = index
        self.line = 0
        self.column = 0
        self._text = text

    @property
    def number(self) -> int:
        """The index of this word among the words of its text."""
        assert self.tokenIndex is not None
        return self.tokenIndex


class Words(TokenStream):
    """The token stream that ANTLR's parser reads: a list of words, and the place ``index`` in it.

    The last word is EOF.
    """

    def __init__(self, words: list[Word]) -> None:
        self.words = words
        self.types = [word.type for word in words]
        self.index = 0
        self.tokenSource = None
        self._last = len(words) - 1

    def LA(self, offset: int) -> int:  # noqa: N802  # ANTLR's name
        """The type of the word ``offset`` ahead (1: the next one); EOF beyond the last."""
        at = self.index + (offset - 1 if offset > 0 else offset)
        return self.types[min(self._last, at)]

    def LT(self, offset: int) -> Word | None:  # noqa: N802  # ANTLR's name
        """The word ``offset`` words ahead, or back if negative; None before the first."""
        at = self.index + (offset - 1 if offset > 0 else offset)
        if at < 0:
            return None
        return self.words[min(self._last, at)]

    def consume(self) -> None:
        """Advance to the next word; stay at the end."""
        if self.index < self._last:
            self.index += 1

    def get(self, index: int) -> Word:
        """The word at ``index``."""
        return self.words[index]

    def seek(self, index: int) -> None:
        """Move to the word at ``index``."""
        self.index = min(self._last, index)

    def mark(self) -> int:
        """Do nothing: all words stay in memory."""
        return 0

    def release(self, marker: int) -> None:
        """Do nothing, as `mark` does."""


def scan(sql: str) -> list[Word]:
    """The words of ``sql`` in order, without spaces and comments; the last one is EOF."""
    words: list[Word] = []
    position, end = 0, len(sql)
    while position < end:
        match = _WORD.match(sql, position)
        assert match is not None, "every character matches"
        group = match.lastgroup
        text = match.group()
        match group:
            case "skip":
                position = match.end()
                continue
            case "word":
                type = KEYWORDS.get(text.upper(), P.IDENTIFIER)
            case "sign":
                type = P.DOUBLE_EQUAL if text == "==" else _SIGNS[text]
            case "number":
                type = P.INTEGER if text.isdigit() else P.DECIMAL
                # A name must not follow without a space, as in `1a`.  After an exponent any
                # character of a name is wrong, because `0E0$` could also be read as `0` and the
                # name `E0$`.
                is_wrong = continues_name if _UNSIGNED.search(text) else begins_name
                if match.end() < end and is_wrong(sql[match.end()]):
                    type, text = P.MALFORMED_NUMBER, text + _name(sql, match.end())
            case "string":
                type = P.STRING if text[0] == "'" else P.BINARY
                if not match["string_end"]:
                    type = P.UNTERMINATED_STRING
            case "quoted":
                type = P.QUOTED_IDENTIFIER if len(text) > 2 else P.EMPTY_NAME
                if not match["quoted_end"]:
                    type = P.UNTERMINATED_NAME
            case "comment":
                type = P.UNTERMINATED_COMMENT
            case _:
                type = P.STRANGE_CHARACTER
                if begins_name(text):
                    type, text = P.IDENTIFIER, _name(sql, position)
        words.append(Word(type, position, text, len(words)))
        position += len(text)
    words.append(Word(Token.EOF, end, "", len(words)))
    return words


def _name(sql: str, start: int) -> str:
    """The unquoted name that begins at ``start``; its first character is not checked."""
    end = start + 1
    while end < len(sql) and continues_name(sql[end]):
        end += 1
    return sql[start:end]
