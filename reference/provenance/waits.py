"""The operators that held the parts of an output row, each with its reason and its events."""

from collections.abc import Callable, Iterable, Iterator, KeysView, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from algebra.catalog import QualifiedName
from algebra.metadata.schedule.facts import schedule_of
from algebra.plan import (
    Delta,
    Join,
    Plan,
    Scan,
    WindowJoin,
    inputs_of,
    is_streaming,
    row_type,
)
from reference.environment import Environment
from reference.incremental.join.window_join import WindowJoin as JoinOfStreams
from reference.incremental.lowering.lower import network
from reference.incremental.network import Network, Node
from reference.incremental.train import Train
from reference.provenance.lineage import lineage, traced
from reference.scalar.expression import meaning_of

#: The reason for which a row without a partner waits until it is determined.
NO_PARTNER: Final = "no later row that matches the one without a partner (S-509)"


@dataclass(frozen=True, slots=True)
class Wait:
    """A time in which an operator held an output row, or a row that it is made of.

    After event ``since`` the operator had all that the row is made of; it emitted the row at event
    ``until``, for which the ``reason`` names what had to happen.
    """

    since: int
    until: int
    reason: str


@dataclass(frozen=True, slots=True)
class Parts:
    """The names of a row's input rows, and the windows that hold them, in order."""

    rows: KeysView[str]
    windows: KeysView[str]

    def within(self, whole: "Parts") -> bool:
        """Whether ``whole`` has all these rows and windows."""
        return self.rows <= whole.rows and self.windows <= whole.windows


def parts_of(origin: str) -> Parts:
    """The parts that an origin lists, each once.

    >>> list(parts_of("B#2@10:00/11:00,A#0,B#2").rows)
    ['B#2', 'A#0']
    """
    rows, windows = dict[str, None](), dict[str, None]()
    for part in filter(None, origin.split(",")):
        name, *numbers = part.split("@")
        if name:  # the side of a join that pads a row has none, whatever window holds it
            rows[name] = None
        windows.update(dict.fromkeys(numbers))
    return Parts(rows.keys(), windows.keys())


#: For each stream that a query reads, the event at which the last part of a row entered it.
Entered: TypeAlias = Mapping[QualifiedName, int]


class Stages:
    """The operators of a query that hold rows, each run by itself over the events of the query.

    An operator's own run shows at which event it emitted each row that a row of the query is made
    of: the query's run shows only when that row left the last operator.
    """

    def __init__(self, query: Delta, env: Environment) -> None:
        self._query = query
        self._stages = {node: _Stage(node, env) for node in dict.fromkeys(_holding(query.input))}

    def push(self, event: int, source: QualifiedName, train: Train) -> None:
        """The ``train`` that enters the query at ``source`` enters each operator's run as well."""
        for each in self._stages.values():
            each.record(event, each.network.push(source, train))

    def tick(self, event: int) -> None:
        """The session's clock has advanced, or a table has changed."""
        for each in self._stages.values():
            each.record(event, each.network.tick())

    def waits(self, row: Parts, entered: Entered) -> tuple[Wait, ...]:
        """The waits of an output row, from the inputs of the query up to its output."""
        waits: list[Wait] = []
        self._left(self._query.input, row, entered, waits)
        return tuple(waits)

    def _left(self, plan: Plan, row: Parts, entered: Entered, waits: list[Wait]) -> int:
        """The event at which the last part of ``row`` left ``plan``; -1: no part comes from it."""
        if isinstance(plan, Scan):
            return entered.get(plan.source.name, -1)
        since = max((self._left(e, row, entered, waits) for e in _streams_below(plan)), default=-1)
        stage = self._stages.get(plan)
        last = None if stage is None else stage.last_emission(row)
        if stage is None or last is None:
            return since
        if since < last.determined and last.is_padded:
            waits.append(Wait(since, last.determined, NO_PARTNER))
            since = last.determined
        if since < last.event:
            waits.append(Wait(since, last.event, schedule_of(plan).reason()))
        return max(since, last.event)


class _Stage:
    """An operator, run by itself: its emitted rows by their origins, and when it emitted them."""

    def __init__(self, node: Plan, env: Environment) -> None:
        self.network: Network = network(traced(Delta(node)), env)
        self._emitted: dict[str, int] = {}
        self._origins_of_input: dict[str, list[str]] = {}
        self._determined: dict[str, int] = {}
        self._origin_of_pending = _pending_origins(node, self.network, env)

    def record(self, event: int, train: Train) -> None:
        """Record the rows that the operator emits at ``event``, and those that it determines."""
        place = self.network.shape.width - 1
        for row in train.rows:
            origin = str(row[place])
            if origin not in self._emitted:
                for name in parts_of(origin).rows:
                    self._origins_of_input.setdefault(name, []).append(origin)
            self._emitted[origin] = event
        for origin in self._origin_of_pending():
            self._determined.setdefault(origin, event)

    def last_emission(self, row: Parts) -> "_Emission | None":
        """The emission of the last part of ``row``; None: the operator has emitted no part."""
        near = {each for name in row.rows for each in self._origins_of_input.get(name, ())}
        origins = [each for each in near if parts_of(each).within(row)]
        if not origins:
            return None
        last = max(origins, key=lambda each: (self._emitted[each], len(each), each))
        until = self._emitted[last]
        is_padded = last.startswith(",") or last.endswith(",")
        return _Emission(until, min(until, self._determined.get(last, until)), is_padded)


@dataclass(frozen=True, slots=True)
class _Emission:
    """When a row was emitted and when it was determined; whether a join has padded it."""

    event: int
    determined: int
    is_padded: bool


def _pending_origins(node: Plan, net: Network, env: Environment) -> Callable[[], Iterable[str]]:
    """The origins of the rows that a join has determined and not emitted; none for other nodes."""
    if not isinstance(node, Join | WindowJoin):
        return tuple
    below = lineage(node)
    width, origin = len(row_type(below.plan)), meaning_of(below.origin, env)
    top = net.top
    while isinstance(top, Node) and not isinstance(top.operator, JoinOfStreams):
        top = top.inputs[0]
    assert isinstance(top, Node), node
    operator = top.operator

    def origins() -> Iterator[str]:
        for row in operator.state().retained():
            if len(row) >= width:  # retained rows of one side are shorter
                yield str(origin(row))

    return origins


def _holding(plan: Plan) -> Iterator[Plan]:
    """The nodes of a streaming plan that hold rows, inputs first."""
    for each in _streams_below(plan):
        yield from _holding(each)
    if schedule_of(plan).reason():
        yield plan


def _streams_below(plan: Plan) -> Iterator[Plan]:
    return (each for each in inputs_of(plan) if is_streaming(each))
