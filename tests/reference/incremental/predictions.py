"""What `explain --metadata` predicts of a query, beside what the reference holds (S-408).

A query of the corpus reads endless streams whose rows come at a steady rate, all in step, or come
to a halt while their bounds go on.  The prediction is what the texts of the metadata say: `rows of
1 HOUR` are the rows that have arrived at the node within an hour by the clock of its inputs, `an
accumulator per (H, P) for 1 HOUR` the different values of H and P among them.  A join also holds
the joined rows that wait for their turn: what it emits within its latency.

    python -m tests.reference.incremental.predictions
"""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from algebra.catalog import QualifiedName, Stream
from algebra.metadata.durations import Duration
from algebra.metadata.latency import latency, total_latency
from algebra.metadata.state import Retained, StateKind, state
from algebra.monotonicity.context import TOP, Context
from algebra.plan import Join, Plan, Window, WindowJoin, inputs_of, is_streaming
from algebra.prepare import Prepared
from algebra.types import Kind
from grammar.source import SqlError
from reference.dml.statements import sources_of
from reference.engine.session import Session
from reference.incremental import rowwise
from reference.incremental.network import Leaf, Network, Node
from reference.incremental.operator import Operator, State
from reference.incremental.train import Shape, Train
from reference.relation import Row, identity_of
from reference.scalar.expression import row_of
from tck.corpus.case import Case
from tests.reference.building import ENV, ts
from tests.reference.incremental.test_bounded_state import (
    MANY_WINDOWS,
    queries,
    said,
    start_of,
    value,
    windows_of_a_row,
)

#: Rows of a stream in the longest duration of a query, and how many such durations a run takes.
ROWS: Final = 60
ROUNDS: Final = 3
#: After how many rows a stream halts, so that halts come at all phases of a window.
HALTS: Final = (1, 7, 20, 31, 47, 59)


# --- a network whose arrivals are written down --------------------------------------------------


@dataclass(slots=True)
class Recorded:
    """An operator, and the rows that have arrived and that have left at the present step.

    ``clocks`` are those of its inputs, which are rows of these ``shapes``.
    """

    operator: Operator
    shapes: tuple[Shape | None, ...]
    clocks: dict[int, float] = field(default_factory=dict[int, float])
    arrived: dict[int, list[Row]] = field(default_factory=lambda: defaultdict[int, list[Row]](list))
    left: int = 0

    @property
    def shape(self) -> Shape:
        """The operator's."""
        return self.operator.shape

    def take(self, train: Train, port: int = 0, /) -> Train:
        """What the operator makes of the train."""
        self.arrived[port] += train.rows
        if (shape := self.shapes[port]) is not None:
            self.clocks[port] = shape.clock(train.bounds)
        out = self.operator.take(train, port)
        self.left += len(out.rows)
        return out

    def state(self) -> State:
        """The operator's."""
        return self.operator.state()

    def now(self, time: int) -> float:
        """The clock of the inputs, where all that feed it are operators; else ``time``."""
        if None in self.shapes or len(self.clocks) < len(self.shapes):
            return time
        return min(self.clocks.values())


def recorded(node: Node | Leaf) -> Node | Leaf:
    """The same network, with recorded operators."""
    if isinstance(node, Leaf):
        return node
    shapes = tuple(None if isinstance(e, Leaf) else e.operator.shape for e in node.inputs)
    return Node(node.plan, Recorded(node.operator, shapes), tuple(map(recorded, node.inputs)))


def nodes(top: Node | Leaf) -> Iterator[tuple[Plan, Recorded]]:
    """The operators of a recorded network that retain something, and the plans they implement."""
    if isinstance(top, Node):
        assert isinstance(top.operator, Recorded)
        if not isinstance(top.operator.operator, rowwise.Project):
            yield top.plan, top.operator
        for each in top.inputs:
            yield from nodes(each)


# --- what is predicted --------------------------------------------------------------------------


def retentions(plan: Plan, context: Context) -> Iterator[tuple[Plan, tuple[Retained, ...]]]:
    """What each streaming node of a plan retains, by its metadata."""
    if is_streaming(plan):
        yield plan, state(plan, context)
        for input, inner in zip(inputs_of(plan), context.inputs(plan), strict=True):
            yield from retentions(input, inner)


def measured(duration: Duration | None) -> bool:
    """Whether time and rows alone measure a duration; the data decide on any other."""
    if duration is None:
        return True
    return duration == Duration(duration.millis, duration.rows)


