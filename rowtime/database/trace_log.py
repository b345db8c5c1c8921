"""The trace: reports late rows and failures to `logging`, and as rows for SQL (S-602)."""

import logging
from collections import deque
from dataclasses import dataclass
from typing import Final

from algebra.catalog import QualifiedName
from reference.ingress import Dropped, Fault
from reference.relation import Row
from reference.snapshot import stateful

#: The level at which every late row is logged; Python has no level of that name.
FINEST: Final = 5
logging.addLevelName(FINEST, "FINEST")

#: The loggers: of late rows, and of failures and bad rows.
LATE_ROWS: Final = logging.getLogger("rowtime.trace.laterow")
FAILURES: Final = logging.getLogger("rowtime.trace")

#: The schema of the objects that the database fills itself.
SYSTEM: Final = "SYS_BOOT"
ALL_TRACE: Final[QualifiedName] = ("SYS_BOOT", "MGMT", "ALL_TRACE")
SAVED_TRACE: Final[QualifiedName] = ("SYS_BOOT", "MGMT", "SAVED_TRACE")
#: The number of the latest messages that the table SAVED_TRACE has.
SAVED: Final = 1_000

_COLUMNS: Final = (
    "LEVEL VARCHAR NOT NULL, OBJECT VARCHAR, STATEMENT BIGINT, CODE VARCHAR, "
    "MESSAGE VARCHAR NOT NULL"
)
#: The statements that create the objects of the trace.
DDL: Final = (
    "CREATE SCHEMA SYS_BOOT",
    "CREATE SCHEMA SYS_BOOT.MGMT",
    f"CREATE STREAM SYS_BOOT.MGMT.ALL_TRACE (ROWTIME TIMESTAMP(3) NOT NULL ASCENDING, {_COLUMNS})",
    f"CREATE TABLE SYS_BOOT.MGMT.SAVED_TRACE (ROWTIME TIMESTAMP(3) NOT NULL, {_COLUMNS})",
)


@stateful
@dataclass(frozen=True, slots=True)
class Message:
    """A message: the object at fault, the number of the statement or producer, a code, a text."""

    level: str
    object: QualifiedName | None
    statement: int | None
    code: str
    text: str

    def row(self, now: int) -> Row:
        """The message as a row of the stream and of the table."""
        name = None if self.object is None else ".".join(self.object)
        return (now, self.level, name, self.statement, self.code, self.text)


@stateful
class TraceLog:
    """The messages that `take_rows` has not returned yet, and the latest ones as rows (``saved``).

    While ``silent``, `logging` gets no messages.
    """

    def __init__(self) -> None:
        self.saved: deque[Row] = deque(maxlen=SAVED)
        self._pending: list[Message] = []
        self._dropped: dict[tuple[QualifiedName, str], int] = {}  # rows, by relation and fault
        self.silent = False  # while a database applies events that were logged before

    def report_dropped(self, name: QualifiedName, statement: int | None, why: Dropped) -> None:
        """Report a row that a stream or table has dropped.

        For each stream, `logging` gets the 1st, 10th, 100th and so on of the late rows as a
        WARNING, and the others at the level FINEST; the same holds for bad rows.  ``statement`` is
        the number of the statement or producer that has sent the row; None if it is not known.

        Defines: S-602.a
        """
        code = str(why.fault)
        number = self._dropped[name, code] = self._dropped.get((name, code), 0) + 1
        self._pending.append(Message("WARNING", name, statement, code, why.reason))
        if not self.silent:
            log, kind = (LATE_ROWS, "late") if why.fault is Fault.LATE else (FAILURES, "bad")
            level = logging.WARNING if is_power_of_ten(number) else FINEST
            log.log(level, "%s: %s row %d: %s", ".".join(name), kind, number, why.reason)

    def report_failure(
        self, name: QualifiedName | None, statement: int | None, code: str, text: str
    ) -> None:
        """Report the error that has ended a statement, or a malformed row.

        ``name`` is the object at fault; None: a query without a name has failed.
        """
        self._pending.append(Message("ERROR", name, statement, code, text))
        if not self.silent:
            FAILURES.error("%s: %s: %s", ".".join(name) if name else "a query", code, text)

    def take_rows(self, now: int) -> list[Row]:
        """Return the messages since the last call as rows, and add them to ``saved``.

        ``now`` is their rowtime.

        Defines: S-602.b, S-602.c
        """
        rows = [each.row(now) for each in self._pending]
        self._pending.clear()
        self.saved += rows
        return rows


def is_power_of_ten(number: int) -> bool:
    """Whether ``number``, which is positive, is a power of ten: 1, 10, 100 and so on.

    >>> [n for n in range(1, 2000) if is_power_of_ten(n)]
    [1, 10, 100, 1000]
    """
    return str(number).rstrip("0") == "1"
