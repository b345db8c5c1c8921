"""Expected rows paired with emitted rows as bags: which are missing, and which are extra."""

from collections.abc import Iterable
from dataclasses import dataclass

from tck.judging.rows.equality import Classes


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
    """The rows of each class paired in their order: of equal rows, the last are left over."""
    unpaired = places_by_class(classes.actual)
    pairs: list[tuple[int, int]] = []
    missing: list[int] = []
    used: dict[int, int] = {}
    for place, number in enumerate(classes.expected):
        partners, next_one = unpaired.get(number, ()), used.get(number, 0)
        if next_one < len(partners):
            pairs.append((place, partners[next_one]))
            used[number] = next_one + 1
        else:
            missing.append(place)
    extra = [i for number, places in unpaired.items() for i in places[used.get(number, 0) :]]
    return Matching(tuple(pairs), tuple(missing), tuple(sorted(extra)))


def places_by_class(numbers: Iterable[int]) -> dict[int, list[int]]:
    """The places of each class, ascending."""
    places: dict[int, list[int]] = {}
    for place, number in enumerate(numbers):
        places.setdefault(number, []).append(place)
    return places


def first_difference_of_rows(classes: Classes, length: int) -> int | None:
    """The first of ``length`` places at which the rows are not equal; None: all are.

    A place that one side does not have is a difference.
    """
    both = zip(classes.expected[:length], classes.actual[:length], strict=False)
    for place, (expected, actual) in enumerate(both):
        if expected != actual:
            return place
    shorter = min(len(classes.expected), len(classes.actual))
    return shorter if shorter < length else None
