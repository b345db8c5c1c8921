"""The known words that a misspelt word is near to."""

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
            # Of two words with as many wrong letters, the one with the same letters comes first.
            other = sorted(word.upper()) != sorted(each.upper())
            near.append((2 * distance + other, each))
    return tuple(each for _, each in sorted(near))


def _distance(one: str, other: str) -> int:
    """The number of wrong letters: insertions, deletions, replacements, swaps of neighbours."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        previous, row = row, [i]
        for j, its in enumerate(other, 1):
            found = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (letter != its))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == its:
                found = min(found, before[j - 2] + 1)
            row.append(found)
        before = previous
    return row[-1]
