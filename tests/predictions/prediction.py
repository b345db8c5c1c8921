"""What the metadata of a plan predict, as numbers of the rows that have arrived (S-408).

`rows of 1 HOUR` are the rows that have arrived at the node within an hour by the clock of its
inputs, `an accumulator per (H, P) for 1 HOUR` the different values of H and P among them.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from algebra.metadata.durations import Duration
from algebra.metadata.schedule.facts import latency, state
from algebra.metadata.schedule.schedule import Retained, StateKind
from algebra.plan import Plan, inputs_of, is_streaming
from reference.relation import Row, identity_of


def retentions(plan: Plan) -> Iterator[tuple[Plan, tuple[Retained, ...]]]:
    """What each streaming node of a plan retains, by its metadata."""
    if is_streaming(plan):
        yield plan, state(plan)
        for input in inputs_of(plan):
            yield from retentions(input)


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


def latencies(plan: Plan) -> Iterator[tuple[Plan, Duration]]:
    """The latency of each streaming node of a plan."""
    if is_streaming(plan):
        yield plan, latency(plan)
        for input in inputs_of(plan):
            yield from latencies(input)


# --- beside what was found ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Held:
    """The most that a node or stage held, was predicted to hold, and held beyond that."""

    what: str
    held: int
    predicted: int
    beyond: int


@dataclass(slots=True)
class Report:
    """How predictions compare with what was found, and what is outside of 1 to 2 times that."""

    states: Counter[str] = field(default_factory=Counter[str])
    waits: Counter[str] = field(default_factory=Counter[str])
    below: dict[str, str] = field(default_factory=dict[str, str])
    above: dict[str, str] = field(default_factory=dict[str, str])

    def add_state(self, id: str, held: Held) -> None:
        """Count a state; a row or two do not count."""
        word = BELOW if held.beyond > 1 else ratio(held.predicted, held.held, 2)
        self.states[word] += 1
        self._note(word, id, str(held))

    def add_wait(self, id: str, word: str, text: str) -> None:
        """Count a wait, which is to its prediction as ``word`` says."""
        self.waits[word] += 1
        self._note(word, id, text)

    def _note(self, word: str, id: str, text: str) -> None:
        if word == BELOW:
            self.below[id] = text
        elif word == ABOVE:
            self.above[id] = text

    def print(self) -> None:
        """What is outside, and how many there are of each kind."""
        for name, text in (*self.below.items(), *self.above.items()):
            print(f"{name}: {text}")
        print("state:", dict(self.states))
        print("latency:", dict(self.waits))


BELOW, WITHIN, ABOVE = "below", "up to 2", "more than 2"


def ratio(predicted: int, found: int, grain: int) -> str:
    """In words, what part of the prediction was found; differences of a ``grain`` do not count."""
    if predicted <= found + grain:
        return "the same"
    return WITHIN if predicted <= 2 * found + grain else ABOVE
