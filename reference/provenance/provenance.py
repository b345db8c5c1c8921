"""The provenance of a run: for each output row, its input rows and the event that emitted it."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from algebra.catalog import Column, QualifiedName
from algebra.functions.datetimes import format_bound, parse_timestamp
from algebra.monotonicity.progress import Bounds
from algebra.parts.mentions import scans
from algebra.plan import Delta, Plan
from algebra.prepare import Prepared
from algebra.wire import shown, to_wire
from reference.engine.session import Session
from reference.environment import Environment
from reference.incremental.standing.named_stream import bound_of
from reference.incremental.standing.query import Flow, reported_bounds
from reference.incremental.train import Train
from reference.ingress import Ingress
from reference.provenance.lineage import traced
from reference.provenance.waits import Parts, Stages, Wait, parts_of
from reference.relation import Relation, Row

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Origin:
    """An input row: its stream, its place among that stream's accepted rows, and its event.

    ``event`` is the number of the event, from 0, that brought the row.
    """

    stream: QualifiedName
    place: int
    row: Row
    event: int


@dataclass(frozen=True, slots=True)
class Emission:
    """An output row: the number of the event that emitted it, its input rows, and their windows.

    ``time`` is its rowtime, implicit or not, in milliseconds; minus infinity if it has none.
    ``origins`` are its input rows, each once. ``windows`` are the (start, end) of HOP and TUMBLE,
    as texts. ``frames`` are the (first, last) times of its frames of RANGE, in milliseconds.
    ``parts`` has the names of the input rows, and the texts of the windows and frames.
    """

    event: int
    row: Row
    time: float
    origins: tuple[Origin, ...]
    windows: tuple[tuple[str, str], ...]
    frames: tuple[tuple[int, int], ...]
    parts: Parts


@dataclass(frozen=True, slots=True)
class Moment:
    """An event as a short text, and the bounds after the event.

    ``input_bounds`` has the bounds of the streams that the query reads, ``output_bound`` is the
    bound of its output; all in milliseconds, minus infinity while no bound is known, and infinity
    after the end.
    """

    event: str
    input_bounds: Mapping[QualifiedName, float]
    output_bound: float


class Provenance:
    """A second run of a query, event by event, that records the input rows of every output row.

    ``moments`` are the events in order, ``emissions`` the output rows in order. ``session`` runs
    the query; each event is applied to it by `happened`.
    """

    def __init__(self, prepared: Prepared) -> None:
        assert isinstance(prepared.query, Delta), "only rows of a stream come at an event"
        self._query = prepared.query
        self._accepted: dict[tuple[str, int], Origin] = {}  # by stream and place
        self.moments: list[Moment] = []
        self.emissions: list[Emission] = []
        self.session = Session(prepared, self._traced)

    def _traced(self, query: Plan, env: Environment) -> "TracedFlow":
        """Create the flow of the query; the session calls this function."""
        assert isinstance(query, Delta), query
        self._flow = TracedFlow(query, env, self._record_row)
        return self._flow

    @property
    def arrivals(self) -> tuple[Origin, ...]:
        """The rows that streams have accepted, in order of arrival."""
        return tuple(self._accepted.values())

    def _record_row(self, ingress: Ingress, place: int, row: Row) -> str:
        """Record a row that a stream has accepted; return its name, such as ``ORDERS#3``."""
        name = ingress.source.name
        self._accepted[".".join(name), place] = Origin(name, place, row, len(self.moments))
        return f"{'.'.join(name)}#{place}"

    def happened(self, event: str, act: Callable[[Session], _Result]) -> _Result:
        """Call ``act``, which applies an event to the session; record the output.

        ``event`` is the event as a short text.  Returns the result of ``act``.  If ``act`` raises
        an error, the query has failed; the rows that it emitted before are still recorded.
        """
        try:
            return act(self.session)
        finally:
            times = self._flow.drained_times()
            for (*values, origin), time in zip(self._flow.drained(), times, strict=True):
                self.emissions.append(self._emission(tuple(values), time, str(origin)))
            self.moments.append(Moment(event, dict(self._flow.input_bounds), self._flow.bound))
            self._flow.next_event()

    def _emission(self, row: Row, time: float, origin: str) -> Emission:
        """The record of an output row, which the present event has emitted."""
        parts = parts_of(origin)
        places = [each.rpartition("#") for each in parts.rows]
        origins = tuple(self._accepted[stream, int(place)] for stream, _, place in places)
        pairs = (each.partition("/") for each in parts.windows if ";" not in each)
        windows = tuple((start, end) for start, _, end in pairs)
        frames = tuple(map(_frame, (each for each in parts.windows if ";" in each)))
        return Emission(len(self.moments), row, time, origins, windows, frames, parts)

    def waits(self, place: int) -> tuple[Wait, ...]:
        """The waits of an output row, those in the inputs of the query first.

        ``place`` is the row's place in ``emissions``.
        """
        emission = self.emissions[place]
        entered: dict[QualifiedName, int] = {}
        for each in emission.origins:
            entered[each.stream] = max(each.event, entered.get(each.stream, 0))
        return self._flow.stages.waits(emission.parts, entered, emission.event)

    def reason(self, place: int) -> str:
        """Lines that explain why an output row exists, and why its event has emitted it.

        ``place`` is the row's place in ``emissions``.
        """
        return "\n".join(self._lines(self.emissions[place], self.waits(place)))

    def _lines(self, emission: Emission, waits: Iterable[Wait]) -> Iterator[str]:
        """The lines of `reason`."""
        for number, origin in enumerate(emission.origins):
            label = "made of" if number == 0 else ""
            columns = self.session.columns(origin.stream)
            stream = ".".join(origin.stream)
            yield f"{label:7}  {stream} {spelled(columns, origin.row)}, event {origin.event + 1}"
        for number, (start, end) in enumerate(emission.windows):
            label = "window" if number == 0 else ""
            yield f"{label:7}  from {start} until, not including, {end}"
        for number, (first, last) in enumerate(emission.frames):
            label = "frame" if number == 0 else ""
            yield f"{label:7}  from {format_bound(first)} to {format_bound(last)}, both included"
        yield f"emitted  at event {emission.event + 1}: {self.moments[emission.event].event}"
        for each in waits:
            yield f"waited   since event {each.since + 1}: {self.moments[each.since].event}"
            yield f"for      {each.reason}"


