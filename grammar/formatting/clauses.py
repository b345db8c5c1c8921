"""The places where the formatter may break a statement into lines.

They are before a clause, after a comma, and before AND, OR, ON, AS and MATCH_CONDITION.  The
functions divide the items of a statement at these places.  An item is a word with its comments
(`Piece`), or a pair of brackets with everything between them (`Bracket`).
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from grammar.formatting.pieces import Bracket, Item, Piece, first_of
from grammar.generated.StreamingSqlParser import StreamingSqlParser as P

#: The words that begin a query.
QUERY: Final = frozenset({P.SELECT, P.WITH, P.VALUES})
_SET_OPERATIONS: Final = frozenset({P.UNION, P.EXCEPT, P.INTERSECT})
#: The words in front of JOIN.
_KINDS_OF_JOIN: Final = frozenset(
    {P.NATURAL, P.LEFT, P.RIGHT, P.FULL, P.INNER, P.CROSS, P.OUTER, P.ASOF}
)
#: The words that begin a clause wherever they are keywords outside of a bracket.
_CLAUSES: Final = frozenset({
    P.SELECT, P.FROM, P.WHERE, P.HAVING, P.WINDOW, P.QUALIFY, P.LIMIT, P.OFFSET, P.FETCH, P.OPTIONS,
    P.USING, P.SET, P.JOIN, P.WHEN,
}) | _SET_OPERATIONS | _KINDS_OF_JOIN  # fmt: skip
#: The words that begin a clause if BY follows.
_WITH_BY: Final = frozenset({P.GROUP, P.ORDER})
#: The words that follow EMIT in a clause; before any other word EMIT is a name.
_EMITTED: Final = frozenset({P.CHANGES, P.AFTER})
#: The words after which FROM does not begin a clause: DELETE FROM, IS DISTINCT FROM.
_BEFORE_FROM: Final = frozenset({P.DELETE, P.DISTINCT})


def _type(items: Sequence[Item], place: int) -> int:
    """The token type of the piece at ``place``; that of a name if no piece is there."""
    if not 0 <= place < len(items):
        return P.IDENTIFIER
    item = items[place]
    return item.type if isinstance(item, Piece) else P.IDENTIFIER


def _begins(items: Sequence[Item], place: int) -> bool:
    """Whether a clause begins at ``place``, which is outside of any CASE."""
    here, before, after = (_type(items, place + step) for step in (0, -1, 1))
    if here in _WITH_BY:
        return after == P.BY
    if here == P.EMIT:
        return after in _EMITTED
    if here == P.FROM:
        return before not in _BEFORE_FROM
    if here in _KINDS_OF_JOIN | {P.JOIN}:
        # LEFT (…) is a call of a function, but JOIN (…) is a join with a query.
        has_bracket = place + 1 < len(items) and isinstance(items[place + 1], Bracket)
        is_call = has_bracket and here != P.JOIN
        return before not in _KINDS_OF_JOIN and not is_call
    return here in _CLAUSES


def clauses(items: Sequence[Item]) -> list[tuple[Item, ...]]:
    """The items of a query or statement, divided into its clauses."""
    found: list[list[Item]] = [[]]
    cases = 0  # the number of CASEs that are open: there are no clauses in them
    for place, item in enumerate(items):
        type = _type(items, place)
        cases += (type == P.CASE) - (type == P.END and cases > 0)
        if found[-1] and not cases and _begins(items, place):
            found.append([])
        found[-1].append(item)
    return [tuple(each) for each in found if each]


def units(clause: Sequence[Item]) -> Iterator[tuple[Item, ...]]:
    """The parts of a clause between which its line may break.

    A comma ends a part; AND, OR, ON, AS and MATCH_CONDITION begin one, but not the AND of a
    BETWEEN.
    """
    unit: list[Item] = []
    cases = betweens = 0  # the CASEs without END so far, and the BETWEENs without AND
    for place, item in enumerate(clause):
        type = _type(clause, place)
        cases += (type == P.CASE) - (type == P.END and cases > 0)
        betweens += type == P.BETWEEN
        breaks = type in (P.OR, P.ON, P.AS, P.MATCH_CONDITION) or (type == P.AND and not betweens)
        betweens -= type == P.AND and betweens > 0
        if breaks and unit and not cases:
            yield tuple(unit)
            unit = []
        unit.append(item)
        if isinstance(item, Piece) and item.text == ",":
            yield tuple(unit)
            unit = []
    if unit:
        yield tuple(unit)


def elements(items: Iterable[Item]) -> Iterator[tuple[Item, ...]]:
    """The elements of a list, each with its comma."""
    element: list[Item] = []
    for item in items:
        element.append(item)
        if isinstance(item, Piece) and item.text == ",":
            yield tuple(element)
            element = []
    if element:
        yield tuple(element)


def is_query(items: Sequence[Item]) -> bool:
    """Whether the items between two brackets are a query."""
    return bool(items) and first_of(items[0]).type in QUERY
