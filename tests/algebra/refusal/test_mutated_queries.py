"""The suggestions for wrong queries that are drawn: the corpus' queries with one token changed."""

from functools import cache
from typing import Final

from hypothesis import assume, given, target
from hypothesis import strategies as st

from algebra.binding.query.bind import bind_query
from algebra.catalog import Catalog, Profile
from algebra.prepare import prepare
from grammar.codes import Family, family
from grammar.parse import parse_query, reads_as_sql
from grammar.parsing.tokens import scan
from grammar.source import Span, SqlError
from grammar.suggestion import Suggestion, place_after
from tck.corpus.load import kit_corpus

#: Script, query and dialect of each case whose query is accepted, each once.
_CASES: Final = list(
    dict.fromkeys(
        (case.ddl, case.sql, Profile(case.profile))
        for case in kit_corpus().cases
        if case.error is None and case.sql is not None and len(case.sql) < 400
    )
)


@cache
def _catalog(ddl: str, profile: Profile) -> Catalog:
    return prepare(ddl, None, profile).catalog


def _refusal(ddl: str, sql: str, profile: Profile) -> SqlError | None:
    try:
        bind_query(parse_query(sql), _catalog(ddl, profile), profile, sql)
    except SqlError as error:
        return error
    return None


@st.composite
def _mutations(draw: st.DrawFn, sql: str) -> str:
    """``sql`` with one token left out, doubled, misspelt, or in the place of the next one."""
    spans = [Span(word.start, word.stop + 1) for word in scan(sql)[:-1]]
    place = draw(st.integers(0, len(spans) - 2))
    at, after = spans[place], spans[place + 1]
    word, other = sql[at.start : at.end], sql[after.start : after.end]
    between = sql[at.end : after.start]
    match draw(st.sampled_from(["drop", "double", "misspell", "swap"])):
        case "drop":
            new = other
        case "double":
            new = f"{word} {word}{between}{other}"
        case "misspell":
            letter = draw(st.integers(0, max(0, len(word) - 2)))
            swapped = word[letter : letter + 2][::-1]
            new = f"{word[:letter]}{swapped}{word[letter + 2 :]}{between}{other}"
        case _:
            new = f"{other} {word}"
    return sql[: at.start] + new + sql[after.end :]


@given(st.data(), st.sampled_from(_CASES))
def test_a_suggestion_for_a_mutated_query_removes_its_fault(
    data: st.DataObject, case: tuple[str, str, Profile]
) -> None:
    ddl, sql, profile = case
    error = _refusal(ddl, data.draw(_mutations(sql)), profile)
    assume(error is not None)
    assert error is not None
    target(float(bool(error.edits)), label="with a suggestion")
    assert bool(error.edits) or not reads_as_sql(error.hint)
    if not error.edits:
        return
    assert error.corrected != error.sql
    other = _refusal(ddl, error.corrected, profile)
    if other is None or other.sql != error.corrected:
        return
    # The text after the edits is accepted as far as the fault, or has a fault of another kind.
    still = place_after(error.at, Suggestion("", error.edits))
    is_later = other.at.start >= still.end
    hidden = family(other.code) is Family.STREAMING
    assert other.code is not error.code or is_later or hidden, (error, other)
