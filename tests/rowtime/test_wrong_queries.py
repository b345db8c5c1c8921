"""Wrong queries, tried by hand: each gets a code, a place and a hint."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rowtime.cli import app

#: Tried by hand, one a line; what is said of them stands beside, in ``wrong_queries.txt``.
FILE = Path(__file__).parents[1] / "golden" / "wrong_queries.sql"
QUERIES = FILE.read_text("utf-8").splitlines()


def shown(query: str) -> str:
    """What `rowtime explain` prints on standard error for a wrong query."""
    result = CliRunner().invoke(app, ["explain", query])
    assert result.exit_code == 1
    assert result.stdout == ""
    return result.stderr


def test_wrong_queries_are_refused_with_their_faults(golden: Callable[[str, str], None]) -> None:
    golden("wrong_queries.txt", "\n".join(f"> {query}\n{shown(query)}" for query in QUERIES))


@pytest.mark.parametrize("query", QUERIES)
def test_every_refusal_has_a_code_a_caret_and_a_hint(query: str) -> None:
    code, line, caret, hint, *offered = shown(query).splitlines()
    assert code.split(":")[0].isupper()
    assert line.removeprefix("1 | ").strip("…") in query
    assert set(caret.strip()) == {"^"}
    assert hint.startswith("  hint: ")
    for text in offered[:1]:
        assert text.startswith("1 | ")
    for marks in offered[1:]:
        assert set(marks) == {" ", "+"}
