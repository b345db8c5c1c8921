"""Fresh mutants: found everywhere, drawn by a seed, and tried by the cases that reach them."""

import ast
import math
from collections.abc import Mapping, Sequence
from textwrap import dedent

import pytest

from reference.scalar import arithmetic, logic
from rowtime.score.change import changed_code, functions_of
from rowtime.score.fresh.edits import Edit, Source, edits
from rowtime.score.fresh.figures import Figures, figures, lines, wilson
from rowtime.score.fresh.meaning import gives_meaning
from rowtime.score.fresh.mutants import sample, spots
from rowtime.score.fresh.reached import watch
from rowtime.score.fresh.run import draw_mutants, try_mutants, watched_baseline
from rowtime.score.fresh.same_code import compiles_to_the_same
from rowtime.score.fresh.subjects import (
    FUNCTIONS_LEFT_OUT,
    LEFT_OUT,
    SUBJECTS,
    is_left_out,
    modules,
    subject_of,
)
from rowtime.score.fresh.wording import returns_suggestions
from rowtime.score.survivors import Survivor, identity
from rowtime.score.trial import Kill, Limits
from rowtime.score.trials import Trial
from tests.tck.corpora import load_cases

#: Adds two numbers, and compares two.
CASES = (
    """
    id: adds
    cites: [CAL-010]
    sql: SELECT STREAM rowtime, units + 10 AS units FROM Orders
    steps:
    - feed: all
      emit: [['10:00', 14], ['10:00', 11], ['10:05', 17]]
    - end: true
    """,
    """
    id: compares
    cites: [CAL-010]
    sql: SELECT STREAM rowtime, units FROM Orders WHERE units > 1
    steps:
    - feed: all
      emit: [['10:00', 4], ['10:05', 7]]
    - end: true
    """,
)


def edited(text: str) -> dict[str, set[str]]:
    """The texts that the edits make of a function, by operator."""
    source = Source(dedent(text))
    (function,) = ast.parse(source.text).body
    assert isinstance(function, ast.FunctionDef)
    found: dict[str, set[str]] = {}
    for each in edits(function, source):
        found.setdefault(each.operator, set()).add(applied(source.text, each))
    return found


def applied(text: str, edit: Edit) -> str:
    made = text[: edit.start] + edit.text + text[edit.end :]
    ast.parse(made)
    return made.partition("\n")[2].strip()


@pytest.mark.parametrize(
    ("body", "operator", "made"),
    [
        ("return a < b", "boundary", {"return a <= b"}),
        ("return a is not b", "comparison", {"return a is b"}),
        ("return a not in b", "comparison", {"return a in b"}),
        ("return a + b", "sign", {"return a - b"}),
        ("return -a", "sign", {"return (a)"}),
        ("return not a", "negated condition", {"return (a)"}),
        ("return a and b", "and for or", {"return a or b"}),
        ("return a or b", "dropped condition", {"return False or b", "return a or False"}),
        ("return 1", "constant", {"return 2"}),
        ("return True", "constant", {"return False"}),
        ("return a[b:]", "off by one", {"return a[b + 1:]"}),
        ("return len(a)", "off by one", {"return (len(a) - 1)"}),
        ("return min(a)", "wrong function", {"return max(a)"}),
        ("return sorted(a)", "removed call", {"return (a)"}),
        ("return f(a, b)", "swapped arguments", {"return f(b, a)"}),
        ("return a.left", "wrong field", {"return a.right"}),
        ("return a if c else b", "dropped else", {"return (a)"}),
        ("return a if c else b", "dropped branch", {"return (b)"}),
        ("return a if c else b", "negated condition", {"return a if (not (c)) else b"}),
        ("f(a)", "removed call", {"pass"}),
        ("raise a", "dropped check", {"pass"}),
        ("a += b", "sign", {"a -= b"}),
    ],
)
def test_an_edit_makes_one_small_mistake(body: str, operator: str, made: set[str]) -> None:
    assert edited(f"def f(a, b, c):\n    {body}\n")[operator] == made


def test_a_branch_can_be_dropped_negated_or_left_without_its_return() -> None:
    found = edited(
        """
        def f(a):
            if a:
                return b
            return c
        """.lstrip("\n")
    )
    assert found["dropped branch"] == {"if False:\n        return b\n    return c"}
    assert found["negated condition"] == {"if (not (a)):\n        return b\n    return c"}
    assert found["early return"] == {"if a:\n        pass\n    return c"}


def test_a_loop_can_end_early_and_a_case_can_be_dropped() -> None:
    assert edited("def f(a):\n    for b in a:\n        c = b\n")["early end"] == {
        "for b in a:\n        c = b\n        break"
    }
    found = edited("def f(a):\n    match a:\n        case 1:\n            b = 2\n")
    assert "match a:\n        case 1 if False:\n            b = 2" in found["dropped branch"]


def test_wording_assertions_and_texts_are_not_edited() -> None:
    assert edited("def f(a):\n    assert a == 1\n") == {}
    assert edited("def f(a):\n    return error(a == 1)\n") == {}
    assert edited('def f(a):\n    return f"{a + 1}"\n') == {}


