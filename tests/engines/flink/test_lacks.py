"""Which of Flink's errors say that it does not implement a query."""

import pytest

from engines.flink.lacks import lack


@pytest.mark.parametrize(
    ("message", "feature"),
    [
        (
            "TableException: Table sink 'x' doesn't support consuming update and delete changes",
            "an updating query: Flink emits its rows at once, and may retract them later",
        ),
        (
            "TableException: Sort on a non-time-attribute field is not supported.",
            "the first key of ORDER BY on a stream must be a time attribute",
        ),
    ],
)
def test_flinks_own_words_name_the_feature(message: str, feature: str) -> None:
    assert lack(message) == feature


@pytest.mark.parametrize(
    "message",
    ["CodeGenException: Unsupported call: HOP_START(TIMESTAMP(3))", "NullPointerException: null"],
)
def test_another_error_is_no_lack(message: str) -> None:
    assert lack(message) is None
