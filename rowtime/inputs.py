"""The files that feed the tables and streams of a script or query.

They are named on the command line (``--data NAME=FILE``), or declared by foreign streams.  A table
or stream that is read, but that no file and no statement feeds, is an error.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from algebra.catalog import Catalog, CatalogObject, Profile, QualifiedName, Stream, Table
from algebra.outside.file_names import FORMATS, STANDARD, format_named, unread_ending
from algebra.outside.foreign import FILES, Connection, Format, Option, Setting, connection
from algebra.parts.mentions import read_names
from algebra.prepare import Prepared, prepare
from algebra.records.opening import is_pattern
from algebra.records.pipeline import Input, RunError
from grammar.codes import Code
from grammar.source import Span, SqlError
from rowtime.time_options import DEFAULT, TimeOptions


@dataclass(frozen=True, slots=True)
class DataFile:
    """``NAME=FILE`` of a command line: a table or stream, and the file of its rows.

    ``file`` is a path, or a folder or pattern of several files; OPTIONS may follow it.
    ``settings`` are options that replace those of ``file``.  ``times`` declares how times are read.
    """

    name: str
    file: str
    settings: tuple[tuple[str, Setting], ...] = ()
    times: TimeOptions = DEFAULT


def data_files(arguments: Sequence[str], times: TimeOptions = DEFAULT) -> tuple[DataFile, ...]:
    """The arguments of ``--data``, such as ``Orders=orders.csv``, as names and files.

    ``times`` holds for all files.  Raises `RunError` for an argument of another form.
    """
    files: list[DataFile] = []
    for each in arguments:
        name, _, path = each.partition("=")
        if not (name and path):
            raise RunError(f"--data {each}: write it as NAME=FILE, for example Orders=orders.csv")
        files.append(DataFile(name, path, (), times))
    return tuple(files)


def named_inputs(catalog: Catalog, data: Sequence[DataFile]) -> tuple[Input, ...]:
    """The tables and streams that ``data`` names, each with its file, in the order of ``data``.

    Raises `RunError` for a name that is not in the catalog, for a file of unknown format, for two
    objects that read standard input, and for a column of ``--times`` that no file has.
    """
    found: list[Input] = []
    for each in data:
        name, file = each.name, each.file
        source = object_named(catalog, name)
        if not isinstance(source, Table | Stream):
            known = sorted(
                ".".join(n) for n, o in catalog.objects.items() if isinstance(o, Table | Stream)
            )
            raise RunError(
                f"there is no table or stream {name} for {file}; "
                f"there are: {', '.join(known) or 'none'}\n"
                f"  hint: declare it; this prints a declaration: rowtime describe {file}"
            )
        connected = _file_connection(name, file, source)
        merged = {**dict(connected.settings), **dict(each.settings), **dict(each.times.settings)}
        settings = tuple(merged.items())
        found.append(Input(each.times.with_units(source), replace(connected, settings=settings)))
    if sum(str(each.path) == STANDARD for each in found) > 1:
        raise RunError(f"--data: standard input ({STANDARD}) is the file of one object only")
    for times in {each.times for each in data}:
        unknown = times.unknown_column([each.source for each in found])
        if unknown is not None:
            raise RunError(f"--times {unknown}=…: no file has a column {unknown}")
    return tuple(found)


def object_named(catalog: Catalog, name: str) -> CatalogObject | None:
    """The object with a name that a person has written; None if there is none.

    The name is read as SQL reads it: parts in double quotes as they are, others in upper case.  If
    no object has this name, the letters count as they are written, because a shell removes quotes.
    """
    return catalog.find(_folded(name)) or catalog.find(tuple(name.split(".")))


def _folded(name: str) -> QualifiedName:
    """The parts of a name as SQL reads it: in double quotes as they are, others in upper case."""
    # A part is a text in double quotes, in which "" is a quote, or a text without dots.
    parts = re.findall(r'"(?:[^"]|"")*"|[^.]+', name)
    return tuple(
        p[1:-1].replace('""', '"') if p[:1] == p[-1:] == '"' and len(p) > 1 else p.upper()
        for p in parts
    )


def path_and_options(file: str) -> tuple[str, str | None]:
    """The path in ``FILE`` or ``FILE OPTIONS (…)``, and the text after OPTIONS; None without it."""
    path, marker, options = file.partition(" OPTIONS ")
    return path, options if marker else None


def connection_to(name: str, file: str) -> Connection:
    """The connection to a file that no stream declares: ``FILE`` or ``FILE OPTIONS (…)``."""
    return _file_connection(name, file, None)


def _file_connection(name: str, file: str, source: Table | Stream | None) -> Connection:
    """The connection to a file named on the command line: ``FILE`` or ``FILE OPTIONS (…)``.

    ``name`` is the name of the object in error messages.  ``source`` is the object, or None if no
    script declares it.  Without OPTIONS in ``file``, the options are those that ``source``
    declares, if it does; else the name of the file decides its format.  Raises `RunError`.
    """
    path, options = path_and_options(file)
    if "\0" in path:
        raise RunError(f"{path!r} is not the name of a file: it has a character NUL")
    if options is not None:
        changing = isinstance(source, Table) and source.changing
        return _connection_with_options(name, path, options, changing=changing)
    declared = None if source is None else source.connection
    if declared is not None and declared.format in FILES:
        moved = {**dict(declared.settings), "path": path}
        return replace(declared, settings=tuple(moved.items()))
    packed = unread_ending(path)
    if packed is not None:
        raise RunError(
            f"{path}: files that end in {packed} are not read or written; .gz and .zst are"
        )
    format = format_named(path) or _format_of_files(Path(path))
    if format is None and path != STANDARD:
        raise RunError(
            f"{path}: names of files end in {', '.join(FORMATS)}, and then .gz or .zst\n"
            f"  hint: {path} OPTIONS (format 'csv')"
        )
    nowhere = Span(0, 0)
    named = [Option("format", format or Format.CSV, nowhere), Option("path", path, nowhere)]
    try:
        return connection(named, "")
    except SqlError as error:
        raise RunError(f"{path}: {error.message}\n  hint: {error.hint}") from None


def _format_of_files(path: Path) -> str | None:
    """The format of all files of a folder or pattern, by their endings.

    Files whose endings name no format are ignored.  The result is None if the files have several
    formats, if none has a format, and if ``path`` is not a folder or pattern.
    """
    if not path.is_dir() and not is_pattern(path):
        return None
    listed = path.iterdir() if path.is_dir() else path.parent.glob(path.name)
    formats = {format_named(each) for each in listed if each.name[0] not in "._"} - {None}
    return formats.pop() if len(formats) == 1 else None


def _connection_with_options(name: str, path: str, options: str, *, changing: bool) -> Connection:
    """The connection of ``FILE OPTIONS (…)``: the options are read as those of a foreign stream.

    ``options`` is the text after OPTIONS.  ``changing``: the file is that of a stream WITH CHANGES.
    ``name`` is the object's name in error messages.  Raises `RunError`.
    """
    inner = options.strip().removeprefix("(").removesuffix(")")
    quoted = path.replace("'", "''")
    # Only Debezium's files have changes.  A file of any other format has the first rows of a stream
    # WITH CHANGES, and is declared like the file of any stream.
    with_changes = " WITH CHANGES" * (changing and "debezium" in inner.lower())
    ddl = f"CREATE FOREIGN STREAM f (x INTEGER){with_changes} OPTIONS (path '{quoted}', {inner})"
    try:
        stream = prepare(ddl, None, Profile.CALCITE).catalog.objects[("F",)]
    except SqlError as error:
        raise RunError(f"--data {name}={path} OPTIONS {options}: {error.message}") from None
    assert isinstance(stream, Stream | Table), ddl
    assert stream.connection is not None, ddl
    if stream.connection.format not in FILES:
        raise RunError(f"--data {name}={path}: the format is csv, json or parquet")
    return stream.connection


def query_inputs(prepared: Prepared, data: Sequence[DataFile]) -> tuple[Input, ...]:
    """The files of a query: those that ``data`` names, and those of the foreign streams it reads.

    Raises `RunError` if the query or its script reads an object without rows, reads a foreign
    stream that is not in files, or writes into a foreign stream.

    Defines: S-607.h
    """
    for each in prepared.standing:
        if each.target.name in _foreign_names(prepared.catalog):
            name = ".".join(each.target.name)
            raise RunError(
                f"{Code.NOT_SUPPORTED}: a query does not write into the foreign stream {name}\n"
                "  hint: put the script into a file, and run it as a pipeline: rowtime run FILE.sql"
            )
    named = named_inputs(prepared.catalog, data)
    taken = {each.source.name for each in named}
    read = names_read(prepared)
    opened = [
        _foreign_input(each)
        for each in prepared.catalog.objects.values()
        if isinstance(each, Stream | Table) and each.foreign and each.name in read - taken
    ]
    inputs = (*named, *opened)
    check_fed(prepared, inputs)
    return inputs


def _foreign_names(catalog: Catalog) -> frozenset[QualifiedName]:
    """The names of the foreign streams of a script."""
    streams = (each for each in catalog.objects.values() if isinstance(each, Stream | Table))
    return frozenset(each.name for each in streams if each.foreign)


def _foreign_input(stream: Stream | Table) -> Input:
    """A foreign stream that a query reads, with its files as they are now.

    Raises `RunError` if its rows are not in files.
    """
    name = ".".join(stream.name)
    if stream.connection is not None and stream.connection.format in FILES:
        return Input(stream, stream.connection)
    where = "nowhere" if stream.connection is None else f"format '{stream.connection.format}'"
    raise RunError(
        f"{Code.NOT_SUPPORTED}: a query reads foreign streams in files, and {name} is in {where}\n"
        f"  hint: a pipeline reads it: rowtime run FILE.sql; or --data {name}=FILE"
    )


def names_read(prepared: Prepared) -> frozenset[QualifiedName]:
    """The names of the tables and streams that a script's statements and its query read."""
    statements = [each.input for each in prepared.standing]
    plans = [*statements, *([] if prepared.query is None else [prepared.query])]
    return frozenset[QualifiedName]().union(*map(read_names, plans))


def check_fed(prepared: Prepared, inputs: Sequence[Input]) -> None:
    """Raise `RunError` if a table or stream that is read has no file, and no statement fills it.

    Foreign streams are not checked.

    Defines: S-607.i
    """
    written = {each.target.name for each in (*prepared.standing, *prepared.steps)}
    fed = written | {each.source.name for each in inputs}
    read = names_read(prepared)
    for each in prepared.catalog.objects.values():
        if not isinstance(each, Table | Stream) or each.name not in read - fed:
            continue
        name = ".".join(each.name)
        if isinstance(each, Table) and not each.changing:
            raise RunError(
                f"nothing fills the table {name}\n"
                f"  hint: --data {name}=FILE, or INSERT INTO {name} …; "
                "a file that has only a header is an empty table"
            )
        if not each.foreign:
            raise RunError(
                f"{Code.NO_STREAMING_INPUT}: nothing feeds the stream {name}\n"
                f"  hint: CREATE FOREIGN STREAM {name} … OPTIONS (path '…'), or --data {name}=FILE"
            )
