"""What is changed of a text in Markdown, and what stays."""

import pytest

from docs.website.markdown import with_code, with_links, with_prose


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("a rule", "A RULE"),
        ("a `rule` b", "A `rule` B"),
        ("a [rule](to.md) b", "A [rule](to.md) B"),
        ("# a rule\nb", "# a rule\nB"),
        ("a\n\n    rule\n\nb", "A\n\n    rule\n\nB"),
        ("a\n```sql\nrule\n```\nb", "A\n```sql\nrule\n```\nB"),
        ('a <a href="x">rule</a> b', 'A <a href="x">rule</a> B'),
    ],
)
def test_only_prose_is_changed(text: str, changed: str) -> None:
    assert with_prose(text, str.upper) == changed


def test_code_in_a_line_is_changed_and_blocks_are_not() -> None:
    text = "a `b` c\n\n    `d`\n\n```text\n`e`\n```\n[`f`](to.md)\n"
    assert with_code(text, str.upper) == text.replace("`b`", "`B`")


def test_links_are_changed_with_what_stands_around_their_words() -> None:
    def change(path: str, anchor: str) -> tuple[str, str]:
        return f"<{path}{anchor}>", "</>"

    text = "a [b](c.md#d) e [`f[1]`](g/h.py)\n\n    [x](y.md)\n\n[z](https://z.org)"
    assert with_links(text, change) == (
        "a <c.md#d>b</> e <g/h.py>`f[1]`</>\n\n    [x](y.md)\n\n[z](https://z.org)"
    )
