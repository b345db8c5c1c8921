"""Select cases: by name, by needs, by expectation, by profile."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final, Literal, TypeAlias, get_args

from tck.corpus.case import Case, Heading
from tck.corpus.needs import needs_of

#: The kinds of expectations: a rejection, a failure at run time, a legal script, rows and bounds at
#: steps, rows, or metadata of the query (`expectation_kind`).
ExpectationKind: TypeAlias = Literal["refusal", "failure", "script", "timing", "rows", "metadata"]

KINDS: Final[tuple[ExpectationKind, ...]] = get_args(ExpectationKind)


def expectation_kind(case: Case) -> ExpectationKind:
    """The kind of a case's expectation; if it has several, the first in the order of `KINDS`.

    ``timing``: its steps list rows, bounds, late rows or state.  ``rows``: it lists the whole
    result, or compares it with the result of another query.  ``metadata``: it expects only
    properties of the query (schema, monotonicity, metadata, plan), or only that it is legal.
    """
    if case.error:
        return "refusal"
    if case.failure:
        return "failure"
    if case.sql is None:
        return "script"
    timed = any(s.emit or s.may_emit or s.late or s.state is not None for s in case.steps)
    if timed or any(step.output_bound for step in case.steps):
        return "timing"
    return "rows" if case.runs else "metadata"


@dataclass(frozen=True, slots=True)
class Selection:
    """Conditions on cases, all of which must hold; an empty condition always holds.

    ``only``: the id, or chapter/id, matches one of these patterns; ``exclude``: it matches none of
    these.  ``needs``: the case needs one of these capabilities; ``without``: it needs none of
    these.  ``kinds``: its expectation has one of these kinds.  ``profile``: the case has this
    profile; None: any.  ``core``: its id is one of these; None: any.
    """

    only: Sequence[str] = ()
    exclude: Sequence[str] = ()
    needs: Sequence[str] = ()
    without: Sequence[str] = ()
    kinds: Sequence[str] = ()
    profile: str | None = None
    core: frozenset[str] | None = None

    @property
    def whole(self) -> bool:
        """Whether there are no conditions, so that all cases are selected."""
        return self == Selection()

    @property
    def decided_by_heading(self) -> bool:
        """Whether all conditions are on the heading of a case (`selects_heading`)."""
        return not (self.needs or self.without or self.kinds or self.profile)

    def selects(self, case: Case) -> bool:
        """Whether all conditions hold for a case."""
        words = set(needs_of(case)) if self.needs or self.without else set[str]()
        return (
            self.selects_heading(case)
            and (not self.needs or not words.isdisjoint(self.needs))
            and words.isdisjoint(self.without)
            and (not self.kinds or expectation_kind(case) in self.kinds)
            and self.profile in (None, case.profile)
        )

    def selects_heading(self, heading: Heading) -> bool:
        """Whether the conditions on names hold: ``only``, ``exclude`` and ``core``."""
        return (
            (not self.only or matches(heading, self.only))
            and not matches(heading, self.exclude)
            and (self.core is None or heading.id in self.core)
        )


def with_some_lines(cases: Sequence[Case], most: int) -> list[Case]:
    """The cases in their order, but at most ``most`` of each series (``most`` >= 1).

    The remaining cases of a series are evenly spaced, and the first of the series is among them.
    """
    sizes = Counter(case.series for case in cases)
    seen = Counter[str | None]()
    chosen: list[Case] = []
    for case in cases:
        size, place = sizes[case.series], seen[case.series]
        seen[case.series] += 1
        # A case of a series is chosen where ``place * most / size`` reaches a whole number.
        if case.series is None or size <= most or place * most % size < most:
            chosen.append(case)
    return chosen


def matches(case: Heading, globs: Sequence[str]) -> bool:
    """Whether the id of a case, or its chapter/id, matches one of ``globs``."""
    return any(
        fnmatchcase(case.id, glob) or fnmatchcase(f"{case.chapter}/{case.id}", glob)
        for glob in globs
    )


#: The key ``id`` with its value in the text of a case file, both with or without quotes.  The group
#: is the value, the id of a case or series.
_ID: Final = re.compile(r"""\bid["']?:\s*["']?([^\s"',}]+)""")
#: The characters that make a name a pattern.
_WILDCARDS: Final = frozenset("*?[")


def may_have_chapter(globs: Sequence[str], chapter: str) -> bool:
    """Whether a case of a chapter can match one of ``globs``; True if there are no globs."""
    return not globs or any(_may_match_chapter(glob, chapter) for glob in globs)


def may_have_case(globs: Sequence[str], text: str) -> bool:
    """Whether a case in the text of a case file seems to match one of ``globs``.

    This is a cheap test before the file is parsed.  True if there are no globs, or if one has
    wildcards.  Other globs are names, which are looked up among the ids in the text; the id of a
    case of a series begins with the id of the series.  An id that is not written in the usual form
    is not found.
    """
    if not globs or any(not _WILDCARDS.isdisjoint(glob) for glob in globs):
        return True
    ids = set(_ID.findall(text))
    names = [glob.rpartition("/")[2] for glob in globs]
    return any(name in ids or any(name.startswith(f"{id}-") for id in ids) for name in names)


def _may_match_chapter(glob: str, chapter: str) -> bool:
    """Whether ``glob`` can match chapter/id, or the id alone, of a case in a chapter."""
    pattern, slash, _ = glob.partition("/")
    if not slash or "[" in pattern:  # the slash can be in a set of characters, such as [/x]
        return True
    return fnmatchcase(chapter, pattern)
