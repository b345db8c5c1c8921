"""Checkpoints: the whole state of a database between two events, as JSON, and back (S-610).

They do not contain the catalog and the plans of statements.  The catalog is rebuilt from the
statements of DDL, and each standing statement is bound to it again.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from algebra.catalog import Catalog, Profile, Pump, QualifiedName, Stream
from algebra.modify import Insert
from reference.ingress import ingress_of
from reference.relation import Row
from reference.snapshot import Json, SnapshotError, restored, snapshot
from rowtime.database.binding import bound_pump, defined, standing_insert
from rowtime.database.engine import Engine
from rowtime.database.events import Begun, Defined, Part
from rowtime.database.named_stream import NamedStream
from rowtime.database.statement import Failure, Position, Statement


def checkpoint(engine: Engine) -> Iterator[Part]:
    """The state of an engine, part by part. Raises `NoSnapshotError`."""
    yield "session", [engine.events, engine.now, engine.numbers]
    yield "trace", snapshot(engine.trace)
    for name, rows in engine.tables.items():
        yield "table", [name, snapshot(tuple(rows))]
    for name, stream in engine.streams.items():
        yield "stream", [name, snapshot(stream)]
    for place, statement in enumerate(engine.statements.values()):
        yield "statement", [place, *_statement(statement)]


def restore(engine: Engine, definitions: Mapping[int, Defined], parts: Iterable[Part]) -> None:
    """Restore a state in a new engine; ``definitions`` has the DDL statements before it.

    Raises `SqlError` if a definition is rejected today, and `SnapshotError` if the state was
    written by a version of rowtime whose operators have other data.
    """
    state = defaultdict[str, list[Json]](list)
    for kind, body in parts:
        state[kind].append(body)
    ((engine.events, engine.now, engine.numbers),) = state["session"]
    engine.restore_definitions(definitions)  # only their texts; `_inserts` carries them out
    inserts = _inserts(engine, definitions, state["statement"])
    for name, each in engine.catalog.objects.items():
        if isinstance(each, Stream):
            engine.streams[name] = NamedStream(each, engine.environment(()))
    for name, saved in state["stream"]:
        restored(engine.streams[tuple(name)], saved)
    engine.tables = {tuple(name): list(restored((), saved)) for name, saved in state["table"]}
    for _place, number, *fields in sorted(state["statement"]):
        engine.statements[number] = _restored(engine, number, *inserts[number], *fields)
    (trace,) = state["trace"]
    restored(engine.trace, trace)


# --- statements ---------------------------------------------------------------------------------


def _statement(of: Statement) -> list[Json]:
    """A statement as a list, which follows its place among the statements in a checkpoint.

    The list is: ``number``; ``resolved_at``, the event at which its names were resolved; ``name``
    of a pump; ``begun``, the text, schema and parameters of an INSERT without a name; ``running``;
    ``failed``; ``taken``; ``sent``; ``positions``; ``flow``, the state of its operators.
    """
    begun = None if of.begun is None else [of.begun.sql, of.begun.schema, of.begun.parameters]
    failed = None if of.failure is None else [of.failure.code, of.failure.message]
    positions = (
        None
        if of.positions is None
        else [
            [name, each.event, each.passed, snapshot(each.ingress)]
            for name, each in of.positions.items()
        ]
    )
    counters = [of.running, failed, of.taken, of.sent, positions]
    return [of.number, of.resolved_at, of.name, begun, *counters, snapshot(of.flow)]


def _inserts(
    engine: Engine, definitions: Mapping[int, Defined], statements: Iterable[Json]
) -> dict[int, tuple[Insert, Row]]:
    """The plan of each statement, by number, and the values of its parameters.

    The names in a statement are resolved when it starts (S-608.a).  So the definitions are carried
    out again one by one, and each statement is bound to the catalog of its start.  At the end the
    engine has the last catalog.
    """
    # A statement is its place, then the list of `_statement`: so `each[2]` is ``resolved_at``.  The
    # first statement to start is the last in order, because `pop` takes the last.
    remaining = sorted(statements, key=lambda each: (each[2], each[0]), reverse=True)
    inserts: dict[int, tuple[Insert, Row]] = {}

    def bind_before(event: float) -> None:
        while remaining and remaining[-1][2] < event:
            _place, number, _resolved_at, name, begun, *_ = remaining.pop()
            inserts[number] = _insert(engine.catalog, engine.profile, number, name, begun)

    for event, each in definitions.items():
        bind_before(event)
        catalog = replace(engine.catalog, schema=each.schema)
        engine.catalog = defined(each.sql, catalog, engine.profile)
    bind_before(float("inf"))
    engine.catalog = replace(engine.catalog, schema=())
    return inserts


def _insert(
    catalog: Catalog, profile: Profile, number: int, name: Json, begun: Json
) -> tuple[Insert, Row]:
    """The plan of a statement, bound to ``catalog``, and the values of its parameters.

    ``name`` is that of a pump; ``begun`` is not None for an INSERT without a name.
    """
    if begun is not None:
        sql, schema, parameters = begun
        return standing_insert(sql, replace(catalog, schema=tuple(schema)), profile, parameters)
    pump = catalog.objects.get(tuple(name))
    if not isinstance(pump, Pump):
        raise SnapshotError(f"statement {number} is not a pump")
    return bound_pump(pump, catalog, profile), ()


def _restored(
    engine: Engine,
    number: int,
    insert: Insert,
    values: Row,
    resolved_at: int,
    name: Json,
    begun: Json,
    running: bool,
    failed: Json,
    taken: int,
    sent: int,
    positions: Json,
    flow: Json,
) -> Statement:
    """A statement of a checkpoint.

    ``insert`` and ``values`` are of `_inserts`; the parameters after them are the list of
    `_statement` without its number.
    """
    statement = Statement(
        number,
        insert,
        engine.environment(values),
        None if name is None else tuple(name),
        resolved_at,
        None if begun is None else Begun(number, begun[0], tuple(begun[1]), tuple(begun[2])),
    )
    statement.running, statement.taken, statement.sent = running, taken, sent
    statement.failure = None if failed is None else Failure(*failed)
    restored(statement.flow, flow)
    if positions is not None:
        statement.positions = dict(_position(engine, *each) for each in positions)
    return statement


def _position(
    engine: Engine, name: Json, event: int, passed: int, ingress: Json
) -> tuple[QualifiedName, Position]:
    source: QualifiedName = tuple(name)
    empty = ingress_of(engine.streams[source].source)
    return source, Position(event, passed, restored(empty, ingress))
