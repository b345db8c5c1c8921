"""The rows that a query must have emitted, found by trying all next rows (S-305, S-306).

No operator is asked: the rows of each continuation are those of the relational meaning.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TypeAlias

from algebra.catalog import QualifiedName
from algebra.expression import Value
from algebra.plan import Aggregate, Delta, Filter, Plan, Project, SetOp, Window
from grammar.tree import SetOperator
from reference.acceptance import accept
from reference.evaluate import Contents, World, evaluate
from reference.ingress import Ingress, Ingresses
from reference.provenance.lineage import traced
from reference.relation import Relation, Row
from reference.values import integer, text
from tests.reference.building import ENV
from tests.reference.incremental.histories import START

#: Before all times that a history has: where nothing is known, a row may still come there, and
#: another after it.
LONG_AGO = START - 10_000
#: How far beyond a bound the rows of a continuation come, in milliseconds: further than any window
#: of a case reaches.
REACH = 3

#: Whether a row of the output at a time is determined, its schedule says, at these clocks.
Schedule: TypeAlias = Callable[[int, Sequence[float]], bool]

#: The inputs: what has come in, by stream.
Inputs: TypeAlias = Mapping[QualifiedName, tuple[Row, ...]]
#: The same as a value.
Frozen: TypeAlias = tuple[tuple[QualifiedName, tuple[Row, ...]], ...]


def whenever(_time: int, _clocks: Sequence[float]) -> bool:
    """A row is determined as soon as it is certain."""
    return True


def at_completion(time: int, clocks: Sequence[float]) -> bool:
    """A row is determined when all inputs are beyond its time, though it be certain before."""
    return all(time < clock for clock in clocks)


@dataclass(frozen=True)
class Due:
    """What must have been emitted by now, and the greatest bound that no row to come is below."""

    rows: Counter[Row]
    clock: float


@dataclass
class Oracle:
    """A query of one operator, ``keys`` its rows' values after the rowtime.

    A row is due when it is in the output of all continuations, ``schedule`` lets it, and no
    continuation has a row of smaller time that is not due itself.  Rows of equal value are told
    apart by the input rows that they are made of: one must not stand in for another.
    ``more`` is how many rows of each input a continuation has at most, ``place`` the output's
    column that is its time, or is equal to its hidden clock.
    """

    query: Delta
    tables: Contents
    place: int
    keys: Sequence[tuple[Value, ...]]
    schedule: Schedule = whenever
    more: int = 2
    _traced: Plan = field(init=False)
    _outputs: dict[Frozen, Counter[Row]] = field(default_factory=dict[Frozen, Counter[Row]])
    _due: dict[object, Due] = field(default_factory=dict[object, Due])

    def __post_init__(self) -> None:
        """The query's rows with their lineage: a plan that all continuations share."""
        self._traced = traced(self.query).input

    def due(self, ingresses: Ingresses, contents: Mapping[QualifiedName, Sequence[Row]]) -> Due:
        """What must have been emitted after ``contents``, at gates that stand so."""
        known = tuple((str(ingresses[name]), tuple(rows)) for name, rows in contents.items())
        if known not in self._due:
            self._due[known] = self._found(ingresses, contents)
        return self._due[known]

    def _found(self, ingresses: Ingresses, contents: Mapping[QualifiedName, Sequence[Row]]) -> Due:
        def time_of(row: Row) -> int:
            time = row[self.place]
            assert isinstance(time, int)
            return time

        held: Inputs = {name: tuple(rows) for name, rows in contents.items()}
        clocks = [_clock(each) for each in ingresses.values()]
        times = [integer(row[0]) for rows in held.values() for row in rows]
        latest = max([START, *times, *(int(each) for each in clocks if not math.isinf(each))])
        continued = self._continued(list(ingresses), ingresses, held, latest, self.more)
        outputs = [self._output(each) for each in set(map(_frozen, continued))]
        certain = reduce(lambda a, b: a & b, outputs)
        determined = Counter(
            {row: n for row, n in certain.items() if self.schedule(time_of(row), clocks)}
        )
        others = (time_of(row) for each in outputs for row in each - determined)
        limit = min(others, default=math.inf)
        rows = Counter({row: n for row, n in determined.items() if time_of(row) <= limit})
        later = (time_of(row) for each in outputs for row in each - rows)
        clock = min(later, default=math.inf)
        values = Counter[Row]()
        for row, n in rows.items():
            values[row[:-1]] += n
        return Due(values, -math.inf if clock < START - 1_000 else clock)

    def _output(self, inputs: Frozen) -> Counter[Row]:
        """The rows of the output, each with its identity after its columns."""
        if inputs not in self._outputs:
            named = {
                name: [(*row, f"{'.'.join(name)}#{at}") for at, row in enumerate(rows)]
                for name, rows in inputs
            }
            rows = evaluate(self._traced, World(self.tables, streams=named))
            self._outputs[inputs] = Counter((*row[:-1], self._identity(row)) for row in rows)
        return self._outputs[inputs]

    def _identity(self, row: Row) -> Value:
        """What tells a row from others of equal value: the input rows that it is a row of.

        A group is told by its values.  A row of a window is a row of its input, whatever is in its
        frame; its origin names that row first.
        """
        top = self.query.input
        while isinstance(top, Filter | Project):
            top = top.input
        origins = text(row[-1])
        match top:
            case Aggregate():
                return None
            case SetOp(_, operator, all) if not (all and operator is SetOperator.UNION):
                return None
            case Window():
                return origins.partition(",")[0]
            case _:
                return origins

    def _continued(
        self,
        names: Sequence[QualifiedName],
        ingresses: Ingresses,
        inputs: Inputs,
        latest: int,
        more: int,
    ) -> Iterator[Inputs]:
        """The inputs if they end now, and after some rows more of ``names``.

        ``more`` is how many the first of these has at most.
        The rows of one input come before those of the next: it makes no difference at the end.
        """
        if not names:
            yield inputs
            return
        name, *others = names
        yield from self._continued(others, ingresses, inputs, latest, self.more)
        for row in self._rows(ingresses[name], latest) if more else ():
            after, dropped = accept(ingresses[name], row, ENV)
            if dropped is None:
                longer = {**inputs, name: (*inputs[name], row)}
                later = {**ingresses, name: after}
                yield from self._continued(names, later, longer, latest, more - 1)

    def _rows(self, ingress: Ingress, latest: int) -> Relation:
        """The rows that may come next, soon and about ``latest``; none once it has ended."""
        if ingress.ended:
            return []
        clock = _clock(ingress)
        if clock < START:
            times = {LONG_AGO, LONG_AGO + 1, *range(START - REACH, latest + REACH)}
        else:
            first = int(clock)
            times = {*range(first, first + REACH), *range(max(first, latest - 2), latest + REACH)}
        return [(time, *more) for time in sorted(times) for more in self.keys]


def _frozen(inputs: Inputs) -> Frozen:
    return tuple(inputs.items())


def _clock(ingress: Ingress) -> float:
    """The time below which no row of a stream comes."""
    if ingress.ended:
        return math.inf
    return -math.inf if ingress.bound is None else ingress.bound
