"""What a pipeline remembers from one micro-batch to the next, as records that can be written.

Their keys in JSON are part of a checkpoint's format, and outlive the names of the fields.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from algebra.catalog import QualifiedName
from algebra.wire import Wire, from_wire, to_wire
from spark_backend.data.ingress import ColumnBound, Ingress
from spark_backend.stream.codec import written_as
from spark_backend.stream.emission.emit_batch_columns import Reached


@dataclass(frozen=True, slots=True)
class ClockState:
    """The bound of an ordered column, as in `spark_backend.data.ingress.ColumnBound`."""

    bound: Wire
    strict: bool
    seen: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class IngressState:
    """What an ingress has seen: how many rows, and the bound of each ordered column by place."""

    arrived: int
    clocks: Mapping[str, ClockState]
    arrival: ClockState


@dataclass(frozen=True, slots=True)
class EngineState:
    """What an engine goes on from, beside its rows.

    ``batch``: the number of its last micro-batch.  ``emitted``: the bound up to which it has
    emitted; None: no bound was known.  ``horizons``: for each window with state compaction, in the
    order of the plan, the time before which partial aggregates stand for its rows; None: no row is
    compacted.  ``reached``: the bounds that `EmitBatches` asked for in the last micro-batch.
    """

    batch: int
    emitted: int | None = field(metadata=written_as("given"))
    ended: bool
    horizons: tuple[int | None, ...] = field(metadata=written_as("cuts"))
    reached: tuple[Reached, ...]


@dataclass(frozen=True, slots=True)
class StatementState:
    """A statement: its engine, and the names of the streams and tables whose rows it retains."""

    engine: EngineState
    retained: tuple[QualifiedName, ...] = field(metadata=written_as("kept"))


@dataclass(frozen=True, slots=True)
class FedStreamState:
    """A stream that statements feed: its ingress, and the bound of each producer as text."""

    ingress: IngressState = field(metadata=written_as("gate"))
    bounds: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class StatementsState:
    """All statements in dependency order, and the streams that they feed."""

    engines: tuple[StatementState, ...]
    fed: tuple[FedStreamState, ...]


@dataclass(frozen=True, slots=True)
class SourceState:
    """A source; ``dropped``: how many rows, and the reasons of the first of them."""

    ingress: IngressState = field(metadata=written_as("gate"))
    ended: bool
    malformed: int
    dropped: tuple[int, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class SinkState:
    """A sink: how many rows have been written, and what the sink itself goes on from."""

    rows: int
    sink: Mapping[str, object]


#: A target, how many rows of statements it has refused, and the reasons of the first of them.
DroppedState: TypeAlias = tuple[QualifiedName, int, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class PipelineState:
    """What a micro-batch of a pipeline leaves behind, beside rows.

    ``over``: the sources had ended, and the pipeline with them.  ``dropped``: the targets that have
    refused rows of statements.
    """

    over: bool
    statements: StatementsState
    sources: tuple[SourceState, ...]
    sinks: tuple[SinkState, ...]
    dropped: tuple[DroppedState, ...] = field(metadata=written_as("lost"))


def ingress_state(ingress: Ingress) -> IngressState:
    """What an ingress has seen."""
    clocks = {str(place): _clock_state(clock) for place, clock in ingress.bounds.items()}
    return IngressState(ingress.arrived, clocks, _clock_state(ingress.arrival))


def restore_ingress(ingress: Ingress, state: IngressState) -> None:
    """Let a new ingress of the same relation go on from ``state``."""
    ingress.arrived = state.arrived
    for place, clock in ingress.bounds.items():
        _restore_clock(clock, state.clocks[str(place)])
    _restore_clock(ingress.arrival, state.arrival)


def _clock_state(clock: ColumnBound) -> ClockState:
    return ClockState(to_wire(clock.type, clock.bound), clock.strict, tuple(clock.seen))


def _restore_clock(clock: ColumnBound, state: ClockState) -> None:
    clock.bound = from_wire(clock.type.as_nullable(), state.bound)
    clock.strict, clock.seen = state.strict, list(state.seen)
