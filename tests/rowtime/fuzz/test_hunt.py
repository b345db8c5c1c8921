"""Random queries find what is wrong with a backend, and nothing on one that is right."""

import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from typer import Typer
from typer.testing import CliRunner

from reference.backend import ReferenceBackend
from rowtime.compare.case_text import case_text
from rowtime.fuzz.command import fuzz
from rowtime.fuzz.hunt import Hunt
from rowtime.fuzz.queries import OPERATORS
from rowtime.fuzz.vocabulary import ENOUGH, Vocabulary
from tck.backends import RunningBackend
from tck.corpus.case import Case
from tck.corpus.load import load_corpus
from tck.judging.verdict import Outcome
from tck.protocol import (
    Accepted,
    Backend,
    Bound,
    Event,
    Open,
    Output,
    Refused,
    Unsupported,
    weighted,
)
from tck.run import run_case

#: More than any of these searches takes, on a busy machine.
SECONDS = 300.0


class LosesNull(ReferenceBackend):
    """Loses the rows whose second value is NULL."""

    def poll(self) -> Output:
        """The output without them."""
        output = super().poll()
        return replace(output, rows=tuple(row for row in output.rows if row[1] is not None))


class IgnoresBounds(ReferenceBackend):
    """Never hears of a bound: what only a bound completes comes too late."""

    def feed(self, event: Event) -> None:
        """Take all but bounds."""
        if not isinstance(event, Bound):
            super().feed(event)


class NeverDeletes(ReferenceBackend):
    """Emits the inserts of a changelog alone."""

    def poll(self) -> Output:
        """The output without deletes."""
        output = super().poll()
        rows = tuple(row for row, weight in weighted(output.rows, output.weights) if weight > 0)
        return replace(output, rows=rows, weights=(1,) * len(rows) if output.weights else ())


class KnowsNoWindows(ReferenceBackend):
    """Refuses OVER."""

    def open(self, request: Open) -> Accepted | Refused:
        """The refusal of a query with OVER."""
        if " OVER (" in (request.sql or ""):
            return Refused("NOT_SUPPORTED", "no OVER here", (0, 1))
        return super().open(request)


class KnowsLittle(ReferenceBackend):
    """Counts and adds up in hours and minutes of one ascending stream, and says so."""

    def open(self, request: Open) -> Accepted | Refused | Unsupported:  # type: ignore[override]
        """The answer to a query that it knows."""
        strange = re.compile(
            r"STRICT|WITHIN|PUNCTUATED|TABLE|DECIMAL|DOUBLE|BIGINT|JOIN|OVER|\(SELECT|HOP|CEIL|FLOOR"
            r"|DISTINCT|AVG|MIN|MAX|ORDER|CASE|COALESCE|INTERVAL '10'|CAST|v \+|SESSION"
        )
        if found := strange.search(f"{request.ddl} {request.sql}"):
            return Unsupported(f"no {found[0]}")
        return super().open(request)


class MatchesOnlyBefore(ReferenceBackend):
    """Leaves rows of one time apart: reads ``>=`` of an ASOF join as ``>``."""

    def open(self, request: Open) -> Accepted | Refused:
        """The answer to the other query."""
        return super().open(replace(request, sql=(request.sql or "").replace(">= b.", "> b.")))


class EndsSessionsEarly(ReferenceBackend):
    """Reads a gap of a minute as ten seconds."""

    def open(self, request: Open) -> Accepted | Refused:
        """The answer to the other query."""
        gap = re.compile(r"(SESSION(_END)?\([^()]*(\(rowtime\))?, )INTERVAL '1' MINUTE")
        text = gap.sub(r"\1INTERVAL '10' SECOND", request.sql or "")
        return super().open(replace(request, sql=text))


def hunt(backend: Callable[[], ReferenceBackend]) -> Hunt:
    wrong = backend()
    running = RunningBackend("wrong", backend, wrong, wrong.start())
    right = ReferenceBackend()
    right.start()
    return Hunt(running, right, time.monotonic() + SECONDS)


def events(case: Case) -> int:
    return sum(len(step.events) for step in case.steps)


