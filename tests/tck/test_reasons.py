"""The reference explains the rows at fault of a failure."""

# ruff: noqa: D102 - the methods of the backends are the protocol's, and documented there

from pathlib import Path

import pytest

from tck.backends import RunningBackend
from tck.corpus.case import Case
from tck.judging.verdict import Result
from tck.protocol import Accepted, Backend, Open, Output, Refused
from tck.reasons import ReferenceExplainer, reasons
from tck.run import run_cases
from tests.tck import toy, toy_hours
from tests.tck.corpora import load_case
from tests.tck.judging.test_judge import FILTER, REFUSED
from tests.tck.judging.test_tiers import BARE
from tests.tck.test_run import Listening


def running(backend: type[Backend]) -> RunningBackend:
    made = backend()
    return RunningBackend("toy", backend, made, made.start())


def result(case: Case, backend: type[Backend], explainer: ReferenceExplainer) -> Result:
    """The result of a case with an explainer, at tier exact."""
    (found,) = run_cases(
        running(backend), [case], Listening(), {}, tier="exact", explainer=explainer
    )
    return found


def test_a_row_that_is_missing_is_explained_with_its_rows_its_window_and_its_event(
    tmp_path: Path,
) -> None:
    case = load_case(tmp_path, BARE)
    found = result(case, toy_hours.DropsLast, ReferenceExplainer(running(toy_hours.Hourly)))
    assert found.why == (
        "why the reference has ('2015-02-15 13:00:00', 20, 2), at step 6 (line 19):",
        "  window [12:00, 13:00)",
        "  rows 2015-02-15 12:10:00, 2015-02-15 12:10:00",
        "  released by the end",
    )


def test_rows_that_come_too_early_or_too_late_are_explained_each(tmp_path: Path) -> None:
    case = load_case(tmp_path, BARE)
    reference = ReferenceExplainer(running(toy_hours.Hourly))
    early = result(case, toy_hours.Early, reference).why
    assert early[0] == "why the reference has ('2015-02-15 12:00:00', 10, 1), at step 4 (line 16):"
    assert early[-1] == "  released by the bound 2015-02-15 12:00:00"
    late = result(case, toy_hours.LateByOne, reference).why
    assert [line for line in late if "why" in line] == [
        "why the reference has ('2015-02-15 11:00:00', 30, 3), at step 2 (line 12):",
        "why the reference has ('2015-02-15 11:00:00', 10, 1), at step 2 (line 12):",
    ]


def test_passes_and_rows_that_are_not_expected_are_not_explained(tmp_path: Path) -> None:
    case = load_case(tmp_path, BARE)
    reference = ReferenceExplainer(running(toy_hours.Hourly))
    assert result(case, toy_hours.Permuted, reference).why == ()
    assert result(case, toy_hours.GivesAnother, reference).why == ()


def test_a_refusal_that_did_not_come_is_that_of_the_reference(tmp_path: Path) -> None:
    case = load_case(tmp_path, REFUSED)
    why = result(case, toy.AcceptsAll, ReferenceExplainer(running(toy.Faithful))).why
    assert why == ("the reference refuses it:", "  ^^^ here")


def test_a_reference_that_lacks_the_row_too_says_so(tmp_path: Path) -> None:
    rows = (load_case(tmp_path, FILTER).all_rows[1], ("12:00", 1, 1))
    why = reasons(running(toy.Faithful), load_case(tmp_path, FILTER), rows)
    assert why[-1] == "the reference has no row ('2015-02-15 12:00:00', 1, 1)"


def test_at_most_three_rows_are_explained(tmp_path: Path) -> None:
    requested: list[int | None] = []

    class Talks(toy.Faithful):
        """Records the rows that it is to explain."""

        def explain(self, row: int | None = None) -> str:
            requested.append(row)
            return f"reason {row}"

    case = load_case(
        tmp_path,
        "id: a\ncites: [S-1]\nsql: SELECT STREAM * FROM Orders\n"
        "rows: [['10:00', 10, 4], ['10:00', 20, 1], ['10:05', 10, 7], ['10:06', 1, 1]]",
    )
    assert len(reasons(running(Talks), case, case.all_rows)) == 6
    assert requested == [0, 1, 2]


class Broken(toy.Faithful):
    """Throws when it is to explain."""

    def explain(self, row: int | None = None) -> str:
        raise RuntimeError(f"lost the trace of {row}")


class Wordless(toy.Faithful):
    """Explains nothing."""

    def explain(self, row: int | None = None) -> str:
        return "" if row is not None else super().explain()


class Refuses(toy.Faithful):
    """Accepts nothing."""

    def open(self, request: Open) -> Accepted | Refused:
        del request
        return Refused("SYNTAX_ERROR", "cannot read this")


@pytest.mark.parametrize(
    ("reference", "why"),
    [
        (Broken, ()),
        (Wordless, ()),
        (Refuses, ("the reference refuses it:", "  cannot read this")),
    ],
)
def test_a_reference_that_has_nothing_to_say_hurts_no_run(
    reference: type[Backend], why: tuple[str, ...], tmp_path: Path
) -> None:
    found = result(load_case(tmp_path, FILTER), toy.Drops, ReferenceExplainer(running(reference)))
    assert found.verdict.label == "FAIL WRONG_ROWS"
    assert found.why == why


def test_a_reference_that_is_not_installed_explains_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tck.reasons.installed", dict[str, str])
    reference = ReferenceExplainer()
    assert result(load_case(tmp_path, FILTER), toy.Drops, reference).why == ()
    assert reference.absent


def test_a_reference_is_started_once_and_only_when_something_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []

    def start(name: str) -> RunningBackend:
        started.append(name)
        return running(toy.Faithful)

    monkeypatch.setattr("tck.reasons.installed", lambda: {"reference": "some:Class"})
    monkeypatch.setattr("tck.reasons.start_backend", start)
    case, reference = load_case(tmp_path, FILTER), ReferenceExplainer()
    result(case, toy.Faithful, reference)
    assert started == []
    result(case, toy.Drops, reference)
    result(case, toy.Alters, reference)
    assert started == ["reference"]


def test_asking_for_reasons_leaves_the_conversation_as_it_is(tmp_path: Path) -> None:
    """Rows are explained after the last poll, and before the query is closed."""
    reported: list[str] = []

    class Watched(toy_hours.Hourly):
        """Remembers the order of calls."""

        def reported(self, output: Output) -> Output:
            reported.append("poll")
            return output

        def explain(self, row: int | None = None) -> str:
            reported.append(f"explain {row}")
            return super().explain(row)

        def close(self) -> None:
            reported.append("close")

    case = load_case(tmp_path, BARE)
    reasons(running(Watched), case, case.all_rows[:1])
    assert reported == [*["poll"] * 6, "explain 0", "close"]
