"""A pipeline: a script whose standing statements run from foreign streams to foreign streams."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

from algebra.catalog import Profile, Stream
from algebra.foreign import ROLES, Role
from algebra.mentions import scans
from algebra.prepare import prepare
from algebra.records.pipeline import Engine, Pipeline, RunError, connection_of
from grammar.codes import Code
from rowtime.run import inputs

#: The engines, by the name of their backend.
ENGINES: Final[Mapping[str, str]] = {
    "reference": "reference.engine.pipeline:EmbeddedEngine",
    "spark": "spark_backend.stream.connectors.pipeline:SparkEngine",
}


def engine_of(backend: str) -> Engine:
    """The engine of a backend; `RunError` where it has none, or what it is made of is missing."""
    if backend not in ENGINES:
        raise RunError(
            f"{Code.NOT_SUPPORTED}: backend '{backend}' runs no pipelines\n"
            f"  hint: --backend {', '.join(ENGINES)}"
        )
    module, _, name = ENGINES[backend].partition(":")
    try:
        engine: Engine = getattr(import_module(module), name)()
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("pyspark", "py4j"):
            raise
        raise RunError(
            f"backend '{backend}' needs PySpark\n  hint: pip install 'rowtime[spark]'"
        ) from None
    return engine


def pipeline(sql: str, profile: Profile, data: Sequence[tuple[str, Path]]) -> Pipeline:
    """The pipeline that a script is; ``data`` are files of tables and of streams.

    Raises `SqlError` for its faults, BAD_OPTION where a source is read that is none; `RunError`
    where nothing stands in it, or nothing feeds a stream that is read.  No sink lies where another
    file is.
    """
    prepared = prepare(sql, None, profile)
    if not prepared.standing:
        raise RunError(
            f"{Code.NO_STREAMING_INPUT}: no statement of the script goes on running\n"
            "  hint: INSERT INTO … SELECT STREAM …, or CREATE PUMP … STARTED AS it"
        )
    files = inputs(prepared.catalog, data)
    written = {each.target.name for each in prepared.standing}
    read = {scan.source.name for each in prepared.standing for scan in scans(each.input)}
    given = {each.source.name for each in files}
    streams = [each for each in prepared.catalog.objects.values() if isinstance(each, Stream)]
    foreign = [each for each in streams if each.foreign]
    made = Pipeline(
        sql,
        profile,
        prepared,
        tuple(each for each in foreign if each.name in read - written - given),
        tuple(each for each in foreign if each.name in written),
        files,
    )
    for role, ends in ((Role.SOURCE, made.sources), (Role.SINK, made.sinks)):
        for each in ends:
            _check_role(made, each, role)
    _check_paths(made)
    unfed = [each for each in streams if each.name in read - written - given and not each.foreign]
    if unfed:
        name = ".".join(unfed[0].name)
        raise RunError(
            f"{Code.NO_STREAMING_INPUT}: nothing feeds the stream {name}\n"
            f"  hint: CREATE FOREIGN STREAM {name} … OPTIONS (path '…'), or --data {name}=FILE"
        )
    for step in prepared.steps:
        if isinstance(step.target, Stream) and step.target.foreign:
            raise RunError(
                f"{Code.NOT_SUPPORTED}: INSERT INTO {'.'.join(step.target.name)} does not stream\n"
                "  hint: into a foreign stream rows come from SELECT STREAM"
            )
    return made


def _check_role(made: Pipeline, stream: Stream, role: Role) -> None:
    """A foreign stream must say where it is, and go the way it is used."""
    name = ".".join(stream.name)
    if stream.connection is None:
        raise RunError(
            f"{Code.BAD_OPTION}: foreign stream {name} does not say where it is\n"
            f"  hint: CREATE FOREIGN STREAM {name} … OPTIONS (path '…')"
        )
    if role not in ROLES[stream.connection.format]:
        message = f"format '{stream.connection.format}' is no {role}"
        words = ", ".join(f"'{each}'" for each, ways in ROLES.items() if role in ways)
        at = stream.connection.at("format")
        raise made.fault(Code.BAD_OPTION, message, at, f"one of {words}")


def _check_paths(made: Pipeline) -> None:
    """No sink may lie where something is read, or where another sink lies."""
    taken: dict[Path | None, str] = {each.path.resolve(): each.name for each in made.files}
    for each in made.sources:
        taken.setdefault(_path(each), ".".join(each.name))
    for each in made.sinks:
        path = _path(each)
        other = taken.get(path) or (path and taken.get(path.parent))
        if path and other:
            at = connection_of(each).at("path")
            message = f"the rows of {other} are there"
            raise made.fault(Code.BAD_OPTION, message, at, "a path of its own")
        taken[path] = ".".join(each.name)


def _path(stream: Stream) -> Path | None:
    """Where the files of a stream are; None: it has none."""
    path = dict(connection_of(stream).settings).get("path")
    return Path(path).resolve() if isinstance(path, str) else None
