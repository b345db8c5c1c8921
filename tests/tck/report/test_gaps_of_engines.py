"""The gaps that follow from the answers of engines that lack known features, over all cases.

An engine here reads the text of a case, and answers `Unsupported` if it has a feature of its list.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

import pytest

from tck.corpus.case import Case
from tck.corpus.load import kit_corpus
from tck.corpus.needs import needs_of
from tck.corpus.selected.core import core_ids, kit_core
from tck.judging.verdict import PASSED, Outcome, unsupported
from tck.protocol import Unsupported
from tck.report.gaps.lacks import JudgedCase, lacking

#: Comments, literals and quoted names.
OPAQUE: Final = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\"[^\"]*\"", re.DOTALL)

#: The words after which FROM has no more items.
CLAUSES: Final = frozenset(
    {
        *("SELECT", "WHERE", "GROUP", "HAVING", "QUALIFY", "WINDOW", "ORDER"),
        *("LIMIT", "OFFSET", "FETCH", "UNION", "INTERSECT", "EXCEPT"),
    }
)

#: The features that an engine can lack: a search for their syntax in the text of a case.
FORMS: Final = {
    "over": r"\bOVER\b|\bWINDOW\s+\w+\s+AS\b",
    "grouping-sets": r"\bGROUPING\s+SETS\b|\bCUBE\s*\(|\bROLLUP\s*\(",
    "date-type": r"\bDATE\b",
    "step": r"\bSTEP\s*\(",
    "intersect-except": r"\b(?:INTERSECT|EXCEPT)\b",
    "in-subqueries": r"\bIN\s*\(\s*SELECT\b",
    "monotonic-function": r"\bMONOTONIC\s*\(",
    "window-table-functions": r"\bDESCRIPTOR\s*\(",
    "dml": r"(?:^|;)\s*(?:INSERT|UPDATE|DELETE|MERGE|UPSERT)\b",
}
#: The features that each engine lacks, with the reasons that it gives.
ENGINES: Final[Mapping[str, Mapping[str, str]]] = {
    "reasons with words": {
        "over": "no OVER",
        "grouping-sets": "no GROUPING SETS",
        "date-type": "no type DATE",
        "step": "no STEP",
        "intersect-except": "no EXCEPT and no INTERSECT",
        "window-table-functions": "no window table functions",
        "dml": "no INSERT",
    },
    "reasons without words": {
        each: f"error {10 + place}" for place, each in enumerate(("joins", *FORMS))
    },
    "one reason": dict.fromkeys(("over", "step", "intersect-except", "dml"), "does not parse"),
    "nothing is missing": {},
}


@pytest.fixture(scope="module")
def kit() -> Sequence[Case]:
    """The cases of the kit."""
    return kit_corpus().cases


def texts_of(case: Case) -> str:
    """The texts of a case in upper case, without comments, literals and quoted names."""
    texts = f"{case.sql or ''}\n;{case.equal_to or ''}\n;{case.ddl}"
    return OPAQUE.sub(lambda found: "''" if found[0][0] == "'" else " ", texts).upper()


def has(feature: str, texts: str) -> bool:
    """Whether the texts of a case have a feature."""
    if feature == "joins":
        return has_join(texts)
    return re.search(FORMS[feature], texts) is not None


def has_join(texts: str) -> bool:
    """Whether there is a JOIN, or a comma between two items of a FROM."""
    in_from = [False]
    before = ""
    for word in re.findall(r"\w+|[^\w\s]", texts):
        if word == "JOIN" or (word == "," and in_from[-1]):
            return True
        if word == "(":
            in_from.append(False)
        elif word == ")" and len(in_from) > 1:
            in_from.pop()
        elif word == "FROM":
            in_from[-1] = before != "DISTINCT"
        elif word == ";" or word in CLAUSES:
            in_from[-1] = False
        before = word
    return False


def run(engine: Mapping[str, str], cases: Sequence[Case]) -> list[JudgedCase]:
    """The verdicts on an engine that gives the reason of the first feature that it lacks."""
    return [
        JudgedCase(
            case.chapter,
            needs_of(case),
            next(
                (
                    unsupported(Unsupported(reason))
                    for gap, reason in engine.items()
                    if has(gap, texts)
                ),
                PASSED,
            ),
            case=case.id,
        )
        for case in cases
        for texts in [texts_of(case)]
    ]


@pytest.mark.parametrize("name", ENGINES)
def test_the_gaps_of_the_core_and_of_all_cases_are_what_the_engine_lacks(
    name: str, kit: Sequence[Case]
) -> None:
    engine = ENGINES[name]
    core = core_ids(kit_core())
    whole = run(engine, kit)
    for cases in ([each for each in whole if each.case in core], whole):
        gaps = lacking(cases, {}).gaps
        assert dict(gaps).keys() == engine.keys()
        assert all(gaps[each] == reason for each, reason in engine.items())
        hidden = [
            each.case
            for each in whole
            if each.verdict.outcome is Outcome.PASS and not gaps.keys().isdisjoint(each.needs)
        ]
        assert not hidden
