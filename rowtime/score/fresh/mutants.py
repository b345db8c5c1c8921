"""Finds all places of the reference that can be mutated, and draws mutants of them by a seed."""

import ast
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import ndiff
from itertools import chain, islice, zip_longest
from types import ModuleType

from rowtime.score.change import Change, functions_of, node_of, source_of, source_span
from rowtime.score.fresh.edits import Edit, Source, edits
from rowtime.score.fresh.meaning import gives_meaning
from rowtime.score.fresh.same_code import compiles_to_the_same
from rowtime.score.fresh.subjects import is_left_out, subject_of
from rowtime.score.fresh.wording import returns_suggestions
from rowtime.score.mistake import Mistake


@dataclass(frozen=True, slots=True)
class Spot:
    """A place that an edit can change: a function of a module, and the edit."""

    module: ModuleType
    function: str
    edit: Edit

    @property
    def name(self) -> str:
        """A name that no other spot has."""
        edit = self.edit
        line, column = edit.statement
        place = f"{line}.{column}.{edit.start - source_span(self.module, self.function)[0]}"
        return f"{self.module.__name__}:{self.function}/{edit.operator}/{place}/{edit.text[:20]}"


def spots(modules: Iterable[ModuleType]) -> Iterator[Spot]:
    """The spots of all functions in some modules on which an answer can depend (`gives_meaning`).

    Functions that are left out, or that return suggestions, have no spots.
    """
    for module in modules:
        source = Source(source_of(module))
        for function in functions_of(module):
            if is_left_out(module.__name__, function):
                continue
            if gives_meaning(module.__name__, function):
                found = node_of(module, function)
                if isinstance(found, ast.FunctionDef) and not returns_suggestions(found):
                    yield from (Spot(module, function, each) for each in edits(found, source))


def sample(found: Iterable[Spot], count: int, seed: int) -> Sequence[Mistake]:
    """``count`` mutants, drawn by a seed; fewer if there are fewer.

    The operators take turns, so that all have about the same number of mutants.  A spot is skipped
    if its edit does not change the function, or makes it invalid (`made`).
    """
    by_operator: dict[str, list[Spot]] = {}
    for spot in sorted(found, key=lambda each: _rank(each, seed)):
        by_operator.setdefault(spot.edit.operator, []).append(spot)
    # For each operator, the mutants at its spots, which are made when they are needed.
    mutants = [filter(None, map(made, by_operator[name])) for name in sorted(by_operator)]
    # A turn has one mutant of each operator; None for an operator that has no further mutants.
    turns = zip_longest(*mutants)
    return list(islice(filter(None, chain.from_iterable(turns)), count))


def _rank(spot: Spot, seed: int) -> bytes:
    """A pseudo-random number by which spots are drawn; it depends on the seed and this spot."""
    return hashlib.sha256(f"{seed} {spot.name}".encode()).digest()


def made(spot: Spot) -> Mistake | None:
    """The mutant at a spot; None if it is not valid Python, or compiles to the same code."""
    module, edit = spot.module, spot.edit
    start, end = source_span(module, spot.function)
    whole = source_of(module)
    was = whole[start:end]
    now = whole[start : edit.start] + edit.text + whole[edit.end : end]
    changed = f"{whole[:start]}{now}{whole[end:]}"
    try:
        tree = ast.parse(changed)
    except SyntaxError:
        return None
    if ast.dump(tree) == ast.dump(ast.parse(whole)):
        return None
    # Some errors are found only when the tree is compiled, such as `break` outside of a loop.
    try:
        compile(changed, spot.function, "exec", dont_inherit=True)
    except SyntaxError:
        return None
    indent = whole[:start].rpartition("\n")[2]
    if compiles_to_the_same(indent + was, indent + now):
        return None
    return Mistake(
        spot.name,
        subject_of(module.__name__),
        f"{edit.operator}: {_changed_lines(was, now)}",
        Change(module.__name__, spot.function, was, now, edit.statement),
        "by tool",
    )


def _changed_lines(was: str, now: str) -> str:
    """The changed lines before and after the change, without their indentation."""
    lines = list(ndiff(was.splitlines(), now.splitlines()))
    before = " ".join(each[2:].strip() for each in lines if each.startswith("- "))
    after = " ".join(each[2:].strip() for each in lines if each.startswith("+ "))
    return f"{before}  becomes  {after}"