def test_what_only_goes_into_a_text_is_not_edited() -> None:
    assert edited(
        """
            def f(a, b):
                nearest = b + 1
                if a < b:
                    nearest = b - 1
                hint = f"write {nearest}"
                raise error(a, hint)
            """.lstrip("\n")
    ).keys() == {"dropped check"}
    assert "sign" in edited("def f(a, b):\n    c = a + b\n    return f'{c}'\n")


def test_the_equal_lengths_of_what_is_zipped_are_not_edited() -> None:
    assert edited("def f(a, b):\n    return zip(a, b, strict=True)\n").keys() == {
        "swapped arguments"
    }
    assert "constant" in edited("def f(a, b):\n    return zip(a, b, strict=False)\n")


def test_copies_and_the_order_of_a_greatest_are_not_edited() -> None:
    assert edited("def f(a):\n    return tuple(a)\n") == {}
    assert edited("def f(a, b):\n    return max(a, b)\n").keys() == {"wrong function"}


def test_a_branch_for_a_parameter_is_not_edited() -> None:
    body = "def f(a):\n    match a:\n        case Call(b):\n            return b + c\n"
    assert "sign" in edited(body)
    assert edited(body.replace("Call(b)", "Parameter(b)")) == {}
    assert "sign" in edited(body.replace("Call(b)", "Parameter(b) | Call(b)"))


def test_only_what_the_backend_reaches_gives_meaning() -> None:
    assert gives_meaning("reference.scalar.casts", "cast")
    assert gives_meaning("reference.incremental.join.window_join", "WindowJoin.take")
    assert not gives_meaning("algebra.metadata.completion", "completion")
    assert not gives_meaning("algebra.binding.expression.bind_datetime", "_nearest")
    assert not gives_meaning("algebra.binding.query.group_window", "_family"), "only a hint asks"
    assert gives_meaning("algebra.refusal.validate_window", "_why_unbounded"), (
        "it decides a refusal"
    )


def test_the_texts_of_any_error_that_is_raised_are_not_edited() -> None:
    body = "def f(a):\n    message = g(a, 1)\n    raise OwnError(a + 1, message)\n"
    assert set(edited(body)) == {"dropped check"}
    assert "constant" in edited(body.replace("message = g(a, 1)", "other = g(a, 1)"))


def test_a_copy_of_a_set_is_not_edited() -> None:
    assert edited("def f(a):\n    return frozenset({a})\n") == {}
    assert "removed call" in edited("def f(a):\n    return frozenset(a)\n")


def test_a_function_that_returns_suggestions_is_known_by_its_annotation() -> None:
    (one, other) = ast.parse(
        "def f() -> Iterator[Suggestion]: ...\ndef g() -> Iterator[Name]: ...\n"
    ).body
    assert returns_suggestions(one)
    assert not returns_suggestions(other)


@pytest.mark.parametrize(
    ("was", "now", "same"),
    [
        ("case _: return None", "case _ if False: return None", True),
        ("case _: return None", "case _: pass", True),
        ("case 1: return 0", "case 1: pass", False),
        ("case _: return 0", "case _ if False: return 0", False),
    ],
)
@pytest.mark.parametrize("indent", ["", "    "])
def test_a_change_that_compiles_to_the_same_code_is_known(
    was: str, now: str, same: bool, indent: str
) -> None:
    head = f"{indent}def f(x):\n{indent}    match x:\n{indent}        case 2: return 3\n"
    texts = (f"{head}{indent}        {each}" for each in (was, now))
    assert compiles_to_the_same(*texts) is same


def test_an_edit_knows_its_statement() -> None:
    source = Source("def f(a):\n    if a:\n        é = 'é'; b = a < 1\n")
    (function,) = ast.parse(source.text).body
    assert isinstance(function, ast.FunctionDef)
    (boundary,) = [each for each in edits(function, source) if each.operator == "boundary"]
    assert boundary.statement == (3, len("        é = 'é'; ".encode()))
    assert applied(source.text, boundary).endswith("b = a <= 1")


def test_a_seed_draws_the_same_mutants_and_every_operator_takes_its_turn() -> None:
    there = list(spots([arithmetic]))
    first = sample(there, 20, 1)
    assert first == sample(there, 20, 1)
    assert first != sample(there, 20, 2)
    operators = {each.edit.operator for each in there}
    assert len({each.says.partition(":")[0] for each in first}) == min(20, len(operators))
    assert all(changed_code(each.change) is not None for each in first)


def test_each_module_of_the_reference_has_a_subject_or_a_reason() -> None:
    assert subject_of("reference.incremental.join.window_join") == "joins"
    assert subject_of("algebra.explain") == ""
    assert all(LEFT_OUT.values())
    assert all(SUBJECTS.values())


