"""Answers that are remembered, since another backend of this process gives the same ones."""

from dataclasses import dataclass, field
from typing import Generic, TypeVar

#: So many answers are remembered, the oldest forgotten first.
_MOST = 5_000
#: A conversation of more characters is not remembered, nor its answer.
_LONGEST = 50_000

Answer = TypeVar("Answer")


@dataclass(slots=True)
class Conversation:
    """All messages about one query so far, in order, as text: there 1, 1.0 and TRUE differ.

    ``text`` None: they are too long to be remembered.
    """

    text: str | None = ""

    def add(self, message: object, rows: int = 0) -> None:
        """Add a message, which has so many rows in it."""
        if self.text is not None and len(self.text) + rows < _LONGEST:
            self.text += f"{message!r}\n"
        else:
            self.text = None


@dataclass(slots=True)
class Answers(Generic[Answer]):
    """Answers by the conversations that led to them."""

    by_text: dict[str, Answer] = field(default_factory=dict[str, Answer])

    def add(self, conversation: Conversation, answer: Answer) -> None:
        """Remember the answer that a conversation has led to."""
        if conversation.text is not None:
            self.by_text[conversation.text] = answer
            if len(self.by_text) > _MOST:
                del self.by_text[next(iter(self.by_text))]

    def of(self, conversation: Conversation) -> Answer | None:
        """The answer that the same conversation has led to; None: there was none."""
        return None if conversation.text is None else self.by_text.get(conversation.text)
