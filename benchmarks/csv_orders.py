"""The tumble as a loop over the standard library's csv reader, with a dictionary of groups."""

import csv
import sys
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path


def main() -> None:
    """Print the groups of a file of orders that is in the order of time."""
    writer = csv.writer(sys.stdout)
    hour, groups = "", dict[str, tuple[int, int]]()
    with Path(sys.argv[1]).open(encoding="utf-8", newline="") as file:
        orders = csv.reader(file)
        next(orders)
        for rowtime, _, product, units in orders:
            if rowtime[:13] != hour:
                writer.writerows(rows(hour, groups))
                hour, groups = rowtime[:13], {}
            count, total = groups.get(product, (0, 0))
            groups[product] = count + 1, total + int(units)
        writer.writerows(rows(hour, groups))


def rows(hour: str, groups: Mapping[str, tuple[int, int]]) -> Iterator[tuple[str, str, int, int]]:
    """A row of each product: the end of the hour, the product, the count and the sum."""
    for product, (count, total) in groups.items():
        end = datetime.fromisoformat(f"{hour}:00:00") + timedelta(hours=1)
        yield str(end), product, count, total


if __name__ == "__main__":
    main()
