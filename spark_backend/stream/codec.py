"""Frozen dataclasses to JSON and back, for the state that a checkpoint stores.

An object of JSON has each field under its name, or under a declared key (`written_as`).

A field may be a dataclass, a tuple, a mapping from texts, a plain type, or a union of plain types
and at most one tuple.  Other unions cannot be decoded, because JSON does not name the member.
"""

from collections.abc import Mapping
from dataclasses import Field, fields, is_dataclass
from types import NoneType, UnionType
from typing import (
    Any,
    Final,
    Literal,
    TypeAlias,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

#: A JSON object.
Json: TypeAlias = Mapping[str, object]

_T = TypeVar("_T")
_KEY: Final = "key"


def written_as(key: str) -> Mapping[str, str]:
    """The metadata of a `dataclasses.field` whose key in JSON is not its name."""
    return {_KEY: key}


def encoded(value: object) -> object:
    """A dataclass, tuple, mapping or plain value as JSON: objects, arrays and plain values."""
    if is_dataclass(value) and not isinstance(value, type):
        return {_key(each): encoded(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        mapping = cast("Mapping[str, object]", value)  # it has any keys and values
        return {key: encoded(each) for key, each in mapping.items()}
    if isinstance(value, tuple | list):
        return [encoded(each) for each in cast("tuple[object, ...]", value)]  # it has any items
    return value


def decoded(kind: type[_T], value: object) -> _T:
    """The inverse of `encoded` for a class; `ValueError` if ``value`` does not have its form."""
    found: _T = _decoded(kind, value)
    return found


def _decoded(kind: Any, value: object) -> Any:  # Any: a type annotation, and a value of that type
    """`decoded` for any type that a field can have."""
    origin, args = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        members, keys = _members(value), {each.name: _key(each) for each in fields(kind)}
        if set(members) != set(keys.values()):
            raise ValueError(f"the members of {kind} are not {', '.join(members)}")
        made: Any = kind  # a class with the fields as parameters
        return made(**{name: _decoded(hints[name], members[key]) for name, key in keys.items()})
    if origin in (UnionType, Union) and not _is_plain(kind, value):
        # No plain type of the union has the value, so it can only be the tuple of the union.
        kind = next((each for each in args if get_origin(each) is tuple), kind)
        origin, args = get_origin(kind), get_args(kind)
    if origin is tuple:
        values = _elements(value)
        types = [args[0]] * len(values) if args[-1] is Ellipsis else list(args)
        if len(types) != len(values):
            raise ValueError(f"{len(values)} values where there are {len(types)}")
        return tuple(_decoded(type, each) for type, each in zip(types, values, strict=True))
    if origin is Mapping:
        return {key: _decoded(args[1], each) for key, each in _members(value).items()}
    if not _is_plain(kind, value):
        raise ValueError(f"{value!r} is not a {kind}")
    return value


def _members(value: object) -> Json:
    """``value``, a JSON object; `ValueError` if it is of another kind."""
    if not isinstance(value, dict):
        raise ValueError(f"{value!r} is not an object")
    return cast("Json", value)  # the keys of an object are texts


def _elements(value: object) -> list[object]:
    """``value``, a JSON array; `ValueError` if it is of another kind."""
    if not isinstance(value, list):
        raise ValueError(f"{value!r} is not an array")
    return cast("list[object]", value)  # of JSON


def _is_plain(kind: Any, value: object) -> bool:  # Any: a type annotation
    """Whether ``value`` has the type ``kind``: a plain type, a union of them, or a Literal."""
    origin, args = get_origin(kind), get_args(kind)
    if origin in (UnionType, Union):
        return any(_is_plain(each, value) for each in args)
    if origin is Literal:
        return value in args
    if origin is tuple:
        return False
    if kind is object:
        return True
    return isinstance(value, NoneType if kind is None else kind)


def _key(of: Field[Any]) -> str:
    """The key of a field in JSON."""
    return str(of.metadata.get(_KEY, of.name))
