"""The result of a write, and the errors of a database that is closed or full."""

from dataclasses import dataclass

from grammar.source import SqlError


class DatabaseClosedError(Exception):
    """The database was closed."""


class WriterBlockedError(Exception):
    """A write would wait for ever, or waited too long; the waiting rows were not written."""


@dataclass(frozen=True, slots=True)
class Written:
    """The result of sending rows to a stream: the number accepted, and the errors of some others.

    A late row is not an error, unless it breaks its producer's own bound (S-601).
    """

    accepted: int
    errors: tuple[SqlError, ...] = ()
