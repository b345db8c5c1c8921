"""The result of a write, and the errors if the database is closed, or a buffer stays full."""

from dataclasses import dataclass

from grammar.source import SqlError


class DatabaseClosedError(Exception):
    """The database was closed."""


class WriterBlockedError(Exception):
    """A write was given up, because the buffer of a reader stayed full.

    The write would wait for ever, or has waited too long; its waiting rows were not written.
    """


@dataclass(frozen=True, slots=True)
class Written:
    """The result of sending rows: the number of accepted rows, and the errors of the others.

    A dropped late row has no error, unless it is below the bound that its producer has set (S-601).
    """

    accepted: int
    errors: tuple[SqlError, ...] = ()
