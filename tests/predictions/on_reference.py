"""What `explain --metadata` predicts of a query, next to what the reference holds (S-408).

Streams come at a steady rate, all in step, or come to a halt while their bounds go on.  A join also
holds the joined rows that wait for their turn: what it emits within its latency.

    python -m tests.predictions.on_reference
"""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from algebra.metadata.durations import Duration
from algebra.metadata.schedule.facts import total_latency
from algebra.metadata.schedule.schedule import StateKind
from algebra.plan import Join, Plan, Window, WindowJoin
from grammar.source import SqlError
from reference.engine.session import Session
from reference.incremental.network import Network
from reference.scalar.expression import row_of
from tests.predictions.feeds import START, Feed, corpus, nexmark
from tests.predictions.prediction import (
    BELOW,
    Held,
    Prediction,
    Report,
    latencies,
    measured,
    ratio,
    retentions,
)
from tests.predictions.recorded import nodes, recorded
from tests.reference.building import ENV


@dataclass(frozen=True, slots=True)
class Extent:
    """How long the streams of a query are.

    ``moments`` are those in its longest duration, and a run takes ``rounds`` such durations.  The
    streams halt after ``halts`` moments, so that halts come at all phases of a window.
    """

    moments: int
    rounds: int
    halts: tuple[int, ...]


FULL: Final = Extent(60, 3, (1, 7, 20, 31, 47, 59))
BRIEF: Final = Extent(20, 2, (1, 7, 13, 19))


class Run:
    """A query with its streams."""

    def __init__(self, feed: Feed) -> None:
        assert feed.prepared.query is not None
        self.query, self.feed, self.now = feed.prepared.query, feed, START
        self.session = Session(feed.prepared)
        assert self.session.flow is not None
        network = self.session.flow.network
        self.network = Network(recorded(network.top), network.shape)
        self.session.flow.network = self.network
        for name, rows in feed.tables.items():
            self.session.enter(name, rows, passing=False)

    def events(self) -> Iterator[None]:
        """The rows of a moment arrive, and none before it comes any more, stream by stream."""
        for name, rows in self.feed.rows(self.now).items():
            self.session.enter(name, rows, passing=True)
            yield
        yield from self.bounds()

    def bounds(self) -> Iterator[None]:
        """Each stream says that no row arrives before now."""
        for name in self.feed.streams:
            self.session.set_bound(name, self.now)
            yield

    def emitted(self) -> int:
        """How many rows have been emitted since the last call."""
        assert self.session.flow is not None
        return len(self.session.flow.drained())


def held(feed: Feed, extent: Extent) -> list[Held]:
    """What each node of a query held at most, beside the prediction; [] where data decide on it."""
    run = Run(feed)
    kept = [
        (plan, each)
        for plan, found in retentions(run.query)
        for each in found
        if each.kind is not StateKind.TABLE
    ]
    # A bounded frame has accumulators for the partitions of its rows alone, which are not listed.
    framed = {p for p, e in kept if isinstance(p, Window) and e.kind is StateKind.ROWS}
    kept = [(p, e) for p, e in kept if p not in framed or e.kind is StateKind.ROWS]
    if not all(measured(each.duration) for _, each in kept):
        return []
    longest = max((each.duration.millis for _, each in kept if each.duration), default=0)
    spacing = feed.spacing(longest, extent.moments)
    predictions: dict[Plan, list[Prediction]] = defaultdict(list)
    for plan, each in kept:
        predictions[plan].append(Prediction(each, row_of(each.per, ENV)))
    waits = dict(latencies(run.query))
    if any(each.rows or each.groups for each in waits.values()):
        return []  # rows of one partition wait for those of another, whose next row is to come
    steps: dict[Plan, list[Step]] = {plan: [] for plan in predictions}
    for _ in range(extent.rounds * extent.moments):
        run.now += spacing
        for _ in run.events():
            _measure(run, predictions, steps)
    return [most(plan, found, waits[plan].millis) for plan, found in steps.items() if found]


@dataclass(frozen=True, slots=True)
class Step:
    """What a node held and was predicted to hold after an event, and how many rows it emitted."""

    time: int
    held: int
    predicted: int
    left: int


def _measure(
    run: Run, predictions: Mapping[Plan, list[Prediction]], steps: Mapping[Plan, list[Step]]
) -> None:
    amounts, left = Counter[Plan](), Counter[Plan]()
    for plan, operator in nodes(run.network.top):
        now = operator.now(run.now)
        for prediction in predictions.get(plan, ()):
            port = prediction.retained.port
            prediction.arrive(operator.at(port, run.now), operator.arrived[port])
            amounts[plan] += prediction.amount(now)
        left[plan] += operator.left
        operator.arrived.clear()
        operator.left = 0
    for plan, size in run.network.states().items():
        if plan in predictions:
            kinds = {each.retained.kind for each in predictions[plan]}
            groups = size.groups if StateKind.ACCUMULATORS in kinds else 0
            steps[plan].append(Step(run.now, size.rows + groups, amounts[plan], left[plan]))


def most(plan: Plan, steps: list[Step], wait: int) -> Held:
    """The most of all steps of a node; ``wait``: how long a row of a join waits for its turn."""
    joins = isinstance(plan, Join | WindowJoin)
    whole = [each for each in steps if not joins or each.time + wait <= steps[-1].time]
    predicted: list[int] = []
    end, later = 0, 0
    for step in whole:
        while joins and end < len(steps) and steps[end].time <= step.time + wait:
            later += steps[end].left
            end += 1
        later -= joins * step.left
        predicted.append(step.predicted + later)
    beyond = max(each.held - then for each, then in zip(whole, predicted, strict=True))
    return Held(type(plan).__name__, max(e.held for e in whole), max(predicted), beyond)


def waited(feed: Feed, extent: Extent) -> tuple[int, int, int] | None:
    """The longest wait of an output row, the predicted latency, and two moments' milliseconds.

    None where data decide on the latency, and where nothing comes out.  The streams halt, and their
    bounds continue: what is emitted then has waited since the last row.
    """
    run = Run(feed)
    predicted = total_latency(run.query)
    if predicted != Duration(predicted.millis):
        return None
    spacing = feed.spacing(predicted.millis, extent.moments)
    pause = max(spacing, predicted.millis // extent.moments)
    longest, out = 0, 0
    for halt in extent.halts:
        for _ in range(halt):
            run.now += spacing
            deque(run.events(), 0)
        out += run.emitted()
        last = run.now
        while run.now < last + 2 * predicted.millis + 2 * pause:
            run.now += pause
            deque(run.bounds(), 0)
            if run.emitted():
                longest = max(longest, run.now - last)
    return (longest, predicted.millis, 2 * pause) if longest or out else None


def report(feeds: Mapping[str, Callable[[], Feed]], extent: Extent = FULL) -> Report:
    """The predictions of these queries; a row of a node and two moments do not count."""
    found = Report()
    for id, made in feeds.items():
        try:
            states, wait = held(made(), extent), waited(made(), extent)
        except SqlError:  # the rows are not such as the query can bear
            found.states["failed"] += 1
            continue
        for each in states:
            found.add_state(id, each)
        if wait is not None:
            longest, predicted, grain = wait
            word = BELOW if longest > predicted + grain else ratio(predicted, longest, grain)
            found.add_wait(id, word, f"waited {longest:,} ms, predicted {predicted:,} ms")
    return found


if __name__ == "__main__":
    for name, feeds in (("corpus", corpus()), ("Nexmark", nexmark())):
        print(name)
        report(feeds).print()
