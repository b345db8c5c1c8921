"""The layout of formatted SQL text: each statement on as few lines as its clauses need."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from grammar.formatting.clauses import QUERY, clauses, elements, is_query, units
from grammar.formatting.pieces import Bracket, Item, Piece, first_of, items, pieces, pieces_of
from grammar.generated.StreamingSqlParser import StreamingSqlParser as P
from grammar.parse import parse_script
from grammar.parsing.machine import Machine, parsing, run
from grammar.parsing.tokens import Words, scan

#: The greatest length of a line, unless a single word or comment is longer.
WIDTH: Final = 100
_INDENT: Final = 2
#: Two line breaks with nothing but spaces between them; a carriage return alone is a break, too.
_BLANK_LINE: Final = re.compile(r"(\r\n|\r(?!\n)|\n) *[\r\n]")
#: The pieces without white space before them.
_CLOSING: Final = frozenset({",", ";", ".", ")", "]"})
#: The pieces without white space after them.
_OPENING: Final = frozenset({"(", ".", "["})
_SIGNS: Final = frozenset({"+", "-"})
#: Operators, commas and closing brackets: an opening bracket after them has white space before it.
_OPERATORS: Final = frozenset({
    ",", "=", "<", ">", "<=", ">=", "<>", "!=", "+", "-", "*", "/", "%", "||", "=>", ")",
})  # fmt: skip
#: The pieces that are followed by an operand: a sign after them belongs to this operand.
_BEFORE_OPERAND: Final = _OPERATORS - {")"} | {"("}


def layout(sql: str) -> str:
    r"""The script ``sql``, formatted.  The result parses to the same statements.

    Words that are reserved or used as keywords are in upper case; names stay as they are.  A
    statement or sub-query that fits in `WIDTH` is on one line.  In a longer one, each clause begins
    a line.  A clause that does not fit is broken after commas and before AND, OR, ON, AS and
    MATCH_CONDITION; its further lines are indented.  Comments stay: a comment on a separate line
    stays above the text that followed it, and any other comment stays in its line.  Blank lines
    between two statements become one.  The result is empty, or ends with a line break.

    Raises `SqlError` as `parse_script` does.

    >>> layout("select stream rowtime,units from Orders  -- all\nwhere units>3;")
    'SELECT STREAM rowtime, units\nFROM Orders -- all\nWHERE units > 3;\n'
    """
    parse_script(sql)
    words = Words(scan(sql))
    with parsing():
        tree = run(words, Machine.script)
    *found, end = pieces(sql, words.words, tree)
    writer = _Writer()
    start = 0
    blanks = _blank_lines(sql, words)
    for place, piece in enumerate(found):
        if piece.type == P.SEMICOLON or place == len(found) - 1:
            writer.write_statement(items(found[start : place + 1]), blank=start in blanks)
            start = place + 1
    writer.write_end(end)
    return writer.text()


def _blank_lines(sql: str, words: Words) -> frozenset[int]:
    """The places of the words before which, or before whose comments, a blank line stands."""
    stops = [0, *(word.stop + 1 for word in words.words)]
    gaps = [sql[stop : word.start] for stop, word in zip(stops, words.words, strict=False)]
    return frozenset(place for place, gap in enumerate(gaps) if _BLANK_LINE.search(gap))


def _flat(parts: Iterable[Item]) -> str:
    """The items on one line, as if they had no comments that end lines."""
    text, before = "", None
    for piece in (piece for part in parts for piece in pieces_of(part)):
        text += (" " if _is_spaced(before, piece) else "") + _in_line(piece)
        before = _Before(before, piece)
    return text


def _in_line(piece: Piece) -> str:
    """The text of a piece with its inline comments."""
    return " ".join([*piece.inline, piece.text])


class _Before:
    """The piece before another piece, and whether it is the sign of the operand after it."""

    def __init__(self, before: "_Before | None", piece: Piece) -> None:
        self.piece = piece
        self.is_unary = piece.text in _SIGNS and (
            before is None or before.piece.text in _BEFORE_OPERAND or before.is_keyword
        )

    @property
    def is_keyword(self) -> bool:
        """Whether the piece is a word other than a name or a literal."""
        return self.piece.text.isalpha() and self.piece.type not in (P.IDENTIFIER, P.NULL)


def _is_spaced(before: _Before | None, piece: Piece) -> bool:
    """Whether white space is written between ``before`` and ``piece`` in a line.

    ``before`` is None if ``piece`` is the first piece; then the result is False.
    """
    if before is None:
        return False
    if piece.inline:
        return True
    if piece.text in _CLOSING or before.piece.text in _OPENING or before.is_unary:
        return False
    if piece.text == "(" and before.piece.text not in _OPERATORS:
        return piece.spaced  # a call, or a word and a bracket: as it was written
    return True


def _has_lines(parts: Iterable[Item]) -> bool:
    """Whether comments in the items must begin or end a line.

    A comment before the first item is ignored, and so is one after the last: the lines that they
    need are outside of the items.  (`Piece` defines preceding, inline and trailing comments.)
    """
    found = [piece for part in parts for piece in pieces_of(part)]
    begins_line = any(piece.preceding for piece in found[1:])
    ends_line = any(piece.trailing for piece in found[:-1])
    return begins_line or ends_line


class _Writer:
    """The formatted lines so far, and the line that is being written.

    The methods below `text` write their argument at the end of this line, and begin new lines.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._line = ""
        self._before: _Before | None = None
        self._full = False  # whether a comment ends the line
        self._indent = 0

    def text(self) -> str:
        """The written text."""
        return "".join(f"{each}\n" for each in self._lines)

    def write_statement(self, parts: tuple[Item, ...], *, blank: bool) -> None:
        """Write a statement, from the first column on.

        ``blank``: a blank line is above it, unless the statement is the first one.
        """
        if blank and self._lines:
            self._lines.append("")
        starts = [i for i, part in enumerate(parts) if first_of(part).type in QUERY]
        head = starts[0] if starts else len(parts)  # such as CREATE VIEW v AS, before a query
        begins_with = first_of(parts[0]).type
        if self._fits(parts):
            self._items(parts)
        elif head in (0, len(parts)):
            self._block(parts, 0, defines=begins_with == P.CREATE)
        else:
            self._block(parts[:head], 0, defines=begins_with == P.CREATE)
            self._break(_INDENT)
            self._block(parts[head:], _INDENT)
        self._break(0)

    def write_end(self, piece: Piece) -> None:
        """Write the comments after the last statement; ``piece`` is the end of the text."""
        self._lines += piece.preceding

    def _fits(self, parts: Sequence[Item]) -> bool:
        """Whether the items fit on the rest of this line."""
        if _has_lines(parts):
            return False
        text = _flat(parts)
        return "\n" not in text and len(self._line) + 1 + len(text) <= WIDTH

    def _block(self, parts: tuple[Item, ...], indent: int, *, defines: bool = False) -> None:
        """Write a query or statement, clause by clause.

        ``defines``: it is a CREATE, in which a bracket lists columns, one in a line.
        """
        for number, clause in enumerate(clauses(parts)):
            if number:
                self._break(indent)
            self._clause(clause, indent + _INDENT, defines=defines)

    def _clause(self, clause: Sequence[Item], indent: int, *, defines: bool = False) -> None:
        """Write a clause: on the rest of the line if it fits, else unit by unit.

        New lines begin at ``indent``.  A unit that does not fit on the rest of the line begins a
        new line.  In such a unit, a word that does not fit also begins a new line, and a bracket
        that does not fit is written on several lines.
        """
        self._indent = indent
        if self._fits(clause):
            self._items(clause)
            return
        for number, unit in enumerate(units(clause)):
            # A bracket with a query stays on this line, because its contents begin a new one.
            if number and not self._fits(unit) and not _opens(unit):
                self._break(indent)
            for item in unit:
                # A word is never divided: at most a new line begins before it.
                if isinstance(item, Piece) or self._fits((item,)):
                    if self._line.strip() and not self._fits((item,)):
                        self._break(indent)
                    self._items((item,))
                else:
                    self._bracket(item, indent, defines=defines)

    def _bracket(self, bracket: Bracket, indent: int, *, defines: bool) -> None:
        """Write a bracket on several lines."""
        self._piece(bracket.left)
        within = bracket.items
        if is_query(within):
            self._break(indent)
            self._block(within, indent)
        elif defines:
            for element in elements(within):
                self._break(indent)
                self._clause(element, indent + _INDENT)
        else:
            self._clause(within, indent + _INDENT)
        self._indent = indent
        self._piece(bracket.right)

    def _items(self, parts: Iterable[Item]) -> None:
        """Write items on this line; a comment that needs a line of its own begins a new line."""
        for part in parts:
            for piece in pieces_of(part):
                self._piece(piece)

    def _piece(self, piece: Piece) -> None:
        """Write a piece with its comments."""
        if self._full or (piece.preceding and self._line.strip()):
            self._break(self._indent)
        for comment in piece.preceding:
            self._lines.append(f"{self._line}{comment}")
        spaced = _is_spaced(self._before, piece) and self._line.strip()
        self._line += (" " if spaced else "") + _in_line(piece)
        self._before = _Before(self._before, piece)
        if piece.trailing:
            self._line += f" {piece.trailing}"
            self._full = True

    def _break(self, indent: int) -> None:
        """End the line, if something is in it, and begin one at ``indent``."""
        if self._line.strip():
            self._lines.append(self._line)
        self._line, self._full = " " * indent, False


def _opens(unit: Sequence[Item]) -> bool:
    """Whether a unit of a clause is a bracket with a query, whose contents begin a new line."""
    return len(unit) == 1 and isinstance(unit[0], Bracket) and is_query(unit[0].items)
