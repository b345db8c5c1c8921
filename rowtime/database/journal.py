"""Stores a database in a file: the last checkpoint, and the events after it.

The database is restored from the checkpoint and the events.
"""

import json
import os
import sqlite3
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from algebra.catalog import Catalog, Profile, QualifiedName, Stream, Table
from algebra.wire import from_wire, row_writer
from reference.relation import Relation
from rowtime.database.events import (
    Begun,
    Bounded,
    Changed,
    Closed,
    Defined,
    Event,
    Inserted,
    Opened,
    Part,
    Replaced,
    Reported,
    Sent,
    Ticked,
)

#: Values in SQLite's header: the program that owns the file ("rowt"), and the format's version.
_APPLICATION: Final = 0x726F7774
_VERSION: Final = 2
#: The errors of SQLite for a file; their messages may contain text that is not UTF-8.
_UNREADABLE: Final = (sqlite3.Error, UnicodeDecodeError)
#: The least number of bytes of events after which a checkpoint is written.
LEAST = 128 * 1024
#: The approximate number of bytes of an event in the file, without its body.
_EVENT_OVERHEAD: Final = 20
#: The message for a file that is locked.
_IN_USE: Final = "another process, or connection, has this file open"


class JournalError(OSError):
    """A file that cannot be used: open in another process, not a database, or full."""


