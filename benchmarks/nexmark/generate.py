"""The events of Nexmark: persons, auctions and bids, 1 : 3 : 46, the same for the same numbers.

After the generator of the paper (Tucker et al., NEXMark, 2002) as Apache Beam has it: of 50 events
the first is a person, the next three are auctions, the rest bids; half of the bids are for a hot
auction, three of four by a hot bidder, and three of four auctions have a hot seller.
"""

import argparse
import heapq
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from algebra.catalog import Catalog, Profile, Stream
from algebra.expression import Value
from algebra.prepare import prepare
from algebra.records.parquet import ParquetOutput
from algebra.records.printing import write_csv
from algebra.wire import to_wire

#: A row inside: a TIMESTAMP is milliseconds.
Row: TypeAlias = tuple[Value, ...]

PERSON: Final = "PERSON"
AUCTION: Final = "AUCTION"
BID: Final = "BID"

PERSONS_OF_50: Final = 1
AUCTIONS_OF_50: Final = 3
FIRST_PERSON: Final = 1_000
FIRST_AUCTION: Final = 1_000
FIRST_CATEGORY: Final = 10
#: A new hot auction, seller and bidder after so many.
HOT: Final = 100
#: Bids are for one of the last so many auctions, by one of the last so many persons, or a few to
#: come.
IN_FLIGHT: Final = 100
ACTIVE: Final = 1_000
LEAD: Final = 10

HOT_CHANNELS: Final = ("Google", "Facebook", "Baidu", "Apple")
CHANNELS: Final = 10_000
STATES: Final = ("AZ", "CA", "ID", "OR", "WA", "WY")
CITIES: Final = (
    "Phoenix", "Los Angeles", "San Francisco", "Boise", "Portland", "Bend", "Redmond", "Seattle",
    "Kent", "Cheyenne",
)  # fmt: skip
FIRST_NAMES: Final = ("Peter", "Paul", "Luke", "John", "Saul", "Vicky", "Kate", "Julie", "Sarah")
LAST_NAMES: Final = ("Shultz", "Abrams", "Spencer", "White", "Bartels", "Walton", "Smith", "Jones")
LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"

SCHEMA: Final = Path(__file__).with_name("schema.sql")


@dataclass(frozen=True, slots=True)
class Config:
    """How many events, from when on in milliseconds, how many a second, and in what disorder.

    An event arrives up to ``disorder`` milliseconds after one that is later than it.
    """

    events: int
    start: int = 1_704_066_600_000  # 2023-12-31 23:50:00: ten minutes before a day ends
    rate: int = 100
    disorder: int = 0
    seed: int = 1


def events(config: Config) -> Iterator[tuple[str, Row]]:
    """The events in the order of arrival: the name of a stream, and a row of it."""
    dice = random.Random(config.seed)
    shuffle = random.Random(config.seed + 1)  # disorder moves events, and changes none
    waiting: list[tuple[int, int, str, Row]] = []
    for number in range(config.events):
        time = config.start + number * 1_000 // config.rate
        name, row = _event(number, time, dice)
        arrival = time + shuffle.randint(0, config.disorder)
        heapq.heappush(waiting, (arrival, number, name, row))
        while waiting[0][0] < time:
            yield heapq.heappop(waiting)[2:]
    while waiting:
        yield heapq.heappop(waiting)[2:]


def _event(number: int, time: int, dice: random.Random) -> tuple[str, Row]:
    offset = number % 50
    if offset < PERSONS_OF_50:
        return PERSON, _person(number, time, dice)
    if offset < PERSONS_OF_50 + AUCTIONS_OF_50:
        return AUCTION, _auction(number, time, dice)
    return BID, _bid(number, time, dice)


def _person(number: int, time: int, dice: random.Random) -> Row:
    """Rowtime, id, name, emailAddress, creditCard, city, state, extra."""
    name = f"{dice.choice(FIRST_NAMES)} {dice.choice(LAST_NAMES)}"
    email = f"{_text(dice, 7)}@{_text(dice, 5)}.com"
    card = " ".join(f"{dice.randrange(10_000):04}" for _ in range(4))
    place = dice.choice(CITIES), dice.choice(STATES)
    return (time, FIRST_PERSON + _last_person(number), name, email, card, *place, _text(dice, 20))


def _auction(number: int, time: int, dice: random.Random) -> Row:
    """Rowtime, id, itemName, description, initialBid, reserve, expires, seller, category, extra."""
    last = _last_person(number)
    seller = last // HOT * HOT if dice.randrange(4) else _next_person(last, dice)
    initial = _price(dice)
    return (
        time,
        FIRST_AUCTION + _last_auction(number),
        _text(dice, 20),
        _text(dice, 40),
        initial,
        initial + _price(dice),
        time + dice.randint(1, 20_000),
        FIRST_PERSON + seller,
        FIRST_CATEGORY + dice.randrange(5),
        _text(dice, 20),
    )


