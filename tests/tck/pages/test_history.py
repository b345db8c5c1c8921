"""Several runs of one engine: the changes from one to the next, and how old they are."""

from dataclasses import replace
from pathlib import Path

from tck.judging.verdict import Kind, Outcome
from tck.pages.age import Age, age_of
from tck.pages.engines import engines_of
from tck.pages.history import ChangedCase, history
from tck.pages.site import pages
from tests.tck.pages.runs import HELLO, cases_in, entry, page_data, record, site


def test_the_newest_run_of_a_backend_is_shown_and_the_others_are_its_history(
    tmp_path: Path,
) -> None:
    first, second, third = cases_in(tmp_path).values()
    late = entry(first, Outcome.FAIL, Kind.TOO_LATE, reason="1 row too late")
    named = replace(HELLO, name="toy")
    new = record(late, entry(second), entry(third), hello=named, file="new.jsonl")
    new = replace(new, date="2026-03-01", hellos={"toy": replace(named, version="2.0")})
    old = record(entry(first), entry(second, Outcome.ERROR), hello=named, file="old.jsonl")
    old = replace(old, date="2026-02-01")
    shown = site(cases_in(tmp_path), new, old)
    (engine,) = shown.engines
    assert (engine.file, engine.state(first.id)) == ("new.jsonl", "fail")
    found = history(engine.runs)
    assert found is not None
    assert [(run.date, run.version, run.right, run.judged) for run in found.runs] == [
        ("2026-02-01", "1.0", 1, 2),
        ("2026-03-01", "2.0", 2, 3),
    ]
    assert found.changes == (
        (
            "New failures",
            (ChangedCase(first.id, "chapter", "PASS -> FAIL TOO_LATE", "1 row too late"),),
        ),
        ("Mended", (ChangedCase(second.id, "chapter", "ERROR -> PASS", ""),)),
    )
    assert found.trend == "6.0,42.0 234.0,6.0"  # from one half to two thirds
    page = dict(pages(shown))[engine.page]
    assert "from the oldest run to the newest: 50.0 %, 66.7 %" in page
    assert f'href="case.html#case={first.id}">chapter/{first.id}</a> PASS' in page


def test_one_run_has_no_history_and_runs_without_dates_stay_in_their_order() -> None:
    old, new = record(file="old.jsonl"), record(file="new.jsonl")
    (engine,) = engines_of([new])
    assert history(engine.runs) is None
    (engine,) = engines_of([old, replace(new, date="2026-02-01")])
    assert engine.file == "new.jsonl"
    (engine,) = engines_of([replace(new, date="2026-02-01"), old])
    assert engine.file == "old.jsonl"


def test_a_run_that_is_older_than_its_corpus_says_so(tmp_path: Path) -> None:
    first, second, third = cases_in(tmp_path).values()
    run = record(
        replace(entry(first), digest="another"),
        entry(second),  # which does not say what the case was
        entry(replace(first, id="gone")),
    )
    shown = site({each.id: each for each in (first, second, third)}, run)
    (engine,) = shown.engines
    age = age_of(engine, shown.digests)
    assert age == Age(changed=1, removed=1, lacking=1)
    files = dict(pages(shown))
    assert age.lines[1] == "1 of these cases are no longer in the corpus"
    assert all(line in files[engine.page] for line in age.lines)
    (item,) = [item for item in shown.items if item.id == first.id]
    shown_case, *others = page_data(files[item.file])["cases"]
    assert shown_case["outdated"] == [0]
    assert not any("outdated" in other for other in others)
