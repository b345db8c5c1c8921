"""Cases as a line of JSON, and back.

A line has the cases of one file: ``{"values": […], "cases": [[line, …], …]}``.  A case is its line
in the file, and then for each field the place of its value in ``values``, because the cases of a
series share most values.  In a value, ``{"Step": […]}`` is a record with its fields in order,
``{"map": {…}}`` a mapping, ``{"Decimal": ["…"]}`` a decimal, and a list is a tuple.
"""

import json
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from decimal import Decimal
from typing import Any, Final, TypeAlias, cast

from tck.corpus.case import (
    Case,
    ExpectedError,
    ExpectedLate,
    ExpectedWarning,
    FieldReport,
    Heading,
    Place,
    Step,
)
from tck.protocol import (
    Bound,
    CloseProducer,
    ColumnInfo,
    Elapse,
    End,
    Load,
    Now,
    OpenProducer,
    Rows,
)

#: The values that `json` reads and writes.
Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

#: The records that the fields of a case may hold.
_RECORDS: Final = (
    *(Bound, CloseProducer, ColumnInfo, Elapse, End, Load, Now, OpenProducer, Rows),
    *(ExpectedError, ExpectedLate, ExpectedWarning, FieldReport, Step),
)
#: The functions that make records and decimals, by the names in the text.
_MAKE: Final[Mapping[str, Callable[..., object]]] = {
    "Decimal": Decimal,
    **{each.__name__: each for each in _RECORDS},
}
_MAP: Final = "map"
#: The types of the values of JSON that hold others.
_NESTED: Final = frozenset((list, dict))
#: The fields of a case except for its place, whose file depends on the current folder.
_FIELDS: Final = tuple(each.name for each in fields(Case) if each.name != "place")
#: The fields of a heading except for its place, each with its index in `_FIELDS`.
_HEADING: Final = tuple(
    (each.name, _FIELDS.index(each.name)) for each in fields(Heading) if each.name != "place"
)


def cases_text(cases: Iterable[Case]) -> str:
    """One line of JSON, without the line break, that has some cases of one file."""
    places: dict[str, int] = {}
    listed: list[list[int]] = []
    for case in cases:
        texts = (json.dumps(_encoded(getattr(case, name))) for name in _FIELDS)
        listed.append([case.place.line, *(places.setdefault(t, len(places)) for t in texts)])
    return f'{{"values": [{", ".join(places)}], "cases": {json.dumps(listed)}}}'


@contextmanager
def _other_texts_are_value_errors() -> Generator[None]:
    """A context, or a decorator, in which a text that has no cases raises `ValueError`."""
    try:
        yield
    except (ArithmeticError, LookupError, TypeError, RecursionError) as error:
        raise ValueError(f"these are not cases: {error}") from error


@_other_texts_are_value_errors()
def read_cases_text(text: str, file: str) -> list[Case]:
    """The cases of a line; ``file`` is the file that they are in, as messages name it.

    Raises `ValueError` if `cases_text` cannot have written the line.
    """
    read = json.loads(text)
    values = [_decoded(each) for each in read["values"]]
    return [
        Case(
            place=Place(file, line),
            **dict(zip(_FIELDS, (values[place] for place in places), strict=True)),
        )
        for line, *places in read["cases"]
    ]


@_other_texts_are_value_errors()
def read_headings_text(text: str, file: str) -> list[Heading]:
    """The headings of the cases of a line, in their order, which is a quarter of the work.

    ``file`` is as for `read_cases_text`.  Raises `ValueError` if the line is not JSON of this form.
    """
    read = json.loads(text)
    values = read["values"]
    return [
        Heading(
            place=Place(file, line),
            **{name: _decoded(values[places[index]]) for name, index in _HEADING},
        )
        for line, *places in read["cases"]
    ]


def _encoded(value: object) -> Json:
    match value:
        case None | bool() | int() | float() | str():
            return value
        case Decimal():
            return {"Decimal": [str(value)]}
        case tuple():
            return [_encoded(each) for each in cast("tuple[object, ...]", value)]
        case Mapping():
            content = cast("Mapping[str, object]", value)
            return {_MAP: {key: _encoded(each) for key, each in content.items()}}
        case _:
            assert is_dataclass(value), f"a case holds no {type(value).__name__}"
            return {type(value).__name__: [_encoded(getattr(value, f.name)) for f in fields(value)]}


def _decoded(value: Json) -> Any:  # Any: a value of the field's type
    if isinstance(value, list):
        # Most values are rows of scalars; a call for each would take half of the time.
        return tuple([_decoded(e) if type(e) in _NESTED else e for e in value])
    if not isinstance(value, dict):
        return value
    ((name, content),) = value.items()
    if name == _MAP:
        assert isinstance(content, dict)
        return {key: _decoded(each) for key, each in content.items()}
    assert isinstance(content, list)
    return _MAKE[name](*map(_decoded, content))
