"""A value against a schema of the kit: the compiled validator, and the one of browsers."""

from typing import Final

import pytest

from tck.corpus.document import parse_document
from tck.schema import first_violation, violations

#: Scripts of events, each with one fault, and where it is.
FAULTS: Final = {
    "- a": (),
    "a: 1": (),
    "steps: []": ("steps",),
    "{date: 5, steps: [{end: true}]}": ("date",),
    "steps: [{}]": ("steps", 0),
    "steps: [{fed: {A: [[1]]}}]": ("steps", 0),
    "steps: [{end: false}]": ("steps", 0, "end"),
    "steps: [{feed: some}]": ("steps", 0, "feed"),
    "steps: [{end: true}, {feed: {A: [[1], [2, 3, [4]]]}}]": ("steps", 1, "feed", "A", 1, 2),
    "steps: [{bound: {A: {strict: true}}}]": ("steps", 0, "bound", "A"),
    "steps: [{end: true, state: -1}]": ("steps", 0, "state"),
}


@pytest.mark.parametrize("text", FAULTS)
def test_both_validators_find_a_fault_at_its_place(text: str) -> None:
    data = parse_document(text, "f").data
    compiled = violations(data, "case.schema.json", "script")
    (other,) = first_violation(data, "case.schema.json", "script")
    assert {each.path for each in compiled} == {other.path} == {FAULTS[text]}
    assert "data" not in other.message


def test_the_validator_of_browsers_leads_to_a_key_with_a_dot_as_far_as_it_can() -> None:
    data = parse_document("steps: [{feed: {sales.Orders: [[[1]]]}}]", "f").data
    (found,) = first_violation(data, "case.schema.json", "script")
    assert found.path == ("steps", 0, "feed")


def test_both_validators_take_a_valid_script() -> None:
    text = (
        "steps: [{feed: {A: [[1, 1.5, x, null]]}, bound: {A: {at: '10:00', strict: true}}, end: A}]"
    )
    data = parse_document(text, "f").data
    assert violations(data, "case.schema.json", "script") == []
    assert first_violation(data, "case.schema.json", "script") == []


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb"])
def test_half_of_a_surrogate_pair_violates_every_schema(text: str) -> None:
    """No page and no file in UTF-8 can hold it, whether it is a value or a key."""
    for value in ({"steps": [{"end": True, "note": text}]}, {text: 1}, [text]):
        (found,) = violations(value, "case.schema.json", "script")
        assert found.message.startswith("half a character in a text: '\\u")
