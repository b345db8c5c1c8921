"""Snapshots: the state of running operators as JSON, and new operators restored from it.

Checkpoints are made of snapshots.  The functions, shapes and orders of an operator belong to its
plan: a new operator of the same plan has them, too.  So a snapshot has only the data of operators.
It is read into their *twin*: the same object, created again from the plan.  A snapshot contains no
code, and reading it creates only objects of classes that are marked as `stateful`.

A mutable object that is neither marked nor part of the plan is rejected.  So the data of a class
that somebody forgot to mark are not lost unnoticed: there is no snapshot then.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import cached_property, partial
from itertools import count
from operator import itemgetter
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, Final, Protocol, TypeAlias, TypeVar, runtime_checkable

from algebra.monotonicity.join_progress import SideProgress
from algebra.monotonicity.progress import Bound, Bounds

T = TypeVar("T")

#: A value that `json` can write: None, numbers, texts, lists, and mappings with texts as keys.
Json: TypeAlias = Any  # Any: JSON is recursive, and checked while it is read


class NoSnapshotError(Exception):
    """There is state that cannot be written: of a foreign object, or of a class without a mark."""


class SnapshotError(ValueError):
    """A snapshot does not fit its twin: it is damaged, or was written from other classes."""


@runtime_checkable
class Owner(Protocol):
    """An object that creates parts with functions of the plan in them.

    For example, an Aggregate creates the groups, and each group has the functions of the measures.
    The twin of an Aggregate has no groups yet.  When a snapshot with groups is read, the twin makes
    a new part for each group, which then has these functions.
    """

    def fresh_part(self) -> object:
        """A new part without data."""
        ...


@runtime_checkable
class OwnState(Protocol):
    """An object that returns its own state, because its fields do not contain it."""

    def saved_state(self) -> object:
        """The state: values, tuples, lists and dicts. Raises `NoSnapshotError`."""
        ...

    def restore_state(self, state: Any, /) -> None:  # Any: the result of `saved_state`
        """Take over a state."""
        ...


_NAMES: dict[type[object], str] = {}
_CLASSES: dict[str, type[object]] = {}
_FROZEN: set[type[object]] = set()
_OWNERS: set[type[object]] = set()
_OWN_STATE: set[type[object]] = set()
_OF_PLAN: set[type[object]] = set()


def _is_frozen(cls: type[object]) -> bool:
    return is_dataclass(cls) and cls.__dataclass_params__.frozen  # type: ignore[attr-defined]  # typeshed lacks it


def stateful(cls: type[T]) -> type[T]:
    """Mark a class: the data in the fields of its objects is part of snapshots.

    The class must have all its fields from the beginning, because a new twin does not have a field
    that appears later (a `cached_property`).
    """
    name = f"{cls.__module__.rpartition('.')[2]}.{cls.__qualname__}"
    members = [each for base in cls.__mro__ for each in vars(base).values()]
    has_late_field = any(isinstance(each, cached_property) for each in members)
    assert not has_late_field, f"{name} has a field that appears later"
    assert name not in _CLASSES, f"two classes are {name}"
    _NAMES[cls], _CLASSES[name] = name, cls
    if _is_frozen(cls):
        _FROZEN.add(cls)
    if issubclass(cls, Owner):
        _OWNERS.add(cls)
    if issubclass(cls, OwnState):
        _OWN_STATE.add(cls)
    return cls


def of_plan(cls: type[T]) -> type[T]:
    """Mark a class whose objects are not written, because the plan of the twin creates equal ones.

    Their only data are copies of data outside the operators, which they look up again.

    Functions, classes and frozen dataclasses need no mark: they belong to the plan if all of their
    contents do.
    """
    _OF_PLAN.add(cls)
    return cls


for _each in (Bound, Bounds, SideProgress):  # classes of the algebra, which does not know snapshots
    stateful(_each)


# --- writing ------------------------------------------------------------------------------------

#: The types of JSON that are written as they are.
_PLAIN: Final = frozenset({type(None), bool, int, float, str})
#: Other types of values: a name, the JSON of a value, and its inverse.
_VALUES: Final[Mapping[type, tuple[str, Callable[[Any], Json], Callable[[Any], object]]]] = {
    Decimal: ("decimal", str, Decimal),
    Fraction: ("fraction", str, Fraction),
    bytes: ("bytes", bytes.hex, bytes.fromhex),
    datetime: ("datetime", datetime.isoformat, datetime.fromisoformat),
    date: ("date", date.isoformat, date.fromisoformat),
    time: ("time", time.isoformat, time.fromisoformat),
    timedelta: (
        "timedelta",
        lambda value: value // timedelta(microseconds=1),
        lambda value: timedelta(microseconds=value),
    ),
}
_READERS: Final = {name: read for name, _, read in _VALUES.values()}
#: Written in place of a value that belongs to the plan; the reader takes the twin's own value.
_OF_TWIN: Final[Mapping[str, Json]] = {"twin": None}
#: The types of functions.  A function belongs to the plan; if it has state, this is not written.
_FUNCTIONS: Final = frozenset(
    {FunctionType, BuiltinFunctionType, MethodType, partial, itemgetter, type}
)
_COLLECTIONS: Final = frozenset({tuple, list, set, frozenset})
_CONTAINERS: Final = frozenset({list, deque, set, frozenset, dict, count})


def snapshot(of: object) -> Json:
    """Write the data of an object and of all objects in it as JSON, which its twin can read.

    An object that occurs twice is written once.  Raises `NoSnapshotError`.
    """
    writer = _Writer()
    data = writer.written(of)
    return {"fields": writer.fields, "data": data}


class _Writer:
    """Writes one snapshot: it knows the classes and the objects that have been written so far.

    ``fields`` has the fields of each class.
    """

    def __init__(self) -> None:
        self.fields: dict[str, Sequence[str]] = {}
        self._numbers: dict[type[object], int] = {}
        self._objects: dict[int, int] = {}
        self._of_plan: set[int] = set()
        self._twinless = False  # whether the present value will be read without a twin

    def written(self, value: Any) -> Json:  # Any: of a type that is looked up
        """A value as JSON.

        A tuple becomes a list.  Another value that JSON lacks becomes an object with one key, which
        names its kind, such as ``{"decimal": "1.50"}``.
        """
        kind = _type_of(value)
        if kind in _PLAIN:
            return value
        if kind is tuple:
            return list(map(self.written, value))
        if kind in _VALUES:
            name, write, _ = _VALUES[kind]
            return {name: write(value)}
        if kind in _NAMES:
            return self._object(value)
        if kind is list:
            return {"list": list(map(self.written, value))}
        if kind in (deque, set, frozenset):
            return {kind.__name__: self._without_twins(value)}
        if kind is dict and all(map(_is_written, value)):
            # In the order in which they are read, because objects have numbers.
            pairs = value.items()
            return {"dict": [[*self._without_twins([key]), self.written(of)] for key, of in pairs]}
        if kind is count:
            # Reading the next number of a counter uses it up.  A gap in the numbers is harmless,
            # because they only put things in order.
            return {"count": next(value)}
        # These may be data: an Enum without a mark; a dict with data as its values, whose keys
        # cannot be written.
        may_be_data = isinstance(value, Enum) or (
            kind is dict and any(map(_is_data, value.values()))
        )
        if may_be_data or self._twinless:
            raise NoSnapshotError(f"{kind.__qualname__} may be data, and cannot be written")
        self._check_of_plan(value)
        return _OF_TWIN

    def _without_twins(self, values: Iterable[object]) -> list[Json]:
        """Write values that have no twins, such as the elements of a set.

        A value that belongs to the plan is read from its twin.  Among these values, it is therefore
        rejected.
        """
        before, self._twinless = self._twinless, True
        written = list(map(self.written, values))
        self._twinless = before
        return written

    def _check_of_plan(self, value: Any) -> None:  # Any: of a type that is looked up
        """Raise `NoSnapshotError` if a value may not be the same in the twin."""
        kind = _type_of(value)
        if kind in _PLAIN or kind in _VALUES or kind in _FUNCTIONS or kind in _OF_PLAN:
            return
        if id(value) in self._of_plan:
            return
        if kind in _COLLECTIONS:
            parts: list[object] = list(value)
        elif kind is dict:
            parts = [*value, *value.values()]
        elif isinstance(value, Enum):
            parts = []
        elif kind not in _NAMES and _is_frozen(kind):
            # A frozen record is its fields: the facts that a plan remembers follow from these.
            parts = [getattr(value, each.name) for each in fields(value)]
        else:
            raise NoSnapshotError(f"{kind.__qualname__} can change, and is not marked as stateful")
        self._of_plan.add(id(value))
        for each in parts:
            self._check_of_plan(each)

    def _object(self, value: object) -> Json:
        """An object of a marked class as JSON; its number if it has been written before."""
        if isinstance(value, Enum):
            return {"member": [_NAMES[type(value)], value.name]}
        before = self._objects.get(id(value))
        if before is not None:
            return {"object": before}
        self._objects[id(value)] = len(self._objects)
        kind = type(value)
        if kind in _OWN_STATE:
            assert isinstance(value, OwnState)
            return {"own": [_NAMES[kind], *self._without_twins([value.saved_state()])]}
        names = _field_names(value)
        if kind not in self._numbers:
            self._numbers[kind] = len(self._numbers)
            self.fields[_NAMES[kind]] = names
        # A field is read with a twin even if its object has none: `_Reader._new` takes the field of
        # a new part (`Owner`), or the default of the field.
        before_fields, self._twinless = self._twinless, False
        data = [self.written(getattr(value, name)) for name in names]
        self._twinless = before_fields
        return {"new": [self._numbers[kind], *data]}


def _type_of(value: object) -> type[object]:
    return type(value)


def _is_written(key: object) -> bool:
    """Whether a key of a dict is of a type that can be written without a twin."""
    return type(key) in _PLAIN or type(key) is tuple or type(key) in _VALUES


def _is_data(value: object) -> bool:
    """Whether a value is data, as far as its own type shows."""
    kind = type(value)
    return _is_written(value) or kind in _NAMES or kind in _CONTAINERS


def _field_names(of: object) -> Sequence[str]:
    """The names of the fields of an object: its slots, those of its bases first, and the others."""
    slots = [
        name for each in reversed(type(of).__mro__) for name in vars(each).get("__slots__", ())
    ]
    return [*slots, *getattr(of, "__dict__", ())]


# --- reading ------------------------------------------------------------------------------------

_NO_TWIN: Final = object()


def restored(twin: T, saved: Json) -> T:
    """Read the data ``saved`` by `snapshot` into ``twin``, and return the twin.

    An immutable twin stays the same; then a new object with the data is returned.  Raises
    `SnapshotError`.
    """
    try:
        reader = _Reader(saved["fields"])
        found = reader.read(saved["data"], twin)
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise SnapshotError(f"the state does not fit what it is the state of: {error!r}") from error
    assert type(found) is type(twin)
    return found


class _Reader:
    """Reads one snapshot: it knows the classes, the objects read so far, and those being read."""

    def __init__(self, fields_of: Mapping[str, Sequence[str]]) -> None:
        self._kinds: list[tuple[type[object], Sequence[str]]] = [
            (_CLASSES[name], names) for name, names in fields_of.items()
        ]
        self._objects: list[object] = []
        self._within: list[object] = []  # the objects (or their twins) that are being read

    def read(self, saved: Json, twin: Any) -> Any:  # Any: both are of the type that was written
        """Read the value ``saved``; ``twin`` is the twin's value at this place, or `_NO_TWIN`."""
        if type(saved) in _PLAIN:
            return saved
        of = _type_of(twin)
        if _type_of(saved) is list:
            return tuple(self._all(saved, twin if of is tuple else ()))
        pairs: list[tuple[str, Json]] = list(saved.items())
        ((key, data),) = pairs
        match key:
            case "new":
                number: int = data[0]
                kind, names = self._kinds[number]
                return self._new(kind, names, data[1:], twin)
            case "own":
                name, state = data
                return self._own(name, state, twin)
            case "object":
                return self._objects[data]
            case "list":
                return self._all(data, twin if of is list else ())
            case "deque":
                most = twin.maxlen if of is deque else None
                return deque(self._all(data, ()), most)
            case "set":
                return set(self._all(data, ()))
            case "frozenset":
                return frozenset(self._all(data, ()))
            case "member":
                name, member = data
                return _CLASSES[name].__members__[member]  # type: ignore[attr-defined]  # else refused
            case "dict":
                old: Mapping[Any, object] = twin if of is dict else {}
                read = ((self.read(key, _NO_TWIN), value) for key, value in data)
                return {key: self.read(value, old.get(key, _NO_TWIN)) for key, value in read}
            case "count":
                return count(data)
            case "twin" if twin is not _NO_TWIN:
                return twin
            case _:
                return _READERS[key](data)

    def _all(self, saved: Sequence[Json], twins: Sequence[object]) -> list[object]:
        """Read values in their order; each has its own twin if there are as many ``twins``."""
        if len(twins) != len(saved):
            return [self.read(each, _NO_TWIN) for each in saved]
        return [self.read(each, twin) for each, twin in zip(saved, twins, strict=True)]

    def _new(
        self, kind: type[object], names: Sequence[str], saved: Sequence[Json], twin: object
    ) -> object:
        """Read an object of a marked class, with the fields that were written.

        Its twin is the first of these that exists: (1) ``twin``, if it has the same class; (2) a
        new part of the innermost `Owner` that is being read, if its parts have this class.

        The twin itself gets the fields.  A new object gets them if there is no twin, or if the
        class is frozen.  Without a twin, a field whose value belongs to the plan has its default.
        """
        if type(twin) is not kind:
            twin = self._part(kind)
        known = _fields(kind) if twin is _NO_TWIN else _field_names(twin)
        if known != names:
            raise SnapshotError(f"a {kind.__name__} has other fields")
        new: object = object.__new__(kind) if twin is _NO_TWIN or kind in _FROZEN else twin
        self._objects.append(new)
        self._within.append(new if twin is _NO_TWIN else twin)
        for name, each in zip(names, saved, strict=True):
            if twin is not _NO_TWIN:
                old = getattr(twin, name)
            else:
                old = _default(kind, name) if each == _OF_TWIN else _NO_TWIN
            object.__setattr__(new, name, self.read(each, old))
        self._within.pop()
        return new

    def _own(self, name: str, saved: Json, twin: object) -> object:
        """Let the twin, an `OwnState` of the class ``name``, take over its state; return it."""
        if type(twin) is not _CLASSES[name] or not isinstance(twin, OwnState):
            raise SnapshotError(f"a {name} is a {type(twin).__name__}")
        self._objects.append(twin)
        twin.restore_state(self.read(saved, _NO_TWIN))
        return twin

    def _part(self, kind: type[object]) -> object:
        """A new part of the innermost owner that is being read, if the part has the class ``kind``.

        `_NO_TWIN` if there is no such part.
        """
        owner = next((each for each in reversed(self._within) if type(each) in _OWNERS), None)
        part = owner.fresh_part() if isinstance(owner, Owner) else _NO_TWIN
        return part if type(part) is kind else _NO_TWIN


def _fields(kind: type[object]) -> Sequence[str]:
    """The names of the fields of a dataclass; none for another class."""
    return [each.name for each in fields(kind)] if is_dataclass(kind) else []


def _default(kind: type[Any], name: str) -> object:
    """The default value of a field; `_NO_TWIN` if it has none."""
    (found,) = (each for each in fields(kind) if each.name == name)
    if found.default_factory is not MISSING:
        return found.default_factory()
    return _NO_TWIN if found.default is MISSING else found.default