@dataclass(slots=True)
class Prediction:
    """How many rows or accumulators one `Retained` makes, of all rows that have arrived."""

    retained: Retained
    per: Callable[[Row], Row]
    #: For each partition the arrivals: when, and of which values.
    arrivals: dict[object, deque[tuple[float, object]]] = field(
        default_factory=lambda: defaultdict[object, deque[tuple[float, object]]](deque)
    )
    for_ever: set[object] = field(default_factory=set[object])

    def arrive(self, now: float, rows: list[Row]) -> None:
        """Rows arrive at the node."""
        duration = self.retained.duration
        for row in rows:
            key = identity_of(self.per(row))
            if duration is None:
                self.for_ever.add(key)
            else:
                apart = duration.rows and self.retained.kind is StateKind.ROWS
                self.arrivals[key if apart else ()].append((now, key))

    def amount(self, now: float) -> int:
        """How many are predicted now."""
        duration = self.retained.duration
        if duration is None:
            return len(self.for_ever)
        for queue in self.arrivals.values():
            while len(queue) > duration.rows and now - queue[duration.rows][0] > duration.millis:
                queue.popleft()
        if self.retained.kind is StateKind.ROWS:
            return sum(map(len, self.arrivals.values()))
        return len({key for queue in self.arrivals.values() for _, key in queue})


# --- a run ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Held:
    """The most that a node held, was predicted to hold, and held beyond its prediction."""

    node: str
    held: int
    predicted: int
    beyond: int


class Run:
    """One query of the corpus with its streams."""

    def __init__(self, case: Case, prepared: Prepared) -> None:
        assert prepared.query is not None
        self.query = prepared.query
        self.session = Session(prepared)
        assert self.session.flow is not None
        network = self.session.flow.network
        self.network = Network(recorded(network.top), network.shape)
        self.session.flow.network = self.network
        for load in case.tables:
            self.session.load(tuple(load.object.split(".")), load.rows)
        fed = {each.target.name for each in prepared.standing}
        self.streams: dict[QualifiedName, Iterator[Callable[[int], Row]]] = {
            name: steady(source, case)
            for name in sources_of(self.query, prepared.standing) - fed
            if isinstance(source := prepared.catalog.objects[name], Stream)
        }
        self.now = ts("2020-01-01 00:00:00")

    def rows(self) -> None:
        """A row of each stream arrives."""
        for name, made in self.streams.items():
            self.session.enter(name, [next(made)(self.now)], passing=True)

    def bounds(self) -> None:
        """Each stream says that no row comes before now."""
        for name in self.streams:
            self.session.bound(name, self.now)

    def emitted(self) -> int:
        """How many rows have come out since the last call."""
        assert self.session.flow is not None
        return len(self.session.flow.drained())


def steady(source: Stream, case: Case) -> Iterator[Callable[[int], Row]]:
    """Rows of a stream, each to be made for the time at which it arrives."""
    few = said(case, source)
    kept = [tuple(dict.fromkeys(row[at] for row in few)) for at in range(len(source.columns))]
    starts = [start_of(source, at) for at in range(len(source.columns))]

    def made(n: int) -> Callable[[int], Row]:
        return lambda time: tuple(
            value(column, kept[at], time, starts[at], n) for at, column in enumerate(source.columns)
        )

    return map(made, count())