class SqliteJournal:
    """An SQLite file with one row for each event, each in its own transaction.

    An appended event survives a kill of the process.  A checkpoint replaces the events before it in
    one transaction.  It is written when the events since the last one reach half of its size.  Then
    a checkpoint has twice the bytes of the events that caused it, so each byte of an event is
    written about three times: once itself, and twice in checkpoints.  While the journal is open, no
    other process can open the file.

    Raises `JournalError` if the name cannot be that of a file, or if the file cannot be used.

    Defines: S-610.a, S-610.b, S-610.e
    """

    def __init__(self, name: str | Path, profile: Profile) -> None:
        self._path = path = _path_of(name)
        self._events_before = 0  # the number of events before the checkpoint
        self._lock = _lock_file(path)
        try:
            # SQLite may read a name as a URI, but not an absolute one.
            self._file = sqlite3.connect(
                path.absolute(), timeout=0, isolation_level=None, check_same_thread=False
            )
            try:
                self._prepare(profile)
            except BaseException:
                self._file.close()
                raise
        except _UNREADABLE as error:
            self._unlock()
            raise self._error(error) from None
        except BaseException:
            self._unlock()
            raise

    def _prepare(self, profile: Profile) -> None:
        """Lock the file for this process; create its tables if it is new."""
        run = self._file.execute
        run("PRAGMA locking_mode = EXCLUSIVE")
        run("BEGIN EXCLUSIVE")
        found = int(run("PRAGMA application_id").fetchone()[0])
        if found != _APPLICATION:
            if run("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]:
                raise JournalError(f"{self._path}: this is a database of another program")
            run(
                "CREATE TABLE event (number INTEGER PRIMARY KEY, now INTEGER, kind TEXT, body TEXT)"
            )
            run(f"PRAGMA application_id = {_APPLICATION}")
            run("CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT)")
            run("INSERT INTO setting VALUES ('profile', ?)", (str(profile),))
        version = int(run("PRAGMA user_version").fetchone()[0])
        if version > _VERSION:
            raise JournalError(f"{self._path}: a newer version of rowtime has written this")
        if version < _VERSION:  # a file of version 1 has all events from the first one on
            run(f"PRAGMA user_version = {_VERSION}")
        run("CREATE TABLE IF NOT EXISTS state (place INTEGER PRIMARY KEY, kind TEXT, body TEXT)")
        run("COMMIT")
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = NORMAL")
        found = run("SELECT value FROM setting WHERE name = 'profile'").fetchone()
        profile_of_file = found[0] if found else None
        if profile_of_file != str(profile):
            raise JournalError(f"{self._path}: its profile is {profile_of_file}, not {profile}")
        # The sizes of the last checkpoint and of the events since then: see `wants_checkpoint`.
        size = "SELECT COALESCE(SUM(LENGTH(body)), 0) FROM"
        self._checkpoint_size = int(run(f"{size} state").fetchone()[0])
        self._events_size = int(run(f"{size} event").fetchone()[0])

    def append(self, number: int, event: Event, now: int, catalog: Catalog) -> None:
        """Store an event durably.  Raises `JournalError` if the event could not be stored."""
        body = json.dumps(_body(event, catalog), ensure_ascii=False)
        try:
            self._file.execute(
                "INSERT INTO event (number, now, kind, body) VALUES (?, ?, ?, ?)",
                # Numbers in the file begin with 1, and those of events with 0.
                (number + 1, now, type(event).__name__, body),
            )
        except _UNREADABLE as error:
            raise self._error(error) from None
        self._events_size += len(body) + _EVENT_OVERHEAD

    @property
    def wants_checkpoint(self) -> bool:
        """Whether the events reach half of the size of the last checkpoint, and at least `LEAST`.

        Only the events since the last checkpoint count, or since the last attempt to write one.
        """
        return self._events_size >= max(self._checkpoint_size // 2, LEAST)

    def keep_checkpoint(
        self, events: int, definitions: Collection[int], parts: Iterable[Part]
    ) -> None:
        """Write a checkpoint after the first ``events`` events, which replaces the previous one.

        These events are removed, but not the ``definitions``: the numbers of the events from which
        the catalog is made again.  ``parts`` are the parts of the state.

        Raises `JournalError`, and the errors of ``parts``; then the previous checkpoint stays.

        Defines: S-610.d, S-610.g
        """
        run = self._file.execute
        self._events_size = 0  # also if this fails, so that it is not tried again at the next event
        try:
            run("BEGIN")
            run("DELETE FROM state")
            size, checksum = 0, sha256()
            for kind, state in parts:
                body = json.dumps(state, ensure_ascii=False, separators=(",", ":"))
                run("INSERT INTO state (kind, body) VALUES (?, ?)", (kind, body))
                size += len(body)
                checksum.update(f"{kind} {body}\n".encode())
            run("INSERT OR REPLACE INTO setting VALUES ('checksum', ?)", (checksum.hexdigest(),))
            run("DELETE FROM event WHERE number <= ? AND kind <> 'Defined'", (events,))
            numbers = run("SELECT number FROM event WHERE number <= ?", (events,)).fetchall()
            removed = [each for each in numbers if each[0] - 1 not in definitions]
            self._file.executemany("DELETE FROM event WHERE number = ?", removed)
            run("COMMIT")
            self._checkpoint_size = size
        except _UNREADABLE as error:
            raise self._error(error) from None
        finally:
            if self._file.in_transaction:
                run("ROLLBACK")

    def checkpoint(self) -> tuple[Mapping[int, Defined], Iterable[Part]] | None:
        """The last checkpoint: the events that define the catalog, by number, and the parts.

        None if there was none.  Raises `JournalError` if it is damaged.
        """
        found = self._rows("SELECT body FROM state WHERE kind = 'session'")
        if not found:
            return None
        self._check_state()
        # The part `session` begins with the number of events before the checkpoint.
        self._events_before = int(json.loads(found[0][0])[0])
        definitions: dict[int, Defined] = {}
        for number, kind, body in self._rows(
            "SELECT number, kind, body FROM event WHERE number <= ? ORDER BY number",
            self._events_before,
        ):
            event = _event(kind, json.loads(body), Catalog())
            assert isinstance(event, Defined), kind
            definitions[number - 1] = event
        parts = self._file.execute("SELECT kind, body FROM state ORDER BY place")
        return definitions, ((kind, json.loads(body)) for kind, body in parts)

    def _check_state(self) -> None:
        """Raise `JournalError` if the state does not have the checksum that was stored with it.

        An old file without a checksum is accepted.
        """
        stored = self._rows("SELECT value FROM setting WHERE name = 'checksum'")
        checksum = sha256()
        for kind, body in self._file.execute("SELECT kind, body FROM state ORDER BY place"):
            checksum.update(f"{kind} {body}\n".encode())
        if stored and stored[0][0] != checksum.hexdigest():
            raise JournalError(f"{self._path}: the file is damaged: its checkpoint has changed")

    def events(self, catalog: Callable[[], Catalog]) -> Iterator[tuple[Event, int]]:
        """The events since the last checkpoint, each with the session's clock at that time.

        `checkpoint` must have been called before, because it reads the number of the first one.
        """
        rows = self._rows(
            "SELECT kind, body, now FROM event WHERE number > ? ORDER BY number",
            self._events_before,
        )
        for kind, body, now in rows:
            yield _event(kind, json.loads(body), catalog()), now

    def _rows(self, sql: str, *values: int) -> list[Any]:  # Any: a row of SQLite
        """The rows of a query on the file.  Raises `JournalError` if SQLite cannot read it."""
        try:
            return self._file.execute(sql, values).fetchall()
        except _UNREADABLE as error:
            raise self._error(error) from None

    def close(self) -> None:
        """Release the file."""
        self._file.close()
        self._unlock()

    def _unlock(self) -> None:
        """Release the lock of `_lock_file`, if there is one."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def leave_to_parent(self) -> None:
        """Leave the file to the parent of a fork: this process never closes it.

        When SQLite closes a file, it removes the log of the file; so the parent would lose its last
        writes.  A reference that is never released keeps the file open in this process.

        Defines: S-610.i
        """
        import ctypes  # only in the child of a fork

        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._file))
        self._unlock()  # the parent still has the lock

    def _error(self, error: Exception) -> JournalError:
        """An error of SQLite as a `JournalError`, with the path of the file."""
        text = str(error)
        if "locked" in text:
            text = _IN_USE
        return JournalError(f"{self._path}: {text}")


def _path_of(name: str | Path) -> Path:
    """The path with this name.  Raises `JournalError` if no file can have the name."""
    if not str(name):
        raise JournalError("the name of the database file is empty\n  hint: None is in memory")
    try:
        encoded = os.fsencode(name)
    except UnicodeEncodeError:
        raise JournalError(f"{name}: no file has a name with half of a surrogate pair") from None
    if b"\0" in encoded:
        raise JournalError(f"{name}: no file has a name with a character NUL")
    return Path(name)


def _lock_file(path: Path) -> int | None:
    """Lock a file, which is created if it does not exist.

    Returns the descriptor that holds the lock until it is closed; None if the system or the file
    system has no such locks.

    The locks of SQLite end as soon as this process closes the file a second time, for example
    after a copy of it; this lock does not.  Raises `JournalError` if the file is locked, cannot be
    opened, is a pipe or a device, or has a second name: SQLite finds the log of a file by the name
    of the file.
    """
    try:
        import fcntl  # not on Windows
    except ImportError:
        return None
    try:
        lock = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_NONBLOCK, 0o666)
    except OSError as error:
        raise JournalError(f"{path}: {error.strerror}") from None
    why = ""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        found = os.fstat(lock)
        if not stat.S_ISREG(found.st_mode):
            why = "this is a pipe or a device, not a file"
        elif found.st_nlink > 1:
            why = "the file has another name, a hard link: make a copy"
    except BlockingIOError:
        why = _IN_USE
    except OSError:  # the file system has no locks
        os.close(lock)
        return None
    if why:
        os.close(lock)
        raise JournalError(f"{path}: {why}")
    return lock


def _body(event: Event, catalog: Catalog) -> list[object]:
    """An event as JSON: its fields in their order, rows as in the protocol."""
    match event:
        case Defined(sql, schema):
            return [sql, schema]
        case Begun(number, sql, schema, parameters):
            return [number, sql, schema, parameters]
        case Opened(stream, number) | Closed(stream, number):
            return [stream, number]
        case Sent(stream, number, rows):
            return [stream, number, _written(rows, stream, catalog)]
        case Bounded(stream, number, at):
            return [stream, number, at]
        case Inserted(table, rows, upsert):
            return [table, _written(rows, table, catalog), upsert]
        case Changed(table, weighted):
            written = _written([row for row, _ in weighted], table, catalog)
            return [table, written, [weight for _, weight in weighted]]
        case Replaced(table, rows):
            return [table, _written(rows, table, catalog)]
        case Reported(name, number, code, text):
            return [name, number, code, text]
        case Ticked():
            return []


def _event(kind: str, body: list[Any], catalog: Catalog) -> Event:  # Any: JSON
    """The inverse of `_body`."""
    match kind, body:
        case "Defined", [sql, schema]:
            return Defined(sql, tuple(schema))
        case "Begun", [number, sql, schema, parameters]:
            return Begun(number, sql, tuple(schema), tuple(parameters))
        case "Opened", [stream, number]:
            return Opened(tuple(stream), number)
        case "Closed", [stream, number]:
            return Closed(tuple(stream), number)
        case "Sent", [stream, number, rows]:
            return Sent(tuple(stream), number, _read(rows, tuple(stream), catalog))
        case "Bounded", [stream, number, at]:
            return Bounded(tuple(stream), number, at)
        case "Inserted", [table, rows, upsert]:
            return Inserted(tuple(table), _read(rows, tuple(table), catalog), upsert)
        case "Changed", [table, rows, weights]:
            found = _read(rows, tuple(table), catalog)
            return Changed(tuple(table), list(zip(found, weights, strict=True)))
        case "Replaced", [table, rows]:
            return Replaced(tuple(table), _read(rows, tuple(table), catalog))
        case "Reported", [name, number, code, text]:
            return Reported(None if name is None else tuple(name), number, code, text)
        case "Ticked", []:
            return Ticked()
        case _:
            raise JournalError(f"an event of an unknown kind: {kind}")


def _source(name: QualifiedName, catalog: Catalog) -> Table | Stream:
    """The table or stream with this name, which the catalog must have."""
    source = catalog.objects[name]
    assert isinstance(source, Table | Stream)
    return source


def _written(rows: Relation, name: QualifiedName, catalog: Catalog) -> Sequence[object]:
    """The rows of a table or stream in the form of the protocol."""
    return row_writer([each.type for each in _source(name, catalog).columns])(rows)


def _read(rows: list[list[Any]], name: QualifiedName, catalog: Catalog) -> Relation:
    """The inverse of `_written`.  NULL is accepted in all columns, because sent rows can be bad."""
    types = [each.type.as_nullable() for each in _source(name, catalog).columns]
    return [tuple([from_wire(t, v) for t, v in zip(types, row, strict=True)]) for row in rows]
