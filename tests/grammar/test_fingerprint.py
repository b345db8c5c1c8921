"""The generated parser is that of the grammar."""

from grammar.fingerprint import RECORD, fingerprint


def test_grammar_and_generated_code_have_not_parted() -> None:
    assert RECORD.read_text() == fingerprint(), "run `make grammar`"