def _frame(text: str) -> tuple[int, int]:
    """The first and the last time of a frame, from its text in an origin: ``time;start;end``.

    >>> _frame("1970-01-01 00:00:01;-500;0")
    (500, 1000)
    """
    time, start, end = text.split(";")
    at = parse_timestamp(time)
    return at + int(start), at + int(end)


def spelled(columns: Sequence[Column], row: Row) -> str:
    """A row as a person reads it: its values as in the protocol of the kit, in parentheses.

    >>> spelled((), ())
    '()'
    """
    values = [to_wire(column.type, value) for column, value in zip(columns, row, strict=False)]
    return "(" + ", ".join(map(shown, values)) + ")"


class TracedFlow(Flow):
    """A flow whose output rows have their origin as a last column.

    ``named`` returns the name of an entering row, from the ingress, the row's place among the rows
    of its stream, and the row. ``stages`` finds the waits of output rows. ``input_bounds`` has the
    bounds of the streams that the query reads.
    """

    def __init__(
        self, query: Delta, env: Environment, named: Callable[[Ingress, int, Row], str]
    ) -> None:
        super().__init__(traced(query), env)
        self.stages = Stages(query, env)
        self._event = 0
        self._named = named
        self._places: dict[QualifiedName, int] = defaultdict(int)
        self._times: list[float] = []
        self._reads = {each.source.name for each in scans(query)}
        self.input_bounds: dict[QualifiedName, float] = {}

    def enter(self, ingress: Ingress, rows: Relation) -> Train:
        """Take rows, as `Flow.enter`.

        Each of them enters the network with its name and, if its rowtime is implicit, this rowtime.
        """
        name, hidden = ingress.source.name, ingress.rowtime < 0
        if name in self._reads:
            self.input_bounds[name] = bound_of(ingress)
        entering: list[Row] = []
        for row in rows:
            origin = self._named(ingress, self._places[name], row)
            self._places[name] += 1
            entering.append((*row, origin, ingress.bound) if hidden else (*row, origin))
        bounds = reported_bounds(ingress)
        width = len(ingress.source.columns)
        columns = (*bounds.columns[:width], None, *bounds.columns[width:])
        train = Train(entering, Bounds(columns, bounds.ended))
        taken = self._taken(self.network.push(name, train))
        self.stages.push(self._event, name, train)
        return taken

    def tick(self) -> Train:
        """Return the output that a new time of the session's clock causes, as `Flow.tick`."""
        taken = super().tick()
        self.stages.tick(self._event)
        return taken

    def next_event(self) -> None:
        """Begin the next event: later calls belong to it."""
        self._event += 1

    def _taken(self, train: Train) -> Train:
        """Collect the rows of an output train, and their rowtimes; return the train."""
        self._times += map(self.network.shape.time_of, train.rows)
        return super()._taken(train)

    def drained_times(self) -> list[float]:
        """The rowtimes, implicit or not, of the rows that were emitted since the last call."""
        times, self._times = self._times, []
        return times
