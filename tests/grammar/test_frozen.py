"""The frozen dataclasses made in a short time: what the standard library's do, they do."""

import copy
import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field
from functools import partial
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Quick:
    """Fields of every kind that is in use."""

    a: object
    b: object
    at: object = field(compare=False, repr=False)
    c: object = 3
    d: dict[str, int] = field(default_factory=dict[str, int])


@dataclasses.dataclass(frozen=True, slots=True)
class Slow:
    """The same by the standard library."""

    a: object
    b: object
    at: object = field(compare=False, repr=False)
    c: object = 3
    d: dict[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True)
class QuickOne:
    """One field: its values are compared as in a tuple."""

    a: object


@dataclasses.dataclass(frozen=True, slots=True)
class SlowOne:
    """The same by the standard library."""

    a: object


@dataclass(frozen=True, slots=True)
class QuickNone:
    """No field."""


@dataclasses.dataclass(frozen=True, slots=True)
class SlowNone:
    """The same by the standard library."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A class that looks at its fields."""

    a: int

    def __post_init__(self) -> None:
        """Refuse what is negative."""
        if self.a < 0:
            raise ValueError(self.a)


PAIRS: Final[list[tuple[Callable[..., object], Callable[..., object]]]] = [
    (Quick, Slow), (QuickOne, SlowOne), (QuickNone, SlowNone),
]  # fmt: skip
NAN: Final = float("nan")
VALUES = st.sampled_from([0, 1, 1.0, True, "x", None, (1, 2), NAN, 2.5])


def outcome(act: Callable[[], object]) -> object:
    """What comes of an act, or the kind of error."""
    try:
        return act()
    except Exception as error:  # whichever it is, both must raise it
        return type(error)


def shown(value: object) -> str:
    """An instance's text, without what its class is called."""
    return repr(value).replace("Quick", "Slow")


@given(st.sampled_from(PAIRS), st.lists(VALUES, max_size=6), st.lists(VALUES, max_size=6))
def test_instances_are_made_shown_compared_and_hashed_as_the_standard_library_has_it(
    pair: tuple[Callable[..., object], Callable[..., object]],
    first: list[object],
    second: list[object],
) -> None:
    quick, slow = ([outcome(partial(kind, *each)) for each in (first, second)] for kind in pair)
    assert [shown(each) for each in quick] == [shown(each) for each in slow]
    if not any(isinstance(each, type) for each in quick):  # none is the error of a wrong call
        assert (quick[0] == quick[1]) == (slow[0] == slow[1])
        assert (quick[0] != quick[1]) == (slow[0] != slow[1])
        if quick[0] == quick[1] and NAN not in first:
            assert outcome(lambda: hash(quick[0])) == outcome(lambda: hash(quick[1]))


@pytest.mark.parametrize("kind", [Quick, Slow])
def test_fields_are_given_by_name_and_have_defaults(kind: type[Quick]) -> None:
    made = kind(at=9, b=2, a=1)
    assert (made.a, made.b, made.at, made.c, made.d) == (1, 2, 9, 3, {})
    assert made == kind(1, 2, 10)
    assert made.d is not kind(1, 2, 3).d
    with pytest.raises(TypeError):
        kind(1)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]  # what is tested
    with pytest.raises(TypeError):
        kind(1, 2, 3, e=4)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]  # the same


@pytest.mark.parametrize("kind", [Quick, Slow])
def test_nothing_is_changed_but_copies_are(kind: type[Quick]) -> None:
    made = kind(1, 2, 3)
    with pytest.raises(FrozenInstanceError):
        made.a = 5  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]  # tested
    with pytest.raises(FrozenInstanceError):
        delattr(made, "a")
    with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
        made.other = 5  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    assert dataclasses.replace(made, a=4) == kind(4, 2, 3)
    assert dataclasses.astuple(made) == (1, 2, 3, 3, {})
    assert copy.deepcopy(made) == copy.copy(made) == made
    assert pickle.loads(pickle.dumps(made)) == made
    assert not hasattr(made, "__dict__")


@pytest.mark.parametrize("kind", [Quick, Slow])
def test_patterns_and_fields_are_by_the_order_of_the_text(kind: type[Quick]) -> None:
    assert kind.__match_args__ == ("a", "b", "at", "c", "d")
    assert [each.name for each in dataclasses.fields(kind)] == ["a", "b", "at", "c", "d"]
    assert dataclasses.is_dataclass(kind)
    assert kind.__doc__


def test_a_class_may_check_its_fields() -> None:
    assert Checked(1).a == 1
    with pytest.raises(ValueError, match="-1"):
        Checked(-1)


def test_classes_of_the_same_fields_are_not_equal() -> None:
    others: list[object] = [SlowOne(1), 1, (1,)]
    assert QuickOne(1) not in others
