"""The limits on the nesting of a text and of its syntax tree.

A recursive walk of an accepted tree meets at most `MAX_DEPTH` nodes on a path, so that it may use
three frames per node within Python's default recursion limit.
"""

from collections.abc import Iterable, Iterator
from typing import Final, cast

from grammar.codes import Code
from grammar.generated.StreamingSqlParser import StreamingSqlParser as P
from grammar.parsing.tokens import Word
from grammar.source import Span, SqlError

#: The most nodes on a path of a syntax tree, names included.
MAX_DEPTH: Final = 256
#: The most brackets, CASEs and EXPLAINs within one another.
MAX_NESTING: Final = 128

_HINT: Final = "name a part of it with WITH or a view; a long OR is often an IN list"

#: The words that begin a nested part, and the words that end one.  An EXPLAIN ends with its text.
_OPENING: Final = frozenset({P.LPAREN, P.CASE, P.EXPLAIN})
_CLOSING: Final = frozenset({P.RPAREN, P.END})
_PREFIXES: Final = frozenset({P.NOT, P.PLUS, P.DASH})

#: How strongly the left-associative operators bind.  The tree of ``a + b + c`` has a node for each
#: operator, one inside the other.
_OR, _AND, _ADD, _MULTIPLY = range(4)
_STRENGTHS: Final = {
    P.OR: _OR, P.AND: _AND, P.PLUS: _ADD, P.DASH: _ADD,
    P.STAR: _MULTIPLY, P.SLASH: _MULTIPLY, P.PERCENT: _MULTIPLY, P.CONCAT: _MULTIPLY,
}  # fmt: skip
#: The words of tests, which end a chain of arithmetic, but not one of AND or OR.
_TESTS: Final = frozenset({
    P.EQUAL, P.NOT_EQUAL, P.LESS, P.LESS_OR_EQUAL, P.GREATER, P.GREATER_OR_EQUAL,
    P.BETWEEN, P.IN, P.LIKE, P.IS, P.NOT,
})  # fmt: skip
#: The words that may end an operand: a sign after one of them is a binary operator.
_OPERANDS: Final = frozenset({
    P.IDENTIFIER, P.QUOTED_IDENTIFIER, P.INTEGER, P.DECIMAL, P.STRING, P.BINARY,
    P.TRUE, P.FALSE, P.NULL, P.QUESTION, P.RPAREN, P.END,
})  # fmt: skip
#: Other words that end no chain.
_LINKS: Final = frozenset({P.DOT, P.DATE, P.TIME, P.TIMESTAMP, P.LPAREN, P.CASE})


class _Chains:
    """The chains of operators, ``a + b + c``, in the innermost bracket so far.

    A chain of n operators is a tree of depth n.
    """

    def __init__(self) -> None:
        #: The length of the current chain of each strength.
        self.lengths = [0, 0, 0, 0]
        #: The number of BETWEENs whose AND has not been read yet.
        self.betweens = 0

    def longest(self) -> int:
        """The length of the longest chain that has not ended."""
        return max(self.lengths)

    def read(self, type: int, before: int) -> None:
        """Update the chains for a word of ``type``; the word before it has the type ``before``."""
        if type in _STRENGTHS:
            if type == P.AND and self.betweens:  # the AND of BETWEEN … AND …
                self.betweens -= 1
                self._end(_ADD)
            elif type not in _PREFIXES or before in _OPERANDS:
                strength = _STRENGTHS[type]
                self.lengths[strength] += 1
                self._end(strength + 1)  # these chains are operands of this operator
        elif type in _TESTS:
            self.betweens += type == P.BETWEEN
            self._end(_ADD)
        elif type not in _OPERANDS and type not in _LINKS:
            self._end(_OR)

    def _end(self, strength: int) -> None:
        """End the chains of operators that bind at least as strongly as ``strength``."""
        for each in range(strength, 4):
            self.lengths[each] = 0


def check_words(words: list[Word], sql: str) -> None:
    """Refuse a text that is nested too deeply for the parser, or whose tree must be too deep.

    Brackets are counted to protect the parser.  Operators are counted only to save time, because
    `check_tree` finds all trees that are too deep.
    """
    open_chains = [_Chains()]  # one for the statement, and one for each open bracket
    prefixes = 0  # the number of prefix operators directly before the next word
    before = P.SEMICOLON
    for word in words:
        type = word.type
        open_chains[-1].read(type, before)
        prefixes = prefixes + 1 if type in _PREFIXES else 0
        if max(open_chains[-1].longest(), prefixes) > MAX_DEPTH:
            raise _too_deep("operators", MAX_DEPTH, sql, Span(word.start, word.stop + 1))
        if type in _OPENING:
            open_chains.append(_Chains())
            if len(open_chains) > MAX_NESTING + 1:
                raise _too_deep("brackets", MAX_NESTING, sql, Span(word.start, word.stop + 1))
        elif type in _CLOSING and len(open_chains) > 1:
            open_chains.pop()
        elif type == P.SEMICOLON:
            open_chains = [_Chains()]
        before = type


#: A cache of the results of `_fields`.
_FIELDS: Final[dict[type, tuple[str, ...]]] = {}


def _fields(kind: type) -> tuple[str, ...]:
    """The fields of the class ``kind`` that may hold nodes; none if it is not a class of nodes."""
    if kind not in _FIELDS:
        slots: dict[str, object] = getattr(kind, "__dataclass_fields__", {})
        _FIELDS[kind] = tuple(name for name in slots if not name.endswith("span"))
    return _FIELDS[kind]


def _nodes(values: Iterable[object]) -> Iterator[object]:
    """The nodes among ``values``, and the nodes in tuples among ``values``."""
    for value in values:
        if isinstance(value, tuple):
            yield from _nodes(cast("tuple[object, ...]", value))  # of an unknown operand
        elif _fields(type(value)):
            yield value


def check_tree(root: object, sql: str) -> None:
    """Refuse a tree with a path of more than `MAX_DEPTH` nodes."""
    level: list[object] = [root]  # all nodes at one depth
    for _ in range(MAX_DEPTH):
        level = [
            part
            for node in level
            for part in _nodes(getattr(node, name) for name in _fields(type(node)))
        ]
        if not level:
            return
    places: Iterable[object] = (getattr(each, "span", None) for each in level)
    at = next(each for each in places if isinstance(each, Span))
    raise _too_deep("the parts of this statement", MAX_DEPTH, sql, at)


def _too_deep(what: str, limit: int, sql: str, at: Span) -> SqlError:
    """The error TOO_DEEP at ``at``: the things named ``what`` nest deeper than ``limit``."""
    return SqlError(Code.TOO_DEEP, f"{what} nest deeper than {limit}", sql, at, _HINT)