def _bid(number: int, time: int, dice: random.Random) -> Row:
    """Rowtime, auction, bidder, price, channel, url, extra."""
    last = _last_auction(number)
    person = _last_person(number)
    if dice.randrange(2):
        auction = last // HOT * HOT
    else:
        first = max(last - IN_FLIGHT, 0)
        auction = first + dice.randrange(last - first + 1 + LEAD)
    bidder = person // HOT * HOT + 1 if dice.randrange(4) else _next_person(person, dice)
    folders = "/".join(_text(dice, 5) for _ in range(3))
    url = f"https://www.nexmark.com/{folders}/item.htm?query=1"
    if dice.randrange(2):
        channel = dice.choice(HOT_CHANNELS)
    else:
        place = dice.randrange(CHANNELS)
        channel, url = f"channel-{place}", f"{url}&channel_id={(place * 7_919) % 1_000_003}"
    price = _price(dice)
    extra = _text(dice, 10)
    return (time, FIRST_AUCTION + auction, FIRST_PERSON + bidder, price, channel, url, extra)


def _last_person(number: int) -> int:
    """How many persons there were before the last one, counted from 0."""
    return number // 50


def _last_auction(number: int) -> int:
    """How many auctions there were before the last one; at the very first event none: 0."""
    epoch, offset = divmod(number, 50)
    if offset < PERSONS_OF_50:
        return max(epoch * AUCTIONS_OF_50 - 1, 0)
    return epoch * AUCTIONS_OF_50 + min(offset - PERSONS_OF_50, AUCTIONS_OF_50 - 1)


def _next_person(last: int, dice: random.Random) -> int:
    active = min(last + 1, ACTIVE)
    return last + 1 - active + dice.randrange(active + LEAD)


def _price(dice: random.Random) -> int:
    """Cents, from 100 to 100,000,000: as many of each number of digits."""
    return round(10 ** (dice.random() * 6) * 100)


def _text(dice: random.Random, length: int) -> str:
    return "".join(dice.choices(LETTERS, k=length))


# --- files --------------------------------------------------------------------------------------


def schema(config: Config) -> str:
    """The script that declares the streams, in the disorder that they have."""
    text = SCHEMA.read_text("utf-8")
    if config.disorder:
        order = f"ASCENDING WITHIN INTERVAL '{config.disorder / 1_000}' SECOND(6, 3)"
        text = text.replace("ASCENDING", order)
    return text


def streams(catalog: Catalog) -> dict[str, Stream]:
    """The three streams by name."""
    return {e.name[-1]: e for e in catalog.objects.values() if isinstance(e, Stream)}


def main() -> None:
    """Write ``schema.sql`` and a file for each stream, in the order of arrival."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--rate", type=int, default=100, help="events a second")
    parser.add_argument("--disorder", type=int, default=0, help="milliseconds")
    parser.add_argument("--format", choices=["csv", "parquet"], default="csv")
    parser.add_argument("--directory", type=Path, required=True)
    given = parser.parse_args()
    directory: Path = given.directory
    directory.mkdir(parents=True, exist_ok=True)
    config = Config(given.events, rate=given.rate, disorder=given.disorder)
    (directory / "schema.sql").write_text(schema(config), "utf-8")
    declared = streams(prepare(schema(config), None, Profile.CALCITE).catalog)
    write = _write_parquet if given.format == "parquet" else _write_csv
    write(config, declared, directory)


def _write_csv(config: Config, declared: dict[str, Stream], directory: Path) -> None:
    files = {
        name: (directory / f"{name.lower()}.csv").open("w", encoding="utf-8", newline="")
        for name in declared
    }
    for name, file in files.items():
        write_csv([[column.name for column in declared[name].columns]], file)
    for name, row in events(config):
        columns = declared[name].columns
        write_csv(
            [tuple(to_wire(c.type, v) for c, v in zip(columns, row, strict=True))], files[name]
        )
    for file in files.values():
        file.close()


def _write_parquet(config: Config, declared: dict[str, Stream], directory: Path) -> None:
    files = {
        name: ParquetOutput(directory / f"{name.lower()}.parquet", stream.columns)
        for name, stream in declared.items()
    }
    waiting: dict[str, list[Row]] = {name: [] for name in declared}
    for name, row in events(config):
        waiting[name].append(row)
        if len(waiting[name]) >= 100_000:
            files[name].write(waiting[name])
            waiting[name] = []
    for name, file in files.items():
        file.write(waiting[name])
        file.close()


if __name__ == "__main__":
    main()
