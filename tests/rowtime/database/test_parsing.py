"""How often a database parses the text of a statement."""

import pytest

import rowtime
from grammar.parsing import stages


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of the statements that are parsed from now on, in order."""
    texts: list[str] = []
    read = stages.read_statement

    def noted(sql: str) -> object:
        texts.append(sql)
        return read(sql)

    monkeypatch.setattr(stages, "read_statement", noted)
    return texts


def test_a_definition_is_parsed_once(parsed: list[str]) -> None:
    with rowtime.connect() as connection:
        parsed.clear()
        connection.execute("CREATE TABLE once (n INTEGER)")
        assert parsed == ["CREATE TABLE once (n INTEGER)"]


def test_the_start_of_a_pump_parses_no_earlier_definition(parsed: list[str]) -> None:
    with rowtime.connect() as connection:
        connection.execute("CREATE STREAM s (n INTEGER)")
        connection.execute("CREATE STREAM r (n INTEGER)")
        connection.execute("CREATE PUMP p AS INSERT INTO r (n) SELECT STREAM n FROM s")
        for each in ("START", "STOP", "START"):
            parsed.clear()
            connection.execute(f"ALTER PUMP p {each}")
            assert parsed == [f"ALTER PUMP p {each}"]
