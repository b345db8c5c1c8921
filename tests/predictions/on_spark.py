"""What `explain --metadata` predicts of a query, next to what Spark retains, and waits for (S-408).

Spark retains rows of the streams that a stage reads, not what operators make of them.  By the
metadata none is needed longer than the latencies of the nodes above it together, and what the
states of these nodes reach back beyond their own latency; of joins all of what they reach back,
since pairs that wait are not retained themselves.

Streams come in micro-batches, and halt while their bounds go on: by the latency after the last row
all is out that the bounds let out at all.

    python -m tests.predictions.on_spark
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from unittest.mock import patch

from algebra.catalog import QualifiedName, Stream, Table
from algebra.metadata.schedule.facts import latency, state, total_latency
from algebra.metadata.schedule.schedule import StateKind
from algebra.monotonicity.progress import Bounds
from algebra.plan import Delta, Join, Plan, Scan, WindowJoin, inputs_of, is_streaming
from grammar.source import SqlError
from spark_backend.data.contents import Contents
from spark_backend.data.ingress import Ingress, ingress_of
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.data.standing import run_step
from spark_backend.runtime.session import spark_session
from spark_backend.stream.ingress.ingress_bounds import bounds_of
from spark_backend.stream.pipeline.statements import Statements
from spark_backend.stream.retention.policy import Doubling
from spark_backend.stream.stages import stages
from tests.predictions.feeds import START, Feed, corpus, nexmark
from tests.predictions.prediction import ABOVE, BELOW, WITHIN, Held, Report, measured

if TYPE_CHECKING:
    from reference.relation import Row

#: Moments in the longest duration of a query.
MOMENTS: Final = 20


@dataclass(frozen=True, slots=True)
class Extent:
    """How many micro-batches a query is given.

    Each micro-batch has the rows of ``together`` moments.  The streams halt after each number of
    micro-batches in ``halts``; the first halt is once windows are full.
    """

    together: int
    halts: tuple[int, ...]


FULL: Final = Extent(4, (6, 1, 2))
BRIEF: Final = Extent(10, (3,))


@dataclass(slots=True)
class Run:
    """A query with its streams, micro-batch by micro-batch."""

    feed: Feed
    now: int = START
    statements: Statements = field(init=False)
    _contents: Contents = field(init=False)
    _ingresses: Mapping[QualifiedName, Ingress] = field(init=False)
    #: Rows that have been emitted, and when the rows of each stream have arrived.
    out: int = 0
    arrived: dict[QualifiedName, deque[int]] = field(
        default_factory=lambda: defaultdict[QualifiedName, deque[int]](deque)
    )

    def __post_init__(self) -> None:
        """Fill the tables."""
        prepared, contents = self.feed.prepared, Contents(spark_session(), 0)
        for step in prepared.steps:
            run_step(step, contents)
        for name, rows in self.feed.tables.items():
            source = prepared.catalog.objects[name]
            assert isinstance(source, Table | Stream), "these have rows"
            for row in rows:
                contents.of(source).before.append(row)
        self._contents, self.statements = contents, Statements(prepared, contents)
        self._ingresses = {n: ingress_of(s) for n, s in self.statements.sources.items()}

    def micro_batch(self, moments: int, spacing: int) -> None:
        """The rows of so many moments, and the bounds after them; with 0 moments bounds alone."""
        rows: dict[QualifiedName, list[Row]] = defaultdict(list)
        for _ in range(moments):
            self.now += spacing
            for name, some in self.feed.rows(self.now).items():
                rows[name] += some
                self.arrived[name].extend([self.now] * len(some))
        arrived, bounds = dict[QualifiedName, RowBuffer](), dict[QualifiedName, Bounds]()
        for name, ingress in self._ingresses.items():
            checks = self._contents.checks(ingress.relation)
            accepted, _ = ingress.judge(rows[name], checks)
            ingress.raise_bound(self.now, strict=False)
            types = tuple(each.type for each in ingress.relation.columns)
            arrived[name] = RowBuffer.of(types, accepted)
            bounds[name] = bounds_of(ingress, ended=False)
        answer = self.statements.step(arrived, bounds).answer
        assert answer is not None
        self.out += sum(1 for _ in answer.rows.rows())
        self.statements.release()


# --- what is predicted --------------------------------------------------------------------------


def ages(plan: Plan, above: int = -1) -> Iterator[tuple[QualifiedName, int | None]]:
    """Each stream that a plan reads, and how old a row gets that is needed, in milliseconds.

    -1: none is; None: the data decide, or a row is needed for ever.
    """
    if not is_streaming(plan):
        return
    if isinstance(plan, Scan):
        yield plan.source.name, above
        return
    wait, beyond = latency(plan), defaultdict[int, int](int)
    kept = [each for each in state(plan) if each.kind is not StateKind.TABLE]
    known = measured(wait) and not wait.rows
    for each in kept:
        known = known and each.duration is not None and measured(each.duration)
        if known and each.duration is not None:
            known = not each.duration.rows
            # A pair that waits is made again, of rows that are retained for it.
            waits = 0 if isinstance(plan, Join | WindowJoin) else wait.millis
            more = max(0, each.duration.millis - waits)
            beyond[each.port] = max(beyond[each.port], more)
    if kept or wait.millis:
        above = max(above, 0) + wait.millis
    for port, (input) in enumerate(inputs_of(plan)):
        for name, age in ages(input, above + beyond[port]):
            yield name, age if known else None


def predicted_ages(query: Delta) -> Sequence[Mapping[QualifiedName, int | None]]:
    """For each stage the age to which rows of each of its streams are needed."""
    before, last = stages(query, "stage")
    found: list[Mapping[QualifiedName, int | None]] = []
    for each in (*(stage.query for stage in before), last):
        longest: dict[QualifiedName, int | None] = {}
        for name, age in ages(each):
            known = longest.get(name, -1)
            longest[name] = None if age is None or known is None else max(age, known)
        found.append(longest)
    return found


# --- beside what was found ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Found:
    """Rows retained of a stream next to those predicted, and whether all were emitted in time."""

    states: Sequence[Held]
    late: bool
    early: bool


def _always(_doubling: Doubling, _rows: int, _least: int) -> bool:
    return True


@patch.object(Doubling, "is_due", _always)
def measure(feed: Feed, extent: Extent) -> Found | None:
    """What a query retains and how long its rows wait; None where the data decide on that.

    Rows are evicted in each micro-batch, not only when there are twice as many as the last time.
    """
    run, query = Run(feed), feed.prepared.query
    assert isinstance(query, Delta)
    wanted, wait = predicted_ages(query), total_latency(query)
    if feed.prepared.standing or not measured(wait) or wait.rows:
        return None
    if any(age is None for stage in wanted for age in stage.values()):
        return None
    spans = [age for stage in wanted for age in stage.values() if age is not None]
    spacing = feed.spacing(max([wait.millis, *spans]), MOMENTS)
    most: dict[QualifiedName, Held] = {}
    late, early = False, True
    for halt in extent.halts:
        for _ in range(halt):
            run.micro_batch(extent.together, spacing)
            for name, held, predicted in _retained(run, wanted):
                then = most.get(name, Held(".".join(name), held, predicted, held - predicted))
                most[name] = Held(
                    then.what,
                    max(then.held, held),
                    max(then.predicted, predicted),
                    max(then.beyond, held - predicted),
                )
        last = run.now
        run.now = last + max(0, wait.millis // 2 - 2 * spacing)
        run.micro_batch(0, spacing)
        half = run.out
        run.now = last + wait.millis + spacing
        run.micro_batch(0, spacing)
        whole = run.out
        run.now = last + 10 * wait.millis + 10 * spacing
        run.micro_batch(0, spacing)
        late, early = late or run.out > whole, early and half == whole
    run.statements.close()
    return Found(list(most.values()), late, early and wait.millis > 4 * spacing)


def _retained(
    run: Run, wanted: Sequence[Mapping[QualifiedName, int | None]]
) -> Iterator[tuple[QualifiedName, int, int]]:
    """Of each stream of the session how many rows a stage retains, and was predicted to retain."""
    streams = [(name, age) for stage in wanted for name, age in stage.items()]
    for (name, age), (_, own, held) in zip(streams, run.statements.retained_rows, strict=True):
        if name in run.feed.streams and age is not None:
            assert name == own, "stages come in the order of their statements"
            yield name, held, sum(run.now - each <= age for each in run.arrived[name])


def report(feeds: Mapping[str, Callable[[], Feed]], extent: Extent = FULL) -> Report:
    """The predictions of these queries; two rows, and two moments, do not count."""
    found = Report()
    for id, made in feeds.items():
        try:
            answer = measure(made(), extent)
        except SqlError:
            found.states["failed"] += 1
            continue
        if answer is None:
            found.waits["not measured"] += 1
            continue
        for each in answer.states:
            found.add_state(id, each)
        word = BELOW if answer.late else ABOVE if answer.early else WITHIN
        found.add_wait(id, word, f"latency {word}")
    return found


if __name__ == "__main__":
    for name, feeds in (("Nexmark", nexmark()), ("corpus", corpus())):
        print(name)
        report(feeds).print()
