"""Pair each expected row with an equal emitted row, and find the missing and the extra rows."""

from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Final

from tck.judging.rows.equality import Classes

#: The place of no row.
_NONE: Final = -1


@dataclass(frozen=True, slots=True)
class Matching:
    """Equal rows paired one to one.

    ``pairs`` are places (expected, actual) in the order of the expected rows; ``missing`` are the
    places of expected rows, ``extra`` those of actual rows, without a partner.
    """

    pairs: tuple[tuple[int, int], ...]
    missing: tuple[int, ...]
    extra: tuple[int, ...]


def match_rows(classes: Classes) -> Matching:
    """Pair the rows of each class in their order; the last rows of the longer side are unpaired."""
    # The unpaired actual rows of a class form a linked list, which needs less memory than a list of
    # Python.
    first: dict[int, int] = {}  # by class: the place of its first unpaired row
    following = [_NONE] * len(classes.actual)  # by place: the next place in the same class
    for place in reversed(range(len(classes.actual))):
        number = classes.actual[place]
        following[place] = first.get(number, _NONE)
        first[number] = place
    pairs: list[tuple[int, int]] = []
    missing: list[int] = []
    for place, number in enumerate(classes.expected):
        partner = first.get(number, _NONE)
        if partner == _NONE:
            missing.append(place)
        else:
            pairs.append((place, partner))
            first[number] = following[partner]
    extra: list[int] = []
    for place in first.values():
        while place != _NONE:
            extra.append(place)
            place = following[place]
    return Matching(tuple(pairs), tuple(missing), tuple(sorted(extra)))


def places_by_class(numbers: Iterable[int], classes: Container[int]) -> dict[int, list[int]]:
    """By class: the places of its rows, ascending.  Only classes in ``classes`` are listed.

    ``numbers`` has the class of each row.
    """
    places: dict[int, list[int]] = {}
    for place, number in enumerate(numbers):
        if number in classes:
            places.setdefault(number, []).append(place)
    return places


def first_difference_of_rows(classes: Classes, length: int) -> int | None:
    """The first place, from 0, at which the expected and the actual row are not equal; None: none.

    Only places below ``length`` are compared.  A place that a side does not have is a difference.
    """
    both = zip(classes.expected[:length], classes.actual[:length], strict=False)
    for place, (expected, actual) in enumerate(both):
        if expected != actual:
            return place
    shorter = min(len(classes.expected), len(classes.actual))
    return shorter if shorter < length else None
