"""The state of a pipeline between two micro-batches, as records that a checkpoint can contain.

Their keys in JSON are part of the checkpoint's format, and remain when fields are renamed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from algebra.catalog import QualifiedName
from algebra.wire import Wire, from_wire, to_wire
from spark_backend.data.ingress import ColumnBound, Ingress
from spark_backend.stream.codec import written_as
from spark_backend.stream.emission.emit_batch_columns import SavedLimit


@dataclass(frozen=True, slots=True)
class BoundState:
    """The bound of an ordered column, below which values are late.

    ``strict``: a value equal to the bound is late, too.  ``seen`` are the greatest values so far of
    a k-sorted column.
    """

    bound: Wire
    strict: bool
    seen: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class IngressState:
    """The state of an ingress.

    ``arrived`` is the number of rows that have arrived.  ``bounds`` has the bound of each ordered
    column, by the column's place as text; ``arrival`` is the bound of the implicit rowtime.
    """

    arrived: int
    bounds: Mapping[str, BoundState] = field(metadata=written_as("clocks"))
    arrival: BoundState


@dataclass(frozen=True, slots=True)
class EngineState:
    """The state of an engine, without its rows.

    ``batch`` is the number of its last micro-batch. ``emitted`` is the bound up to which it has
    emitted rows; None if no bound was known. ``horizons`` has for each OVER with state compaction,
    in the order of the plan, the horizon before which its rows are compacted; None if no row is
    compacted. ``reached`` has the bounds that `EmitBatches` read in the last micro-batch.
    """

    batch: int
    emitted: int | None = field(metadata=written_as("given"))
    ended: bool
    horizons: tuple[int | None, ...] = field(metadata=written_as("cuts"))
    reached: tuple[SavedLimit, ...]


@dataclass(frozen=True, slots=True)
class StatementState:
    """The state of a statement: its engine, and the names of the relations that it retains."""

    engine: EngineState
    retained: tuple[QualifiedName, ...] = field(metadata=written_as("kept"))


@dataclass(frozen=True, slots=True)
class FedStreamState:
    """The state of a fed stream: its ingress, and the bound of each producer as text."""

    ingress: IngressState = field(metadata=written_as("gate"))
    bounds: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class DataflowState:
    """The state of all statements in dependency order, and of the streams that they feed."""

    statements: tuple[StatementState, ...] = field(metadata=written_as("engines"))
    fed: tuple[FedStreamState, ...]


@dataclass(frozen=True, slots=True)
class SourceState:
    """The state of a source; ``malformed`` counts the records that are not rows.

    ``dropped`` is the number of dropped rows, with the first reasons.
    """

    ingress: IngressState = field(metadata=written_as("gate"))
    ended: bool
    malformed: int
    dropped: tuple[int, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class SinkState:
    """The state of a sink: the number of written rows; ``sink`` is what the sink itself saves."""

    rows: int
    sink: Mapping[str, object]


#: A target, the number of statements' rows that it has dropped, and the first reasons.
DroppedState: TypeAlias = tuple[QualifiedName, int, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class PipelineState:
    """The state of a pipeline after a micro-batch, without rows.

    ``over``: all sources, and so the pipeline, have ended. ``dropped`` has the targets that dropped
    rows of statements.
    """

    over: bool
    dataflow: DataflowState = field(metadata=written_as("statements"))
    sources: tuple[SourceState, ...]
    sinks: tuple[SinkState, ...]
    dropped: tuple[DroppedState, ...] = field(metadata=written_as("lost"))


def ingress_state(ingress: Ingress) -> IngressState:
    """The state of ``ingress``."""
    bounds = {str(place): _bound_state(known) for place, known in ingress.bounds.items()}
    return IngressState(ingress.arrived, bounds, _bound_state(ingress.arrival))


def restore_ingress(ingress: Ingress, state: IngressState) -> None:
    """Set a new ingress of the same relation to ``state``."""
    ingress.arrived = state.arrived
    for place, known in ingress.bounds.items():
        _restore_bound(known, state.bounds[str(place)])
    _restore_bound(ingress.arrival, state.arrival)


def _bound_state(known: ColumnBound) -> BoundState:
    """The state of the bound of a column."""
    return BoundState(to_wire(known.type, known.bound), known.strict, tuple(known.seen))


def _restore_bound(known: ColumnBound, state: BoundState) -> None:
    """Set the bound of a column to ``state``."""
    known.bound = from_wire(known.type.as_nullable(), state.bound)
    known.strict, known.seen = state.strict, list(state.seen)
