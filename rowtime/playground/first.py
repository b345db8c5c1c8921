"""Inserts the first question of the playground and its answer into the page.

So a reader sees an answer before the reference is loaded.
"""

import json
from dataclasses import asdict, replace
from html import escape
from importlib.resources import files
from typing import Final

from rowtime.playground.answer import Answer, Question, answer

#: The widths of the two pictures, in pixels: on a screen, and on a phone.
_WIDE: Final = 840
_NARROW: Final = 360


def first_question() -> Question:
    """The example that the page shows first: totals by the hour, with a late row."""
    text = (files("rowtime.playground") / "web" / "example.json").read_text("utf-8")
    return Question(**json.loads(text))


def with_first_answer(page: str, question: Question) -> str:
    """The page with the texts of a question and its answer in place of comments such as ``query``.

    The element ``answers`` has the answers for both widths as JSON, for the scripts of the page.
    """
    wide, narrow = (answer(replace(question, width=width)) for width in (_WIDE, _NARROW))
    rows, events = sum(len(each.rows) for each in wide.moments), len(wide.moments)
    answers = json.dumps({"wide": asdict(wide), "narrow": asdict(narrow)}, ensure_ascii=False)
    # No text in the JSON can end the element.
    answers = answers.replace("<", "\\u003c")
    parts = {
        "query": _text(question.query),
        "script": _text(question.script),
        "schema": _text(question.schema),
        "state": f"{rows} rows from {events} events",
        "picture": _picture("wide", wide) + _picture("narrow", narrow),
        "answers": f'<script type="application/json" id="answers">{answers}</script>',
    }
    for name, part in parts.items():
        comment = f"<!-- {name} -->"
        assert page.count(comment) == 1, name
        page = page.replace(comment, part)
    return page


def _text(text: str) -> str:
    return f"<pre>{escape(text, quote=False)}</pre>"


def _picture(name: str, answer: Answer) -> str:
    return f'<div class="first {name}">{answer.svg}</div>'
