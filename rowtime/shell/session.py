"""Executes the lines of the shell: statements, and commands that begin with a dot or backslash."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from algebra.catalog import Function, Pump, Schema, Stream, Table, View
from algebra.outside.file_names import STANDARD, is_within
from algebra.records.opening import FileError, text_of_file
from algebra.records.pipeline import RunError
from algebra.records.printing import BINARY, Format, text_format
from grammar.names import is_plain
from grammar.parse import is_finished, parse_script
from grammar.printable import printable_lines
from grammar.source import SqlError
from grammar.tree import Query
from rowtime.driver.connection import Connection
from rowtime.driver.cursor import Cursor
from rowtime.driver.errors import Error, InterfaceError, driver_errors, of_sql
from rowtime.inputs import (
    DataFile,
    connection_to,
    named_inputs,
    object_named,
    path_and_options,
)
from rowtime.limits.resource_limits import UNLIMITED, ResourceLimits, limited
from rowtime.shell.background import PART, BackgroundQuery, BackgroundTable, PrintedQuery
from rowtime.shell.changing_table import redraw_until_interrupted
from rowtime.shell.imports import declare_for, import_rows
from rowtime.shell.tables import Printer, SignPrinter
from tck.terminal.messages import text_for

if TYPE_CHECKING:
    from collections.abc import Callable

#: Words that end the shell, without a semicolon.
_ENDS = ("exit", "quit")

HELP = """\
  SELECT STREAM …;     prints rows as they are emitted, until Ctrl-C
  \\bg SELECT STREAM …  prints them while you continue; \\stop ends all such queries
                       with EMIT CHANGES, the answer is a table that is redrawn in place
  \\d [NAME]            the objects, or the columns of one
  \\explain QUERY       its plan
  \\trace               the latest late rows and failures
  \\clock               the session's clock, and the bounds of the streams
  \\format table|markdown|csv|json
  \\x [on|off]          a line for each value of a row: for rows wider than the terminal
  .read FILE           the statements of a script
  .import FILE NAME    the rows of a file into a table or stream, which is declared if there
                       is none; OPTIONS (…) may follow FILE
  .tables              the objects, as \\d
  \\q                   the end
