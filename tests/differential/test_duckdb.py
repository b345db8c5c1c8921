"""The reference against DuckDB, on generated queries over generated tables."""

from typing import Final

import pytest
from hypothesis import event, given

from tests.differential.compare import same_rows
from tests.differential.engines import DuckDB, ask_reference
from tests.differential.printer import Printer
from tests.differential.queries import Question, questions, scalar_questions
from tests.differential.schema import Features
from tests.differential.strictness import must_evaluate
from tests.differential.tree import Ordered

#: NaN compares otherwise there (D-17).
FEATURES: Final = Features(special_floats=False)
#: Queries whose text is one for both, so that each engine binds it by itself.
AS_WRITTEN: Final = Features(wild=False, letters=False, as_written=True)


@pytest.fixture(scope="module")
def engine() -> DuckDB:
    """One DuckDB for all questions."""
    return DuckDB()


def check(engine: DuckDB, question: Question, exact_errors: bool) -> None:
    """The same rows from both; or the same error, where each must evaluate all there is."""
    right = ask_reference(question)
    left = engine.ask(question)
    event(f"reference: {right.error or 'rows'}; DuckDB: {left.error or 'rows'}")
    if right.error is None and left.error is None:
        ordered = isinstance(question.query, Ordered)
        assert same_rows(left.rows, right.rows, ordered), reported(engine, question, left, right)
    elif exact_errors:
        assert left.error == right.error, reported(engine, question, left, right)
    else:
        # D-14: which of the operands, rows and joins is evaluated first, or at all, is open.
        assert {left.error, right.error} <= {None, "OVERFLOW", "DIVISION_BY_ZERO"}


def reported(engine: DuckDB, question: Question, left: object, right: object) -> str:
    """What a failure shows."""
    printer = Printer()
    return "\n".join([
        "", *(f"{printer.ddl(t)} -- {t.rows}" for t in question.tables),
        "rowtime: " + printer.query(question.query), f"  {right}",
        "DuckDB: " + engine.query(question), f"  {left}",
    ])  # fmt: skip


@given(question=scalar_questions(FEATURES))
def test_expressions_have_the_values_and_errors_of_duckdb(
    engine: DuckDB, question: Question
) -> None:
    check(engine, question, exact_errors=must_evaluate(question.query))


@given(question=questions(FEATURES))
def test_queries_have_the_rows_of_duckdb(engine: DuckDB, question: Question) -> None:
    check(engine, question, exact_errors=must_evaluate(question.query))


@given(question=questions(AS_WRITTEN))
def test_queries_are_bound_as_duckdb_binds_them(engine: DuckDB, question: Question) -> None:
    """Here DuckDB parses and resolves the text itself; a printer starts from rowtime's own plan."""
    right = ask_reference(question)
    left = engine.ask(question, as_written=True)
    ordered = isinstance(question.query, Ordered)
    assert left.error is None, Printer().query(question.query)
    assert same_rows(left.rows, right.rows, ordered), reported(engine, question, left, right)
