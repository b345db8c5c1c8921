"""The waits of an output row: when and why operators retained the row or its input rows.

`reference.provenance.provenance` shows them to explain why a row was not emitted earlier.  An
*origin* is the text that `reference.provenance.lineage` computes for a row: it lists the names of
its input rows.  In ``(B#2@10:00/11:00,A#0),B#2``, the name ``B#2`` is row 2 of B, and the text
after ``@`` is a window of this row.  Brackets enclose the rows of one group.  An empty name at the
start or the end stands for the missing side of a padded row.
"""

from collections.abc import Callable, Iterable, Iterator, KeysView, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from algebra.catalog import QualifiedName
from algebra.metadata.schedule.facts import schedule_of
from algebra.plan import (
    Delta,
    Join,
    Joining,
    Plan,
    Scan,
    Window,
    WindowJoin,
    inputs_of,
    is_streaming,
)
from reference.environment import Environment
from reference.incremental.join.asof_join import AsofJoin
from reference.incremental.join.window_join import WindowJoin as JoinOfStreams
from reference.incremental.lowering.lower import network
from reference.incremental.network import Network, Node
from reference.incremental.over.over import Over
from reference.incremental.train import Train
from reference.provenance.lineage import lineage, traced
from reference.scalar.expression import meaning_of

#: The reason for which a row without a partner waits until it is determined.
NO_PARTNER: Final = "no later row that matches the one without a partner (S-509)"
#: The reason for which a pair waits until it is determined: a row may still leave a window ROWS n.
WINDOW_OF_ROWS: Final = "the later rows that may end a window of the pair (S-511)"
#: The reason for which a determined row waits, outside of joins by windows.
NO_EARLIER_ROW: Final = "no row with a smaller rowtime to come (S-305)"


@dataclass(frozen=True, slots=True)
class Wait:
    """A period in which an operator retained an output row, or one of its input rows.

    After event ``since`` the operator had all parts of the row.  At event ``until`` the row was
    emitted, or was determined and then waited for another reason. ``reason`` names the condition
    for which the row waited.
    """

    since: int
    until: int
    reason: str


@dataclass(frozen=True, slots=True)
class Parts:
    """A row's origin: the names of its input rows, and the windows that contain them, in order."""

    origin: str
    rows: KeysView[str]
    windows: KeysView[str]


def parts_of(origin: str) -> Parts:
    """The names of rows, and the texts of windows and frames, that an origin lists, each once.

    >>> list(parts_of("(B#2@10:00/11:00,A#0),B#2").rows)
    ['B#2', 'A#0']
    """
    rows, windows = dict[str, None](), dict[str, None]()
    for part in filter(None, origin.replace("(", "").replace(")", "").split(",")):
        name, *windows_of_row = part.split("@")
        # The missing partner of an unmatched row has no name, but may have a window.
        if name:
            rows[name] = None
        windows.update(dict.fromkeys(windows_of_row))
    return Parts(origin, rows.keys(), windows.keys())


def _is_part(part: str, whole: str) -> bool:
    """Whether the origin ``whole`` contains the origin ``part`` as a list of whole names.

    >>> _is_part("(A#1)", "(A#0,A#1)"), _is_part("A#1,", "A#0,B#3,A#1,")
    (False, True)
    """
    start = whole.find(part)
    while start >= 0:
        end = start + len(part)
        # A name ends at the edge of the text, or at one of the characters between names.
        if whole[start - 1 : start] in ("", ",", "(") and whole[end : end + 1] in ("", *",)@"):
            return True
        start = whole.find(part, start + 1)
    return False


#: For each stream that a query reads, the event at which the last part of a row entered it.
Entered: TypeAlias = Mapping[QualifiedName, int]


