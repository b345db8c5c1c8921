"""Parsing the queries of the kit's cases, warm, against sqlglot."""

import time
from collections.abc import Callable

import pytest
import sqlglot
from pytest_benchmark.fixture import BenchmarkFixture

from grammar.parse import parse_query
from grammar.source import SqlError
from tck.corpus.load import kit_corpus


def queries() -> list[str]:
    """The queries that both take."""
    return [each.sql for each in kit_corpus().cases if each.sql and taken(each.sql)]


def taken(sql: str) -> bool:
    """Whether both parsers read ``sql``."""
    try:
        parse_query(sql)
        sqlglot.parse_one(sql)
    except (SqlError, sqlglot.ParseError, sqlglot.TokenError):
        return False
    return True


@pytest.mark.parametrize("parse", [parse_query, sqlglot.parse_one], ids=["rowtime", "sqlglot"])
def test_parse(benchmark: BenchmarkFixture, parse: Callable[[str], object]) -> None:
    """All queries, one after the other."""
    texts = queries()
    benchmark.group = f"parse {len(texts):,} queries, {sum(map(len, texts)):,} characters"
    benchmark._timer = time.process_time  # other processes' time is not ours

    def parse_all() -> None:
        for each in texts:
            parse(each)

    benchmark.pedantic(parse_all, rounds=5, iterations=1, warmup_rounds=1)
