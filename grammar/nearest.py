"""The search for the known words that a misspelt word is probably meant to be."""

from collections.abc import Iterable
from typing import Final

#: Longer words are not compared: the comparison takes time in the product of two lengths.
_LONGEST: Final = 64


def nearest(word: str, known: Iterable[str]) -> tuple[str, ...]:
    """The words of ``known`` that ``word`` may be meant to be, the nearest first.

    A word is near if at most a third of the longer word's letters, and at least one, are wrong: a
    letter too many, a missing one, another one, or two letters in each other's place.  The case of
    letters is ignored.

    >>> nearest("FORM", ["FROM", "FOR", "WHERE"]), nearest("LAST", ["LN"])
    (('FROM', 'FOR'), ())
    """
    near: list[tuple[int, str]] = []
    for each in dict.fromkeys(known):
        longest = max(len(word), len(each))
        if longest > _LONGEST or abs(len(word) - len(each)) > longest // 3:
            continue
        distance = _distance(word.upper(), each.upper())
        if distance <= max(1, longest // 3) and distance < longest:
            # Of two words with equally many wrong letters, the first is one that has the same
            # letters in another order.
            has_other_letters = sorted(word.upper()) != sorted(each.upper())
            near.append((2 * distance + has_other_letters, each))
    return tuple(each for _, each in sorted(near))


def _distance(one: str, other: str) -> int:
    """The number of wrong letters: insertions, deletions, replacements, swaps of neighbours.

    Number ``j`` of ``row`` is the distance of the first ``i`` letters of ``one`` from the first
    ``j`` letters of ``other``; ``previous`` and ``before`` are the rows for ``i - 1`` and ``i -
    2``.
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        previous, row = row, [i]
        for j, other_letter in enumerate(other, 1):
            replaced = previous[j - 1] + (letter != other_letter)
            found = min(previous[j] + 1, row[j - 1] + 1, replaced)
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == other_letter:
                found = min(found, before[j - 2] + 1)
            row.append(found)
        before = previous
    return row[-1]
