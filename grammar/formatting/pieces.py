"""The input of the formatter: the words of a text with their comments, grouped by brackets."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from antlr4.Token import Token

from grammar.generated.StreamingSqlParser import StreamingSqlParser as P
from grammar.parsing.parse_tree import Tree, parts, rule
from grammar.parsing.tokens import KEYWORDS, Word

#: A comment to the end of its line, or one between ``/*`` and ``*/``.
_COMMENT: Final = re.compile(r"--[^\r\n]*|/\*.*?\*/", re.DOTALL)
#: The rules by which a word that could be a keyword is a name.
_NAMES: Final = frozenset({P.RULE_identifier, P.RULE_plainName, P.RULE_bareAlias})


@dataclass(frozen=True, slots=True)
class Piece:
    """A word as it is printed, with its comments.

    ``type`` is the token type of the word; that of a name if the word stands for a name.
    ``spaced``: white space or a comment stood before it.  The comments of the word ``b`` are named
    like this::

        -- preceding
        /* inline */ b  -- trailing

    ``preceding`` has the comments on separate lines before the word, ``inline`` those before the
    word on its line, and ``trailing`` the comment that ended its line.
    """

    type: int
    text: str
    spaced: bool
    preceding: tuple[str, ...] = ()
    inline: tuple[str, ...] = ()
    trailing: str = ""


@dataclass(frozen=True, slots=True)
class Bracket:
    """A pair of brackets and the pieces between them."""

    left: Piece
    items: "tuple[Item, ...]"
    right: Piece


Item: TypeAlias = Piece | Bracket


def pieces(sql: str, words: Sequence[Word], tree: Tree) -> list[Piece]:
    """A piece for each of the ``words`` of ``sql``; the last word is the end of the text.

    ``tree`` is the parse tree of the text, which decides which words are names.
    """
    names = frozenset(_words_of_names(tree))  # as numbers of words
    found: list[Piece] = []
    end = 0
    for word in words:
        gap = sql[end : word.start]
        end = word.start + len(_text(sql, word))
        piece = _piece(sql, word, word.number in names, gap)
        trailing, preceding, inline = _comments(
            gap, at_start=not found, at_end=word.type == Token.EOF
        )
        if trailing:
            found[-1] = replace(found[-1], trailing=trailing)
        found.append(replace(piece, preceding=preceding, inline=inline))
    return found


def _words_of_names(tree: Tree) -> Iterator[int]:
    """The numbers of the words that stand for names."""
    pending = [(tree, False)]
    while pending:
        node, is_name = pending.pop()
        is_name = is_name or rule(node) in _NAMES
        for each in parts(node):
            if not isinstance(each, Word):
                pending.append((each, is_name))
            elif is_name:
                yield each.number


def _text(sql: str, word: Word) -> str:
    """The text of a word as it was written; empty for the end of the text."""
    return sql[word.start : word.stop + 1]


def _piece(sql: str, word: Word, is_name: bool, gap: str) -> Piece:
    """The piece for a word, without comments; a keyword is in upper case.

    ``gap`` is the text between this word and the word before it.
    """
    text = _text(sql, word)
    keyword = not is_name and text.upper() in KEYWORDS
    type = P.IDENTIFIER if is_name else word.type
    return Piece(type, text.upper() if keyword else text, bool(gap))


def _comments(
    gap: str, *, at_start: bool, at_end: bool
) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """The comments in ``gap``, the text between two words, as trailing, preceding and inline.

    The trailing comment belongs to the first word, and the others to the second one.  A comment is
    trailing if it ends the line of the first word, and preceding if it stands in a line without
    words.  Several comments in such a line are all preceding.  ``at_start``: the gap is before the
    first word of the text; ``at_end``: the gap is after the last one.
    """
    trailing = ""
    preceding: list[str] = []
    inline: list[str] = []
    for match in _COMMENT.finditer(gap):
        comment = match.group().rstrip()
        opens_line = at_start or _has_break(gap[: match.start()])
        after = gap[match.end() :]
        rest = _COMMENT.split(after)[0]  # up to the next comment
        ends_text = at_end and rest == after
        ends_line = comment.startswith("--") or ends_text or _has_break(rest)
        if opens_line and ends_line:
            preceding += [*inline, comment]
            inline = []
        elif ends_line:
            trailing = " ".join([*inline, comment])
            inline = []
        else:
            inline.append(comment)
    return trailing, tuple(preceding), tuple(inline)


def _has_break(text: str) -> bool:
    """Whether a line ends in a text: a carriage return alone ends a line, as it ends ``--``."""
    return "\n" in text or "\r" in text


def items(found: Sequence[Piece]) -> tuple[Item, ...]:
    """The pieces as items: a pair of brackets and the pieces between them are one item.

    Each bracket among the pieces has its partner.
    """
    stack: list[list[Item]] = [[]]
    opened: list[Piece] = []
    for piece in found:
        if piece.text == "(":
            opened.append(piece)
            stack.append([])
        elif piece.text == ")":
            within = tuple(stack.pop())
            stack[-1].append(Bracket(opened.pop(), within, piece))
        else:
            stack[-1].append(piece)
    return tuple(stack[0])


def first_of(item: Item) -> Piece:
    """The piece that an item begins with."""
    return item.left if isinstance(item, Bracket) else item


def pieces_of(item: Item) -> Iterator[Piece]:
    """The pieces of an item in order."""
    if isinstance(item, Piece):
        yield item
        return
    yield item.left
    for each in item.items:
        yield from pieces_of(each)
    yield item.right
