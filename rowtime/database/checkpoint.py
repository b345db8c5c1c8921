"""Writes the whole state of a database between two events as JSON, and restores it (S-610).

This state is a *checkpoint*.  It does not contain the catalog and the plans of statements.  The
catalog is rebuilt from the statements of DDL, and each standing statement is bound to it again.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

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
    """The state of an engine, part by part.

    Raises `NoSnapshotError` if a table function does not return its state.
    """
    yield "session", [engine.events, engine.now, engine.numbers]
    yield "trace", snapshot(engine.trace)
    for name, rows in engine.tables.items():
        yield "table", [name, snapshot(tuple(rows))]
    for name, stream in engine.streams.items():
        yield "stream", [name, snapshot(stream)]
    for place, statement in enumerate(engine.statements.values()):
        yield "statement", list(_saved_form(place, statement))


def restore(engine: Engine, definitions: Mapping[int, Defined], parts: Iterable[Part]) -> None:
    """Restore a state in a new engine.

    ``definitions`` has the DDL statements before the checkpoint, by the numbers of their events,
    and ``parts`` are the parts of the state.

    Raises `SqlError` if a definition is rejected today, and `SnapshotError` if the state was
    written by a version of rowtime whose operators have other data.
    """
    state = defaultdict[str, list[Json]](list)
    for kind, body in parts:
        state[kind].append(body)
    ((engine.events, engine.now, engine.numbers),) = state["session"]
    engine.restore_definitions(definitions)  # only the texts: `_inserts` executes them
    statements = sorted((_Saved(*each) for each in state["statement"]), key=lambda each: each.place)
    inserts = _inserts(engine, definitions, statements)
    for name, each in engine.catalog.objects.items():
        if isinstance(each, Stream):
            engine.streams[name] = NamedStream(each, engine.environment(()))
    for name, saved in state["stream"]:
        restored(engine.streams[tuple(name)], saved)
    engine.tables = {tuple(name): list(restored((), saved)) for name, saved in state["table"]}
    for record in statements:
        engine.statements[record.number] = _restored(engine, record, *inserts[record.number])
    (trace,) = state["trace"]
    restored(engine.trace, trace)


# --- statements ---------------------------------------------------------------------------------


class _Saved(NamedTuple):
    """A statement in a checkpoint, where it is a list of these fields in this order.

    - ``place``: its place among the statements.
    - ``number``: its number in the database.
    - ``resolved_at``: the number of the event at which its names were resolved.
    - ``begun``: the text, schema and parameters of an INSERT without a name; None for a pump.
    - ``failed``: the code and message of its failure.
    - ``taken``, ``sent``: the numbers of rows that it has read and written.
    - ``positions``: for each stream that it reads, where it was stopped.
    - ``flow``: the state of its operators.
    """

    place: int
    number: int
    resolved_at: int
    name: Json
    begun: Json
    running: bool
    failed: Json
    taken: int
    sent: int
    positions: Json
    flow: Json


def _saved_form(place: int, of: Statement) -> _Saved:
    """The statement ``of``, which has this place among the statements, for a checkpoint."""
    positions = (
        None
        if of.positions is None
        else [
            [name, each.event, each.passed, snapshot(each.ingress)]
            for name, each in of.positions.items()
        ]
    )
    return _Saved(
        place=place,
        number=of.number,
        resolved_at=of.resolved_at,
        name=of.name,
        begun=None if of.begun is None else [of.begun.sql, of.begun.schema, of.begun.parameters],
        running=of.running,
        failed=None if of.failure is None else [of.failure.code, of.failure.message],
        taken=of.taken,
        sent=of.sent,
        positions=positions,
        flow=snapshot(of.flow),
    )


def _inserts(
    engine: Engine, definitions: Mapping[int, Defined], statements: Iterable[_Saved]
) -> dict[int, tuple[Insert, Row]]:
    """Rebuild the catalog; return the plan of each statement and its parameters, by number.

    The names in a statement are resolved when it starts (S-608.a).  So the definitions are executed
    again one by one, and each statement is bound to the catalog at its start.  At the end, the
    engine has the last catalog.
    """
    # The first statement to start is the last of the list, because `pop` takes the last.
    remaining = sorted(statements, key=lambda each: (each.resolved_at, each.place), reverse=True)
    inserts: dict[int, tuple[Insert, Row]] = {}

    def bind_before(event: float) -> None:
        """Bind the statements whose names were resolved before the event with this number."""
        while remaining and remaining[-1].resolved_at < event:
            record = remaining.pop()
            inserts[record.number] = _insert(record, engine.catalog, engine.profile)

    for event, each in definitions.items():
        bind_before(event)
        catalog = replace(engine.catalog, schema=each.schema)
        engine.catalog = defined(each.sql, catalog, engine.profile)
    bind_before(float("inf"))
    engine.catalog = replace(engine.catalog, schema=())
    return inserts


def _insert(record: _Saved, catalog: Catalog, profile: Profile) -> tuple[Insert, Row]:
    """The plan of a statement, bound to ``catalog``, and the values of its parameters."""
    if record.begun is not None:
        sql, schema, parameters = record.begun
        return standing_insert(sql, replace(catalog, schema=tuple(schema)), profile, parameters)
    pump = catalog.objects.get(tuple(record.name))
    if not isinstance(pump, Pump):
        raise SnapshotError(f"statement {record.number} is not a pump")
    return bound_pump(pump, catalog, profile), ()


def _restored(engine: Engine, record: _Saved, insert: Insert, values: Row) -> Statement:
    """Make the statement ``record`` of a checkpoint again, with its state.

    ``insert`` is its plan, ``values`` are the values of its parameters.
    """
    begun, number = record.begun, record.number
    statement = Statement(
        number,
        insert,
        engine.environment(values),
        None if record.name is None else tuple(record.name),
        record.resolved_at,
        None if begun is None else Begun(number, begun[0], tuple(begun[1]), tuple(begun[2])),
    )
    statement.running, statement.taken, statement.sent = record.running, record.taken, record.sent
    statement.failure = None if record.failed is None else Failure(*record.failed)
    restored(statement.flow, record.flow)
    if record.positions is not None:
        statement.positions = dict(_position(engine, *each) for each in record.positions)
    return statement


def _position(
    engine: Engine, name: Json, event: int, passed: int, ingress: Json
) -> tuple[QualifiedName, Position]:
    """The name of a stream, and the position of a statement in it, from a checkpoint."""
    source: QualifiedName = tuple(name)
    empty = ingress_of(engine.streams[source].source)
    return source, Position(event, passed, restored(empty, ingress))
