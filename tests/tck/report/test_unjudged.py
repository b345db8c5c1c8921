"""The unjudged properties of a run: in the summary, in JSON lines and on the page of the engine."""

# ruff: noqa: D102 - the methods of the backends are the protocol's, and documented there

from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from rowtime.score.plans import Plans
from tck.backends import start
from tck.corpus.case import Case
from tck.exit_codes import EXIT_OK
from tck.judging.verdict import Outcome, Result
from tck.protocol import Hello, Output
from tck.report.console import print_report
from tck.report.record import read_record
from tck.report.tally import Report
from tck.report.unjudged import unjudged
from tck.result_types import typed
from tck.run import grade_case
from tests.tck.corpora import load_case
from tests.tck.report.runs import write_lines
from tests.tck.variants.lossy_engines import Lossy
from tests.tck.variants.test_variants import COUNTED

BOUNDS = "not judged at bounded: bounds that are too low or missing (1 case)"


class SaysNoBound(Lossy):
    """It never reports a bound or its state."""

    def start(self) -> Hello:
        return replace(super().start(), tier="bounded")

    def poll(self) -> Output:
        return replace(super().poll(), bound=None, state=None)


class MovesNoBound(Lossy):
    """It reports the least bound there is after each step."""

    def start(self) -> Hello:
        return replace(super().start(), tier="bounded")

    def poll(self) -> Output:
        return replace(super().poll(), bound="0001-01-01 00:00:00.000")


class SaysNoState(Lossy):
    """It never reports its state."""

    def poll(self) -> Output:
        return replace(super().poll(), state=None)


def result_of(engine: type[Lossy], case: Case) -> Result:
    running = start("toy", lambda: engine(Plans()))
    tier = running.hello.tier
    grade = grade_case(running, typed(case), tier)
    return Result(
        "toy",
        case,
        grade.verdict,
        tier=tier,
        at=grade.at,
        marks=grade.marks,
        transcript=grade.transcript,
    )


@pytest.mark.parametrize("engine", [SaysNoBound, MovesNoBound])
def test_an_engine_without_moving_bounds_passes_at_bounded_and_that_is_said(
    tmp_path: Path, engine: type[Lossy]
) -> None:
    result = result_of(engine, load_case(tmp_path, COUNTED))
    assert result.verdict.outcome is Outcome.PASS
    assert unjudged([result]) == (BOUNDS,)


def test_of_an_engine_that_is_judged_at_exact_nothing_is_left(tmp_path: Path) -> None:
    assert unjudged([result_of(Lossy, load_case(tmp_path, COUNTED))]) == ()


def test_state_that_is_not_reported_is_not_judged(tmp_path: Path) -> None:
    limited = COUNTED.replace("  clock: '12:00'", "  clock: '12:00'\n  state: 0")
    case = load_case(tmp_path, limited)
    assert unjudged([result_of(SaysNoState, case)]) == (
        "not judged: state, which is not reported (1 case)",
    )
    assert unjudged([result_of(Lossy, case)]) == ()


def test_the_summary_and_json_lines_say_it(tmp_path: Path) -> None:
    result = result_of(SaysNoBound, load_case(tmp_path, COUNTED))
    report = Report(results=[result])
    report.start("toy", SaysNoBound(Plans()).start(), "bounded")
    console = Console(record=True, width=200)
    print_report(console, report)
    assert f"toy: {BOUNDS}" in console.export_text()
    write_lines(tmp_path / "run.jsonl", report, EXIT_OK)
    assert read_record(tmp_path / "run.jsonl").unjudged == {"toy": [BOUNDS]}
