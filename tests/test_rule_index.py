"""Each clause of the rules has one definition, and docs/index.md says where."""

from collections import Counter

from tests.rule_index import (
    PAGE,
    citing_cases,
    citing_tests,
    definitions,
    needs_no_code,
    page,
    rules,
)


def test_each_clause_has_exactly_one_definition() -> None:
    """But for the clauses that are marked as needing none, which have none."""
    required = {
        clause: 0 if needs_no_code(text) else 1
        for rule in rules()
        for clause, text in rule.clauses.items()
    }
    defined = Counter(clause for clause, _ in definitions())
    assert {clause: number for clause, number in defined.items() if clause not in required} == {}
    assert [clause for clause, number in required.items() if defined[clause] != number] == []


def test_the_index_is_current() -> None:
    """`make index` writes it again."""
    assert PAGE.read_text("utf-8") == page()


def test_cases_and_tests_cite_clauses_that_exist() -> None:
    known = {clause for rule in rules() for clause in rule.clauses} | {rule.id for rule in rules()}
    cited = {id for id in {*citing_cases(), *citing_tests()} if id.startswith("S-")}
    assert cited - known == set()


def test_clauses_are_lettered_in_order() -> None:
    for rule in rules():
        letters = [clause.partition(".")[2] for clause in rule.clauses]
        assert letters == sorted(letters, key=lambda each: (len(each), each)), rule.id
        assert all(clause.startswith(rule.id + ".") for clause in rule.clauses)
