"""Tests that only the nightly run has name cases of the core, which `make tck` asks Spark."""

import re
from pathlib import Path

from tck.corpus.selected.core import core_ids, kit_core

TESTS = Path(__file__).parents[1]


def test_the_cases_that_stand_in_for_tests_are_in_the_core() -> None:
    texts = [path.read_text("utf-8") for path in TESTS.rglob("test_*.py")]
    named = {case for text in texts for case in re.findall(r'asked_by_core\("([^"]+)"\)', text)}
    assert len(named) >= 15
    assert named - set(core_ids(kit_core())) == set()
