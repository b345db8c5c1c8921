"""A link of the site that leads nowhere is found."""

from pathlib import Path

import pytest

from docs.website.links import broken_links


@pytest.mark.parametrize(
    ("link", "broken"),
    [
        ("b.html", False),
        ("b.html#there", False),
        ("b.html#absent", True),
        ("b.html#chapter=x", False),
        ("#here", False),
        ("#absent", True),
        ("c.html", True),
        ("folder/", False),
        ("folder/index.html#top", False),
        ("../outside.html", True),
        ("https://elsewhere.org/x", False),
        ("mailto:a@b.org", False),
    ],
)
def test_a_link_is_broken_or_not(link: str, broken: bool, tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "folder").mkdir(parents=True)
    (tmp_path / "outside.html").write_text("", "utf-8")
    (site / "a.html").write_text(f'<p id="here"><a href="{link}">x</a></p>', "utf-8")
    (site / "b.html").write_text('<h1 id="there">b</h1>', "utf-8")
    (site / "folder" / "index.html").write_text('<a name="top"></a>', "utf-8")
    assert list(broken_links(site)) == ([f"a.html: {link}"] if broken else [])
