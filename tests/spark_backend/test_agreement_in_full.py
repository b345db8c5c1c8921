"""The law of the kit on all of SQL: joins four deep, frames, sub-queries, sets, edges of types."""

import pytest
from hypothesis import given

from spark_backend.backend import SparkBackend
from tests.differential.compare import same_rows
from tests.differential.engines import ask_backend, ask_reference
from tests.differential.printer import Printer
from tests.differential.queries import Question, questions, scalar_questions
from tests.differential.schema import Features
from tests.differential.strictness import must_evaluate
from tests.differential.tree import Ordered
from tests.examples import examples
from tests.spark_backend.conftest import Spark

FEATURES = Features()
#: A query takes Spark some tenths of a second.
FEW = examples(5, 1_000)


def check(backend: SparkBackend, question: Question) -> None:
    """The same rows from both; or the same error, where each must evaluate all there is."""
    right = ask_reference(question)
    left = ask_backend(question, backend)
    printer = Printer()
    report = "\n".join([
        "", *(f"{printer.ddl(t)} -- {t.rows}" for t in question.tables),
        printer.query(question.query), f"reference {right}", f"Spark     {left}",
    ])  # fmt: skip
    if right.error is None and left.error is None:
        assert same_rows(left.rows, right.rows, isinstance(question.query, Ordered)), report
    elif must_evaluate(question.query):
        assert left.error == right.error, report
    else:
        # D-14: which operands, rows and joins are evaluated first, or at all, is open.
        assert {left.error, right.error} <= {None, "OVERFLOW", "DIVISION_BY_ZERO"}, report


@pytest.mark.spark
@FEW
@given(question=scalar_questions(FEATURES))
def test_expressions_have_the_values_and_errors_of_the_reference(
    spark: Spark, question: Question
) -> None:
    check(spark.backend, question)


@pytest.mark.spark
@FEW
@given(question=questions(FEATURES))
def test_queries_have_the_rows_of_the_reference(spark: Spark, question: Question) -> None:
    check(spark.backend, question)