class Stages:
    """The nodes of a query that retain rows; the plan below each is run as a query of its own.

    Such a run shows at which event the node emitted each part of an output row.  The run of the
    whole query only shows when the row left the last operator.
    """

    def __init__(self, query: Delta, env: Environment) -> None:
        self._query = query
        nodes = dict.fromkeys(_retaining_nodes(query.input))
        self._stages = {node: _Stage(node, env) for node in nodes}

    def push(self, event: int, source: QualifiedName, train: Train) -> None:
        """Push the ``train`` that enters the query at ``source`` into each node's own run."""
        for each in self._stages.values():
            each.record(event, each.network.push(source, train))

    def tick(self, event: int) -> None:
        """Let each node's own run react to a new time of the session's clock or a changed table."""
        for each in self._stages.values():
            each.record(event, each.network.tick())

    def waits(self, row: Parts, entered: Entered, event: int) -> tuple[Wait, ...]:
        """The waits of an output row that was emitted at ``event``, the inputs of the query first.

        ``entered`` has the event at which the last part of the row entered each stream.
        """
        waits: list[Wait] = []
        self._add_waits(self._query.input, row, entered, event, waits)
        return tuple(waits)

    def _add_waits(
        self, plan: Plan, row: Parts, entered: Entered, event: int, waits: list[Wait]
    ) -> int:
        """Add the waits of ``row`` in ``plan`` to ``waits``, those of its inputs first.

        Returns the event at which the last part of the row was emitted by ``plan``; -1 if no part
        of the row is from ``plan``.  The row itself was emitted by the query at ``event``.
        """
        if isinstance(plan, Scan):
            return entered.get(plan.source.name, -1)
        below = (self._add_waits(e, row, entered, event, waits) for e in _streams_below(plan))
        since = max(below, default=-1)
        stage = self._stages.get(plan)
        last = None if stage is None else stage.last_emission(row, event)
        if stage is None or last is None:
            return since
        until_determined, until_emitted = _reasons(plan, is_padded=last.is_padded)
        if since < last.determined and until_determined:
            waits.append(Wait(since, last.determined, until_determined))
            since = last.determined
        if since < last.event:
            waits.append(Wait(since, last.event, until_emitted))
        return max(since, last.event)


def _reasons(plan: Plan, *, is_padded: bool) -> tuple[str, str]:
    """Two reasons: why a row waits until it is determined, and then until it is emitted.

    A node that determines a row only when it emits the row has only the first wait. ``is_padded``:
    the row is an unmatched row of a join.
    """
    reason = schedule_of(plan).reason()
    match plan:
        case Join() | WindowJoin():
            return NO_PARTNER if is_padded else WINDOW_OF_ROWS, reason
        case _:
            return reason, NO_EARLIER_ROW


class _Stage:
    """The separate run of the plan up to ``node``: when each row was determined and emitted.

    ``_emitted`` and ``_determined`` have the events by the origin of the row. ``_origins_of_input``
    has for the name of an input row the origins of the emitted rows that contain it.
    """

    def __init__(self, node: Plan, env: Environment) -> None:
        self.network: Network = network(traced(Delta(node)), env)
        self._emitted: dict[str, list[int]] = {}
        self._origins_of_input: dict[str, list[str]] = {}
        self._determined: dict[str, int] = {}
        self._origins_of_determined = _origins_of_determined(node, self.network, env)

    def record(self, event: int, train: Train) -> None:
        """Record the rows that the operator emits at ``event``, and those that it determines."""
        place = self.network.shape.width - 1
        for row in train.rows:
            origin = str(row[place])
            if origin not in self._emitted:
                for name in parts_of(origin).rows:
                    self._origins_of_input.setdefault(name, []).append(origin)
            self._emitted.setdefault(origin, []).append(event)
        for origin in self._origins_of_determined():
            self._determined.setdefault(origin, event)

    def last_emission(self, row: Parts, event: int) -> "_Emission | None":
        """The last emission, up to ``event``, of a part of ``row``; None if no part was emitted."""
        near = {each for name in row.rows for each in self._origins_of_input.get(name, ())}
        parts = {row.origin} & near or {each for each in near if _is_part(each, row.origin)}
        emitted = [(e, part) for part in parts for e in self._emitted[part] if e <= event]
        if not emitted:
            return None
        until, last = max(emitted)
        is_padded = last.startswith(",") or last.endswith(",")
        return _Emission(until, min(until, self._determined.get(last, until)), is_padded)


@dataclass(frozen=True, slots=True)
class _Emission:
    """The events at which a row was emitted and determined; whether a join has padded the row."""

    event: int
    determined: int
    is_padded: bool


def _origins_of_determined(
    node: Plan, net: Network, env: Environment
) -> Callable[[], Iterable[str]]:
    """A function that returns the origins of the rows that a node has determined, but not emitted.

    ``net`` is the network of the node.  Most nodes determine a row only when they emit the row, so
    the function returns no origins for them.
    """
    # The network can have further operators above that of the node.
    top = net.top
    while isinstance(top, Node) and not isinstance(top.operator, JoinOfStreams | AsofJoin | Over):
        top = top.inputs[0]
    if not isinstance(node, Joining | Window) or not isinstance(top, Node):
        return tuple
    operator, origin = top.operator, meaning_of(lineage(node).origin, env)
    assert isinstance(operator, JoinOfStreams | AsofJoin | Over), node
    return lambda: [str(origin(row)) for row in operator.determined()]


def _retaining_nodes(plan: Plan) -> Iterator[Plan]:
    """The nodes of a streaming plan that retain rows, inputs first."""
    for each in _streams_below(plan):
        yield from _retaining_nodes(each)
    if schedule_of(plan).reason():
        yield plan


def _streams_below(plan: Plan) -> Iterator[Plan]:
    """The inputs of a node that stream."""
    return (each for each in inputs_of(plan) if is_streaming(each))
