"""Sentences that are understood at the first reading: the rules of tests/prose.py."""

import pytest

from tests.prose import (
    ALLOWED,
    ROOT,
    files,
    listed,
    objections,
    of_cases,
    of_markdown,
    of_python,
)

#: For each rule sentences that it objects to.
WRONG = (
    (2, "What an engine lacks is skipped."),
    (2, "The cases run; what is missing is reported."),
    (2, "A list of what the engine has written."),
    (2, "Whoever reads it is warned."),
    (3, "'x' is no value of DATE."),
    (3, "A TIME that is none."),
    (4, "It is left out, since a row may follow."),
    (4, "Since a row may follow, it is left out."),
    (4, "It is skipped, as there is nothing to judge."),
    (5, "The file is written anew."),
    (5, "The expected row stands beside the other."),
    (5, "The column behind the last one."),
    (5, "WEEK, DAY and their kin."),
    (5, "Of so many rows."),
    (5, "The engine answers otherwise."),
    (5, "A function that Spark has not."),
    (5, "The cases that are to be run."),
    (5, "No case tells them."),
    (5, "The backend says nothing."),
    (5, "The clause is of another rule."),
    (5, "The first row comes out."),
    (5, "No row comes twice."),
    (5, "The statement that is at work."),
    (5, "The query goes on."),
)
#: Sentences that no rule objects to.
RIGHT = (
    "What is a bound?",
    "It depends on what order the rows have.",
    "The bound is no longer below it.",
    "There is no such row, and nothing has passed since the last bound.",
    "A stream that has no rows, or none of that day, if there are none.",
    "The rows are merged as they arrive, as in the standard.",
    "A source that falls behind, and the files that it has left behind.",
    "It has not yet been read; the query that comes with it reads `what is behind`.",
    "Tell the engine to stop unless stated otherwise.",
)


def _found(page: str) -> list[int]:
    """The numbers of the rules that object to a page, each once."""
    return sorted({rule.number for each in of_markdown(page) for _, rule, _ in objections(each)})


@pytest.mark.parametrize(("rule", "sentence"), WRONG)
def test_a_rule_finds_its_sentence(rule: int, sentence: str) -> None:
    assert _found(sentence) == [rule]


@pytest.mark.parametrize("sentence", RIGHT)
def test_a_right_sentence_passes(sentence: str) -> None:
    assert _found(sentence) == []


def test_a_block_is_no_part_of_a_sentence() -> None:
    assert _found("Run it:\n\n    rowtime\n\nprints\n\n```\nx\n```\n") == [9]
    assert _found("Run it:\n\n    rowtime\n\nThe command prints:\n\n```\nx\n```\n") == []


def test_code_is_not_read() -> None:
    assert _found("A\n\n```\nwritten anew\n```\n\n    anew\n\n`anew` <!-- anew -->\n") == []


def test_cells_and_items_are_read() -> None:
    assert _found("| a | made anew |\n") == [5]
    assert _found("- a\n\n  written anew\n") == [5]


MODULE = '''"""One.

It is written
anew.
"""

# The column
# behind it.
x = f"{y} is no value of {z}"  # anew
z = """A message with
more than three words, anew."""
'''


def test_a_finding_has_its_line_and_its_kind() -> None:
    found = [
        (line, rule.number, each.kind)
        for each in of_python(MODULE, with_texts=True)
        for line, rule, _ in objections(each)
    ]
    comments = [(4, 5, "comment"), (8, 5, "comment"), (9, 5, "comment")]
    assert sorted(found) == sorted([*comments, (9, 3, "text"), (11, 5, "text")])
    command = 'def run() -> None:\n    """Write it anew."""\n'
    kinds = {each.kind for each in of_python(command, with_texts=True, is_command=True)}
    assert kinds == {"text"}
    (why,) = of_cases("cases:\n- id: a\n  why: a row\n    comes out\n  sql: anew\n")
    assert [line for line, _, _ in objections(why)] == [4]


def test_the_list_names_files_that_there_are() -> None:
    names = {path.relative_to(ROOT).as_posix() for path in files()}
    assert {file for file, _ in listed()} <= names


def test_each_allowed_sentence_is_there_and_has_a_reason() -> None:
    texts = "\n".join(path.read_text("utf-8") for path in files() if path.suffix == ".md")
    assert [each for each in ALLOWED if " ".join(each.split()) not in " ".join(texts.split())] == []
    assert all(ALLOWED.values())
