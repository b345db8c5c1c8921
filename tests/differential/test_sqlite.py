"""The reference against SQLite, on generated queries over generated tables."""

from typing import Final

import pytest
from hypothesis import event, given

from tests.differential.compare import same_rows
from tests.differential.engines import SQLite, ask_reference
from tests.differential.printer import Printer
from tests.differential.queries import Question, questions, scalar_questions
from tests.differential.schema import Features
from tests.differential.strictness import must_evaluate
from tests.differential.tree import Ordered

#: What SQLite has a way to say; the rest is in docs/differences.md.
FEATURES: Final = Features(
    precision=18,
    letters=False,
    special_floats=False,
    grouping_sets=False,
    set_all=False,
    interval_frames=False,
    rich_times=False,
    decimal_text=False,
    right_of_joins=False,
)


@pytest.fixture(scope="module")
def engine() -> SQLite:
    """One SQLite for all questions."""
    return SQLite()


def check(engine: SQLite, question: Question, exact_errors: bool) -> None:
    """The same rows from both; or an error of both, where each must evaluate all there is."""
    right = ask_reference(question)
    left = engine.ask(question)
    event(f"reference: {right.error or 'rows'}; SQLite: {left.error or 'rows'}")
    if right.error is None and left.error is None:
        ordered = isinstance(question.query, Ordered)
        assert same_rows(left.rows, right.rows, ordered), reported(engine, question, left, right)
    elif exact_errors:
        # SQLite does not say which error it is.
        both = (left.error is None) == (right.error is None)
        assert both, reported(engine, question, left, right)
    else:
        # D-14: which of the operands, rows and joins is evaluated first, or at all, is open.
        assert right.error in {None, "OVERFLOW", "DIVISION_BY_ZERO"}


def reported(engine: SQLite, question: Question, left: object, right: object) -> str:
    """What a failure shows."""
    printer = Printer()
    return "\n".join([
        "", *(f"{printer.ddl(t)} -- {t.rows}" for t in question.tables),
        "rowtime: " + printer.query(question.query), f"  {right}",
        "SQLite: " + engine.query(question), f"  {left}",
    ])  # fmt: skip


@given(question=scalar_questions(FEATURES))
def test_expressions_have_the_values_and_errors_of_sqlite(
    engine: SQLite, question: Question
) -> None:
    check(engine, question, exact_errors=must_evaluate(question.query))


@given(question=questions(FEATURES))
def test_queries_have_the_rows_of_sqlite(engine: SQLite, question: Question) -> None:
    check(engine, question, exact_errors=False)
