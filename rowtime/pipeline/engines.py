"""The pipeline that a script declares, and the engine that runs it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from algebra.catalog import Profile, Stream, Table
from algebra.outside.file_names import is_within, resolved
from algebra.outside.foreign import KNOWN, ROLES, Format, Role
from algebra.parts.mentions import scans
from algebra.prepare import prepare
from algebra.records.pipeline import Engine, Pipeline, RunError, connection_of
from grammar.codes import Code
from rowtime.inputs import DataFile, check_fed, named_inputs


def _embedded_engine() -> Engine:
    from reference.engine.pipeline import EmbeddedEngine

    return EmbeddedEngine()


def _spark_engine() -> Engine:
    from spark_backend.stream.connectors.pipeline import SparkEngine

    return SparkEngine()


#: The makers of the engines, by the name of the backend; they import the engine's packages.
ENGINES: Final[Mapping[str, Callable[[], Engine]]] = {
    "reference": _embedded_engine,
    "spark": _spark_engine,
}


def engine_of(backend: str) -> Engine:
    """The engine of a backend.

    Raises `RunError` if the backend has none, or if a package that it needs is not installed.
    """
    if backend not in ENGINES:
        raise RunError(
            f"{Code.NOT_SUPPORTED}: backend '{backend}' runs no pipelines\n"
            f"  hint: --backend {', '.join(ENGINES)}"
        )
    try:
        return ENGINES[backend]()
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("pyspark", "py4j"):
            raise
        raise RunError(
            f"backend '{backend}' needs PySpark\n"
            "  hint: install the wheel of rowtime with its extra spark"
        ) from None


def pipeline(
    sql: str, profile: Profile, data: Sequence[DataFile], root: Path | None = None
) -> Pipeline:
    """The pipeline of a script.

    ``data`` are the files of its tables and streams, by name.  The file of a foreign stream is read
    instead of its declared source.

    ``root``: the folder to which the script's foreign streams are confined; None: they can use all
    files that the process can use.

    Raises `SqlError` if the script is refused.  BAD_OPTION: a stream is read, or written, although
    its format does not allow that; a stream reaches out of ``root``; or a sink has the path of
    another file.  Raises `RunError` if the script has no standing statement, or reads a stream that
    nothing feeds.

    Defines: S-607.c
    """
    prepared = prepare(sql, None, profile)
    if not prepared.standing:
        raise RunError(
            f"{Code.NO_STREAMING_INPUT}: no statement of the script keeps running\n"
            "  hint: INSERT INTO … SELECT STREAM …, or CREATE PUMP … STARTED AS it"
        )
    named = named_inputs(prepared.catalog, data)
    # A Debezium file holds changes, so it is not a plain data file: it is read as the foreign
    # source of its stream WITH CHANGES (a `Table` that is ``changing``).
    files = tuple(each for each in named if each.connection.format is not Format.DEBEZIUM)
    sources_of_changes = [
        replace(each.source, connection=each.connection)
        for each in named
        if each.connection.format is Format.DEBEZIUM and isinstance(each.source, Table)
    ]
    written = {each.target.name for each in prepared.standing}
    read = {scan.source.name for each in prepared.standing for scan in scans(each.input)}
    in_files = {each.source.name for each in named}
    objects = prepared.catalog.objects.values()
    foreign = [each for each in objects if isinstance(each, Stream) and each.foreign]
    foreign_with_changes = [each for each in objects if isinstance(each, Table) and each.foreign]
    made = Pipeline(
        sql,
        profile,
        prepared,
        sources=tuple(each for each in foreign if each.name in read - written - in_files),
        sinks=tuple(each for each in foreign if each.name in written),
        files=files,
        root=root,
        changing_sources=(
            *(each for each in foreign_with_changes if each.name in read - written - in_files),
            *sources_of_changes,
        ),
        changing_sinks=tuple(each for each in foreign_with_changes if each.name in written),
    )
    for role, ends in ((Role.SOURCE, _sources(made)), (Role.SINK, _sinks(made))):
        for each in ends:
            _check_role(made, each, role)
            if root is not None:
                _check_root(made, each, root)
    _check_paths(made)
    check_fed(prepared, named)
    for step in prepared.steps:
        if step.target.foreign:
            raise RunError(
                f"{Code.NOT_SUPPORTED}: INSERT INTO {'.'.join(step.target.name)} does not stream\n"
                "  hint: fill a foreign stream by SELECT STREAM"
            )
    return made


def _sources(made: Pipeline) -> Sequence[Stream | Table]:
    """The foreign streams that the pipeline reads, also those WITH CHANGES."""
    return (*made.sources, *made.changing_sources)


def _sinks(made: Pipeline) -> Sequence[Stream | Table]:
    """The foreign streams that the pipeline writes, also those WITH CHANGES."""
    return (*made.sinks, *made.changing_sinks)


def _check_role(made: Pipeline, stream: Stream | Table, role: Role) -> None:
    """Raise an error if a foreign stream cannot have a role: that of a source or of a sink.

    It must have OPTIONS, and a format that has this role.  A sink must not have columns with paths
    into a record, because these are only read.
    """
    name = ".".join(stream.name)
    if stream.connection is None:
        raise RunError(
            f"{Code.BAD_OPTION}: foreign stream {name} does not say where it is\n"
            f"  hint: CREATE FOREIGN STREAM {name} … OPTIONS (path '…')"
        )
    if role not in ROLES[stream.connection.format]:
        message = f"format '{stream.connection.format}' is no {role}"
        # Only streams WITH CHANGES have the format DEBEZIUM, and they can have no other.
        roles = {each: roles for each, roles in ROLES.items() if each is not Format.DEBEZIUM}
        words = ", ".join(f"'{each}'" for each in roles if role in roles[each])
        at = stream.connection.at("format")
        raise made.fault(Code.BAD_OPTION, message, at, f"one of {words}")
    if role is Role.SINK and any(each.path for each in stream.columns):
        message = f"{name} has columns with a path, which are only read"
        hint = "declare a stream without FROM '$…' for the output"
        raise made.fault(Code.BAD_OPTION, message, stream.connection.at("format"), hint)


#: The beginning of a path with a scheme: `file:///etc/passwd`, `s3a://bucket/orders.csv`.
_SCHEME: Final = re.compile("[A-Za-z][A-Za-z0-9+.-]+:")
#: The formats that use neither files nor a network, so that they reach out of no folder.
_REACHING_NOTHING: Final = frozenset({Format.RATE, Format.CONSOLE})


def _check_root(made: Pipeline, stream: Stream | Table, root: Path) -> None:
    """Raise BAD_OPTION for a foreign stream that reaches out of the folder ``root``.

    It does if its file is not in the folder after links are followed, or if its format is not one
    of files and may use a network, such as that of a socket.
    """
    connection = connection_of(stream)
    if connection.format in _REACHING_NOTHING:
        return
    # `KNOWN` has the formats whose options we interpret, not those of a connector.
    path = _path(made, stream) if connection.format in KNOWN else None
    if path is None:
        message = f"format '{connection.format}' reaches out of {root}"
        hint = "csv, json or parquet"
        raise made.fault(Code.BAD_OPTION, message, connection.at("format"), hint)
    named = connection.text("path")
    if _SCHEME.match(named) or not is_within(path, root):
        message = f"the path is not within {root}, to which this run is confined"
        raise made.fault(Code.BAD_OPTION, message, connection.at("path"), f"a path below {root}")


def _check_paths(made: Pipeline) -> None:
    """Raise BAD_OPTION for a sink at the path of a source, a file that is read, or another sink.

    A sink must not be inside the folder of one of them either.
    """
    taken: dict[Path | None, str] = {resolved(each.path): each.name for each in made.files}
    for each in _sources(made):
        taken.setdefault(_path(made, each), ".".join(each.name))
    for each in _sinks(made):
        path = _path(made, each)
        other = taken.get(path) or (path and taken.get(path.parent))
        if path and other:
            at = connection_of(each).at("path")
            message = f"the rows of {other} are there"
            raise made.fault(Code.BAD_OPTION, message, at, "a path of its own")
        taken[path] = ".".join(each.name)


def _path(made: Pipeline, stream: Stream | Table) -> Path | None:
    """The path of a stream's file or folder, links resolved; None if it has none, as a socket.

    Raises BAD_OPTION for a link that leads back to itself.
    """
    connection = connection_of(stream)
    path = dict(connection.settings).get("path")
    if not isinstance(path, str):
        return None
    try:
        return resolved(Path(path))
    except OSError as error:
        message, hint = f"{path}: {error.strerror}", "take the link away"
        raise made.fault(Code.BAD_OPTION, message, connection.at("path"), hint) from None
