"""The events of Nexmark: their proportions, their order, and that they are always the same."""

from collections import Counter
from pathlib import Path

import pytest

from algebra.catalog import Profile
from algebra.prepare import prepare
from algebra.records.csv_files import csv_batches
from algebra.records.parquet import parquet_batches
from benchmarks.nexmark import generate
from benchmarks.nexmark.generate import Config, events, schema
from reference.values import integer


def test_of_50_events_1_is_a_person_3_are_auctions_and_46_bids() -> None:
    names = [name for name, _ in events(Config(200))]
    assert Counter(names) == {"PERSON": 4, "AUCTION": 12, "BID": 184}
    assert names[50:55] == ["PERSON", "AUCTION", "AUCTION", "AUCTION", "BID"]


def test_the_same_numbers_give_the_same_events() -> None:
    assert list(events(Config(500))) == list(events(Config(500)))
    assert list(events(Config(500))) != list(events(Config(500, seed=2)))


def test_the_rate_is_that_of_the_rowtimes() -> None:
    times = [row[0] for _, row in events(Config(400, start=0, rate=200))]
    assert times == [place * 5 for place in range(400)]


def test_persons_and_auctions_are_numbered_one_after_the_other() -> None:
    made = list(events(Config(300)))
    for stream in ("PERSON", "AUCTION"):
        numbers = [row[1] for name, row in made if name == stream]
        assert numbers == list(range(1_000, 1_000 + len(numbers)))


def test_bids_are_for_auctions_that_are_there_or_are_to_come_soon() -> None:
    """At most ten ahead; one of two bids is for the hundredth, two hundredth, … of them."""
    auctions = hot = bids = 0
    for name, row in events(Config(20_000)):
        if name == "AUCTION":
            auctions += 1
        elif name == "BID":
            number = integer(row[1]) - 1_000
            assert 0 <= number < auctions + 10
            bids += 1
            hot += number == (auctions - 1) // 100 * 100
    assert 0.45 < hot / bids < 0.6


@pytest.mark.parametrize("disorder", [0, 40, 700])
def test_disorder_moves_events_no_further_than_it_says_and_changes_none(disorder: int) -> None:
    ordered = list(events(Config(2_000)))
    moved = list(events(Config(2_000, disorder=disorder)))
    assert Counter(moved) == Counter(ordered)
    latest = 0
    strayed = 0
    for _, row in moved:
        time = integer(row[0])
        strayed = max(strayed, latest - time)
        latest = max(latest, time)
    assert strayed <= disorder
    assert (strayed > 0) == (disorder > 10)  # events are 10 ms apart


def test_the_schema_declares_the_disorder() -> None:
    ddl = schema(Config(10, disorder=1_500))
    stream = prepare(ddl, None, Profile.CALCITE).catalog.objects["BID",]
    orderings = [each.ordering for each in getattr(stream, "columns", ())]
    assert orderings[0] is not None
    assert orderings[0].slack == 1_500


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_the_files_hold_the_events(
    format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["generate", "--events", "120", "--format", format, "--directory", str(tmp_path)]
    monkeypatch.setattr("sys.argv", arguments)
    generate.main()
    objects = prepare((tmp_path / "schema.sql").read_text(), None, Profile.CALCITE).catalog.objects
    columns = getattr(objects["PERSON",], "columns", ())
    read = csv_batches if format == "csv" else parquet_batches
    (batch,) = read(tmp_path / f"person.{format}", columns)
    expected = [row for name, row in events(Config(120)) if name == "PERSON"]
    assert len(batch.rows) == 3  # at 0, 50 and 100
    assert [row[1:] for row in batch.rows] == [row[1:] for row in expected]
    assert batch.rows[0][0] == "2023-12-31 23:50:00"
