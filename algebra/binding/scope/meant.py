"""Suggestions for a name that is not known: in another case, without quotes, or misspelt."""

from collections.abc import Iterable, Iterator

from algebra.binding.scope.names import quoted
from grammar import tree
from grammar.nearest import nearest
from grammar.source import Span
from grammar.suggestion import Suggestion, replacement


def names_meant(name: tree.Identifier, known: Iterable[str]) -> Iterator[Suggestion]:
    """The names of ``known`` that ``name`` may be meant to be, the likeliest first.

    Names with another case come first, then misspelt names.  Unquoted names are in upper case,
    quoted names as they are written (S-205).  So a name that differs from a known name only in case
    lacks quotes, or has quotes that it must not have.

    Defines: S-801.k
    """
    names = list(dict.fromkeys(known))
    for each in names:
        if each.upper() != name.name.upper():
            continue
        text, spelled = quoted(each), f'"{each}"'
        if name.quoted and text == each:  # the name is not known with quotes, but it is without
            advice = f"did you mean {name.name} (unquoted) or {spelled}?"
            plain = name.name if name.name.isidentifier() else text
            yield replacement(advice, name.span, plain)
        else:
            yield replacement(f"did you mean {text}?", name.span, text)
    for each in nearest(name.name, names):
        if each.upper() != name.name.upper():
            yield replacement(f"did you mean {quoted(each)}?", name.span, quoted(each))


def text_meant(name: tree.Identifier, at: Span) -> Iterator[Suggestion]:
    """Suggest a text in place of the name in double quotes at ``at``; nothing without quotes."""
    if name.quoted:
        text = "'" + name.name.replace("'", "''") + "'"
        advice = f"double quotes delimit names; a text is written {text}"
        yield replacement(advice, at, text)
