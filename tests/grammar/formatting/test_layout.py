"""A text that is laid out again has the same statements, the same comments, and short lines."""

import re
from itertools import count, pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.formatting.layout import WIDTH, layout
from grammar.parse import parse_script
from grammar.parsing.tokens import scan
from grammar.source import SqlError
from grammar.statement import Statement
from grammar.unparse import unparse
from tests.strategies_grammar import statements

_COMMENT = re.compile(r"--[^\r\n]*|/\*.*?\*/", re.DOTALL)

#: Comments and breaks to put between two words, up to three of them; ``#`` becomes a number.
_GAPS = (
    " -- #\n",
    "\n-- #\n",
    " -- #\r",
    " /* # */ ",
    "\n\n  /* # */\n",
    "\n/* # */",
    " /* #\n # */ ",
    "\n",
)


def scattered(sql: str, seed: int) -> str:
    """``sql`` with other white space between its words, and with comments, each with a number."""
    draw = Random(seed)
    numbers = count()
    text = ""
    for word, following in pairwise(scan(sql)):
        text += sql[word.start : word.stop + 1]
        gap = sql[word.stop + 1 : following.start]
        if draw.randrange(2):
            gap = gap and draw.choice([" ", "\n", "\t  "])
        else:
            found = draw.choices(_GAPS, k=draw.randint(1, 3))
            gap = " ".join(each.replace("#", str(next(numbers))) for each in found)
        text += gap
    return text


def comments(sql: str) -> list[str]:
    """The comments of a text in order."""
    stops = [0, *(word.stop + 1 for word in scan(sql))]
    gaps = (sql[stop : word.start] for stop, word in zip(stops, scan(sql), strict=False))
    return [each for gap in gaps for each in _COMMENT.findall(gap)]


@given(st.lists(statements(), max_size=3), st.integers(0, 1000))
def test_statements_and_comments_stay_as_they_were(trees: list[Statement], seed: int) -> None:
    text = scattered(";\n".join(map(unparse, trees)), seed)
    new = layout(text)
    assert parse_script(new) == parse_script(text)
    assert comments(new) == comments(text)


@given(st.lists(statements(), max_size=3), st.integers(0, 1000))
def test_a_text_laid_out_stays_as_it_is(trees: list[Statement], seed: int) -> None:
    once = layout(scattered(";\n".join(map(unparse, trees)), seed))
    assert layout(once) == once


@given(statements())
def test_no_line_ends_in_white_space(tree: Statement) -> None:
    assert all(line == line.rstrip() for line in layout(unparse(tree)).splitlines())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("-- nothing else", "-- nothing else\n"),
        ("select 1", "SELECT 1\n"),
        (
            "select a.*,-1,- a, a-1,count(*) from T a;",
            "SELECT a.*, -1, -a, a - 1, count(*) FROM T a;\n",
        ),
        ("select 1;select 2;\n\n\nselect 3", "SELECT 1;\nSELECT 2;\n\nSELECT 3\n"),
        ('select "Day", day from t', 'SELECT "Day", day FROM t\n'),
        (
            "select a -- the first\n, b from t",
            "SELECT a -- the first\n  , b\nFROM t\n",
        ),
        (
            "-- why\nselect /* here */ a\nfrom t\n-- end",
            "-- why\nSELECT /* here */ a FROM t\n-- end\n",
        ),
        ("select 1 /* a */ -- b", "SELECT 1 /* a */ -- b\n"),
        ("select 1 /* a */ /* b */", "SELECT 1 /* a */ /* b */\n"),
        ("select 1 -- a\r-- b\r, 2", "SELECT 1 -- a\n  -- b\n  , 2\n"),
        ("select 1;\r\nselect 2;\r\n\r\nselect 3", "SELECT 1;\nSELECT 2;\n\nSELECT 3\n"),
        ("select 1;\rselect 2;\r\rselect 3", "SELECT 1;\nSELECT 2;\n\nSELECT 3\n"),
        (
            "insert into t (a,b) values (1,2),(3,4)",
            "INSERT INTO t (a, b) VALUES (1, 2), (3, 4)\n",
        ),
    ],
)
def test_layouts(text: str, expected: str) -> None:
    assert layout(text) == expected


def test_a_long_statement_breaks_before_its_clauses() -> None:
    text = (
        "create view Totals as select stream rowtime, productId, sum(units) over (partition by "
        "productId order by rowtime range interval '1' hour preceding) as total, units from Orders "
        "left join Products on Orders.productId = Products.productId where units between 1 and 9 "
        "and exists (select productId, name from Products where productId > 10 and name is not "
        "distinct from 'a name that is long enough') group by productId order by rowtime;"
    )
    assert (
        layout(text)
        == """\
CREATE VIEW Totals AS
  SELECT STREAM rowtime, productId,
    sum(units) OVER (PARTITION BY productId ORDER BY rowtime RANGE INTERVAL '1' HOUR PRECEDING)
    AS total, units
  FROM Orders
  LEFT JOIN Products ON Orders.productId = Products.productId
  WHERE units BETWEEN 1 AND 9
    AND EXISTS (
    SELECT productId, name
    FROM Products
    WHERE productId > 10 AND name IS NOT DISTINCT FROM 'a name that is long enough')
  GROUP BY productId
  ORDER BY rowtime;
"""
    )


@pytest.mark.parametrize("columns", [3, 30])
def test_lines_are_short_where_words_are(columns: int) -> None:
    names = ", ".join(f"column{number} INTEGER NOT NULL" for number in range(columns))
    values = " AND ".join(f"column{number} = {number}" for number in range(columns))
    text = layout(f"CREATE TABLE t ({names}); SELECT * FROM t WHERE {values}")
    assert max(map(len, text.splitlines())) <= WIDTH


def test_a_text_that_does_not_parse_is_refused() -> None:
    with pytest.raises(SqlError, match="SYNTAX_ERROR"):
        layout("selec 1")
