"""The statements of the source pages, as they print them where they are grammatical."""

from typing import Final

_GOOD: Final = """
SELECT STREAM * FROM Orders;
;;
SELECT * FROM Shipments;
;;
SELECT STREAM * FROM Orders WHERE units > 3;
;;
SELECT STREAM rowtime,
  'An order for ' || units || ' '
    || CASE units WHEN 1 THEN 'unit' ELSE 'units' END
    || ' of product #' || productId AS description
FROM Orders;
;;
SELECT STREAM CEIL(rowtime TO HOUR) AS rowtime, productId, COUNT(*) AS c, SUM(units) AS units
FROM Orders
GROUP BY CEIL(rowtime TO HOUR), productId;
;;
SELECT STREAM productId, COUNT(*) AS c, SUM(units) AS units FROM Orders GROUP BY productId;
;;
SELECT STREAM TUMBLE_END(rowtime, INTERVAL '30' MINUTE, TIME '0:12') AS rowtime,
  productId, COUNT(*) AS c, SUM(units) AS units
FROM Orders
GROUP BY TUMBLE(rowtime, INTERVAL '30' MINUTE, TIME '0:12'), productId;
;;
SELECT STREAM HOP_END(rowtime, INTERVAL '1' HOUR, INTERVAL '3' HOUR) AS rowtime,
  COUNT(*) AS c, SUM(units) AS units
FROM Orders
GROUP BY HOP(rowtime, INTERVAL '1' HOUR, INTERVAL '3' HOUR);
;;
SELECT STREAM HOP_END(rowtime),
  productId,
  SUM(unitPrice * EXP((rowtime - HOP_START(rowtime)) SECOND / INTERVAL '1' HOUR))
   / SUM(EXP((rowtime - HOP_START(rowtime)) SECOND / INTERVAL '1' HOUR))
FROM Orders
GROUP BY HOP(rowtime, INTERVAL '1' SECOND, INTERVAL '1' HOUR), productId
;;
SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime, productId
FROM Orders
GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR), productId
HAVING COUNT(*) > 2 OR SUM(units) > 10;
;;
SELECT STREAM rowtime, productId
FROM (
  SELECT TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime,
    productId, COUNT(*) AS c, SUM(units) AS su
  FROM Orders
  GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR), productId)
WHERE c > 2 OR su > 10;
;;
CREATE VIEW HourlyOrderTotals (rowtime, productId, c, su) AS
  SELECT TUMBLE_END(rowtime, INTERVAL '1' HOUR), productId, COUNT(*), SUM(units)
  FROM Orders
  GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR), productId;
;;
WITH HourlyOrderTotals (rowtime, productId, c, su) AS (
  SELECT FLOOR(rowtime TO HOUR), productId, COUNT(*), SUM(units)
  FROM Orders
  GROUP BY FLOOR(rowtime TO HOUR), productId)
SELECT STREAM rowtime, productId
FROM HourlyOrderTotals
WHERE c > 2 OR su > 10;
;;
SELECT max(su) FROM HourlyOrderTotals WHERE productId = 10;
;;
SELECT productId, count(*)
FROM Orders
WHERE rowtime BETWEEN current_timestamp - INTERVAL '1' HOUR AND current_timestamp;
;;
SELECT STREAM FLOOR(rowtime TO hour) AS rowtime, productId, orderId, units
FROM Orders
ORDER BY FLOOR(rowtime TO hour) ASC, units DESC;
;;
SELECT STREAM * FROM Orders WHERE productId = 10
UNION ALL
SELECT STREAM * FROM Orders WHERE productId = 30
ORDER BY rowtime;
;;
SELECT STREAM * FROM (VALUES (1, 'abc'));
;;
SELECT STREAM rowtime, productId, units,
  SUM(units) OVER (ORDER BY rowtime RANGE INTERVAL '1' HOUR PRECEDING) unitsLastHour
FROM Orders;
;;
SELECT STREAM rowtime, productId, SUM(su) OVER w AS su, SUM(c) OVER w AS c
FROM HourlyTotals
WINDOW w AS (
  ORDER BY rowtime
  PARTITION BY productId
  RANGE INTERVAL '2' HOUR PRECEDING)
;;
SELECT STREAM *
FROM (
  SELECT STREAM rowtime, productId, units,
    AVG(units) OVER product (RANGE INTERVAL '10' MINUTE PRECEDING) AS m10,
    AVG(units) OVER product (RANGE INTERVAL '7' DAY PRECEDING) AS d7
  FROM Orders
  WINDOW product AS (ORDER BY rowtime PARTITION BY productId))
WHERE m10 > d7;
;;
SELECT STREAM rowtime, productId, units,
  SUM(units) OVER (PARTITION BY FLOOR(rowtime TO HOUR)) AS unitsSinceTopOfHour
FROM Orders;
;;
SELECT STREAM o.rowtime, o.productId, o.orderId, o.units, p.name, p.unitPrice
FROM Orders AS o
JOIN Products AS p
  ON o.productId = p.productId;
;;
SELECT STREAM *
FROM Orders AS o
JOIN ProductVersions AS p
  ON o.productId = p.productId
  AND o.rowtime BETWEEN p.startDate AND p.endDate
;;
SELECT STREAM o.rowtime, o.productId, o.orderId, s.rowtime AS shipTime
FROM Orders AS o
JOIN Shipments AS s
  ON o.orderId = s.orderId
  AND s.rowtime BETWEEN o.rowtime AND o.rowtime + INTERVAL '1' HOUR;
;;
CREATE VIEW LargeOrders AS SELECT STREAM * FROM Orders WHERE units > 1000;
;;
INSERT INTO LargeOrders SELECT STREAM * FROM Orders WHERE units > 1000;
;;
UPSERT INTO OrdersSummary
SELECT STREAM productId, COUNT(*) OVER lastHour AS c
FROM Orders
WINDOW lastHour AS (
  PARTITION BY productId
  ORDER BY rowtime
  RANGE INTERVAL '1' HOUR PRECEDING)
;;
SELECT STREAM ticker,
  AVG(price * volume) OVER (RANGE INTERVAL ' 1' HOUR PRECEDING)
  / SUM(volume) OVER (RANGE INTERVAL ' 1' HOUR PRECEDING) AS weighted_avg
FROM TradeStream
;;
SELECT STREAM t.price as trade_price, s.price as ask_price
FROM TradeStream OVER (RANGE CURRENT ROW) AS t
JOIN AskStream OVER (ROWS CURRENT ROW) as s ON t.ticker = s.ticker;
;;
SELECT STREAM "o"."orderid", sum("t"."amount")
FROM "OrderStream" OVER (RANGE CURRENT ROW) AS "o"
LEFT JOIN "TradeStream"
OVER (RANGE INTERVAL '1' HOUR FOLLOWING) AS "t"
ON "o"."orderid" = "t"."tradeid"
GROUP BY FLOOR("OrderStream".ROWTIME TO HOUR),"o"."orderid"
HAVING "o"."amount" <> SUM("t"."amount");
;;
SELECT STREAM ticker, price, a10, a50
FROM (
  SELECT STREAM ticker, price, a10, a50, side,
    first_value(side) OVER previousRow AS previousSide
  FROM (
    SELECT STREAM ticker, price, a10, a50,
      CASE WHEN a10 < a50 THEN -1 WHEN a10 = a50 THEN 0 ELSE 1 END AS side
    FROM (
      SELECT STREAM ticker, price,
        avg(price) OVER last10Minutes AS a10,
        avg(price) OVER last50Minutes AS a50
      FROM Trades
      WINDOW
        last10minutes AS (PARTITION BY ticker RANGE INTERVAL '10' MINUTE PRECEDING),
        last50minutes AS (PARTITION BY ticker RANGE INTERVAL '50' MINUTE PRECEDING)))
  WINDOW previousRow AS (PARTITION BY ticker ROWS 1 PRECEDING))
WHERE previousSide != side
;;
SELECT SUM(x) OVER (
  ORDER BY t
  range between interval '1' second preceding and interval '0' second preceding) FROM s
;;
INSERT EXPEDITED INTO Logger("TIMESTAMP", level, message) VALUES (?, ?, ?)
;;
DROP FOREIGN STREAM streamname;
;;
INSERT into foo (x, y) VALUES(101, 118);
;;
SELECT STREAM rowtime, (x + y), z from foo where z > 12;
;;
SELECT STREAM rowtime + INTERVAL '0.100' SECOND AS rowtime, x FROM foo
;;
CREATE STREAM Orders (ticker VARCHAR(10));
;;
SELECT STREAM ROWTIME, o.orderId, o.ticker, o.amount AS orderAmount, t.amount AS tradeAmount
FROM Orders AS o
JOIN Trades OVER (RANGE INTERVAL '10' MINUTE FOLLOWING) AS t
ON o.orderId = t.orderId
;;
SELECT STREAM ROWTIME, o.orderId, o.ticker, o.amount AS orderAmount, t.ticker, t.tradeId,
  t.amount AS tradeAmount
FROM Orders AS o
FULL OUTER JOIN Trades OVER (RANGE INTERVAL '10' MINUTE FOLLOWING) AS t
ON o.orderId = t.orderId
;;
CREATE STREAM Orders (
  rowtime TIMESTAMP(3) ASCENDING,
  orderId INTEGER ASCENDING STRICT,
  productId INTEGER,
  units INTEGER CHECK (units BETWEEN 1 AND 1000)) WITH HISTORY INTERVAL '24' HOUR
;;
CREATE TABLE ProductVersions (
  productId INTEGER, name VARCHAR(20), unitPrice DECIMAL(8, 2),
  startDate TIMESTAMP(3), endDate TIMESTAMP(3), PERIOD (startDate, endDate))
;;
COMMIT
"""

#: Each reads as one statement.
STATEMENTS: Final = tuple(each.strip() for each in _GOOD.split("\n;;\n"))
