"""Changes of a changelog are written with their signs."""

import pytest

from engines.harness.steps import events_text, expected_texts
from tck.corpus.load import kit_corpus
from tck.result_types import typed


@pytest.mark.parametrize(
    ("case", "events", "expected"),
    [
        (
            "count-over-a-left-join-never-shows-the-pair-and-the-padded-row",
            ["L: (1)", "R: (1)", "R: (1), (2)", "end of all input"],
            ["+ (1)", "", "- (1), + (2)", ""],
        ),
        (
            "equal-first-rows-of-a-partition",
            ["T: (1, 1, 1)", "T: (1, 0, 1)", "T: (1, 0, 1)", "T: - (1, 0, 1)", "end of all input"],
            ["+ (1, 1, 1)", "- (1, 1, 1), + (1, 0, 1)", "", "", ""],
        ),
    ],
)
def test_a_row_that_is_deleted_has_a_minus(
    case: str, events: list[str], expected: list[str]
) -> None:
    (found,) = kit_corpus().only([case]).cases
    found = typed(found)
    assert [events_text(found, step.events) for step in found.steps] == events
    assert list(expected_texts(found)) == expected
