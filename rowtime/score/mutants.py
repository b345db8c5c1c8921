"""Draws mutants: wrong backends that cosmic-ray, a mutation tool, makes of the reference.

A mutant is the reference with one small change of a function, such as `<` in place of `<=`.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import ndiff
from importlib import import_module
from pkgutil import walk_packages
from textwrap import dedent, indent
from types import ModuleType
from typing import Final

from rowtime.score.change import PACKAGES, Change, functions_of, source_of, source_span
from rowtime.score.cosmic_ray_operators import mutated, occurrences
from rowtime.score.mistake import Mistake

#: The subject of the mutants of a module, by the beginning of the module's name; the longest
#: beginning counts.  Modules that are not listed are not mutated, because the kit does not run
#: them, or they only make texts for people.
SUBJECTS: Final[Mapping[str, str]] = {
    "algebra.monotonicity": "monotonicity",
    "algebra.refusal.validate": "validation",
    "algebra.refusal.validate_join": "validation",
    "algebra.refusal.validate_window": "validation",
    "reference.acceptance": "entry",
    "reference.dml": "DML",
    "reference.engine.histories": "entry",
    "reference.engine.history_scan": "entry",
    "reference.engine.session": "entry",
    "reference.evaluate": "relational",
    "reference.incremental": "emission",
    "reference.incremental.group_sort.accumulators": "aggregates",
    "reference.incremental.group_sort.aggregate": "aggregates",
    "reference.incremental.group_sort.sets": "sets",
    "reference.incremental.group_sort.sort": "sorts",
    "reference.incremental.join": "joins",
    "reference.incremental.over": "frames",
    "reference.incremental.standing": "standing inserts",
    "reference.ingress": "entry",
    "reference.relational": "relational",
    "reference.relational.aggregates": "aggregates",
    "reference.relational.frames": "frames",
    "reference.relational.hop": "windows",
    "reference.relational.joins": "joins",
    "reference.relational.sets": "sets",
    "reference.relational.sorting": "sorts",
    "reference.relational.windows": "frames",
    "reference.scalar": "values",
    "reference.scalar.casts": "casts",
    "reference.scalar.datetimes": "dates",
    "reference.scalar.logic": "NULLs",
    "reference.scalar.text": "text",
    "reference.values": "values",
}


#: The operators of cosmic-ray that make mistakes like those of people.
OPERATORS: Final[Sequence[str]] = (
    "core/ReplaceComparisonOperator_Lt_LtE",
    "core/ReplaceComparisonOperator_LtE_Lt",
    "core/ReplaceComparisonOperator_Gt_GtE",
    "core/ReplaceComparisonOperator_GtE_Gt",
    "core/ReplaceComparisonOperator_Eq_NotEq",
    "core/ReplaceComparisonOperator_NotEq_Eq",
    "core/ReplaceComparisonOperator_Is_IsNot",
    "core/ReplaceComparisonOperator_IsNot_Is",
    "core/ReplaceBinaryOperator_Add_Sub",
    "core/ReplaceBinaryOperator_Sub_Add",
    "core/ReplaceBinaryOperator_Mul_FloorDiv",
    "core/ReplaceBinaryOperator_FloorDiv_Mul",
    "core/ReplaceUnaryOperator_Delete_USub",
    "core/ReplaceUnaryOperator_Delete_Not",
    "core/ReplaceAndWithOr",
    "core/ReplaceOrWithAnd",
    "core/ReplaceTrueWithFalse",
    "core/ReplaceFalseWithTrue",
    "core/ReplaceBreakWithContinue",
    "core/ReplaceContinueWithBreak",
    "core/NumberReplacer",
    "core/AddNot",
    "core/ZeroIterationForLoop",
)


#: The most mutants of one function.
_MOST_OF_FUNCTION: Final = 2


@dataclass(frozen=True, slots=True)
class _Spot:
    """A place in a function that an operator can mutate.

    ``occurrence`` is its number, from 0, among the places of the function that the operator can
    mutate.
    """

    module: ModuleType
    function: str
    operator: str
    occurrence: int

    def rank(self, seed: int) -> bytes:
        """A pseudo-random number by which places are chosen, made of ``seed`` and this place."""
        name = f"{seed} {self.module.__name__}:{self.function} {self.operator} {self.occurrence}"
        return hashlib.sha256(name.encode()).digest()


def mutants(
    count: int, seed: int = 0, modules: Iterable[ModuleType] | None = None
) -> Iterator[Mistake]:
    """``count`` mutants, chosen pseudo-randomly by ``seed``; fewer if there are fewer.

    They are mutants of the functions in ``modules`` (by default, in the modules that have a
    subject), at most two of each function.  Mutants that do not differ from the function, or that
    are not valid Python, are left out.
    """
    taken: dict[str, int] = {}  # the number of mutants of a function
    made = 0
    spots = _spots(_modules() if modules is None else modules)
    for spot in sorted(spots, key=lambda each: each.rank(seed)):
        if made == count:
            return
        where = f"{spot.module.__name__}:{spot.function}"
        if taken.get(where, 0) == _MOST_OF_FUNCTION:
            continue
        mutant = _mutant(spot)
        if mutant is not None:
            taken[where] = taken.get(where, 0) + 1
            made += 1
            yield mutant


def _spots(modules: Iterable[ModuleType]) -> Iterator[_Spot]:
    """All places in the functions of some modules that an operator can mutate."""
    for module in modules:
        for function in functions_of(module):
            found = occurrences(_text(module, function), OPERATORS)
            for operator, count in found.items():
                yield from (_Spot(module, function, operator, each) for each in range(count))


def _modules() -> Iterator[ModuleType]:
    """The modules that have a subject, loaded."""
    for package in map(import_module, PACKAGES):
        for found in walk_packages(package.__path__, f"{package.__name__}."):
            if subject_of(found.name):
                yield import_module(found.name)


def subject_of(module: str) -> str:
    """The subject of a module's mutants; empty: it is not mutated."""
    beginnings = [each for each in SUBJECTS if f"{module}.".startswith(f"{each}.")]
    return SUBJECTS[max(beginnings, key=len)] if beginnings else ""


