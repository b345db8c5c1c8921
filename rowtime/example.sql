-- The schema of the Calcite streaming page: what `rowtime explain` knows where no --ddl is given.
CREATE STREAM Orders (
  rowtime TIMESTAMP(3) ASCENDING,
  productId INTEGER,
  orderId INTEGER,
  units INTEGER) WITH HISTORY;

CREATE TABLE Products (
  rowtime TIMESTAMP(3),
  productId INTEGER,
  name VARCHAR(20),
  unitPrice DECIMAL(10, 2));

CREATE TABLE ProductVersions (
  productId INTEGER,
  name VARCHAR(20),
  unitPrice DECIMAL(10, 2),
  startDate TIMESTAMP(3),
  endDate TIMESTAMP(3),
  PERIOD (startDate, endDate));

CREATE STREAM Shipments (
  rowtime TIMESTAMP(3) ASCENDING,
  orderId INTEGER);
