"""The registry of wrong backends: each mistake can be made, and is one of a kind."""

from collections import Counter
from importlib import import_module

import pytest

from rowtime.score.change import Change, ChangeError, apply, changed_code
from rowtime.score.mistake import Mistake, by_hand
from rowtime.score.mutants import mutants, subject_of
from rowtime.score.survivors import identity, known_survivors

BY_HAND = by_hand()


@pytest.mark.parametrize("mistake", BY_HAND, ids=lambda each: each.id)
def test_each_mistake_can_be_made(mistake: Mistake) -> None:
    """Its text stands once in its function, which is Python with the other text, too."""
    change = mistake.change
    if change.function:
        assert changed_code(change) is not None
    else:
        import_module(change.module)
        compile(change.now, mistake.id, "exec")


def test_there_are_hundreds_of_them_each_with_a_name_of_its_own() -> None:
    assert len(BY_HAND) >= 200
    assert [each for each, times in Counter(e.id for e in BY_HAND).items() if times > 1] == []
    assert [each.id for each in BY_HAND if not each.says or "\n" in each.says] == []


def test_every_subject_that_is_promised_has_mistakes() -> None:
    promised = (
        "emission, bounds, windows, frames, joins, sets, sorts, aggregates, NULLs, values, casts, "
        "dates, text, entry, clock, DML, standing inserts, profile, validation, monotonicity, wire"
    )
    counts = Counter(each.subject for each in BY_HAND)
    assert [each for each in promised.split(", ") if counts[each] < 10] == []


def test_the_same_seed_makes_the_same_mutants() -> None:
    modules = [import_module(f"reference.relational.{name}") for name in ("hop", "sorting")]
    first, again, other = (list(mutants(5, seed, modules)) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert all(subject_of(each.change.module) == each.subject for each in first)


def test_a_text_that_is_not_there_is_no_change() -> None:
    change = Change("reference.values", "half_up", "no such text", "0")
    with pytest.raises(ChangeError, match="0 times, not once"):
        changed_code(change)


def test_the_last_of_several_definitions_is_changed() -> None:
    change = Change("reference.relational.table_rows", "TableRows.__getitem__", "[place]", "[-1]")
    assert "listed" in changed_code(change).co_names


def test_a_function_that_is_not_there_is_no_change() -> None:
    with pytest.raises(ChangeError, match="no such function"):
        apply(Change("reference.values", "no_such_function", "a", "b"))


def test_what_is_known_to_survive_says_why() -> None:
    assert [name for name, each in known_survivors().items() if len(each.why) < 10] == []


def test_a_mistake_by_hand_is_identified_by_its_name() -> None:
    assert identity(BY_HAND[0]) == BY_HAND[0].id
