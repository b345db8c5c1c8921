"""Write the files of the README's example run: a schema, and a day of orders as CSV."""

import argparse
import csv
import random
from datetime import datetime, timedelta
from pathlib import Path

SCHEMA = """\
CREATE STREAM Orders (
  rowtime TIMESTAMP(3) ASCENDING,
  orderId INTEGER ASCENDING STRICT,
  productId INTEGER,
  units INTEGER CHECK (units BETWEEN 1 AND 1000));

CREATE TABLE Products (
  productId INTEGER PRIMARY KEY,
  name VARCHAR(20),
  unitPrice DECIMAL(10, 2));
"""

PRODUCTS = [(10, "Beer", "0.25"), (20, "Wine", "6.00"), (30, "Cheese", "17.00")]


def main() -> None:
    """Write ``orders.sql``, ``orders.csv`` and ``products.csv``; the same rows every time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--directory", type=Path, required=True)
    options = parser.parse_args()
    directory: Path = options.directory
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "orders.sql").write_text(SCHEMA, "utf-8")
    with (directory / "products.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("productId", "name", "unitPrice"), *PRODUCTS])
    dice = random.Random(2015)
    day = datetime(2015, 2, 15)
    step = 86_400_000 / options.rows
    beside = directory / "orders.csv.part"
    with beside.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["rowtime", "orderId", "productId", "units"])
        for order in range(options.rows):
            rowtime = day + timedelta(milliseconds=int(order * step))
            product = dice.choices(PRODUCTS, weights=[6, 1, 3])[0][0]
            rows.writerow(
                [
                    rowtime.isoformat(" ", "milliseconds"),
                    order + 1,
                    product,
                    dice.randint(1, 20),
                ]
            )
    beside.replace(directory / "orders.csv")


if __name__ == "__main__":
    main()