def _text(module: ModuleType, function: str) -> str:
    """The source of a function, without its indentation."""
    start, end = source_span(module, function)
    return dedent(source_of(module)[start:end])


def _mutant(spot: _Spot) -> Mistake | None:
    """The mutant at a place; None if it is the same text, or is not valid Python.

    It is also None if only an assertion is changed, because then the mutant behaves as the
    original.
    """
    text = _text(spot.module, spot.function)
    made = mutated(text, spot.operator, spot.occurrence)
    if made is None or made == text:
        return None
    try:
        compile(made, spot.function, "exec")
    except SyntaxError:
        return None
    was, now = _changed_lines(text, made)
    if was.startswith("assert ") or "strict=True" in was:
        # Assertions, and the check that strict=True makes, never fail in the reference, so that a
        # mutant without them is the same backend.
        return None
    start, end = source_span(spot.module, spot.function)
    source = source_of(spot.module)[start:end]
    indentation = source[: len(source) - len(source.lstrip())]
    changed = indent(made, indentation)
    name = f"{spot.module.__name__}:{spot.function}"
    operator = spot.operator.partition("/")[2]
    return Mistake(
        f"{name}/{operator}/{spot.occurrence}",
        subject_of(spot.module.__name__),
        f"{was}  becomes  {now}",
        Change(spot.module.__name__, spot.function, source, changed),
        "by tool",
    )


def _changed_lines(text: str, made: str) -> tuple[str, str]:
    """The changed lines without their indentation, before and after the change."""
    lines = list(ndiff(text.splitlines(), made.splitlines()))
    was = " ".join(each[2:].strip() for each in lines if each.startswith("- "))
    now = " ".join(each[2:].strip() for each in lines if each.startswith("+ "))
    return was, now
