"""A cache of the answers to relational queries, which both Spark backends of a process share.

The batch backend and the streaming backend give the same answer to a relational query.  So in a
process that runs both, such as the tests, Spark computes an answer only once.
"""

from dataclasses import dataclass, field
from typing import Generic, TypeVar

#: The size of the cache; the oldest answer is evicted first.
_MOST = 5_000
#: A conversation of more characters than this is not cached.
_LONGEST = 50_000

Answer = TypeVar("Answer")


@dataclass(slots=True)
class Conversation:
    """The key of a cached answer: all messages that a backend received for one query, in order.

    ``text`` has the messages as Python prints them, so that 1, 1.0 and TRUE are different.  It is
    None once the messages are too long to be cached.
    """

    text: str | None = ""

    def add(self, message: object, rows: int = 0) -> None:
        """Append the text of a message, which has this number of ``rows``.

        The text has at least one character for each row.  So if the rows alone are too many for the
        key, the text is not computed.
        """
        if self.text is not None and len(self.text) + rows < _LONGEST:
            self.text += f"{message!r}\n"
        else:
            self.text = None


@dataclass(slots=True)
class Answers(Generic[Answer]):
    """Answers by the conversations that led to them."""

    by_text: dict[str, Answer] = field(default_factory=dict[str, Answer])

    def add(self, conversation: Conversation, answer: Answer) -> None:
        """Cache the answer that a conversation has led to."""
        if conversation.text is not None:
            self.by_text[conversation.text] = answer
            if len(self.by_text) > _MOST:
                del self.by_text[next(iter(self.by_text))]

    def of(self, conversation: Conversation) -> Answer | None:
        """The cached answer of an equal conversation; None if there is none."""
        return None if conversation.text is None else self.by_text.get(conversation.text)
