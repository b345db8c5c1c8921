"""The places of a table's or stream's columns in a file, found by name in any letter case.

The names of a file's columns are its header.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from algebra.catalog import Column
from algebra.records.opening import FileError


def places_of(path: Path, header: Sequence[str], columns: Sequence[Column]) -> list[int]:
    """The place of each of ``columns`` in ``header``.

    Raises `FileError` if the header lacks a column, or has its name twice.
    """
    places_by_name = _by_folded_name(header)
    own = {column.name for column in columns}
    places: list[int] = []
    for column in columns:
        found = places_by_name.get(column.name.upper(), ())
        place = column_place(column.name, [header[each] for each in found], own)
        if place is None and found:
            first, second = found[0], found[1]
            raise FileError(
                f"{path}: column {column.name} is there twice: column {first + 1} is "
                f"'{header[first]}', and column {second + 1} is '{header[second]}'"
            )
        if place is None:
            listed = ", ".join(header)
            raise FileError(f"{path}: there is no column {column.name}; the header has: {listed}")
        places.append(found[place])
    return places


def column_place(name: str, found: Sequence[str], own: set[str]) -> int | None:
    """The place in ``found`` of the name that the column ``name`` has in the file.

    ``found`` are the names in the header that differ from ``name`` at most in letter case.  If
    there are several, one must be exactly ``name``, and each other must be exactly the name of
    another declared column.  ``own`` has the names of all declared columns.  None if there are no
    names, or if they are ambiguous.

    Defines: S-607.l
    """
    if len(found) == 1:
        return 0
    others = [each for each in found if each != name]
    are_distinct = len(set(found)) == len(found)
    if name in found and own.issuperset(others) and are_distinct:
        return found.index(name)
    return None


def _by_folded_name(header: Sequence[str]) -> Mapping[str, list[int]]:
    """The places of each name of the header, by the name in upper case."""
    places: dict[str, list[int]] = {}
    for place, name in enumerate(header):
        places.setdefault(name.upper(), []).append(place)
    return places
