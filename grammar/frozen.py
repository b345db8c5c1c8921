"""``dataclass(frozen=True, slots=True)`` of the standard library, made in a fifth of the time.

There are hundreds of such classes, and to make them was half of what a first query took: the
standard library compiles six functions for each.  Here one is, ``__init__``; the others are the
same for all classes, and do what those do.  `tests.grammar.test_frozen` compares both.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    from dataclasses import MISSING, FrozenInstanceError, fields
    from dataclasses import dataclass as _standard
    from operator import attrgetter
    from reprlib import recursive_repr

    #: What a class of this kind may not define.
    _MADE = frozenset({
        "__init__", "__repr__", "__eq__", "__hash__", "__setattr__", "__delattr__", "__getstate__",
        "__setstate__",
    })  # fmt: skip

    def dataclass(cls=None, /, **options):
        """The decorator: the standard library's own, but for what is made here."""
        if cls is None and options == {"frozen": True, "slots": True}:
            return _made
        return _standard(cls, **options)

    def _made(cls):
        """The class with slots for its fields, and the functions of a frozen dataclass."""
        own = _MADE & cls.__dict__.keys()
        assert not own, f"{cls.__name__} has a {own} of its own"
        made = _standard(init=False, repr=False, eq=False, slots=True)(cls)
        every = fields(made)
        made.__init__ = _init(every, made)
        made.__repr__ = _repr([each.name for each in every if each.repr])
        made.__eq__, made.__hash__ = _same([each.name for each in every if each.compare])
        made.__setattr__ = _setattr
        made.__delattr__ = _delattr
        made.__getstate__ = _getstate
        made.__setstate__ = _setstate
        return made

    def _init(every, cls):
        """The function that sets all fields: by place or name, with defaults."""
        known = {"_missing": MISSING}
        parameters, body = [], []
        for each in every:
            assert each.init, "a frozen field is given or has a default"
            name, value = each.name, each.name
            known[f"_set_{name}"] = getattr(cls, name).__set__  # of the slot: no look-up by name
            if each.default is not MISSING:
                known[f"_default_{name}"] = each.default
                parameters.append(f"{name}=_default_{name}")
            elif each.default_factory is not MISSING:
                known[f"_made_{name}"] = each.default_factory
                parameters.append(f"{name}=_missing")
                value = f"_made_{name}() if {name} is _missing else {name}"
            else:
                parameters.append(name)
            body.append(f"    _set_{name}(self, {value})\n")
        if hasattr(cls, "__post_init__"):
            body.append("    self.__post_init__()\n")
        lines = "".join(body) or "    pass\n"
        found = {}
        exec(f"def __init__(self, {', '.join(parameters)}):\n{lines}", known, found)
        init = found["__init__"]
        init.__qualname__ = f"{cls.__qualname__}.__init__"
        return init

    def _repr(names):
        def shown(self):
            values = []
            for each in names:  # a comprehension would be one more frame a level of a deep tree
                values.append(f"{each}={getattr(self, each)!r}")  # noqa: PERF401  see above
            return f"{self.__class__.__qualname__}({', '.join(values)})"

        return recursive_repr()(shown)

    def _same(names):
        """Equality and hash by the fields that are compared."""
        values = attrgetter(*names) if len(names) > 1 else _few(names)

        def equal(self, other):
            if other.__class__ is self.__class__:
                return values(self) == values(other)
            return NotImplemented

        def hashed(self):
            return hash(values(self))

        return equal, hashed

    def _few(names):
        """The tuple of one value or none; `attrgetter` gives the value itself."""
        if not names:
            return lambda _: ()
        value = attrgetter(*names)
        return lambda self: (value(self),)

    def _setattr(_, name, __):
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def _delattr(_, name):
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def _getstate(self):
        return [getattr(self, each.name) for each in fields(self)]

    def _setstate(self, state):
        for each, value in zip(fields(self), state, strict=True):
            object.__setattr__(self, each.name, value)
