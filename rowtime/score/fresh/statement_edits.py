"""Finds the edits of a statement that make a small mistake.

Examples are dropped branches, loops that end early, and forgotten calls.
"""

import ast
from collections.abc import Iterator

from rowtime.score.fresh.expression_edits import Replacement, Spans


def statement_edits(node: ast.stmt | ast.match_case, source: Spans) -> Iterator[Replacement]:
    """The edits of a statement itself, without those of its parts."""
    match node:
        case ast.If(test, body, orelse):
            yield from _test(test, source)
            yield from _early_return(body, source)
            if orelse and not isinstance(orelse[0], ast.If):
                start, end = source.span(orelse[0])[0], source.span(orelse[-1])[1]
                yield Replacement("dropped else", start, end, "pass")
        case ast.While(test):
            yield from _test(test, source)
        case ast.For(body=body):
            yield from _early_end(body, source)
        case ast.match_case(pattern, guard, body):
            yield from _early_return(body, source)
            if guard is None:
                end = source.span(pattern)[1]
                yield Replacement("dropped branch", end, end, " if False")
            else:
                yield from _test(guard, source)
                yield Replacement("dropped condition", *source.span(guard), "True")
        case ast.Expr(ast.Call() | ast.Yield() | ast.YieldFrom()):
            yield Replacement("removed call", *source.span(node), "pass")
        case ast.Raise(ast.Call(ast.Name("AssertionError"))):
            pass  # it is never reached, like a failing `assert`
        case ast.Raise():
            yield Replacement("dropped check", *source.span(node), "pass")
        case ast.Continue():
            yield Replacement("early end", *source.span(node), "break")
        case ast.Break():
            yield Replacement("late end", *source.span(node), "continue")
        case ast.AugAssign(target, ast.Add() | ast.Sub() as op, value):
            start, end = source.span(target)[1], source.span(value)[0]
            was, now = ("+=", "-=") if isinstance(op, ast.Add) else ("-=", "+=")
            text = source.text[start:end]
            yield Replacement("sign", start, end, text.replace(was, now))
        case _:
            pass


def _test(test: ast.expr, source: Spans) -> Iterator[Replacement]:
    """The condition of a branch or loop, negated, and replaced by False."""
    start, end = source.span(test)
    yield Replacement("negated condition", start, end, f"(not ({source.text[start:end]}))")
    yield Replacement("dropped branch", start, end, "False")


def _early_return(body: list[ast.stmt], source: Spans) -> Iterator[Replacement]:
    """The `return` at the end of a branch, removed, so that the code after the branch runs, too."""
    if isinstance(body[-1], ast.Return):
        yield Replacement("early return", *source.span(body[-1]), "pass")


def _early_end(body: list[ast.stmt], source: Spans) -> Iterator[Replacement]:
    """A `break` after the last statement of a loop, so that the loop ends after its first round."""
    last = body[-1]
    if isinstance(last, ast.Return | ast.Continue | ast.Break | ast.Raise):
        return
    end = source.span(last)[1]
    yield Replacement("early end", end, end, f"\n{' ' * body[0].col_offset}break")