@pytest.mark.parametrize(("wrong", "most"), [(LosesNull, 2), (IgnoresBounds, 3), (NeverDeletes, 4)])
def test_a_mistake_is_found_and_made_small(
    wrong: type[ReferenceBackend], most: int, tmp_path: Path
) -> None:
    found = next(hunt(wrong).findings(seed=2))
    assert found.verdict.outcome is Outcome.FAIL
    assert events(found.case) <= most
    (tmp_path / "found.yaml").write_text(case_text(found.case))
    (case,) = load_corpus([tmp_path]).cases
    search = hunt(wrong)
    assert run_case(search.running, case).outcome is Outcome.FAIL
    assert run_case(replace(search.running, backend=search.reference), case).outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("wrong", "operator"), [(MatchesOnlyBefore, "ASOF join"), (EndsSessionsEarly, "sessions")]
)
def test_a_mistake_in_one_operator_is_found(wrong: type[ReferenceBackend], operator: str) -> None:
    """The other operators are not drawn, as after refusals."""
    search = hunt(wrong)
    for other in OPERATORS.keys() - {operator}:
        for _ in range(ENOUGH):
            search.vocabulary.add([other], accepted=False)
    found = next(search.findings(seed=2))
    assert found.verdict.outcome is Outcome.FAIL
    assert events(found.case) <= 3


def test_a_backend_that_cannot_be_started_anew_ends_the_search() -> None:
    """What it lacks is not a mistake in an answer."""
    search = hunt(ReferenceBackend)

    def unstartable() -> Backend:
        raise ModuleNotFoundError("its engine is gone")

    search.running.make, search.running.over = unstartable, True
    assert list(search.findings(seed=1)) == []
    assert search.lost == "wrong cannot be started: ModuleNotFoundError: its engine is gone"
    assert not search.counts["judged"]


def test_what_is_refused_is_no_mistake_and_is_asked_for_no_more() -> None:
    search, refused = hunt(KnowsNoWindows), list[int]()

    class Counts(Counter[str]):
        """The search ends with the fifth answer after OVER is known to be missing."""

        def __setitem__(self, what: str, count: int) -> None:
            super().__setitem__(what, count)
            if what == "judged" and "over" in search.vocabulary.missing:
                refused.append(self["refused"])
                if len(refused) == 5:
                    search.until = 0

    search.counts = Counts()
    assert list(search.findings(seed=1)) == []
    assert len(refused) == 5
    assert refused[0] == refused[-1] >= ENOUGH


def test_the_words_of_a_small_engine_are_learned() -> None:
    """Of the second hundred queries that it is asked it answers two thirds."""
    search, judged = hunt(KnowsLittle), list[int]()

    class Counts(Counter[str]):
        """The search ends with the two hundredth answer."""

        def __setitem__(self, what: str, count: int) -> None:
            super().__setitem__(what, count)
            asked = self["judged"] + self["refused"]
            if what in ("judged", "refused") and asked in (100, 200):
                judged.append(self["judged"])
            if asked == 200:
                search.until = 0

    search.counts = Counts()
    assert list(search.findings(seed=1)) == []
    first, second = judged
    assert second - first > 66, search.counts
    assert {"DOUBLE", "strict-order"} <= search.vocabulary.missing
    assert "group" not in search.vocabulary.missing


def test_a_word_is_missing_if_it_was_refused_often_and_never_accepted() -> None:
    vocabulary = Vocabulary()
    for _ in range(2 * ENOUGH):
        assert vocabulary.missing == frozenset()
        vocabulary.add(["over", "joins"], accepted=False)  # each has half of the blame
    vocabulary.add(["joins"], accepted=True)
    assert vocabulary.missing == {"over"}


def test_a_word_that_alone_was_never_accepted_has_all_of_the_blame() -> None:
    vocabulary = Vocabulary()
    vocabulary.add(["streaming"], accepted=True)
    for _ in range(ENOUGH):
        assert vocabulary.missing == frozenset()
        vocabulary.add(["streaming", "over"], accepted=False)
    assert vocabulary.missing == {"over"}


def test_the_command_finds_nothing_on_the_reference(tmp_path: Path) -> None:
    app = Typer()
    app.command()(fuzz)
    options = ["--backend", "reference", "--minutes", "0.03", "--output", str(tmp_path / "found")]
    result = CliRunner().invoke(app, options)
    assert (result.exit_code, (tmp_path / "found").exists()) == (0, False), result.output
    assert "reference: 0 findings" in result.output


def test_what_every_query_needs_is_not_learned_to_be_missing() -> None:
    vocabulary = Vocabulary()
    for _ in range(2 * ENOUGH):
        vocabulary.add(["streaming", "over"], accepted=False)
    vocabulary.add(["streaming", "joins"], accepted=False)
    assert vocabulary.missing == {"over"}
