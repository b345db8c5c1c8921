"""The standing statements of a script at work, micro-batch by micro-batch (S-603, S-605).

Each statement has an engine of its own.  What one gives goes into a table, or to the producers of a
stream, through that stream's gate, and on to the statements that read it, in the same micro-batch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Final, TypeAlias, cast

from algebra.catalog import Ordering, QualifiedName, Stream, Table, row_type_of
from algebra.mentions import scans
from algebra.monotonicity.progress import Bound, Bounds
from algebra.plan import Delta, Insert, Plan, Reads
from algebra.prepare import Prepared
from spark_backend.data.contents import Contents
from spark_backend.data.ingress import Ingress, ingress_of
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.data.standing import in_dependency_order, upserted
from spark_backend.relation import types_of
from spark_backend.stream.engine import Engine, Given
from spark_backend.stream.ingress.ingress_filter import TOLD, Admitted, admit
from spark_backend.stream.ingress.producers import ENDED, NOTHING, Producers
from spark_backend.stream.pipeline.checkpoint import Loaded
from spark_backend.stream.state import Json, engine_state, gate_state, restore_gate

#: The producer of a stream that is its own input, beside the statements that feed it.
OWN: Final = ""

#: Rows by the name under which a state keeps them.
Kept: TypeAlias = Mapping[str, RowBuffer]


@dataclass(slots=True)
class Lost:
    """Rows that went no further: how many, and why the first of them did not."""

    count: int = 0
    reasons: list[str] = field(default_factory=list[str])

    def add(self, count: int, reasons: Sequence[str]) -> None:
        """Count rows, of which these are the first reasons."""
        self.count += count
        self.reasons += reasons[: max(0, TOLD - len(self.reasons))]


@dataclass(slots=True)
class Statement:
    """A standing statement: its engine, and what its target's producers call it."""

    name: str
    insert: Insert
    engine: Engine


