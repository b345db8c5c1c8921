"""A gap is deduced only if the answers are evidence for it, so that no gap hides a passing case."""

from tck.report.gaps.evidence import UnsupportedAnswer, deduce_gaps


def answer(reason: str, *needs: str, expects_error: bool = False) -> UnsupportedAnswer:
    """An answer to a case with needs that no judged case shows."""
    return UnsupportedAnswer(reason, frozenset(needs), expects_error=expects_error)


def test_a_feature_beside_the_one_that_the_reason_names_is_not_a_gap() -> None:
    answers = [answer("no JOIN", "joins", "decimal-type")] * 3
    assert deduce_gaps(answers) == {"joins": "no JOIN"}


def test_one_case_alone_is_enough_if_the_reason_names_the_feature() -> None:
    answers = [
        answer("no VALUES", "values", "relational", "infinities"),
        answer("no VALUES", "values", "relational", "column-lists"),
        answer("no relational queries", "relational"),
    ]
    assert deduce_gaps(answers) == {"values": "no VALUES", "relational": "no relational queries"}


def test_features_that_always_occur_together_are_not_gaps() -> None:
    assert deduce_gaps([answer("error 17", "aligned-windows", "time-type")] * 3) == {}


def test_of_several_named_features_one_must_be_asked_alone() -> None:
    together = [answer("no CHANGES", "changelogs", "changing-streams")] * 3
    assert deduce_gaps(together) == {}
    alone = answer("no CHANGES", "changelogs")
    assert deduce_gaps([*together, alone]) == {"changelogs": "no CHANGES"}


def test_the_name_of_a_feature_names_it_before_a_word_of_its_syntax() -> None:
    answers = [answer("no MERGE", "merge", "dml")] * 3
    assert deduce_gaps(answers) == {"merge": "no MERGE"}


def test_a_reason_that_does_not_name_the_feature_needs_two_cases() -> None:
    one = answer("the rowtime must ascend", "descending-order")
    assert deduce_gaps([one]) == {}
    assert deduce_gaps([one, one]) == {"descending-order": "the rowtime must ascend"}


def test_a_reason_that_is_given_where_nothing_is_missing_is_about_no_feature() -> None:
    order = "no order of an INTEGER"
    views = [answer(order, "views")] * 2
    assert deduce_gaps([*views, *[answer(order)] * 3]) == {}
    assert deduce_gaps([*views * 10, answer(order)]) == {"views": order}


def test_cases_of_one_feature_with_several_reasons_show_a_lack_of_something_else() -> None:
    sessions = [answer("no SESSION_END", "plain-groups")] * 2
    others = [answer("no second monotonic column", "plain-groups")] * 2
    assert deduce_gaps([*sessions, *others]) == {}


def test_a_few_odd_cases_do_not_change_what_a_reason_is_about() -> None:
    joins = [answer("no JOIN", "joins", "relational")] * 30
    odd = [answer("no JOIN", "timestampdiff")] * 2
    assert deduce_gaps([*joins, *odd]) == {"joins": "no JOIN"}
    opaque = [answer("error 17", "joins")] * 30
    assert deduce_gaps([*opaque, answer("error 17", "timestampdiff")]) == {"joins": "error 17"}


def test_the_text_of_a_wrong_query_is_not_evidence() -> None:
    wrong = [answer("no EMIT", "refusals", expects_error=True)] * 5
    assert deduce_gaps([answer("no EMIT", "changelogs"), *wrong]) == {"changelogs": "no EMIT"}
    order = [answer("not this order", "views")] * 2
    assert deduce_gaps([*order, *[answer("not this order", expects_error=True)] * 5]) == {
        "views": "not this order"
    }


def test_a_word_of_a_feature_that_is_there_names_no_other_one() -> None:
    answers = [answer("TUMBLE is not supported", "aligned-windows")]
    assert deduce_gaps(answers, ["tumble"]) == {}
    assert list(deduce_gaps(answers)) == ["aligned-windows"]


def test_a_name_or_the_syntax_of_a_feature_names_it() -> None:
    for reason, gap in [
        ("no grouping sets", "grouping-sets"),
        ('Encountered "CUBE"', "grouping-sets"),
        ("no type CHAR", "char-type"),
        ("no LAG", "lag-lead"),
        ("FULL JOIN is not supported", "full-joins"),
        ("no INSERT", "dml"),
        ("no PERIOD", "versioned-tables"),
        ("no MERGE", "merge"),
    ]:
        assert deduce_gaps([answer(reason, gap)]) == {gap: reason}
    for reason, gap in [
        ("rows over a day", "over"),
        ("a join with a table", "with"),
        ("no REPLACE", "views"),
        ("no UNION ALL", "union-distinct"),
    ]:
        assert deduce_gaps([answer(reason, gap)], ["set-operations"]) == {}