def spacing_of(query: Plan, longest: int) -> int:
    """The milliseconds from one row to the next."""
    many = windows_of_a_row(query) > MANY_WINDOWS
    return max(longest // (6 if many else ROWS), 1_000)


def held(case: Case, prepared: Prepared) -> list[Held]:
    """What each node of a query held at most, beside the prediction; [] where data decide on it."""
    run = Run(case, prepared)
    kept = [
        (plan, each)
        for plan, found in retentions(run.query, TOP)
        for each in found
        if each.kind is not StateKind.TABLE
    ]
    # A bounded frame has accumulators for the partitions of its rows alone, which are not listed.
    framed = {p for p, e in kept if isinstance(p, Window) and e.kind is StateKind.ROWS}
    kept = [(p, e) for p, e in kept if p not in framed or e.kind is StateKind.ROWS]
    if not all(measured(each.duration) for _, each in kept):
        return []
    spacing = spacing_of(
        run.query, max((each.duration.millis for _, each in kept if each.duration), default=0)
    )
    predictions: dict[Plan, list[Prediction]] = defaultdict(list)
    for plan, each in kept:
        predictions[plan].append(Prediction(each, row_of(each.per, ENV)))
    waits = dict(latencies(run.query, TOP))
    if any(each.rows for each in waits.values()):
        return []  # rows of one partition wait for those of another, whose next row is to come
    steps: dict[Plan, list[tuple[int, int, int]]] = {plan: [] for plan in predictions}
    for _ in range(ROUNDS * ROWS):
        run.now += spacing
        run.rows()
        amounts, left = Counter[Plan](), Counter[Plan]()
        for plan, operator in nodes(run.network.top):
            now = operator.now(run.now)
            for prediction in predictions.get(plan, ()):
                prediction.arrive(now, operator.arrived[prediction.retained.port])
                amounts[plan] += prediction.amount(now)
            left[plan] += operator.left
            operator.arrived.clear()
            operator.left = 0
        for plan, size in run.network.states().items():
            if plan in predictions:
                kinds = {each.retained.kind for each in predictions[plan]}
                groups = size.groups if StateKind.ACCUMULATORS in kinds else 0
                steps[plan].append((size.rows + groups, amounts[plan], left[plan]))
    return [
        most(plan, found, waits[plan].millis // spacing) for plan, found in steps.items() if found
    ]


def most(plan: Plan, steps: list[tuple[int, int, int]], wait: int) -> Held:
    """The most of all steps of a node, each what it held, the prediction, and what left.

    ``wait``: how many steps a row of a join waits for its turn.
    """
    joins = isinstance(plan, Join | WindowJoin)
    predicted = [
        amount + joins * sum(left for _, _, left in steps[at + 1 : at + 2 + wait])
        for at, (_, amount, _) in enumerate(steps[: len(steps) - wait - 1])
    ]
    held = [each for each, _, _ in steps[: len(predicted)]]
    beyond = max(each - then for each, then in zip(held, predicted, strict=True))
    return Held(type(plan).__name__, max(held), max(predicted), beyond)


def latencies(plan: Plan, context: Context) -> Iterator[tuple[Plan, Duration]]:
    """The latency of each streaming node of a plan."""
    if is_streaming(plan):
        yield plan, latency(plan, context)
        for input, inner in zip(inputs_of(plan), context.inputs(plan), strict=True):
            yield from latencies(input, inner)


def waited(case: Case, prepared: Prepared) -> tuple[int, int] | None:
    """The longest wait of an output row, and the predicted latency, in milliseconds.

    None where data decide on the latency, and where nothing comes out.  The streams halt, and their
    bounds go on: what comes out then has waited since the last row.
    """
    run = Run(case, prepared)
    predicted = total_latency(run.query, TOP)
    if predicted != Duration(predicted.millis):
        return None
    spacing = spacing_of(run.query, predicted.millis)
    longest, out = 0, 0
    for halt in HALTS:
        for _ in range(halt):
            run.now += spacing
            run.rows()
        run.bounds()
        out += run.emitted()
        last = run.now
        while run.now < last + 2 * predicted.millis + 2 * spacing:
            run.now += spacing
            run.bounds()
            if run.emitted():
                longest = max(longest, run.now - last)
    return (longest, predicted.millis) if longest or out else None


def corpus() -> Mapping[str, tuple[Case, Prepared]]:
    """Streaming queries of the corpus, by case: one of those that have the same metadata.

    Streams that are out of order, or in the order of days, are left out: their clocks are behind
    the times of their rows, and so not in step.
    """
    found: dict[object, tuple[Case, Prepared]] = {}
    for case, prepared in queries().values():
        query = prepared.query
        assert query is not None
        names = sources_of(query, prepared.standing)
        streams = [e for name in names if isinstance(e := prepared.catalog.objects[name], Stream)]
        if not all(map(in_step, streams)):
            continue
        alike = [
            (type(plan), each.kind, str(each.duration), len(each.per), each.port)
            for plan, kept in retentions(query, TOP)
            for each in kept
        ]
        found.setdefault((str(total_latency(query, TOP)), tuple(alike)), (case, prepared))
    return {case.id: (case, prepared) for case, prepared in found.values()}


def in_step(stream: Stream) -> bool:
    """Whether the bounds of a stream are the times of its rows."""
    return not any(
        each.type.kind is Kind.DATE or order.slack or order.rows or order.punctuated
        for each in stream.columns
        if (order := each.ordering) is not None
    )


@dataclass(slots=True)
class Report:
    """How predictions compare over the corpus, and what is outside of 1 to 2 times what was found.

    A row of a node and two steps of time do not count.
    """

    states: Counter[str] = field(default_factory=Counter[str])
    waits: Counter[str] = field(default_factory=Counter[str])
    below: dict[str, str] = field(default_factory=dict[str, str])
    above: dict[str, str] = field(default_factory=dict[str, str])


def report() -> Report:
    """The predictions over the corpus."""
    found = Report()
    for id, (case, prepared) in corpus().items():
        try:
            states, wait = held(case, prepared), waited(case, prepared)
        except SqlError:  # the rows are not such as the query can bear
            found.states["failed"] += 1
            continue
        for each in states:
            word = "below" if each.beyond > 1 else ratio(each.predicted, each.held, 2)
            found.states[word] += 1
            _note(found, word, id, str(each))
        if wait is not None:
            assert prepared.query is not None
            grain = 2 * spacing_of(prepared.query, wait[1])
            word = "below" if wait[0] > wait[1] + grain else ratio(wait[1], wait[0], grain)
            found.waits[word] += 1
            _note(found, word, id, f"waited {wait[0]:,} ms, predicted {wait[1]:,} ms")
    return found


def _note(found: Report, word: str, id: str, text: str) -> None:
    if word == "below":
        found.below[id] = text
    elif word == "more than 2":
        found.above[id] = text


def ratio(predicted: int, found: int, grain: int) -> str:
    """In words, what part of the prediction was found; differences of a ``grain`` do not count."""
    if predicted <= found + grain:
        return "the same"
    return "up to 2" if predicted <= 2 * found + grain else "more than 2"


if __name__ == "__main__":
    all_of_it = report()
    for name, text in (*all_of_it.below.items(), *all_of_it.above.items()):
        print(f"{name}: {text}")
    print("state:", dict(all_of_it.states))
    print("latency:", dict(all_of_it.waits))
