"""The variants that a run of the whole corpus has: they catch engines that the cases let pass."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from rowtime.score.baseline import fails
from rowtime.score.plans import Plans
from tck.backends import RunningBackend, start
from tck.corpus.case import Case
from tck.corpus.load import kit_corpus
from tck.corpus.needs import needs_of
from tck.protocol import End, Rows
from tck.result_types import typed
from tck.run import grade_case
from tck.variants.share import SHARE, with_some_variants
from tck.variants.variants import is_variant, variants
from tests.examples import scaled
from tests.tck.corpora import load_case
from tests.tck.variants.lossy_engines import (
    KnowsItsDates,
    KnowsItsNames,
    LosesInput,
    LosesOutput,
    Lossy,
    ReplaysRefusals,
)
from tests.tck.variants.test_variants import COUNTED


@pytest.fixture(name="share", scope="module")
def share_of_the_kit() -> Sequence[Case]:
    """The variants of a plain run."""
    cases = map(typed, kit_corpus().cases)
    return [each for each in with_some_variants(cases, 0) if is_variant(each.id)]


def named(cases: Sequence[Case], law: str) -> Sequence[Case]:
    return [each for each in cases if each.id.endswith(f"~{law}")]


def test_about_a_tenth_of_the_cases_have_a_variant(share: Sequence[Case]) -> None:
    drawn = [each for each in share if not each.id.endswith("-rows")]
    assert len(drawn) < 1.3 * SHARE * len(kit_corpus().cases)
    assert len(drawn) > 300
    assert len({each.id.partition("~")[0] for each in drawn}) == len(drawn)


def test_a_run_has_a_case_of_each_kind_with_a_thousand_rows(share: Sequence[Case]) -> None:
    large = named(share, "with-1000-rows")
    fed = [
        sum(len(e.rows) for step in each.steps for e in step.events if isinstance(e, Rows))
        for each in large
    ]
    assert all(1_000 <= each < 1_100 for each in fed)
    needs = {need for each in large for need in needs_of(each)}
    assert needs >= {"tumble", "hop", "joins", "plain-union"}
    assert len(needs) > 40


def test_a_seed_draws_the_same_variants_and_another_seed_others(tmp_path: Path) -> None:
    """The last of them has a thousand rows, which are made again for each seed."""
    case, seeds = load_case(tmp_path, COUNTED), range(scaled(20, 200))
    drawn = [[e.id for e in with_some_variants([case], seed)] for seed in seeds]
    assert drawn == [[e.id for e in with_some_variants([case], seed)] for seed in seeds]
    assert {len(each) for each in drawn} == {2, 3}
    assert all(len(list(with_some_variants([case], s, {case.id}))) == 1 for s in seeds)


@pytest.mark.parametrize(
    ("engine", "law"),
    [
        (LosesInput, "in-many-copies"),
        (LosesOutput, "in-many-copies"),
        (KnowsItsDates, "four-centuries-later"),
        (KnowsItsNames, "renamed"),
        (ReplaysRefusals, "renamed"),
    ],
)
def test_a_plain_run_catches_an_engine_that_knows_or_loses_too_much(
    share: Sequence[Case], engine: type[Lossy], law: str
) -> None:
    running = running_engine(engine)
    judged = named(share, law)[:12]
    assert any(fails(grade_case(running, each, "exact").verdict) for each in judged)


@pytest.mark.parametrize("engine", [LosesInput, LosesOutput, KnowsItsDates, KnowsItsNames])
def test_the_case_of_such_a_variant_does_not_catch_it(tmp_path: Path, engine: type[Lossy]) -> None:
    case = typed(load_case(tmp_path, COUNTED))
    assert not fails(grade_case(running_engine(engine), case, "exact").verdict)


def test_the_refusals_of_the_kit_do_not_catch_one_that_replays_them() -> None:
    running = running_engine(ReplaysRefusals)
    refused = [case for case in kit_corpus().cases if case.error][:: scaled(100, 10)]
    assert not any(fails(grade_case(running, each, "exact").verdict) for each in refused)


def running_engine(engine: type[Lossy]) -> RunningBackend:
    return start(engine.__name__, lambda: engine(Plans()))


def test_copies_are_later_by_whole_windows_and_so_is_the_result(tmp_path: Path) -> None:
    case = load_case(tmp_path, COUNTED)
    (copied,) = [each for each in variants(case) if each.id == "counted~in-many-copies"]
    events = [event for step in copied.steps for event in step.events]
    rows = [row for event in events if isinstance(event, Rows) for row in event.rows]
    assert len(rows) == 240
    assert rows[0][0] == "2015-02-15 10:00:00"
    assert rows[2][0] == "2015-02-22 10:00:00"
    assert copied.steps[-1].events == (End(),)
    assert copied.rows is not None
    assert len(copied.rows) == 120
    assert copied.rows[:2] == (("2015-02-15 11:00:00", 2), ("2015-02-22 11:00:00", 2))


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("INTERVAL '1' HOUR", "INTERVAL '1' MONTH"),
        ("FROM Orders\n", "FROM Orders WHERE rowtime > TIMESTAMP '2015-01-01 00:00:00'\n"),
    ],
)
def test_a_case_whose_copies_are_not_alike_has_none(tmp_path: Path, was: str, now: str) -> None:
    case = load_case(tmp_path, COUNTED.replace(was, now))
    assert not [each for each in variants(case) if each.id.endswith("in-many-copies")]
