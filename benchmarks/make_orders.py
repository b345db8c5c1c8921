"""Write the files of the README's examples: a schema, a day of orders as CSV, and a pipeline."""

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

PIPELINE = """\
CREATE FOREIGN STREAM Orders (
  rowtime TIMESTAMP(3) ASCENDING, orderId INTEGER, productId INTEGER, units INTEGER)
  OPTIONS (format 'csv', path '{directory}/orders.csv');

CREATE FOREIGN STREAM Quarters (
  rowtime TIMESTAMP(3) ASCENDING, productId INTEGER, c BIGINT, units BIGINT)
  OPTIONS (format 'csv', path '{directory}/quarters.csv');

CREATE FOREIGN STREAM Great (rowtime TIMESTAMP(3) ASCENDING, orderId INTEGER, units INTEGER)
  OPTIONS (format 'json', path '{directory}/great.json');

CREATE PUMP q STARTED AS
  INSERT INTO Quarters
  SELECT STREAM TUMBLE_END(rowtime, INTERVAL '6' HOUR), productId, COUNT(*), SUM(units)
  FROM Orders
  GROUP BY TUMBLE(rowtime, INTERVAL '6' HOUR), productId;

INSERT INTO Great SELECT STREAM rowtime, orderId, units FROM Orders WHERE units = 20;
"""

PRODUCTS = [(10, "Beer", "0.25"), (20, "Wine", "6.00"), (30, "Cheese", "17.00")]


def main() -> None:
    """Write ``orders.sql``, ``orders.csv``, ``products.csv``, ``pipeline.sql``: always the same."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--directory", type=Path, required=True)
    options = parser.parse_args()
    directory: Path = options.directory
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "orders.sql").write_text(SCHEMA, "utf-8")
    text = PIPELINE.format(directory=directory.as_posix())
    (directory / "pipeline.sql").write_text(text, "utf-8")
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