class Statements:
    """The standing statements of ``prepared`` over ``contents``, and the streams that they feed.

    ``lost``: the rows that statements have offered to their targets in vain.  Raises NOT_SUPPORTED
    for statements that feed one another in a circle.
    """

    def __init__(self, prepared: Prepared, contents: Contents) -> None:
        self._contents = contents
        self._catalog = prepared.catalog
        ordered = in_dependency_order(prepared.standing)
        plans = [each.input for each in ordered]
        found = [scan for plan in plans for scan in scans(plan)]
        read = {each.source.name for each in found if each.reads is Reads.STREAM}
        self._again = {each.source.name for each in found if each.reads is not Reads.STREAM}
        names: dict[QualifiedName, list[str]] = {}
        for number, each in enumerate(ordered):
            names.setdefault(each.target.name, []).append(f"statement {number}")
        self._statements = [
            Statement(
                f"statement {number}",
                each,
                # Its bound is asked by who reads the target, and by who feeds it, too.
                Engine(
                    delta_of(each.input),
                    contents,
                    exact=each.target.name in read or len(names[each.target.name]) > 1,
                ),
            )
            for number, each in enumerate(ordered)
        ]
        streams = [each.target for each in ordered if isinstance(each.target, Stream)]
        self.gates = {each.name: ingress_of(each) for each in streams}
        self._fed = {
            each.name: Producers(
                names[each.name], types_of(row_type_of(each)), self.gates[each.name].rowtime
            )
            for each in streams
        }
        self._targets = {each.name: each for each in streams}
        self._sound = {e.insert.target.name for e in self._statements if self._all_come_in(e)}
        self._tables = {e.target.name: e.target for e in ordered if isinstance(e.target, Table)}
        self.lost: dict[QualifiedName, Lost] = {}
        self._held: list[RowBuffer] = []

    def step(
        self, arrived: Mapping[QualifiedName, RowBuffer], bounds: Mapping[QualifiedName, Bounds]
    ) -> Mapping[QualifiedName, RowBuffer]:
        """One micro-batch: the rows that have passed the gate of each stream that is fed, in order.

        ``arrived``: of each stream that is a source, the rows that its gate has let in, and
        ``bounds`` what it knows of later ones.  Raises the run-time errors of expressions.
        """
        flow = _Flow(dict(arrived), dict(bounds))
        for name, rows in arrived.items():
            if name in self._fed:
                clock = ENDED if bounds[name].ended else _bound_of(self.gates[name], bounds[name])
                self._fed[name].send(OWN, rows, clock)
                del flow.rows[name], flow.bounds[name]
            else:
                self._pass(name, rows)
        for each in self._statements:
            for name in each.engine.streams:
                self._flow(name, flow)
            streams = each.engine.streams
            given = each.engine.step(
                {name: flow.rows[name] for name in streams},
                {name: flow.bounds[name] for name in streams},
            )
            self._deliver(each, given)
        for name in self._fed:
            self._flow(name, flow)
        self._remember()
        return {name: flow.rows[name] for name in self._fed}

    @property
    def retained(self) -> int:
        """How many rows all statements keep for later."""
        return sum(count for _, _, count in self.kept) + sum(count for _, count in self.past)

    @property
    def kept(self) -> list[tuple[QualifiedName, QualifiedName, int]]:
        """Each statement's target, a stream that it reads, and how many rows it keeps of that."""
        return [
            (each.insert.target.name, stream, each.engine.kept_of(stream))
            for each in self._statements
            for stream in each.engine.streams
        ]

    @property
    def past(self) -> list[tuple[QualifiedName, int]]:
        """The target of each statement where rows stand for others, and how many do."""
        folding = [each for each in self._statements if each.engine.folds]
        return [(each.insert.target.name, each.engine.past) for each in folding]

    def done(self) -> None:
        """Let go what is held for a step: its output and its state have been written."""
        while self._held:
            self._held.pop().close()

    def close(self) -> None:
        """Give back the files."""
        self.done()
        for each in self._statements:
            each.engine.close()

    # --- what flows -----------------------------------------------------------------------------

    def _deliver(self, statement: Statement, given: Given) -> None:
        """What a statement gives goes to its target."""
        target = statement.insert.target
        if isinstance(target, Table):
            self._fill(target, given.rows, upsert=statement.insert.upsert)
            return
        clock = ENDED if given.ended else NOTHING if given.bound is None else float(given.bound)
        self._fed[target.name].send(statement.name, given.rows, clock)

    def _flow(self, name: QualifiedName, flow: "_Flow") -> None:
        """Let through the gate of a stream what none of its producers holds up, once a step."""
        if name not in self._fed or name in flow.rows:
            return
        stream, gate, producers = self._targets[name], self.gates[name], self._fed[name]
        rows = producers.flow(self._contents.session)
        if rows.framed and name in self._sound and len(producers.bounds) == 1:
            found = Admitted(rows, (), 0)
        else:
            found = admit(gate, rows, self._contents.checks(stream))
        self._held.append(found.rows)
        self._lose(name, found)
        self._pass(name, found.rows)
        clock = producers.clock
        if NOTHING < clock < ENDED and clock > clock_of(gate):
            gate.raise_bound(int(clock), strict=False)
        flow.rows[name] = found.rows
        flow.bounds[name] = bounds_of(gate, ended=clock == ENDED)

    def _all_come_in(self, statement: Statement) -> bool:
        """Whether no row of a statement can be refused, and nobody asks for their numbers.

        Rows come by their time, and not below the bound that the gate had: to look at each would be
        to compute them before a sink does.  Of several statements one may fail when another has
        been written: all are looked at first.
        """
        target, time = statement.insert.target, statement.engine.in_time
        orders = {place: each.ordering for place, each in enumerate(target.columns)}
        ordered = {place: each for place, each in orders.items() if each is not None}
        return (
            len(self._statements) == 1
            and time is not None
            and ordered == {time: Ordering()}
            and not target.checks
            and target.name not in self._again
        )

    def _fill(self, table: Table, rows: RowBuffer, *, upsert: bool) -> None:
        """Rows into a table, those that it takes; of a key the last one."""
        found = admit(ingress_of(table), rows, self._contents.checks(table))
        self._lose(table.name, found)
        held, kept = self._contents.of(table), found.rows.rows()
        if upsert:
            before = list(held.before.rows())
            held.before.close()
            held.before = RowBuffer.of(held.before.types, upserted(table, before, list(kept)))
        else:
            for each in kept:
                held.before.append(each)

    def _lose(self, name: QualifiedName, found: Admitted) -> None:
        if found.dropped:
            reasons = [each.reason for each in found.refused]
            self.lost.setdefault(name, Lost()).add(found.dropped, reasons)

    # --- histories ------------------------------------------------------------------------------

    def _pass(self, name: QualifiedName, rows: RowBuffer) -> None:
        """Rows have passed a gate: queries that read the stream again see them."""
        if name in self._again:
            held = self._contents.of(self._stream(name))
            for each in rows.rows():
                held.passed.append(each)

    def _remember(self) -> None:
        """What has passed is from before the next step."""
        for name in self._again:
            if isinstance(self._catalog.objects[name], Stream):
                held = self._contents.of(self._stream(name))
                for each in held.passed.rows():
                    held.before.append(each)
                held.passed.close()
                held.passed = RowBuffer(held.passed.types)

    def _stream(self, name: QualifiedName) -> Stream:
        found = self._catalog.objects[name]
        assert isinstance(found, Stream), "only streams have rows that pass"
        return found

    # --- state ----------------------------------------------------------------------------------

    def state(self) -> tuple[Json, Kept]:
        """What the next step rests on: values as JSON has them, and rows by name."""
        kept: dict[str, RowBuffer] = {}
        engines: list[Json] = []
        for number, each in enumerate(self._statements):
            state, rows = each.engine.state()
            named = {f"engine{number}.{i}": store for i, store in enumerate(rows.values())}
            kept |= named
            engines.append({"engine": asdict(state), "kept": [[*name] for name in rows]})
        fed: list[Json] = []
        for number, (name, producers) in enumerate(self._fed.items()):
            kept[f"waiting{number}"] = producers.waiting
            bounds = {key: str(value) for key, value in producers.bounds.items()}
            fed.append({"gate": gate_state(self.gates[name]), "bounds": bounds})
        for number, relation in enumerate(self._remembered):
            kept[f"held{number}"] = self._contents.of(relation).before
        return {"engines": engines, "fed": fed}, kept

    def restore(self, state: Json, loaded: Loaded) -> None:
        """Go on from what `state` told of other statements of the same script.

        ``loaded`` gives the rows.  Tables are those of the script, but for the ones that statements
        fill.
        """
        engines = cast("Sequence[Json]", state["engines"])  # what `state` has told
        for number, (each, of_it) in enumerate(zip(self._statements, engines, strict=True)):
            names = [tuple(name) for name in cast("Sequence[Sequence[str]]", of_it["kept"])]
            kept = {
                name: loaded(f"engine{number}.{i}", each.engine.types_kept(name))
                for i, name in enumerate(names)
            }
            each.engine.restore(engine_state(cast("Json", of_it["engine"])), kept)  # the same
        fed = cast("Sequence[Json]", state["fed"])  # what `state` has told
        for number, (name, of_it) in enumerate(zip(self._fed, fed, strict=True)):
            producers = self._fed[name]
            bounds = cast("Mapping[str, str]", of_it["bounds"])  # the same
            producers.bounds = {key: float(value) for key, value in bounds.items()}
            producers.waiting = loaded(f"waiting{number}", producers.types_kept)
            restore_gate(self.gates[name], cast("Json", of_it["gate"]))  # the same
        for number, relation in enumerate(self._remembered):
            held = self._contents.of(relation)
            held.before.close()
            held.before = loaded(f"held{number}", held.before.types).in_memory()

    @property
    def _remembered(self) -> Sequence[Table | Stream]:
        """The tables that statements fill, and the streams that are read again."""
        found = [self._catalog.objects[name] for name in sorted(self._again)]
        return [*self._tables.values(), *(each for each in found if isinstance(each, Stream))]


