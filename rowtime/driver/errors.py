"""The exceptions of PEP 249, and the conversion of other errors to these exceptions."""

import contextlib
from collections.abc import Generator
from traceback import clear_frames

from grammar.codes import Code, Family, family
from grammar.printable import printable_lines
from grammar.source import SqlError
from rowtime.database.outcomes import DatabaseClosedError, WriterBlockedError
from rowtime.database.reader import ReaderCancelledError, ReaderEndedError


class Warning(Exception):  # noqa: N818 (named by PEP 249)
    """An important warning; none is raised so far."""


class Error(Exception):
    """All errors of the driver.

    ``sql_error`` has the code, the place in the text and the hint; None: the error is not of SQL.
    """

    sql_error: SqlError | None = None

    def __str__(self) -> str:
        """The text, in which names, paths and values are made printable."""
        return printable_lines(super().__str__())

    @property
    def code(self) -> str | None:
        """The code of the error of SQL (S-801), `UNKNOWN_COLUMN` for example."""
        return None if self.sql_error is None else str(self.sql_error.code)


class InterfaceError(Error):
    """A wrong use of the driver, such as a closed cursor, or a fetch without a result."""


class DatabaseError(Error):
    """All errors of the database."""


class DataError(DatabaseError):
    """A value that cannot be computed or converted: division by zero, overflow, a wrong type."""


class OperationalError(DatabaseError):
    """An error of the operation, not of the statement: a dropped stream, a bound that goes back."""


class IntegrityError(DatabaseError):
    """A row that a table or stream may not hold."""


class InternalError(DatabaseError):
    """An error of the database itself."""


class ProgrammingError(DatabaseError):
    """A wrong statement: its syntax, a name, a type, a rule of streaming."""


class NotSupportedError(DatabaseError):
    """A feature that the language or the driver lacks."""


class Timeout(OperationalError, TimeoutError):  # noqa: N818 (EXT-055: TimeoutException)
    """No row arrived, or none could be written, in the cursor's timeout; a query continues."""


class OutOfMemory(OperationalError, MemoryError):  # noqa: N818 (its bases are named so)
    """The statement needs more memory than the process can get."""

    def __init__(self) -> None:
        super().__init__("the statement needs more memory than this process can get")


class Cancelled(OperationalError):  # noqa: N818 (the name of the status)
    """The query was cancelled; it has no more rows."""


#: The exceptions for codes to which the general rule of `of_sql` does not apply.
_BY_CODE = {
    Code.NOT_SUPPORTED: NotSupportedError,
    Code.BAD_ROW: IntegrityError,
    Code.EXTERNAL_ROUTINE: OperationalError,
    Code.BOUND_BACKWARDS: OperationalError,
    Code.BEHIND_OWN_BOUND: OperationalError,
    Code.INSUFFICIENT_HISTORY: OperationalError,
}


def of_sql(error: SqlError) -> DatabaseError:
    """An error of SQL as an exception of PEP 249, whose message has the text, carets and hint.

    A run-time error is a `DataError`, and any other a `ProgrammingError`, except for some codes.
    """
    default = DataError if family(error.code) is Family.RUNTIME else ProgrammingError
    found = _BY_CODE.get(error.code, default)(str(error))
    found.sql_error = error
    return found


@contextlib.contextmanager
def driver_errors() -> Generator[None]:
    """A context that converts the errors of the database to exceptions of PEP 249."""
    try:
        yield
    except SqlError as error:
        raise of_sql(error) from None
    except ReaderCancelledError as error:
        raise Cancelled(str(error)) from None
    except ReaderEndedError as error:
        reason = error.reason
        # UNKNOWN_OBJECT: a stream of the query was dropped, and the statement was not wrong.
        if isinstance(reason, SqlError) and reason.code is not Code.UNKNOWN_OBJECT:
            raise of_sql(reason) from None
        if isinstance(reason, MemoryError):
            raise OutOfMemory from None
        if not isinstance(reason, SqlError | DatabaseClosedError):
            raise InternalError(f"rowtime has failed with {reason!r}") from None
        ended = OperationalError(str(reason))
        ended.sql_error = reason if isinstance(reason, SqlError) else None
        raise ended from None
    except DatabaseClosedError as error:
        raise InterfaceError(str(error)) from None
    except (WriterBlockedError, TimeoutError) as error:
        if isinstance(error, Error):  # it is a `Timeout` already
            raise
        raise Timeout(str(error)) from None
    except OSError as error:
        raise OperationalError(str(error)) from None
    except MemoryError as error:
        if isinstance(error, Error):  # it is an `OutOfMemory` already
            raise
        clear_frames(error.__traceback__)  # else the frames could keep rows in memory for long
        raise OutOfMemory from None
