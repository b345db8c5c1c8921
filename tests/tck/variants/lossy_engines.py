"""Engines that lose rows or know the cases, and that the cases of the kit alone do not detect."""

# ruff: noqa: D102 - the methods of the backends are the protocol's, and documented there

from collections import Counter
from dataclasses import replace
from functools import cache

from reference.backend import ReferenceBackend
from rowtime.score.plans import Plans
from tck.corpus.load import kit_corpus
from tck.protocol import Accepted, Event, Hello, Open, Output, Refused, Rows

#: More rows than most cases feed to an input, or expect at a step.
MOST = 20


class Lossy:
    """The reference; subclasses lose rows on their way in or out."""

    def __init__(self, plans: Plans) -> None:
        self.inner = ReferenceBackend(prepare=plans.prepare)

    def start(self) -> Hello:
        return self.inner.start()

    def open(self, request: Open) -> Accepted | Refused:
        return self.inner.open(request)

    def feed(self, event: Event) -> None:
        self.inner.feed(event)

    def poll(self) -> Output:
        return self.inner.poll()

    def explain(self, row: int | None = None) -> str:
        return self.inner.explain(row)

    def close(self) -> None:
        self.inner.close()

    def stop(self) -> None:
        self.inner.stop()


class LosesInput(Lossy):
    """It loses all rows of an input after the 20th."""

    def open(self, request: Open) -> Accepted | Refused:
        self.fed = Counter[str]()
        return super().open(request)

    def feed(self, event: Event) -> None:
        if isinstance(event, Rows):
            left = max(0, MOST - self.fed[event.input])
            self.fed[event.input] += len(event.rows)
            event = replace(event, rows=event.rows[:left])
        super().feed(event)


class LosesOutput(Lossy):
    """It emits at most 20 rows at a step, and loses all others."""

    def poll(self) -> Output:
        output = super().poll()
        return replace(output, rows=output.rows[:MOST])


class KnowsItsDates(Lossy):
    """It loses the rows of the years after those of the kit's cases."""

    def feed(self, event: Event) -> None:
        if isinstance(event, Rows):
            known = [row for row in event.rows if not any(_late(value) for value in row)]
            event = replace(event, rows=tuple(known))
        super().feed(event)


class KnowsItsNames(Lossy):
    """It loses the rows of all streams and tables that no case of the kit names."""

    def feed(self, event: Event) -> None:
        if isinstance(event, Rows) and event.input not in _kit_names():
            event = replace(event, rows=())
        super().feed(event)


class ReplaysRefusals(Lossy):
    """It refuses the queries of the kit that are refused, by their texts, and no others."""

    def open(self, request: Open) -> Accepted | Refused:
        answer = super().open(request)
        known = (request.ddl, request.sql) in _kit_refusals()
        return answer if known or isinstance(answer, Accepted) else Accepted(True, ())


@cache
def _kit_names() -> frozenset[str]:
    return frozenset(name for case in kit_corpus().cases for name in case.columns)


@cache
def _kit_refusals() -> frozenset[tuple[str, str | None]]:
    return frozenset((case.ddl, case.sql) for case in kit_corpus().cases if case.error)


def _late(value: object) -> bool:
    return isinstance(value, str) and "2100-" < value < "9000-" and value[4:5] == "-"
