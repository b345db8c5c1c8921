"""Runs streaming queries in the background of the shell, while the user continues to type."""

import threading
from abc import ABC, abstractmethod
from typing import Final, TextIO

from rowtime.driver.cursor import Cursor
from rowtime.driver.errors import Cancelled, Error
from rowtime.shell.changing_table import current_table
from rowtime.shell.tables import Printer

#: The greatest number of rows that are fetched and printed together.
PART: Final = 1_000


class BackgroundQuery(ABC):
    """A streaming query, whose rows a thread shows as they are emitted.

    ``shown`` is the number of emitted rows that are already shown when the thread starts.  Errors
    of the query are printed to ``err``.
    """

    def __init__(self, cursor: Cursor, err: TextIO, shown: int = 0) -> None:
        self._cursor = cursor
        self._err = err
        self._shown = shown
        self._over = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    @abstractmethod
    def _show_next(self) -> int:
        """Wait for rows, and show them; return the number of all rows that have been shown."""

    def _follow(self) -> None:
        """Show rows until the query ends."""
        try:
            while True:
                shown = self._show_next()
                with self._changed:
                    self._shown = shown
                    self._changed.notify_all()
        except (Cancelled, OSError):
            pass  # `end` was called, or the output is closed
        except Error as error:
            print(error, file=self._err, flush=True)
        finally:
            with self._changed:
                self._over = True
                self._changed.notify_all()

    def await_shown(self) -> None:
        """Wait until all rows that the query has emitted so far are shown, or it has ended."""
        emitted = self._cursor.emitted
        with self._changed:
            self._changed.wait_for(lambda: self._over or self._shown >= emitted)

    def end(self) -> None:
        """End the query."""
        self._cursor.cancel()
        self._thread.join()
        self._cursor.close()


class PrintedQuery(BackgroundQuery):
    """A query in the background whose rows are printed, one after the other."""

    def __init__(self, cursor: Cursor, printer: Printer, err: TextIO) -> None:
        self._printer = printer
        super().__init__(cursor, err)

    def _show_next(self) -> int:
        rows = self._cursor.fetchmany(PART)
        self._printer.print_rows(rows)
        return self._shown + len(rows)


class BackgroundTable(BackgroundQuery):
    """A changelog in the background: ``text`` is its current answer as a table."""

    def __init__(self, cursor: Cursor, err: TextIO) -> None:
        self.text = current_table(cursor)
        super().__init__(cursor, err, cursor.rownumber or 0)

    def _show_next(self) -> int:
        self._cursor.fetchmany(1)
        self.text = current_table(self._cursor)
        return self._cursor.rownumber or 0
