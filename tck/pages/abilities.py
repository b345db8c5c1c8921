"""Summarize the results of an engine on a group of cases as its ability.

The cases of a group have the same chapter, need the same capability, or cite the same statement.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from tck.judging.verdict import Mark
from tck.pages.engines import Engine, count_states
from tck.pages.items import Item
from tck.report.record import Entry
from tck.report.states import State

#: The answer to whether an engine has an ability.  ``yes``: all cases pass; ``partly``: some pass,
#: and the others are not judged; ``wrong``: some fail; ``lacks``: the engine declares the group's
#: capability as a gap; ``unknown``: no case was judged.
Answer: TypeAlias = Literal["yes", "partly", "wrong", "lacks", "unknown"]

#: The three parts of a result that are judged separately (`tck.judging.verdict.Marks`).
MARKS: Final = ("rows", "order", "time")


@dataclass(frozen=True, slots=True)
class Ability:
    """The results of one engine on some cases.

    ``counts`` has the number of cases by state.  ``marks`` has for each of `MARKS` the number of
    cases in which it passes, and the number in which it fails.  ``reason`` is the reason of the
    gap; empty if the engine does not declare one.
    """

    answer: Answer
    counts: Mapping[State, int]
    marks: Mapping[str, tuple[int, int]]
    reason: str = ""

    @property
    def shown(self) -> tuple[str, str]:
        """The state whose colour and sign the ability has on a page, and its text."""
        wrong = sum(self.counts[each] for each in ("fail", "error", "known"))
        match self.answer:
            case "yes":
                return "pass", f"yes, {self.judged}"
            case "partly":
                total = sum(self.counts[each] for each in ("pass", "skip", "none"))
                return "pass", f"{self.counts['pass']} of {total}, the others not judged"
            case "wrong":
                return "fail", f"{wrong} wrong of {self.judged}"
            case "lacks":
                return "skip", f"no: {self.reason}"
            case "unknown":
                return "none", "not judged"

    @property
    def judged(self) -> int:
        """The number of cases that were judged: all that have a result and were not skipped."""
        return sum(self.counts[each] for each in ("pass", "fail", "error", "known"))


@dataclass(frozen=True, slots=True)
class Group:
    """Cases under one name, with the ability of each engine, in the order of the engines."""

    name: str
    items: tuple[Item, ...]
    abilities: tuple[Ability, ...]


def groups(
    engines: Sequence[Engine], items: Iterable[Item], names: Callable[[Item], Iterable[str]]
) -> tuple[Group, ...]:
    """The groups of the cases, in the order in which their names first occur.

    ``names`` returns the names of the groups to which a case belongs.
    """
    found: dict[str, list[Item]] = {}
    for item in items:
        for name in dict.fromkeys(names(item)):
            found.setdefault(name, []).append(item)
    return tuple(group(name, engines, listed) for name, listed in found.items())


def group(name: str, engines: Sequence[Engine], items: Sequence[Item]) -> Group:
    """The group of some cases, with the ability of each engine.

    If ``name`` is a capability, an engine that declares it as a gap can have the answer ``lacks``.
    """
    return Group(name, tuple(items), tuple(_ability(engine, items, name) for engine in engines))


def _ability(engine: Engine, items: Sequence[Item], name: str) -> Ability:
    """The ability of an engine on the cases of the group ``name``, which may be a capability."""
    counts = count_states(engine, (item.id for item in items))
    gap = engine.hello.gaps.get(name, "") if engine.hello else ""
    entries = [entry for item in items if (entry := engine.entries.get(item.id))]
    marks = {mark: _count_mark(entries, mark) for mark in MARKS}
    return Ability(_answer(counts, gap), counts, marks, gap)


def _answer(counts: Mapping[State, int], gap: str) -> Answer:
    """The answer by the numbers of cases; ``gap`` is the reason of the gap, or empty."""
    if counts["fail"] or counts["error"] or counts["known"]:
        return "wrong"
    if counts["pass"]:
        return "partly" if counts["skip"] or counts["none"] else "yes"
    return "lacks" if gap else "unknown"


def _count_mark(entries: Iterable[Entry], mark: str) -> tuple[int, int]:
    """The number of results in which a mark passes, and the number in which it fails."""
    found = [getattr(entry.marks, mark) for entry in entries]
    return found.count(Mark.PASS), found.count(Mark.FAIL)