@dataclass(slots=True)
class _Flow:
    """What has passed in a step, and what is known of later rows, by stream."""

    rows: dict[QualifiedName, RowBuffer]
    bounds: dict[QualifiedName, Bounds]


def bounds_of(gate: Ingress, *, ended: bool) -> Bounds:
    """What a gate knows of its later rows (S-406)."""
    limits: list[Bound | None] = [None] * len(gate.relation.columns)
    for place, clock in gate.bounds.items():
        if clock.bound is not None:
            limits[place] = Bound(clock.bound, clock.strict)
    return Bounds(tuple(limits), ended)


def _bound_of(gate: Ingress, bounds: Bounds) -> float:
    """The time below which no later row of a stream's own input comes."""
    limit = None if gate.rowtime is None else bounds.columns[gate.rowtime]
    return float(limit.value) if limit is not None and isinstance(limit.value, int) else NOTHING


def clock_of(gate: Ingress) -> float:
    """The time below which no later row comes through a gate; `NOTHING`: none is known."""
    clock = gate.arrival if gate.rowtime is None else gate.bounds[gate.rowtime]
    return float(clock.bound) if isinstance(clock.bound, int) else NOTHING


def delta_of(plan: Plan) -> Delta:
    """The query of a standing statement."""
    assert isinstance(plan, Delta), "a standing statement streams"
    return plan
