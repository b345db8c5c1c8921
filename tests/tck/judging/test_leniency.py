"""Of backends with a gap that skips no case, less is judged."""

from dataclasses import replace
from pathlib import Path

import pytest

from tck.backends import RunningBackend
from tck.corpus.needs import FAILURE_PLACES, LATE_REPORTS
from tck.judging.verdict import Kind
from tck.protocol import Output
from tck.run import run_case
from tests.tck import toy
from tests.tck.corpora import load_case

FAILS = """
id: fails
cites: [CAL-001]
sql: SELECT STREAM units / 0 FROM Orders
steps:
- feed: all
  error: {code: DIVISION_BY_ZERO, at: units / 0}
"""


class FailsAt(toy.Faithful):
    """Gives other places of its failure, and other codes."""

    at = (0, 0)
    code = "DIVISION_BY_ZERO"

    def poll(self) -> Output:  # noqa: D102  the protocol's
        output = super().poll()
        error = output.error
        return replace(output, error=error and replace(error, at=self.at, code=self.code))


class Nowhere(FailsAt):
    """Gives none."""


class Elsewhere(FailsAt):
    """Gives a wrong one."""

    at = (0, 6)


class OtherCode(FailsAt):
    """Gives none, and a wrong code."""

    code = "OVERFLOW"


@pytest.mark.parametrize(
    ("backend", "strict", "lenient"),
    [
        (toy.Faithful, None, None),
        (Nowhere, Kind.WRONG_CODE, None),
        (Elsewhere, Kind.WRONG_CODE, Kind.WRONG_CODE),
        (OtherCode, Kind.WRONG_CODE, Kind.WRONG_CODE),
    ],
)
def test_only_a_missing_place_is_forgiven(
    tmp_path: Path, backend: type[toy.Faithful], strict: Kind | None, lenient: Kind | None
) -> None:
    case, made = load_case(tmp_path, FAILS), backend()
    hello = made.start()
    without = replace(hello, gaps={**hello.gaps, FAILURE_PLACES: "it does not know"})
    assert run_case(RunningBackend("toy", backend, made, hello), case).kind is strict
    assert run_case(RunningBackend("toy", backend, made, without), case).kind is lenient


LATE = """
id: late
cites: [S-601]
sql: SELECT STREAM * FROM Orders
steps:
- feed: {Orders: [['10:05', 10, 4], ['10:00', 20, 1]]}
  emit: [['10:05', 10, 4]]
  late: {Orders: [['10:00', 20, 1]]}
- end: true
"""


class Silent(toy.Faithful):
    """Drops late rows, and reports none."""

    def poll(self) -> Output:  # noqa: D102  the protocol's
        return replace(super().poll(), late=())


@pytest.mark.parametrize(
    ("backend", "strict", "lenient"),
    [
        (toy.Faithful, None, None),
        (Silent, Kind.NOT_LATE, None),
        (toy.KeepsLate, Kind.NOT_LATE, Kind.WRONG_ROWS),
        (toy.OtherLateCode, Kind.WRONG_CODE, Kind.WRONG_CODE),
    ],
)
def test_only_a_missing_report_of_dropped_rows_is_forgiven(
    tmp_path: Path, backend: type[toy.Faithful], strict: Kind | None, lenient: Kind | None
) -> None:
    case, made = load_case(tmp_path, LATE), backend()
    hello = made.start()
    without = replace(hello, gaps={**hello.gaps, LATE_REPORTS: "it counts nothing"})
    assert run_case(RunningBackend("toy", backend, made, hello), case).kind is strict
    assert run_case(RunningBackend("toy", backend, made, without), case).kind is lenient
