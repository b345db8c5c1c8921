"""Write the cases of a file as one line of JSON, and read them again, for the store of cases.

The form is ``{"values": […], "cases": [[line, …], …]}``.  A case is a list of numbers: its line in
the file, and then for each field the place of its value in ``values``, because the cases of a
series share most values.  In a value, ``{"Step": […]}`` stands for a record with its fields in
order, ``{"map": {…}}`` for a mapping, ``{"Decimal": ["…"]}`` for a decimal, and a list for a tuple.
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

#: The classes of the records in the fields of a case.
_RECORDS: Final = (
    *(Bound, CloseProducer, ColumnInfo, Elapse, End, Load, Now, OpenProducer, Rows),
    *(ExpectedError, ExpectedLate, ExpectedWarning, FieldReport, Step),
)
#: By name in the text: the class of a record, or of a decimal.
_MAKE: Final[Mapping[str, Callable[..., object]]] = {
    "Decimal": Decimal,
    **{each.__name__: each for each in _RECORDS},
}
_MAP: Final = "map"
#: The types of the values of JSON that contain other values.
_NESTED: Final = frozenset((list, dict))
#: The fields of a case except for its place, whose file depends on the current folder.
_FIELDS: Final = tuple(each.name for each in fields(Case) if each.name != "place")
#: The fields of a heading except for its place, each with its index in `_FIELDS`.
_HEADING: Final = tuple(
    (each.name, _FIELDS.index(each.name)) for each in fields(Heading) if each.name != "place"
)


def cases_text(cases: Iterable[Case]) -> str:
    """The line of JSON for some cases of one file, without the line break."""
    places: dict[str, int] = {}  # by the text of a value: its place in `values`
    listed: list[list[int]] = []
    for case in cases:
        texts = (json.dumps(_encoded(getattr(case, name))) for name in _FIELDS)
        listed.append([case.place.line, *(places.setdefault(t, len(places)) for t in texts)])
    return f'{{"values": [{", ".join(places)}], "cases": {json.dumps(listed)}}}'


@contextmanager
def _with_value_errors() -> Generator[None]:
    """A context, or a decorator, in which any error because of another text is a `ValueError`."""
    try:
        yield
    except (ArithmeticError, LookupError, TypeError, RecursionError) as error:
        raise ValueError(f"these are not cases: {error}") from error


@_with_value_errors()
def read_cases_text(text: str, file: str) -> list[Case]:
    """The cases of a line; ``file`` is their file, as messages name it.

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


@_with_value_errors()
def read_headings_text(text: str, file: str) -> list[Heading]:
    """The headings of the cases of a line, in their order; this takes a quarter of the time.

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
    """A value of a field, as JSON."""
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
    """The value of a field that `_encoded` has written."""
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