"""


class ShellSession:
    """Executes statements on ``connection``, and prints results to ``out`` and errors to ``err``.

    ``root`` is the folder to which `.read` and `.import` are confined; None: they read any file.
    ``redraws``: the answer of a changelog is a table that is redrawn in place, or, if the query
    runs in the background, that `tables` returns; else its changes are printed.  ``limits`` hold
    for each query.  `failed` is true after the first error.
    """

    def __init__(
        self,
        connection: Connection,
        out: TextIO,
        err: TextIO,
        format: Format,
        root: Path | None = None,
        *,
        redraws: bool = False,
        limits: ResourceLimits = UNLIMITED,
    ) -> None:
        self.connection = connection
        self._root = root
        self.format = format
        self.failed = False
        self._out = out
        self._err = err
        self._redraws = redraws
        self._limits = limits
        self._is_expanded = False
        self._background: list[BackgroundQuery] = []

    def run(self, text: str) -> bool:
        """Execute a typed text, and print its errors; return False if the shell must end."""
        text = text.strip()
        if text.rstrip(";").lower() in _ENDS:
            return False
        try:
            if text.startswith(("\\", ".")):
                return self._execute_command(text)
            self._execute_statements(text)
        except (Error, SqlError, RunError, OSError) as error:
            self.failed = True
            print(printable_lines(str(error)), file=self._err, flush=True)
        return True

    def is_complete(self, text: str) -> bool:
        """Whether the shell can execute ``text``, or must read a further line before.

        A blank text and a command are complete.  Statements are complete if the last one is
        finished, and the last line has a semicolon.
        """
        text = text.strip()
        if not text or text.startswith(("\\", ".")) or text.lower() in _ENDS:
            return True
        return ";" in text.rpartition("\n")[2] and is_finished(text)

    def print_interrupted(self) -> None:
        """Print that Ctrl-C has ended the statement."""
        print("interrupted: the statement was broken off", file=self._err, flush=True)

    def close(self) -> None:
        """End the queries in the background."""
        background, self._background = self._background, []
        for each in background:
            each.end()

    # --- statements -----------------------------------------------------------------------------

    def _execute_statements(self, text: str) -> None:
        """Execute statements, one after the other, until one fails."""
        with driver_errors():
            statements = parse_script(text)
        for each in statements:
            with self.connection.cursor() as cursor:
                try:
                    # A statement that writes is done whole, or not at all.
                    with limited(self._limits if isinstance(each, Query) else UNLIMITED):
                        cursor.execute(text[each.span.start : each.span.end])
                except Error as error:
                    raise _with_lines_of(text, each.span.start, error) from None
                finally:
                    for query in self._background:
                        query.await_shown()
                self._print_result(cursor)

    def _print_result(self, cursor: Cursor) -> None:
        """Print the result of a statement; for a streaming query, until Ctrl-C."""
        if cursor.description is None:
            if cursor.rowcount >= 0:
                # In one piece, because queries in the background print, too.
                self._out.write(f"{cursor.rowcount} row{'s' * (cursor.rowcount != 1)} written\n")
            return
        if cursor.is_changelog and self._redraws:
            redraw_until_interrupted(cursor, self._out)
            return
        printer = self._printer(cursor)
        if not cursor.is_streaming:
            self._limits.check_rows(cursor.rowcount)
            printer.print_rows(cursor.fetchall(), last=True)
        else:
            try:
                printer.print_rows(())
                while True:
                    printer.print_rows(cursor.fetchmany(PART))
                    self._limits.check_rows(cursor.rownumber or 0)
            except KeyboardInterrupt:
                print(file=self._out)
        printer.print_end()

    def _run_in_background(self, query: str) -> None:
        """Start a streaming query in the background: print its rows, or redraw its table."""
        cursor = self.connection.execute(query)
        if cursor.description is None or not cursor.is_streaming:
            cursor.close()
            raise InterfaceError("only a streaming query keeps running: \\bg SELECT STREAM …")
        if cursor.is_changelog and self._redraws:
            self._background.append(BackgroundTable(cursor, self._err))
            return
        printer = self._printer(cursor)
        printer.print_rows(())
        self._background.append(PrintedQuery(cursor, printer, self._err))

    def _printer(self, cursor: Cursor) -> Printer:
        """The printer of a result; it prints the weight of a change as its sign."""
        assert cursor.description is not None, "a query has a result"
        printer = SignPrinter if cursor.is_changelog else Printer
        return printer(cursor.description, self.format, self._out, is_expanded=self._is_expanded)

    @property
    def tables(self) -> str:
        """The current answers of the changelogs in the background, as tables; else empty."""
        tables = [each for each in self._background if isinstance(each, BackgroundTable)]
        return "\n".join(each.text for each in tables)

    # --- commands -------------------------------------------------------------------------------

    def _execute_command(self, text: str) -> bool:
        """Execute a command; return False if the shell must end."""
        name, _, rest = text.rstrip(";").partition(" ")
        rest = rest.strip()
        commands: dict[str, Callable[[], None]] = {
            "\\d": lambda: self._print_objects(rest),
            "\\explain": lambda: self._execute_statements(f"EXPLAIN PLAN FOR {rest}"),
            "\\trace": lambda: self._execute_statements("SELECT * FROM SYS_BOOT.MGMT.SAVED_TRACE"),
            "\\clock": self._print_clocks,
            "\\format": lambda: self._set_format(rest),
            "\\x": lambda: self._set_expanded(rest),
            "\\bg": lambda: self._run_in_background(rest),
            "\\stop": self.close,
            "\\?": lambda: print(HELP, end="", file=self._out),
            ".read": lambda: self._execute_file(Path(_unquoted(rest))),
            ".tables": lambda: self._print_objects(""),
            ".import": lambda: self._import_file(rest),
        }
        if name in ("\\q", ".quit", ".exit"):
            return False
        if name not in commands:
            raise InterfaceError(f"there is no command {name}; \\? lists them")
        commands[name]()
        return True

    def _import_file(self, text: str) -> None:
        """Insert the rows of a file into a table or stream, which is declared if there is none."""
        file, _, name = text.rpartition(" ")
        if not file:
            raise InterfaceError(".import FILE NAME: the file and the table or stream are missing")
        path, options = path_and_options(file)
        file = _unquoted(path) + ("" if options is None else f" OPTIONS {options}")
        with driver_errors():
            try:
                self._check_root(Path(connection_to(name, file).text("path")), ".import")
                data = DataFile(name, file)
                if is_plain(name.upper()) and self.connection.catalog.find((name.upper(),)) is None:
                    ddl, data = declare_for(self.connection, data)
                    print(printable_lines(ddl), file=self._err)
                (input,) = named_inputs(self.connection.catalog, [data])
                count = import_rows(self.connection, input)
            except (RunError, FileError) as error:
                raise InterfaceError(str(error)) from None
        self._out.write(f"{count:,} row{'s' * (count != 1)} written\n")

    def _check_root(self, path: Path, command: str) -> None:
        """Raise `InterfaceError` for a path outside of the root, if there is one."""
        if self._root is not None and not is_within(path, self._root):
            message = f"{path} is not within {self._root}, to which {command} is confined"
            raise InterfaceError(message)

    def _execute_file(self, path: Path) -> None:
        """Execute the statements of a script, which is within the root, if there is one."""
        if str(path) == STANDARD:
            raise InterfaceError(".read reads a file, not the standard input")
        try:
            self._check_root(path, ".read")
            text = text_of_file(path)
        except FileError as error:
            raise InterfaceError(str(error)) from None
        except ValueError:  # Python's own message differs from version to version
            raise InterfaceError(f"{path}: the name of a file has no character NUL") from None
        try:
            self._execute_statements(text)
        except Error as error:
            raise InterfaceError(f"{path}:\n{error}") from None

    def _set_format(self, name: str) -> None:
        """Print results in another text format from now on."""
        try:
            self.format = text_format(name)
        except ValueError:
            known = ", ".join(each for each in Format if each not in BINARY)
            raise InterfaceError(f"there is no format '{name}': {known}") from None
        self._redraws = False  # from now on the changes themselves are printed, in this format

    def _set_expanded(self, text: str) -> None:
        """Turn the expanded mode on or off; an empty text turns it to the other state."""
        modes = {"": not self._is_expanded, "on": True, "off": False}
        if text not in modes:
            raise InterfaceError(f"\\x takes on or off, not '{text}'")
        self._is_expanded = modes[text]
        print(f"expanded mode is {'on' if self._is_expanded else 'off'}", file=self._out)

    def _print_objects(self, name: str) -> None:
        """Print the columns of an object, or all objects with their kinds."""
        objects = self.connection.catalog.objects
        if not name:
            for full, each in sorted(objects.items()):
                if not isinstance(each, Schema):
                    named = printable_lines(".".join(full))
                    print(f"{_kind(each):8} {named}{_state(each)}", file=self._out)
            return
        match object_named(self.connection.catalog, name):
            case Table(_, columns) | Stream(_, columns):
                names = [printable_lines(column.name) for column in columns]
                width = max(map(len, names))
                for name, column in zip(names, columns, strict=True):
                    null = "" if column.type.nullable else " NOT NULL"
                    order = "" if column.ordering is None else " monotonic"
                    print(f"{name:{width}} {column.type}{null}{order}", file=self._out)
            case View(_, _, sql) | Function(_, _, sql) | Pump(_, _, sql):
                print(text_for(self._out, sql), file=self._out)
            case _:
                raise InterfaceError(f"there is no object {name}; \\d lists them")

    def _print_clocks(self) -> None:
        """Print the session's clock, and each stream with its bound."""
        from algebra.functions.datetimes import format_bound, format_timestamp

        now, bounds = self.connection.database.read_state(
            lambda engine: (
                engine.now,
                {name: each.ingress.bound for name, each in engine.streams.items()},
            )
        )
        print(f"clock {format_timestamp(now)}", file=self._out)
        for name, bound in sorted(bounds.items()):
            text = "no bound" if bound is None else format_bound(bound)
            print(f"{printable_lines('.'.join(name))} {text}", file=self._out)


def _unquoted(path: str) -> str:
    """A path without the quotes that users write around a name with blanks."""
    return path[1:-1] if len(path) > 1 and path[0] == path[-1] and path[0] in "'\"" else path


def _with_lines_of(text: str, start: int, error: Error) -> Error:
    """The error of the statement at ``start`` of ``text``, with its place in the whole text."""
    found = error.sql_error
    if found is None or not found.sql or not text.startswith(found.sql, start):
        return error
    edits = tuple(each.shifted(start) for each in found.edits)
    return of_sql(replace(found, sql=text, at=found.at.shifted(start), edits=edits))


def _kind(each: object) -> str:
    """The kind of an object of the catalog, such as ``stream``: the name of its class."""
    return type(each).__name__.lower()


def _state(each: object) -> str:
    """The state of a pump, in brackets; empty for any other object."""
    if isinstance(each, Pump):
        return " (started)" if each.started else " (stopped)"
    return ""
