"""A gap costs only the cases that have what is missing, and no case needs much."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

import pytest

from tck.corpus.case import Case
from tck.corpus.load import kit_corpus
from tck.corpus.needs import needs_of
from tck.corpus.syntax import AT_TOP_OF_QUERY, IN_ANY_TEXT, IN_QUERY

#: What a case that needs a word has in its text, in one of these forms, whatever the blanks.
FEATURES: Final = {
    "aggregate-filter": ("FILTER (WHERE",),
    "aligned-windows": (", TIME '", ", OFFSET", ", INTERVAL '", ", INTERVAL -'", ", 7)"),
    "any-value": ("ANY_VALUE(",),
    "asof-joins": ("ASOF JOIN",),
    "between-symmetric": ("BETWEEN SYMMETRIC",),
    "binary-type": ("X'", "BINARY"),
    "check-clauses": ("CHECK (", "CHECK("),
    "char-type": (" CHAR(",),
    "column-defaults": ("DEFAULT",),
    "column-lists": (" AS ",),
    "count-of-several": (
        *("COUNT(X, Y)", "COUNT(UNITS, PRODUCTID)", "COUNT(DISTINCT X, Y)", "COUNT(DISTINCT V, N)"),
    ),
    "covariances": ("COVAR_", "CORR("),
    "current-time": ("CURRENT_", "LOCALTIME"),
    "date-type": ("DATE",),
    "datetime-difference": (") DAY", ") HOUR", ") MINUTE", ") SECOND", ") MONTH", ") YEAR"),
    "datetime-difference-ranges": (") DAY TO", ") HOUR TO", ") MINUTE TO", ") YEAR TO"),
    "datetime-plus-interval": ("+ INTERVAL", "- INTERVAL", "HOUR + ", "DAY + ", "MINUTE + "),
    "datetime-literals": ("DATE '", "TIME '", "TIMESTAMP '"),
    "decimal-type": ("DECIMAL", "NUMERIC", "."),
    "descending-order": ("DESCENDING",),
    "deviations": ("STDDEV", "VAR_", "VARIANCE("),
    "changelogs": ("EMIT CHANGES", "WITH CHANGES"),
    "changing-streams": ("WITH CHANGES",),
    "emit-after-watermark": ("EMIT AFTER WATERMARK",),
    "disorder": ("ASCENDING WITHIN", "ASCENDING PUNCTUATED"),
    "distinct-aggregates": ("(DISTINCT",),
    "distinct-over": ("(DISTINCT",),
    "distinct-predicate": ("DISTINCT FROM",),
    "dml": ("INSERT", "UPDATE", "DELETE", "MERGE", "UPSERT"),
    "empty-group-key": ("GROUP BY ()",),
    "escape": ("ESCAPE",),
    "every-some": ("EVERY(", "SOME("),
    "exists": ("EXISTS (",),
    "expedited": ("EXPEDITED",),
    "extract": ("EXTRACT(",),
    "extract-century": ("CENTURY", "MILLENNIUM", "DECADE"),
    "extract-day-number": ("(DOW", "(DOY"),
    "extract-epoch": ("(EPOCH",),
    "extract-iso": ("(WEEK", "(ISOYEAR", "(ISODOW"),
    "fetch-first": ("FETCH FIRST", "FETCH NEXT"),
    "first-last-value": ("FIRST_VALUE(", "LAST_VALUE("),
    "floor-to-millisecond": ("TO MILLISECOND)",),
    "floor-to-quarter": ("TO QUARTER)",),
    "floor-to-unit": (" TO ",),
    "floor-to-week": ("TO WEEK)",),
    "following-frames": ("FOLLOWING",),
    "foreign-streams": ("FOREIGN",),
    "frame-exclusion": ("EXCLUDE",),
    "full-joins": ("FULL JOIN", "FULL OUTER JOIN"),
    "greatest-least": ("GREATEST(", "LEAST("),
    "group-id": ("GROUP_ID(",),
    "grouping-function": ("GROUPING(",),
    "grouping-sets": ("GROUPING SETS", "CUBE(", "ROLLUP(", "CUBE (", "ROLLUP ("),
    "groups-frames": (" GROUPS ", "(GROUPS "),
    "history-limits": ("WITH HISTORY INTERVAL",),
    "hop": ("HOP(",),
    "session": ("SESSION(", "SESSION (", "SESSION_START(", "SESSION_END("),
    "cumulate": ("CUMULATE(",),
    "window-table-functions": ("DESCRIPTOR(",),
    "qualify": ("QUALIFY ",),
    "watermark-for": ("WATERMARK FOR ",),
    "ignore-nulls": ("IGNORE NULLS", "RESPECT NULLS"),
    "in-subqueries": ("IN (SELECT",),
    "initcap": ("INITCAP(",),
    "intersect-except": ("INTERSECT", "EXCEPT"),
    "intersect-except-all": ("INTERSECT ALL", "EXCEPT ALL"),
    "interval-casts": ("AS INTERVAL",),
    "interval-columns": ("INTERVAL",),
    "interval-precision": ("SECOND(", "HOUR(", "DAY(", "YEAR(", "MONTH("),
    "interval-ranges": (" TO ",),
    "intervals": ("INTERVAL",),
    "join-using": ("USING (",),
    "joins": ("JOIN", ","),
    "lag-lead": ("LAG(", "LEAD("),
    "last-day": ("LAST_DAY(",),
    "limit": ("LIMIT", "OFFSET", "FETCH"),
    "limit-all": ("LIMIT ALL",),
    "limit-comma": ("LIMIT 1, 3",),
    "listagg": ("LISTAGG(", "STRING_AGG("),
    "logarithms": ("EXP(", "LN(", "LOG10(", "SQRT(", "POWER("),
    "median": ("MEDIAN(",),
    "merge": ("MERGE",),
    "min-max": ("MIN(", "MAX("),
    "modulo-operator": ("%",),
    "monotonic-function": ("MONOTONIC(",),
    "month-frames": ("MONTH", "YEAR"),
    "month-windows": ("MONTH", "YEAR"),
    "named-windows": ("WINDOW ",),
    "natural-joins": ("NATURAL",),
    "nth-value": ("NTH_VALUE(",),
    "ntile": ("NTILE(",),
    "nulls-first-last": ("NULLS FIRST", "NULLS LAST"),
    "order-by": ("ORDER BY",),
    "over": ("OVER", "WINDOW"),
    "overlay": ("OVERLAY(",),
    "pad": ("LPAD(", "RPAD("),
    "percent-rank": ("PERCENT_RANK(", "CUME_DIST("),
    "percentiles": ("PERCENTILE_",),
    "plain-groups": ("GROUP BY",),
    "plain-union": ("UNION",),
    "pumps": ("PUMP",),
    "quantified-comparisons": ("ALL (", "ANY (", "SOME ("),
    "rand": ("RAND(",),
    "range-offsets": ("RANGE ",),
    "rank": ("RANK(",),
    "real-type": ("REAL",),
    "row-comparison": (") =", ") <", ") >", ") IN", ") NOT IN", ") BETWEEN"),
    "row-number": ("ROW_NUMBER(",),
    "scalar-subqueries": ("(SELECT",),
    "set-operations": ("UNION", "INTERSECT", "EXCEPT"),
    "similar-to": ("SIMILAR TO",),
    "standing-inserts": ("SELECT STREAM",),
    "step": ("STEP(",),
    "streaming": ("SELECT STREAM",),
    "strict-order": ("ASCENDING STRICT", "DESCENDING STRICT"),
    "subqueries": ("(SELECT", "( SELECT"),
    "t-sort": ("WITHIN",),
    "table-statement": ("TABLE ",),
    "time-type": ("TIME '", "AS TIME"),
    "timestampadd": ("TIMESTAMPADD(",),
    "timestampdiff": ("TIMESTAMPDIFF(",),
    "tinyint-type": ("TINYINT",),
    "truncate": ("TRUNCATE(",),
    "truth-tests": ("IS TRUE", "IS FALSE", "IS UNKNOWN", "IS NOT"),
    "tumble": ("TUMBLE(",),
    "union-distinct": ("UNION DISTINCT",),
    "unknown-literal": ("UNKNOWN",),
    "update-delete": ("UPDATE", "DELETE"),
    "upsert": ("UPSERT",),
    "user-functions": ("CREATE FUNCTION",),
    "values": ("VALUES",),
    "versioned-tables": ("FOR SYSTEM_TIME", "PERIOD"),
    "views": ("VIEW",),
    "wide-decimals": ("000", "461", "999", "922", "789", "DECIMAL(19", "DECIMAL(2", "DECIMAL(3"),
    "window-of-the-group": ("_END(ROWTIME)", "_END(", "_START("),
    "with": ("WITH ",),
    "with-ties": ("WITH TIES",),
    "within-group": ("WITHIN GROUP",),
}

#: Forms that occur in no other syntax: a case that has one must need the word.
UNMISTAKABLE: Final = [
    word for word, (form, *_) in FEATURES.items() if re.fullmatch(r"[A-Z_]{3,}\(", form)
]

#: The greatest number of words of syntax that a case may need.
MOST: Final = 5

#: Cases and series that need more, because they test that these features go together.
RICH: Final = {
    "changes-of-aggregates-of-texts-distinct-texts-of-some",
    "changes-of-a-table-that-statements-have-changed-merge",
    "field-that-never-falls",
    "field-that-starts-anew",
    "order-with-a-constant-of-an-unknown-value",
    "whole-units-since-a-moment",
    "whole-units-until-a-moment-fall",
    "four-kinds-of-window-side-by-side",
    "standing-upsert-keeps-counts-and-sums-of-an-hour",
    "standing-upsert-keeps-the-latest-counts",
    "ties-of-the-first-row-come-and-leave",
    "ties-of-the-second-row-are-pushed-out-together",
    "delete-of-the-last-of-three-rows-that-share-a-place",
    # Each of these has all forms of a kind at once.
    "every-aggregate",
    "every-form-of-expression",
    "every-form-of-statement",
    "type-of-a-function",
    # Series: each case judges the order of one expression over the ranges of its columns.
    "order-by-the-granule",
    "order-of-a-distance-of-times",
    "order-of-a-field",
    "order-of-decimals",
    "order-of-rounded-times",
    "order-of-times-plus-months",
    # Series: each case judges the orders, or the waits, of one kind of plan.
    "order-of-the-columns-beside-a-window-function-over-late-rows",
    "order-of-the-columns-of-a-window-join",
    "query-that-needs-a-row-of-the-past",
    "query-that-needs-no-row-of-the-past",
    "slack-of-a-column-of-a-join",
    "collation-of-windows-of-sorted-rows",
    "collation-through-operators-over-sorted-rows",
    "no-first-rows-have-no-ties",
    "two-columns-through-a-waiting-operator",
    "wait-of-a-sort-by-an-equal-column",
    "wait-over-rows-out-of-order",
    "history-on-the-left-of-a-window-join",
    "history-on-the-left-of-a-window-join-is-too-short",
    "history-that-a-window-join-needs",
    "history-that-a-window-join-needs-is-too-short",
    "order-of-a-set-operation-beside-a-window-function",
    "order-of-a-set-operation-with-a-rowtime-beside-a-window-function",
    "range-above-several-streams",
    "state-of-a-changelog-by-its-operator",
    "union-of-opposite-changes",
    "wide-rows-around-a-history",
    # Series: each case judges a form of a frame, a sort, or a seldom form of a query.
    "grouping-of-another-window",
    "frame-of-a-stream-by-its-form",
    "frame-of-a-table-by-its-form",
    "infinities-and-nan-that-slide",
    "times-by-months-of-an-hour",
    "whole-keys-with-exclude-of-an-hour",
    "order-by-equality",
    "place-by-a-falling-second-key",
    "wait-of-a-sort-on-several-keys",
    "asof-join-is-refused",
    "refused-rare-clause",
    "seldom-form-over-tables",
}


def text_of(case: Case) -> str:
    """The texts of a case in upper case, with single blanks."""
    return " ".join(f"{case.sql} ; {case.equal_to} ; {case.ddl}".upper().split())


class Read(NamedTuple):
    """A case, the words that it needs, and its text."""

    case: Case
    needs: frozenset[str]
    text: str


@pytest.fixture(scope="module")
def kit() -> Sequence[Read]:
    """The cases of the kit."""
    return [Read(each, frozenset(needs_of(each)), text_of(each)) for each in kit_corpus().cases]


def test_every_word_of_syntax_has_its_features() -> None:
    assert set(FEATURES) == {*IN_ANY_TEXT, *IN_QUERY, *AT_TOP_OF_QUERY}


@pytest.mark.parametrize("word", sorted(FEATURES))
def test_a_gap_costs_only_cases_that_have_the_feature(word: str, kit: Sequence[Read]) -> None:
    """A run skips the cases that need a word which its backend lacks."""
    cost = [each for each in kit if word in each.needs and word not in each.case.needs]
    assert cost, "no case of the kit needs it"
    assert not [e.case.id for e in cost if not any(form in e.text for form in FEATURES[word])]


@pytest.mark.parametrize("word", UNMISTAKABLE)
def test_a_case_that_has_the_feature_needs_the_word(word: str, kit: Sequence[Read]) -> None:
    forms = [rf"(?<![A-Z_]){re.escape(form)}" for form in FEATURES[word] if form.endswith("(")]
    having = [each for each in kit if any(re.search(form, each.text) for form in forms)]
    assert having
    assert not [each.case.id for each in having if word not in each.needs]


def test_a_case_needs_few_words(kit: Sequence[Read]) -> None:
    everyday = {"values", "column-lists", "streaming", "intervals", "subqueries"}
    types = {"date-type", "decimal-type", "datetime-plus-interval", "plain-groups", "min-max"}
    syntax = set(FEATURES) - everyday - types
    rich = {
        case.series if case.series in RICH else case.id
        for case, needs, _ in kit
        if len(syntax & needs) > MOST
    }
    assert rich == RICH