def test_each_function_that_is_left_out_exists() -> None:
    there = [(each.__name__, name) for each in modules() for name in functions_of(each)]
    names = {name.rpartition(".")[2] for _, name in there} | {f"{m}:{name}" for m, name in there}
    names |= {f"{m.partition('.')[0]}:{name.rpartition('.')[2]}" for m, name in there}
    assert not FUNCTIONS_LEFT_OUT.keys() - names
    assert all(FUNCTIONS_LEFT_OUT.values())
    assert is_left_out("algebra.functions.aggregates", "Aggregate.signature")
    assert not is_left_out("algebra.functions.aggregates", "Aggregate.check")
    assert is_left_out("reference.incremental.over.over", "Over.state")
    assert not is_left_out("algebra.metadata.schedule.of_sort", "Sorted.state")


def test_an_assertion_is_not_dropped() -> None:
    kept = edited(
        """
        def f(a):
            if a:
                raise AssertionError(a)
            raise ValueError(a)
        """
    )
    assert [each.count("AssertionError") for each in kept["dropped check"]] == [1]


def test_mutants_are_tried_by_the_cases_that_reach_their_statements(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    cases = load_cases(tmp_path_factory.mktemp("toys"), *CASES)
    (mutant,) = [
        each
        for each in sample(spots([arithmetic]), 10_000, 0)
        if each.change.function == "_exact"
        and each.says == "sign: return a + b  becomes  return a - b"
    ]
    baseline = watched_baseline(cases, [mutant], ())
    assert [case.id for case, _ in baseline.reaching(mutant.change)] == ["adds"]
    (trial,) = try_mutants([mutant], baseline, 1, Limits(60.0, 3))
    assert [each.case for each in trial.kills] == ["adds"]


def test_watched_functions_are_as_before_in_the_end() -> None:
    mutants = sample(spots([logic]), 5, 0)
    before = {name: each.__code__ for name, each in vars(logic).items() if callable_code(each)}
    with watch([each.change for each in mutants]):
        pass
    assert {n: e.__code__ for n, e in vars(logic).items() if callable_code(e)} == before


def callable_code(value: object) -> bool:
    return hasattr(value, "__code__")


def test_the_interval_is_wilsons() -> None:
    low, high = wilson(9, 10)
    assert (round(low, 1), round(high, 1)) == (59.6, 98.2)
    assert wilson(0, 0) == (0.0, 100.0)
    assert math.isclose(wilson(10, 10)[1], 100.0)


def test_the_figures_leave_out_the_equivalent_ones_and_list_the_survivors() -> None:
    mutants = draw_mutants([1], 3, [logic]).mutants
    killed, survived, same = mutants
    twice = (Kill("a", ("exact",)), Kill("b", ("exact",)))
    trials = [Trial(killed, twice, 0.1), Trial(survived, (), 0.1), Trial(same, (), 0.1)]
    found = figures(trials, {identity(same): Survivor("it is the same", equivalent=True)})
    assert (found.whole.live, found.whole.killed, found.whole.twice) == (2, 1, 1)
    text = shown(found)
    assert any(identity(survived) in line and "no case reaches it" in line for line in text)
    assert "3 of 9 mutants, 1 of them equivalent" in text


def test_several_seeds_count_a_mutant_of_both_once_and_have_a_figure_each() -> None:
    samples = draw_mutants([1, 2], 20, [logic])
    first, second = samples.by_seed[1], samples.by_seed[2]
    turns = {each.id: None for pair in zip(first, second, strict=False) for each in pair}
    assert [each.id for each in samples.mutants][: len(turns)] == list(turns)
    both = {each.id for each in first} & {each.id for each in second}
    assert both
    assert len(samples.mutants) == len(first) + len(second) - len(both)
    killed = [Trial(each, (Kill("a", ("exact",)),), 0.1) for each in first]
    survived = [Trial(each, (), 0.1) for each in second if each not in first]
    text = shown(figures([*killed, *survived], {}), {1: figures(killed, {})})
    (whole,) = [each.split() for each in text if each.startswith("all ")]
    assert whole[1:3] == [str(len(samples.mutants)), str(len(first))]
    (row,) = [each.split() for each in text if each.startswith("seed 1 ")]
    assert row[2:4] == [str(len(first)), str(len(first))]


def shown(found: Figures, by_seed: Mapping[int, Figures] | None = None) -> Sequence[str]:
    return list(lines(found, by_seed or {}, 9, 2, 1.0))


def test_the_function_that_makes_suggestions_is_not_edited() -> None:
    for suggestions in ("lambda: near(a, b)", "partial(near, a, b)"):
        body = f"def f(a):\n    b = g(a, 1)\n    fault(a + 1, {suggestions})\n"
        assert edited(body).keys() == {"removed call", "sign", "constant", "swapped arguments"}
        assert edited(body)["constant"] == {f"b = g(a, 1)\n    fault(a + 2, {suggestions})"}


def test_what_happens_only_with_parameters_is_not_edited() -> None:
    body = (
        "def f(a):\n    if any(isinstance(b, Call) for b in a):\n        return 1\n    return a\n"
    )
    assert {"constant", "early return"} <= edited(body).keys()
    assert edited(body.replace("Call", "Parameter")) == {}
