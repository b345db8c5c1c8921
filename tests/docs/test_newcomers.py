"""docs/newcomers.md: our statements are accepted, and theirs are refused with a word of help."""

from typing import Final

import pytest

from algebra.catalog import Profile
from algebra.prepare import prepare
from grammar.codes import Code
from grammar.parse import parse_script
from grammar.source import SqlError
from tests.test_docs import ROOT, Block, blocks

PAGE: Final = ROOT / "docs" / "newcomers.md"
BLOCKS: Final = list(blocks(PAGE))
OURS: Final = [each for each in BLOCKS if each.language == "sql"]
THEIRS: Final = [each for each in BLOCKS if each.language == "text"]
SCRIPT: Final = OURS[0].text

#: For each statement of another system, the code of its refusal, and words of the hint.
REFUSED: Final = [
    (Code.SYNTAX_ERROR, "MINUTE"),
    (Code.WRONG_ARGUMENTS, "write TABLE Bids"),
    (Code.NOT_SUPPORTED, "TUMBLE(rowtime, INTERVAL '10' MINUTE)"),
    (Code.SYNTAX_ERROR, ""),
    (Code.NOT_SUPPORTED, "STEP"),
    (Code.SYNTAX_ERROR, "MINUTE"),
    (Code.SYNTAX_ERROR, "MINUTE"),
    (Code.EMIT_MISPLACED, "write STREAM"),
    (Code.NOT_SUPPORTED, "EMIT CHANGES"),
    (Code.SYNTAX_ERROR, "MINUTE"),
    (Code.NOT_SUPPORTED, "write the distance into ON"),
    (Code.NOT_SUPPORTED, "CREATE FOREIGN STREAM"),
]


def refusal(text: str) -> SqlError | None:
    """The error of a statement after the declarations of the page; None: it is accepted."""
    try:
        if text.startswith("CREATE"):
            prepare(f"{SCRIPT};{text}", None, Profile.CALCITE)
        else:
            prepare(SCRIPT, text, Profile.CALCITE)
    except SqlError as error:
        return error
    return None


@pytest.mark.parametrize("block", OURS, ids=lambda block: str(block.line))
def test_our_statement_is_accepted(block: Block) -> None:
    assert parse_script(block.text)
    assert refusal(block.text) is None or block.text == SCRIPT


@pytest.mark.parametrize(
    ("block", "code", "hint"),
    [(block, *expected) for block, expected in zip(THEIRS, REFUSED, strict=True)],
    ids=[str(block.line) for block in THEIRS],
)
def test_their_statement_is_refused_with_a_word_of_help(
    block: Block, code: Code, hint: str
) -> None:
    system, _, text = block.text.partition("\n")
    assert system.startswith("-- ")
    error = refusal(text)
    assert error is not None
    assert error.code is code
    assert hint in error.hint


@pytest.mark.parametrize("block", THEIRS, ids=lambda block: str(block.line))
def test_flink_s_windows_differ_by_the_plural_and_by_stream_alone(block: Block) -> None:
    system, _, text = block.text.partition("\n")
    if system != "-- Flink" or text.startswith("CREATE"):
        return
    ours = text.replace("MINUTES", "MINUTE").replace("SELECT", "SELECT STREAM")
    assert refusal(ours) is None
