"""The exceptions for faults of a backend, and texts about values and exceptions in messages."""

import json
import sys
import traceback
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Final, Literal, TypeAlias, cast

from tck.terminal.printable import printable

#: The greatest number of characters of a value in a message.
_MOST_SHOWN: Final = 60

#: The cause of a fault, as `BackendFault` explains the codes.
FaultCode: TypeAlias = Literal["failed", "breach", "unknown", "absent"]


@dataclass(eq=False)
class UnknownBackendError(Exception):
    """There is no backend with the requested name."""

    message: str
    hint: str = ""

    def __str__(self) -> str:
        """One line."""
        return f"{self.message} ({self.hint})" if self.hint else self.message

    @property
    def explained(self) -> str:
        """The same line, without control characters."""
        return printable(str(self))


@dataclass(eq=False)
class BackendStartError(Exception):
    """A backend cannot be started.

    ``absent``: the cause is that a package which it needs is missing.  ``detail`` has further
    lines: a traceback, or the last output of its process.  ``code`` is as in `BackendFault`.
    """

    message: str
    absent: bool = False
    detail: tuple[str, ...] = ()
    code: FaultCode = "failed"

    def __str__(self) -> str:
        """One line."""
        return self.message

    @property
    def explained(self) -> str:
        """The message, and the further lines below it, without control characters."""
        return "\n".join(map(printable, (self.message, *self.detail)))


@dataclass(eq=False)
class BackendFault(Exception):  # noqa: N818 - a fault of the backend is not an error of the kit
    """A backend gave no answer, or an answer that the protocol does not allow.

    ``reason`` is one line, ``detail`` has further lines: a traceback, or the last output of the
    process.  ``code``: the engine failed (``failed``); its answer breaks the protocol (``breach``);
    there is no backend of this name (``unknown``); or a package that it needs is missing
    (``absent``).  ``over``: the backend's process has ended, so it cannot answer further requests.
    """

    reason: str
    detail: tuple[str, ...] = ()
    code: FaultCode = "failed"
    over: bool = False

    def __str__(self) -> str:
        """One line."""
        return self.reason


def breach(reason: str) -> BackendFault:
    """The fault of an answer that breaks the protocol."""
    return BackendFault(reason, code="breach")


def described(error: BaseException) -> str:
    """An exception in one line: its class, and the first line of its message."""
    text = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def innermost_frames(error: BaseException) -> tuple[str, ...]:
    """The last three frames of an exception's traceback, one line for each, the innermost last.

    The path of a file below the working folder is relative, so that a report does not have the
    paths of a machine.
    """
    frames = traceback.extract_tb(error.__traceback__)
    return tuple(
        f"{_from_here(frame.filename)}:{frame.lineno} in {frame.name}" for frame in frames[-3:]
    )


def _from_here(file: str) -> str:
    """The path of a file, relative to the working folder if that contains the file."""
    try:
        return str(Path(file).relative_to(Path.cwd()))
    except (OSError, ValueError):  # the file is in another folder, or the working folder is removed
        return file


def shown(value: object) -> str:
    """A value as a message shows it: as JSON if possible, else by its ``repr``; cut off if long."""
    try:
        text = json.dumps(_shortened(value), ensure_ascii=False, allow_nan=True)
    except (TypeError, ValueError, RecursionError):
        try:
            text = f"{type(value).__name__} {value!r}"
        except Exception:  # a backend's own class, whose repr may fail
            text = type(value).__name__
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def nearest(word: str, words: Iterable[str]) -> str:
    """A hint with the most similar of some words: `` (did you mean tumble?)``.

    Empty if none of the words is similar to ``word``.
    """
    close = get_close_matches(word, list(words), n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def _shortened(value: object) -> object:
    """A value that needs little memory as a text: a long text or list is cut off."""
    if isinstance(value, str | list | tuple):
        return cast("Sequence[object]", value)[:_MOST_SHOWN]
    if isinstance(value, int) and abs(value) > sys.maxsize:
        return f"an integer of {value.bit_length()} bits"
    return value
