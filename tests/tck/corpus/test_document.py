"""YAML as the corpus uses it: JSON's scalars, text for all else, lines for every message."""

from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest

from tck.corpus.case import Place
from tck.corpus.document import (
    Data,
    InvalidFilesError,
    parse_document,
    read_document,
    schema_problems,
)


def one_problem(text: str) -> str:
    with pytest.raises(InvalidFilesError) as caught:
        parse_document(text, "f.yaml")
    (problem,) = caught.value.problems
    return str(problem)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("10:17:00", "10:17:00"),
        ("1:30", "1:30"),
        ("2015-02-15", "2015-02-15"),
        ("2015-02-15 10:17:00", "2015-02-15 10:17:00"),
        ("no", "no"),
        ("on", "on"),
        ("30", 30),
        ("-5", -5),
        ("0", 0),
        ("'30'", "30"),
        ("1.50", Decimal("1.50")),
        ("0.1", Decimal("0.1")),
        ("1e3", Decimal("1e3")),
        ("true", True),
        ("'true'", "true"),
        ("null", None),
        ("~", None),
        ("", None),
        ("'~'", "~"),
        ("1_000", "1_000"),
        ("5 units", "5 units"),
    ],
)
def test_a_plain_scalar_is_what_json_makes_of_it_or_text(written: str, read: Data) -> None:
    data = parse_document(f"[{written}]" if written else "[~]", "f.yaml").data
    assert data == [read]
    assert isinstance(data, list)
    assert type(data[0]) is type(read)


@pytest.mark.parametrize("text", ["007", "+1", "0x1F", "0o17", ".5", "5.", ".inf", ".NaN", "TRUE"])
def test_a_plain_scalar_on_which_readers_differ_is_refused(text: str) -> None:
    problem = one_problem(f"a: 1\nb: {text}\n")
    assert problem.startswith(f"f.yaml:2: readers of YAML read a plain {text} differently")


def test_a_decimal_keeps_its_zeros() -> None:
    assert str(parse_document("1.50", "f").data) == "1.50"


def test_a_duplicate_key_is_refused_at_the_second() -> None:
    assert one_problem("a: 1\nb: 2\na: 3\n") == "f.yaml:3: the key a stands twice"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: [1\nb: 2\n", "f.yaml:2: "),
        ("a: 1\n--- \nb: 2\n", "f.yaml:2: "),
        ("a: !!python/name:os.system x\n", "f.yaml:1: tags are not used here"),
        ("? [1]\n: 2\n", "f.yaml:1: a key must be text"),
        ("&a [*a]\n", "f.yaml:1: an alias inside its own anchor"),
        ("", "f.yaml:1: the file is empty"),
        ("a: \x07", "f.yaml:1: "),
    ],
)
def test_what_is_no_document_is_refused_with_its_line(text: str, place: str) -> None:
    assert one_problem(text).startswith(place)


def test_a_file_that_is_not_there_is_a_problem_of_one_line(tmp_path: Path) -> None:
    with pytest.raises(InvalidFilesError) as caught:
        read_document(tmp_path / "none.yaml")
    assert str(caught.value) == f"{tmp_path}/none.yaml:1: No such file or directory"


def test_a_file_that_is_not_utf8_is_refused_at_its_line(tmp_path: Path) -> None:
    (tmp_path / "f.yaml").write_bytes(b"a: 1\nb: \xff\n")
    with pytest.raises(InvalidFilesError) as caught:
        read_document(tmp_path / "f.yaml")
    assert str(caught.value) == f"{tmp_path}/f.yaml:2: the file is not UTF-8"


def test_every_value_has_its_line_and_what_is_missing_that_of_its_parent() -> None:
    document = parse_document("a:\n- b: 1\n  c:\n  - 2\n", "f")
    assert document.place(("a", 0, "c", 0)) == Place("f", 4)
    assert document.place(("a", 0, "d")) == Place("f", 2)


def test_a_schema_s_problems_are_in_the_order_of_the_file_with_their_lines() -> None:
    text = "fixture: x\nddl: 3\ncolumns:\n  Orders: [rowtime]\nextra: 1\n"
    document = parse_document(text, "f.yaml")
    found = [str(problem) for problem in schema_problems(document, "case.schema.json", "fixture")]
    assert [line.partition(": ")[0] for line in found] == ["f.yaml:1", "f.yaml:2", "f.yaml:4"]
    assert "extra" in found[0]
    assert "NAME TYPE [NOT NULL]" in found[2]


@pytest.mark.parametrize(
    "text",
    [
        "[" * 101 + "]" * 101,
        "[" * 3_000 + "]" * 3_000,
        "[" * 100_000,
        "- " * 3_000 + "a",
        "{a: " * 1_000 + "b" + "}" * 1_000,
    ],
)
def test_values_nest_a_hundred_deep(text: str) -> None:
    """The loader in C would use up the stack, and end the process."""
    assert parse_document("[" * 100 + "]" * 100, "f.yaml").data
    assert one_problem(text) == "f.yaml:1: values nest deeper than 100"


def test_aliases_do_not_multiply() -> None:
    """Nine lists of nine aliases each: 10^9 values."""
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    for last, name in pairwise("abcdefghi"):
        lines.append(f"{name}: &{name} [{', '.join([f'*{last}'] * 9)}]")
    assert "the file has more than 200,000 values" in one_problem("\n".join(lines))


def test_a_number_has_a_thousand_digits() -> None:
    assert parse_document(f"[{'9' * 1_000}]", "f.yaml").data == [10**1_000 - 1]
    for number in ("9" * 1_001, "9" * 5_000, f"-{'9' * 5_000}.5"):
        assert one_problem(f"[{number}]") == "f.yaml:1: a number has at most 1,000 digits"
