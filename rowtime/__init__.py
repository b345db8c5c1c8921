"""Streaming SQL in Python: `connect`, and the other names that PEP 249 (DB-API 2.0) requires.

The names of the driver are imported when they are first used, because the command line
(`rowtime.cli`), which is in this package, too, must not wait for them.

A word of all docstrings: a *bound* of a stream says that no later row of the stream has a rowtime
below the bound.  Other systems call it a watermark.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rowtime.driver.connection import Connection, connect
    from rowtime.driver.cursor import Cursor
    from rowtime.driver.errors import (
        Cancelled,
        DatabaseError,
        DataError,
        Error,
        IntegrityError,
        InterfaceError,
        InternalError,
        NotSupportedError,
        OperationalError,
        OutOfMemory,
        ProgrammingError,
        Timeout,
        Warning,  # noqa: A004 (named by PEP 249)
    )
    from rowtime.driver.prepared import Prepared
    from rowtime.driver.values import (
        BINARY,
        DATETIME,
        NUMBER,
        ROWID,
        STRING,
        Binary,
        Date,
        DateFromTicks,
        Time,
        TimeFromTicks,
        Timestamp,
        TimestampFromTicks,
    )
    from rowtime.timeline.notebook import trace

apilevel: Final = "2.0"
#: Threads may share the module and connections.
threadsafety: Final = 2
#: Parameters are written as ``?``.
paramstyle: Final = "qmark"

__all__ = [
    "BINARY",
    "DATETIME",
    "NUMBER",
    "ROWID",
    "STRING",
    "Binary",
    "Cancelled",
    "Connection",
    "Cursor",
    "DataError",
    "DatabaseError",
    "Date",
    "DateFromTicks",
    "Error",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "NotSupportedError",
    "OperationalError",
    "OutOfMemory",
    "Prepared",
    "ProgrammingError",
    "Time",
    "TimeFromTicks",
    "Timeout",
    "Timestamp",
    "TimestampFromTicks",
    "Warning",
    "apilevel",
    "connect",
    "paramstyle",
    "threadsafety",
    "trace",
]

#: The modules that have the names of `__all__`, except `trace`.
_MODULES: Final = ("rowtime.driver.connection", "rowtime.driver.errors", "rowtime.driver.values")


def __getattr__(name: str) -> object:
    """Import and return a name of `__all__`.  Python calls this if the package lacks ``name``."""
    if name == "trace":  # in a module of its own: it imports the kit, which is slow
        return import_module("rowtime.timeline.notebook").trace
    if name in __all__:
        for module in map(import_module, _MODULES):
            if hasattr(module, name):
                return getattr(module, name)
    raise AttributeError(f"module 'rowtime' has no attribute {name!r}")
