"""An error in one of several files of DDL is shown with its file and line."""

import pytest

from algebra.catalog import Profile
from algebra.prepare import prepare
from grammar.source import SqlError
from rowtime.script import Script

GOOD = "CREATE TABLE T (a INTEGER) -- no end of line"
BAD = "CREATE TABLE U (\n  a INTEGR);"


def error_text(script: Script, sql: str = "VALUES (1)") -> str:
    with pytest.raises(SqlError) as caught:
        prepare(script.text, sql, Profile.CALCITE)
    return script.error_text(caught.value)


@pytest.mark.parametrize(
    "files",
    [
        (("bad.sql", BAD),),
        (("bad.sql", BAD), ("good.sql", GOOD)),
        (("good.sql", GOOD), ("bad.sql", BAD)),
        (("empty.sql", ""), ("good.sql", GOOD), ("bad.sql", BAD)),
    ],
)
def test_the_file_and_its_own_line_are_named(files: tuple[tuple[str, str], ...]) -> None:
    name, code, line, caret, *_ = error_text(Script(files)).splitlines()
    assert (name, line) == ("bad.sql:", "2 |   a INTEGR);")
    assert code.startswith("SYNTAX_ERROR: ")
    assert caret.index("^") == line.index("INTEGR")


def test_an_error_in_the_query_is_shown_as_it_is() -> None:
    assert error_text(Script((("good.sql", GOOD),)), "SELECT b FROM T").startswith(
        "UNKNOWN_COLUMN: "
    )
