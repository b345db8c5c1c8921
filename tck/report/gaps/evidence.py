"""Deduce the gaps of a backend from its answers `Unsupported` in a run.

A judged case *shows* the capabilities that it needs: the backend has them.  An *open* need is one
that no judged case shows.  The *reason* is the text of an answer.  An open need is a gap only if
one of these is true:

1. The answer to a case names it as a gap.
2. A reason names it, by its name or a word of its syntax, and it is the only open need of a case
   with this reason, or the only named one that nearly all cases with this reason need.
3. It is the only open need of at least two cases with the same reason, and the reason is not about
   another capability.

A need that occurs only together with other open needs is not a gap: if a backend declared it, cases
could be skipped that would pass.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from tck.corpus.syntax import AT_TOP_OF_QUERY, IN_ANY_TEXT, IN_QUERY

#: The least share that counts as nearly all cases of a reason.
_NEARLY_ALL: Final = 0.9
#: The least number of cases for a gap that no reason names (3).
_ENOUGH: Final = 2

#: Words in the syntax of many features, which name none of them.
_COMMON: Final = frozenset(
    {
        *("ALL", "AND", "AS", "BY", "CREATE", "FOR", "FROM", "IN", "INTO", "IS", "NO"),
        *("NOT", "OF", "ON", "OR", "REPLACE", "ROW", "SELECT", "STREAM", "TABLE", "TO", "WHEN"),
        *("WHERE", "WITH"),
    }
)
#: Names of capabilities that are common words of English: a reason with such a word does not name
#: the capability.
_ENGLISH: Final = frozenset({"late", "now", "over", "with"})


@dataclass(frozen=True, slots=True)
class UnsupportedAnswer:
    """An answer `Unsupported` to a case: its reason, and the open needs of the case.

    ``names_gaps``: the answer names gaps, and ``open`` are these.  ``is_about_event``: it is the
    answer to an event, and ``open`` are the open needs of the event.  ``expects_error``: the case
    expects an error; its text can have the words of a feature without using it correctly.
    """

    reason: str
    open: frozenset[str]
    names_gaps: bool = False
    is_about_event: bool = False
    expects_error: bool = False

    @property
    def alone(self) -> str | None:
        """The only open need; None: there are several or none."""
        return next(iter(self.open)) if len(self.open) == 1 else None


def deduce_gaps(
    answers: Sequence[UnsupportedAnswer], shown: Iterable[str] = ()
) -> Mapping[str, str]:
    """The gaps for which the answers are evidence, each with the reason of most of its evidence.

    ``shown`` are the capabilities that judged cases show.
    """
    shown_words = frozenset(word for each in shown for word in _keywords(each))
    evidence: dict[str, Counter[str]] = {}  # by gap: how many cases with each reason are evidence
    # 1. The gaps that answers name.
    for each in answers:
        for gap in each.open if each.names_gaps else ():
            evidence.setdefault(gap, Counter())[each.reason] += 1
    # 2. The gaps that reasons name.
    unnamed = [each for each in answers if not each.names_gaps]
    by_reason: dict[str, list[UnsupportedAnswer]] = {}
    for each in unnamed:
        by_reason.setdefault(each.reason, []).append(each)
    for reason, same in by_reason.items():
        for gap, count in _named_gaps(reason, same, shown_words).items():
            evidence.setdefault(gap, Counter())[reason] += count
    # 3. The only open need of cases with the same reason, if it has no other evidence.
    subjects = {reason: _subjects(same) for reason, same in by_reason.items()}
    reasons: dict[str, Counter[str]] = {}  # by open need: the reasons of the cases with only this
    for each in unnamed:
        subject = subjects[each.reason]
        fits = subject is not None and (not subject or each.alone in subject)
        if each.alone and fits:
            reasons.setdefault(each.alone, Counter())[each.reason] += 1
    for gap, counts in reasons.items():
        (reason, count), *_ = counts.most_common(1)
        if gap not in evidence and count >= max(_ENOUGH, _NEARLY_ALL * counts.total()):
            evidence[gap] = Counter({reason: count})
    return {gap: counts.most_common(1)[0][0] for gap, counts in evidence.items()}


def _reason_names(reason: str, gap: str, shown_words: frozenset[str]) -> bool:
    """Whether a reason names the capability ``gap``: by its name, its syntax, or a keyword.

    Syntax and keywords count only in upper case.  The keywords of capabilities that are shown
    (``shown_words``) do not name another capability.

    >>> _reason_names("no grouping sets", "grouping-sets", frozenset())
    True
    >>> _reason_names("no JOIN", "joins", frozenset())
    True
    >>> _reason_names("no JOIN", "joins", frozenset({"JOIN"}))
    True
    >>> _reason_names("TUMBLE is not supported", "aligned-windows", frozenset({"TUMBLE"}))
    False
    """
    words = re.findall(r"\w+", reason)
    if _has_name(words, gap) or not (_keywords(gap) - shown_words).isdisjoint(words):
        return True
    # The pattern of a function needs a bracket after the name; a reason seldom has one, so the
    # patterns are also tried on the words with brackets.
    texts = (" ".join(words), " ".join(f"{word} (" for word in words))
    found = [match[0] for each in _patterns(gap) for text in texts for match in each.finditer(text)]
    return any(re.findall(r"\w+", each)[0].isupper() for each in found)


def _has_name(words: Sequence[str], gap: str) -> bool:
    """Whether the words of a reason contain the name of a capability."""
    name = gap.removesuffix("-type").replace("-", " ")
    return gap not in _ENGLISH and f" {name} " in f" {' '.join(words).lower()} "


def _named_gaps(
    reason: str, answers: Sequence[UnsupportedAnswer], shown_words: frozenset[str]
) -> dict[str, int]:
    """The gaps that a reason names (2), each with the number of cases with the reason that need it.

    ``answers`` are those with the reason.
    """
    counts = Counter(need for each in answers for need in each.open)
    named = [need for need in counts if _reason_names(reason, need, shown_words)]
    valid = _valid_answers(answers)
    # Few capabilities are about events, so the only open need of an event need not be named.
    gaps = {each.alone for each in valid if each.alone in named or each.is_about_event}
    valid_counts = Counter(need for each in valid for need in each.open)
    common = [need for need in named if valid_counts[need] >= _NEARLY_ALL * len(valid)]
    # If a reason has the names of capabilities, it is about these, whatever syntax it mentions.
    by_name = [need for need in common if _has_name(re.findall(r"\w+", reason), need)]
    common = by_name or common
    if len(common) == 1:
        gaps.update(common)
    return {gap: counts[gap] for gap in gaps if gap is not None}


def _subjects(answers: Sequence[UnsupportedAnswer]) -> frozenset[str] | None:
    """The capabilities that a reason can be about: the open needs of nearly all of its cases.

    ``answers`` are those with the reason.  The set is empty if the reason is general, such as "not
    supported".  None: too many cases have no open need, so the backend lacks a feature for which
    there is no capability.
    """
    valid = _valid_answers(answers)
    if sum(not each.open for each in valid) > (1 - _NEARLY_ALL) * len(valid):
        return None
    counts = Counter(need for each in valid for need in each.open)
    return frozenset(need for need in counts if counts[need] >= _NEARLY_ALL * len(valid))


def _valid_answers(answers: Sequence[UnsupportedAnswer]) -> Sequence[UnsupportedAnswer]:
    """The answers to cases that do not expect an error; if all cases expect one, all answers."""
    return [each for each in answers if not each.expects_error] or answers


def _patterns(gap: str) -> Sequence[re.Pattern[str]]:
    """The patterns of the syntax that needs a capability."""
    return [table[gap] for table in (IN_ANY_TEXT, IN_QUERY, AT_TOP_OF_QUERY) if gap in table]


@cache
def _keywords(gap: str) -> frozenset[str]:
    """The keywords in the syntax that needs a capability, without `_COMMON` ones.

    >>> sorted(_keywords("plain-union"))
    ['UNION']
    """
    found: set[str] = set()
    for pattern in _patterns(gap):
        source = re.sub(r"\\[A-Za-z]", " ", _without_negative_lookarounds(pattern.pattern))
        found.update(re.findall(r"[A-Z][A-Z0-9_]+", source))
    return frozenset(found) - _COMMON


def _without_negative_lookarounds(pattern: str) -> str:
    """A pattern without its negative look-aheads and look-behinds, whose words must not occur.

    >>> _without_negative_lookarounds(r"UNION(?! (?:ALL|DISTINCT)) [^()]")
    'UNION [^()]'
    """
    parts: list[str] = []
    place = 0
    while (found := re.compile(r"\(\?<?!").search(pattern, place)) is not None:
        parts.append(pattern[place : found.start()])
        depth, place = 1, found.end()
        while depth:  # up to the closing bracket
            # An escaped character, a set of characters, or a character.
            piece = re.compile(r"\\.|\[\^?.[^]]*\]|.", re.DOTALL).match(pattern, place)
            if piece is None:
                return "".join(parts)
            depth += {"(": 1, ")": -1}.get(piece[0], 0)
            place = piece.end()
    return "".join((*parts, pattern[place:]))
