"""The engines of a report, what each can do, and what it gets wrong."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tck.judging.verdict import Kind, Mark, Marks, Outcome
from tck.pages.abilities import Answer, group
from tck.pages.engine_view import Gap, NeedAtFault, engine_view
from tck.pages.engines import SameBackendError, engines_of
from tck.pages.site import pages
from tck.protocol import Hello
from tck.report.badge import badge
from tck.report.gaps.next_gaps import NextGap
from tck.report.states import STATES
from tests.tck.pages.runs import HELLO, cases_in, entry, page_data, record, site

PASS, FAIL, ERROR, SKIP = Outcome.PASS, Outcome.FAIL, Outcome.ERROR, Outcome.SKIP


def test_an_engine_is_labelled_with_the_name_that_it_has_given_itself() -> None:
    run = record(backend="my.module:Toy", hello=replace(HELLO, name="Toy 2"))
    engines = engines_of([replace(run, backends=("my.module:Toy", "x"))])
    assert [engine.label for engine in engines] == ["Toy 2", "x"]  # x was not started


def test_backends_of_one_name_are_labelled_with_their_files() -> None:
    hello = replace(HELLO, name="toy")
    old, new = record(file="a/old.jsonl"), record(backend="other", file="b/new.jsonl", hello=hello)
    engines = engines_of([old, new])
    assert [engine.label for engine in engines] == ["toy (old)", "toy (new)"]
    assert len({engine.page for engine in engines}) == 2


def test_backends_of_one_name_in_files_of_one_name_are_refused() -> None:
    hello = replace(HELLO, name="toy")
    with pytest.raises(SameBackendError, match=r"2 runs of toy \(run\) have one file name"):
        engines_of(
            [
                record(file="a/run.jsonl"),
                record(backend="other", file="b/run.jsonl", hello=hello),
            ]
        )


@pytest.mark.parametrize(
    ("status", "cases", "complete"), [(0, 1, True), (0, 2, False), (None, 1, False)]
)
def test_a_run_without_end_or_with_fewer_cases_is_incomplete(
    tmp_path: Path, status: int | None, cases: int, complete: bool
) -> None:
    case = cases_in(tmp_path)["all-orders"]
    (engine,) = engines_of([record(entry(case), status=status, cases=cases)])
    assert engine.complete is complete


@pytest.mark.parametrize(
    ("outcome", "known", "state"),
    [
        (PASS, None, "pass"),
        (PASS, "a bug", "fail"),
        (FAIL, None, "fail"),
        (FAIL, "a bug", "known"),
        (ERROR, None, "error"),
        (ERROR, "a bug", "known"),
        (SKIP, None, "skip"),
    ],
)
def test_the_state_of_a_case_is_what_it_does_to_the_run(
    tmp_path: Path, outcome: Outcome, known: str | None, state: str
) -> None:
    case = cases_in(tmp_path)["all-orders"]
    (engine,) = engines_of([record(entry(case, outcome, known=known))])
    assert engine.state(case.id) == state
    assert engine.state("another-case") == "none"


@pytest.mark.parametrize(
    ("outcomes", "gaps", "answer"),
    [
        ((PASS, PASS, PASS), {}, "yes"),
        ((PASS, PASS, SKIP), {}, "partly"),
        ((PASS, PASS), {}, "partly"),
        ((PASS, FAIL, SKIP), {}, "wrong"),
        ((PASS, ERROR, PASS), {}, "wrong"),
        ((SKIP, SKIP, SKIP), {"chapter": "not yet"}, "lacks"),
        ((SKIP, SKIP, SKIP), {}, "unknown"),
    ],
)
def test_an_engine_can_do_what_all_of_its_cases_pass(
    tmp_path: Path, outcomes: tuple[Outcome, ...], gaps: dict[str, str], answer: Answer
) -> None:
    cases = cases_in(tmp_path)
    entries = [entry(case, each) for case, each in zip(cases.values(), outcomes, strict=False)]
    hello = Hello("toy", "1.0", "Python", "exact", ("calcite",), gaps)
    other = replace(HELLO, name="all")
    whole = record(*[entry(case) for case in cases.values()], backend="all", hello=other)
    shown = site(cases, record(*entries, hello=hello), whole)
    (ability, _) = group("chapter", shown.engines, shown.items).abilities
    assert ability.answer == answer
    assert ability.reason == gaps.get("chapter", "")


def test_marks_count_the_cases_in_which_each_is_judged(tmp_path: Path) -> None:
    cases = list(cases_in(tmp_path).values())
    shown = site(
        cases_in(tmp_path),
        record(
            entry(cases[0], FAIL, Kind.ORDER, marks=Marks(Mark.PASS, Mark.FAIL, Mark.NONE)),
            entry(cases[1], marks=Marks(Mark.PASS, Mark.PASS, Mark.NONE)),
        ),
    )
    (ability,) = group("chapter", shown.engines, shown.items).abilities
    assert ability.marks == {"rows": (2, 0), "order": (1, 1), "time": (0, 0)}


def test_the_page_of_an_engine_has_its_gaps_its_faults_and_what_they_share(tmp_path: Path) -> None:
    cases = cases_in(tmp_path)
    shown = site(
        cases,
        record(
            entry(cases["all-orders"], FAIL, Kind.TOO_LATE, reason="1 row too late"),
            entry(cases["history-of-orders"], SKIP, reason="over: no windows"),
            entry(cases["groups-without-time"], ERROR, reason="it died"),
        ),
    )
    (engine,) = shown.engines
    needs = [group("streaming", [engine], [i for i in shown.items if "streaming" in i.needs])]
    view = engine_view(engine, shown.items, needs)
    assert view.gaps == (Gap("over", "no windows", 1),)
    assert (view.skips, view.missing) == ((), ())
    assert view.next == (NextGap("over", {"chapter": 1}),)
    faults = {each.name: [item.id for item, _ in each.cases] for each in view.faults}
    assert faults == {"TOO_LATE": ["all-orders"], "ERROR": ["groups-without-time"]}
    assert view.needs == (NeedAtFault("streaming", 2, 2),)
    assert view.tiers["final"] == dict(zip(STATES, (0, 1, 1, 0, 1), strict=True))


def test_known_failures_are_told_by_whose_difference_they_are(tmp_path: Path) -> None:
    first, second, third = list(cases_in(tmp_path).values())[:3]
    shown = site(
        {each.id: each for each in (first, second, third)},
        record(
            entry(first, FAIL, Kind.ORDER, known="windows start", known_verdict="dialect"),
            entry(second, FAIL, Kind.ORDER, known="rows are lost", known_verdict="engine-defect"),
            entry(third, FAIL, Kind.ORDER, known="to be looked at"),
        ),
    )
    view = engine_view(shown.engines[0], shown.items, [])
    assert [(each.verdict, each.count) for each in view.known] == [
        ("engine-defect", 1),
        ("dialect", 1),
        ("", 1),
    ]
    texts = dict(pages(shown))
    assert '<b class="whose engine-defect">engine-defect</b>' in texts[shown.engines[0].page]
    (item,) = [each for each in shown.items if each.id == first.id]
    (shown_case,) = [
        case for case in page_data(texts[item.file])["cases"] if case["cites"] == list(item.cites)
    ]
    assert shown_case["answers"][0]["known"] == ["dialect", "windows start"]
    counted = re.findall(r'engine=toy&amp;verdict=([a-z-]+)">(\d+)<', texts["index.html"])
    assert counted == [("engine-defect", "1"), ("dialect", "1")]


def test_the_tiers_of_an_engine_count_the_cases_of_its_headline(tmp_path: Path) -> None:
    """The chapter beyond is counted apart in both."""
    asked, other, *_ = cases_in(tmp_path).values()
    cases = {asked.id: asked, other.id: replace(other, chapter="beyond")}
    shown = site(cases, record(*[entry(case) for case in cases.values()]))
    view = engine_view(shown.engines[0], shown.items, [])
    assert (view.total["pass"], view.tiers["exact"]["pass"], view.beyond["pass"]) == (1, 1, 1)
    page = dict(pages(shown))[shown.engines[0].page]
    assert "Counted apart, here and below: the chapter beyond, with 1 passed." in page


def test_badge_overview_and_tiers_have_the_same_numbers(tmp_path: Path) -> None:
    """Also where a known failure passes, one fails, and one is in the chapter beyond."""
    first, second, third = cases_in(tmp_path).values()
    cases = {
        **{each.id: each for each in (first, second, third)},
        "wrong": replace(first, id="wrong"),
        "beyond": replace(first, id="beyond", chapter="beyond"),
    }
    run = record(
        entry(first),
        entry(second, known="passes now"),
        entry(third, FAIL, Kind.ORDER, known="a bug"),
        entry(cases["wrong"], FAIL, Kind.ORDER),
        entry(cases["beyond"]),
    )
    shown = site(cases, run)
    (engine,) = shown.engines
    view = engine_view(engine, shown.items, [])
    assert view.tiers["exact"] == dict(zip(STATES, (1, 2, 0, 1, 0), strict=True))
    assert view.tiers["exact"] == {each: view.total[each] for each in STATES}
    assert badge(run, "toy").right == "1 of 4, exact, no variants"
    assert "1 of 4, exact, no variants" in view.badge
    index = re.sub("<[^>]*>", " ", dict(pages(shown))["index.html"])
    assert "exact 4 1 25.0 %" in " ".join(index.split())
