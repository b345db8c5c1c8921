"""Backends in Python that misbehave as only Python can; else they are right, as `toy.Faithful`."""

# ruff: noqa: D102 - the methods are the protocol's, and documented there

import ctypes
import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NoReturn, cast

from tck.protocol import Accepted, Event, Hello, Open, Output, Refused, WireRow
from tests.tck.toy import COLUMNS, Faithful

MARKUP = "\x1b[31m\u202e\x00<b>"
ROW: WireRow = ("2015-02-15 10:00:00", 10, 4)


class Segfaults(Faithful):
    """Reads from address 0."""

    def poll(self) -> Output:
        ctypes.string_at(0)
        return super().poll()


class RaisesGeneratorExit(Faithful):
    """What Python throws into a generator that is closed."""

    def poll(self) -> Output:
        raise GeneratorExit


class RaisesKeyboardInterrupt(Faithful):
    """As if its user had pressed Ctrl-C."""

    def poll(self) -> Output:
        raise KeyboardInterrupt


class RaisesSystemExit(Faithful):
    """Calls ``sys.exit(0)``."""

    def poll(self) -> Output:
        raise SystemExit(0)


class Recurses(Faithful):
    """Has no end of calls."""

    def poll(self) -> Output:
        return self.poll()


class RunsOutOfMemory(Faithful):
    """Wants ten terabytes."""

    def poll(self) -> Output:
        return Output(bound=str(bytearray(10**13)))


class EmitsTenMillionRows(Faithful):
    """All equal."""

    def poll(self) -> Output:
        return Output((ROW,) * 10_000_000)


class EmitsWithoutEnd(Faithful):
    """Its rows are an iterator that does not end."""

    def poll(self) -> Output:
        def rows() -> Iterator[WireRow]:
            while True:
                yield ROW

        return Output(cast("Any", rows()))  # a lie


class GivesNone(Faithful):
    """Forgets to return."""

    def poll(self) -> Output:
        return cast("Output", None)  # a lie


class GivesDict(Faithful):
    """Returns JSON, as if it were not in Python."""

    def open(self, request: Open) -> Accepted | Refused:
        super().open(request)
        return cast("Accepted", {"streaming": True})  # a lie


class GivesText(Faithful):
    """Describes itself by its name alone."""

    def start(self) -> Hello:
        return cast("Hello", "toy")  # a lie


class GivesObjects(Faithful):
    """Its values are of a class whose text cannot be had."""

    class Value:
        """Raises when it is printed or hashed."""

        def __repr__(self) -> str:
            raise RuntimeError("no text")

        __hash__ = cast("Any", None)

    def poll(self) -> Output:
        return Output(((cast("Any", self.Value()), 1, 1),))  # a lie


class Prints(Faithful):
    """Prints to standard output whatever it is requested."""

    def feed(self, event: Event) -> None:
        print('{"seq": 1, "answer": "output"}', flush=True)
        super().feed(event)


class BoundsLie(Faithful):
    """Claims that no row arrives any more, and emits rows."""

    def poll(self) -> Output:
        return replace(super().poll(), bound="2099-01-01 00:00:00")


class Markup(Faithful):
    """Its types and values have escape codes."""

    def open(self, request: Open) -> Accepted | Refused:
        answer = super().open(request)
        if isinstance(answer, Refused):
            return answer
        markup = replace(COLUMNS[2], type=f"VARCHAR(99) {MARKUP}")
        return replace(answer, columns=(*COLUMNS[:2], markup))

    def poll(self) -> Output:
        return Output((("2015-02-15 10:00:00", 10, MARKUP),), "end")


class CannotBeMade(Faithful):
    """Raises where it is made."""

    def __init__(self) -> NoReturn:
        raise GeneratorExit("in the constructor")


class ExitsInProcess(Faithful):
    """Ends its process as if all were well."""

    def poll(self) -> Output:
        os._exit(0)
