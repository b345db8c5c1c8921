"""Wall-clock time that passes in a case, and the engines that answer to it."""

# ruff: noqa: D102 - the methods are the protocol's, and documented there

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import ClassVar

import pytest

from tck.backends import RunningBackend, start
from tck.corpus.case import Case
from tck.judging.verdict import Kind, Outcome
from tck.protocol import Elapse, Event, Hello
from tck.run import run_case, skip_reason
from tests.tck import toy_hours
from tests.tck.corpora import load_case

#: An hour that no row and no bound ends, while ten seconds pass.
OPEN_HOUR = f"""
id: open-hour
cites: [S-106]
sql: {" ".join(toy_hours.SQL.split())}
steps:
- feed: {{Orders: [['10:00', 10, 4]]}}
- elapse: 10 s
- end: true
  emit: [['11:00', 10, 1]]
"""


class Idles(toy_hours.Hourly):
    """Ends the hour of an input that is idle for ten seconds."""

    properties: ClassVar[dict[str, str]] = {}

    def start(self) -> Hello:
        return replace(super().start(), properties=self.properties)

    def feed(self, event: Event) -> None:
        if event == Elapse("10 s"):
            self.advance(datetime(2015, 2, 15, 11), "the time-out")
        else:
            super().feed(event)


class IdlesAfterFive(Idles):
    """Declares a time-out that is shorter."""

    properties: ClassVar[dict[str, str]] = {"idle-timeout": "5 s"}


class IdlesAfterMore(Idles):
    """Declares a time-out that is longer, and so promises not to end the hour."""

    properties: ClassVar[dict[str, str]] = {"idle-timeout": "10.001 s"}


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return load_case(tmp_path, OPEN_HOUR)


def running(backend: type[toy_hours.Hourly]) -> RunningBackend:
    return start("hourly", backend)


def test_an_hour_stays_open_while_time_passes(case: Case) -> None:
    assert run_case(running(toy_hours.Hourly), case).outcome is Outcome.PASS


@pytest.mark.parametrize("backend", [Idles, IdlesAfterMore])
def test_an_hour_that_no_declared_time_out_ends_is_a_failure(
    backend: type[toy_hours.Hourly], case: Case
) -> None:
    verdict = run_case(running(backend), case)
    assert (verdict.outcome, verdict.kind) == (Outcome.FAIL, Kind.TOO_EARLY)
    assert "step 2" in verdict.reason


def test_a_case_that_lasts_longer_than_the_declared_time_out_is_skipped(case: Case) -> None:
    verdict = run_case(running(IdlesAfterFive), case)
    reason = "idle-timeout: 5 s, and the case lets 10 s pass"
    assert (verdict.outcome, verdict.reason) == (Outcome.SKIP, reason)


def test_spans_add_up_to_the_time_out(tmp_path: Path) -> None:
    hello = running(IdlesAfterFive).hello
    brief = OPEN_HOUR.replace("10 s", "2 s")
    assert skip_reason(hello, load_case(tmp_path / "one", brief)) == ""
    twice = brief.replace("- elapse: 2 s\n", "- elapse: 2500 ms\n- elapse: 2.5 s\n")
    assert skip_reason(hello, load_case(tmp_path / "two", twice)).endswith("lets 5 s pass")
