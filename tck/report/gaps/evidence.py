"""The gaps for which the answers `Unsupported` of a run are evidence.

A capability that no judged case shows is a gap only if one of three things is so.  The answer to a
case names it as a gap.  Or a reason names it by its name or a word of its syntax, and the answer is
evidence for it: the case has no other need that is not shown, or nearly all cases of the reason
need it, and nothing else that the reason names.  Or at least two cases need only this besides what
is shown, and these cases have the same reason, which is about nothing else.  A capability that
occurs only together with other missing ones is not a gap: a backend that declares it might hide
cases that would pass.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from tck.corpus.syntax import AT_TOP_OF_QUERY, IN_ANY_TEXT, IN_QUERY

#: The share of the cases of a reason that its explanation covers; the others are exceptions.
_NEARLY_ALL: Final = 0.9
#: How many cases must have a reason that does not name what they need.
_ENOUGH: Final = 2

#: Words of syntax that do not distinguish a feature from others.
_COMMON: Final = frozenset(
    {
        *("ALL", "AND", "AS", "BY", "CREATE", "FOR", "FROM", "IN", "INTO", "IS", "NO"),
        *("NOT", "OF", "ON", "OR", "REPLACE", "ROW", "SELECT", "STREAM", "TABLE", "TO", "WHEN"),
        *("WHERE", "WITH"),
    }
)
#: Names of capabilities that are common words of English.
_ENGLISH: Final = frozenset({"late", "now", "over", "with"})


@dataclass(frozen=True, slots=True)
class Missing:
    """An answer `Unsupported`: its reason, and the needs that no judged case shows.

    ``sure``: the answer names ``open`` as the gaps.  ``event``: it is the answer to an event, and
    ``open`` are needs of the event.  ``wrong``: the query or the script must be rejected, so its
    text may have the words of a feature without the feature.
    """

    reason: str
    open: frozenset[str]
    sure: bool = False
    event: bool = False
    wrong: bool = False

    @property
    def alone(self) -> str | None:
        """The only need that is not shown, None if there are several or none."""
        return next(iter(self.open)) if len(self.open) == 1 else None


def deduce_gaps(answers: Sequence[Missing], shown: Iterable[str] = ()) -> Mapping[str, str]:
    """The gaps that answers are evidence for, each with the reason of most of its evidence.

    ``shown`` are the capabilities that judged cases show.
    """
    shown_words = frozenset(word for each in shown for word in _keywords(each))
    evidence: dict[str, Counter[str]] = {}
    # First, the gaps that answers name; second, those that reasons name.
    for each in answers:
        for gap in each.open if each.sure else ():
            evidence.setdefault(gap, Counter())[each.reason] += 1
    unsure = [each for each in answers if not each.sure]
    by_reason: dict[str, list[Missing]] = {}
    for each in unsure:
        by_reason.setdefault(each.reason, []).append(each)
    for reason, same in by_reason.items():
        for gap, count in _named_gaps(reason, same, shown_words).items():
            evidence.setdefault(gap, Counter())[reason] += count
    # Third, the only need of cases with one reason, for gaps without other evidence.
    subjects = {reason: _subjects(same) for reason, same in by_reason.items()}
    reasons: dict[str, Counter[str]] = {}
    for each in unsure:
        subject = subjects[each.reason]
        if each.alone and subject is not None and (not subject or each.alone in subject):
            reasons.setdefault(each.alone, Counter())[each.reason] += 1
    for gap, counts in reasons.items():
        (reason, count), *_ = counts.most_common(1)
        if gap not in evidence and count >= max(_ENOUGH, _NEARLY_ALL * counts.total()):
            evidence[gap] = Counter({reason: count})
    return {gap: counts.most_common(1)[0][0] for gap, counts in evidence.items()}


def _names(reason: str, gap: str, there: frozenset[str]) -> bool:
    """Whether a reason names a capability, or has its syntax, or a word of it in upper case.

    A word that is ``there``, in the syntax of a capability that is shown, names no other one.

    >>> _names("no grouping sets", "grouping-sets", frozenset())
    True
    >>> _names("no JOIN", "joins", frozenset()), _names("no JOIN", "joins", frozenset({"JOIN"}))
    (True, True)
    >>> _names("TUMBLE is not supported", "aligned-windows", frozenset({"TUMBLE"}))
    False
    """
    words = re.findall(r"\w+", reason)
    if _has_name(words, gap) or not (_keywords(gap) - there).isdisjoint(words):
        return True
    # The pattern of a function needs a bracket after its name, which a reason seldom has.
    forms = (" ".join(words), " ".join(f"{word} (" for word in words))
    found = [match[0] for each in _patterns(gap) for form in forms for match in each.finditer(form)]
    return any(re.findall(r"\w+", each)[0].isupper() for each in found)


def _has_name(words: Sequence[str], gap: str) -> bool:
    """Whether the words of a reason contain the name of a capability."""
    name = gap.removesuffix("-type").replace("-", " ")
    return gap not in _ENGLISH and f" {name} " in f" {' '.join(words).lower()} "


def _named_gaps(reason: str, answers: Sequence[Missing], there: frozenset[str]) -> dict[str, int]:
    """The capabilities that a reason names with evidence, each with the number of its cases."""
    counts = Counter(need for each in answers for need in each.open)
    named = [need for need in counts if _names(reason, need, there)]
    telling = _telling(answers)
    # An event belongs to few capabilities, so its only open need is evidence without being named.
    alone = {each.alone for each in telling if each.alone in named or each.event}
    shared = Counter(need for each in telling for need in each.open)
    common = [need for need in named if shared[need] >= _NEARLY_ALL * len(telling)]
    # If a reason has the names of capabilities, it is about these, whatever syntax it mentions.
    by_name = [need for need in common if _has_name(re.findall(r"\w+", reason), need)]
    common = by_name or common
    if len(common) == 1:  # the reason names nothing else
        alone.update(common)
    return {gap: counts[gap] for gap in alone if gap is not None}


def _subjects(answers: Sequence[Missing]) -> frozenset[str] | None:
    """The needs of nearly all cases of a reason, none if it is general; None: it is about no need.

    The last is so if too many cases of the reason have no need that is not shown: the backend then
    lacks a feature for which there is no capability.
    """
    telling = _telling(answers)
    if sum(not each.open for each in telling) > (1 - _NEARLY_ALL) * len(telling):
        return None
    counts = Counter(need for each in telling for need in each.open)
    return frozenset(need for need in counts if counts[need] >= _NEARLY_ALL * len(telling))


def _telling(answers: Sequence[Missing]) -> Sequence[Missing]:
    """The answers to cases that must not be rejected, if there are any."""
    return [each for each in answers if not each.wrong] or answers


def _patterns(gap: str) -> Sequence[re.Pattern[str]]:
    """The patterns of the syntax that needs a capability."""
    return [table[gap] for table in (IN_ANY_TEXT, IN_QUERY, AT_TOP_OF_QUERY) if gap in table]


@cache
def _keywords(gap: str) -> frozenset[str]:
    """The words of the syntax that needs a capability, besides those of many features.

    >>> sorted(_keywords("plain-union"))
    ['UNION']
    """
    found: set[str] = set()
    for pattern in _patterns(gap):
        source = re.sub(r"\\[A-Za-z]", " ", _without_negative(pattern.pattern))
        found.update(re.findall(r"[A-Z][A-Z0-9_]+", source))
    return frozenset(found) - _COMMON


def _without_negative(pattern: str) -> str:
    """A pattern without its parts that must not follow or precede.

    >>> _without_negative(r"UNION(?! (?:ALL|DISTINCT)) [^()]")
    'UNION [^()]'
    """
    kept: list[str] = []
    place = 0
    while (found := re.compile(r"\(\?<?!").search(pattern, place)) is not None:
        kept.append(pattern[place : found.start()])
        depth, place = 1, found.end()
        while depth:
            piece = re.compile(r"\\.|\[\^?.[^]]*\]|.", re.DOTALL).match(pattern, place)
            if piece is None:
                return "".join(kept)
            depth += {"(": 1, ")": -1}.get(piece[0], 0)
            place = piece.end()
    return "".join((*kept, pattern[place:]))
