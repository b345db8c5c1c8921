"""What a pipeline must remember from one micro-batch to the next, as values that can be written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from algebra.wire import Wire, from_wire, to_wire
from spark_backend.data.ingress import ColumnBound, Ingress
from spark_backend.stream.emission.emit_batch_columns import Reached

#: A value as JSON has it.
Json: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class EngineState:
    """Of an engine: the number of its last micro-batch, and the bound up to which it has given.

    ``cuts``: of each window that is folded the time before which totals stand for its rows.
    ``reached``: where the bounds stood that `Moments` asks for.
    """

    batch: int
    given: int | None
    ended: bool
    cuts: tuple[int | None, ...] = ()
    reached: tuple[Reached, ...] = ()


def engine_state(state: Json) -> EngineState:
    """The state of an engine whose fields are these, lists in place of tuples."""
    return EngineState(
        cast("int", state["batch"]),  # what an engine has told
        cast("int | None", state["given"]),  # the same
        cast("bool", state["ended"]),  # the same
        tuple(cast("Sequence[int | None]", state["cuts"])),  # the same
        tuple(cast("Sequence[Reached]", state["reached"])),  # the same
    )


def gate_state(gate: Ingress) -> dict[str, object]:
    """What a gate has seen: how many rows, and the clock of each ordered column."""
    clocks = {str(place): _clock_state(clock) for place, clock in gate.bounds.items()}
    return {"arrived": gate.arrived, "clocks": clocks, "arrival": _clock_state(gate.arrival)}


def restore_gate(gate: Ingress, state: Json) -> None:
    """Let a new gate have seen what `gate_state` told."""
    gate.arrived = cast("int", state["arrived"])  # what `gate_state` has told
    clocks = cast("Mapping[str, Json]", state["clocks"])  # the same
    for place, clock in gate.bounds.items():
        _restore_clock(clock, clocks[str(place)])
    _restore_clock(gate.arrival, cast("Json", state["arrival"]))  # the same


def _clock_state(clock: ColumnBound) -> dict[str, object]:
    bound = to_wire(clock.type, clock.bound)
    return {"bound": bound, "strict": clock.strict, "seen": list(clock.seen)}


def _restore_clock(clock: ColumnBound, state: Json) -> None:
    clock.bound = from_wire(clock.type.as_nullable(), cast("Wire", state["bound"]))  # the same
    clock.strict = cast("bool", state["strict"])  # the same
    clock.seen = list(cast("list[int]", state["seen"]))  # the same
