SELECT STREAM * FORM Orders
SELECT STREAM rowtime units FROM Orders WHERE
SELECT DISTINCT STREAM productId FROM Orders
SELECT STREAM * FROM Oders
SELECT STREAM o.unit FROM Orders AS o
SELECT STREAM productId, COUNT(*) FROM Orders GROUP BY productId
SELECT STREAM * FROM Orders ORDER BY productId, rowtime
SELECT STREAM * FROM Orders ORDER BY rowtime LIMIT 3
SELECT * FROM Shipments
SELECT STREAM * FROM Products
SELECT STREAM * FROM (VALUES (1, 'abc'))
SELECT STREAM o.orderId FROM Orders AS o JOIN Shipments AS s ON o.orderId + 1 = s.orderId
SELECT STREAM * FROM Orders UNION ALL SELECT * FROM Orders
SELECT STREAM rowtime, SUM(units) FROM Orders GROUP BY FLOOR(rowtime TO HOUR)
SELECT STREAM TUMBLE_END(rowtime, INTERVAL '2' HOUR) AS rowtime FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR)
SELECT STREAM rowtime FROM Orders WHERE SUM(units) > 3
SELECT STREAM rowtime - rowtime AS d FROM Orders
SELECT rowtime, units + 'a' FROM Orders
SELECT STREAM rowtime, RANK() FROM Orders
SELECT STREAM rowtime, SUM(units) OVER (ORDER BY rowtime ROWS BETWEEN 1 FOLLOWING AND 2 PRECEDING) FROM Orders
SELECT STREAM * FROM Orders WHERE rowtime > TIMESTAMP '2015-02-30 00:00:00'
SELECT STREAM * FROM Orders WHERE rowtime > INTERVAL '1'
SELECT STREAM * FROM Orders WHERE name = 'it
SELECT STREAM NOW() FROM Orders
SELECT STREAM - rowtime AS rowtime FROM Orders
COMMIT
SELECT STREAM * FROM Orders EMIT FINAL
SELECT STREAM * FROM Orders WHERE orderId == 3
SELECT STREAM SUM(units) OVER w FROM Orders
SELECT CAST(rowtime AS INTEGER) FROM Orders
SELECT STREAM COUNT(*) AS c FROM Orders
SELECT STREAM productId, SUM(units) AS u FROM Orders GROUP BY productId HAVING SUM(units) > 10
SELECT STREAM FLOOR(rowtime TO HOUR) AS rowtime, productId, COUNT(*) AS c FROM Orders GROUP BY CUBE(FLOOR(rowtime TO HOUR), productId)
SELECT STREAM FLOOR(rowtime TO HOUR) AS rowtime, productId, COUNT(*) AS c FROM Orders GROUP BY ROLLUP(FLOOR(rowtime TO HOUR), productId)
SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime, productId, COUNT(*) AS c FROM Orders GROUP BY GROUPING SETS ((TUMBLE(rowtime, INTERVAL '1' HOUR), productId), (TUMBLE(rowtime, INTERVAL '1' HOUR)), ())
SELECT STREAM productId, COUNT(*) AS c FROM Orders GROUP BY CUBE(productId, units)
SELECT STREAM COUNT(*) AS c FROM Orders GROUP BY EXTRACT(HOUR FROM rowtime)
SELECT STREAM COUNT(*) AS c FROM Orders GROUP BY 'all'
SELECT STREAM MAX(units) AS m FROM Orders HAVING COUNT(*) > 3
SELECT STREAM productId, COUNT(*) AS c FROM (SELECT productId FROM Orders) AS o GROUP BY productId
SELECT STREAM p.name, COUNT(*) AS c FROM Orders AS o JOIN Products AS p ON o.productId = p.productId GROUP BY p.name
SELECT STREAM DISTINCT productId FROM Orders
SELECT STREAM DISTINCT productId, units FROM Orders WHERE units > 3
SELECT STREAM productId FROM Orders UNION SELECT STREAM orderId FROM Shipments
SELECT STREAM orderId FROM Orders INTERSECT SELECT STREAM orderId FROM Shipments
SELECT STREAM orderId FROM Orders EXCEPT SELECT STREAM orderId FROM Shipments
SELECT STREAM rowtime, orderId FROM Orders UNION ALL SELECT rowtime, orderId FROM Shipments
SELECT rowtime, orderId FROM Orders UNION ALL SELECT STREAM rowtime, orderId FROM Shipments
SELECT STREAM productId FROM Orders UNION ALL SELECT STREAM productId FROM Products
SELECT STREAM orderId FROM Shipments UNION ALL SELECT STREAM productId FROM Products
SELECT STREAM * FROM (SELECT orderId FROM Shipments UNION ALL VALUES (1))
SELECT STREAM * FROM Orders ORDER BY units DESC
SELECT STREAM * FROM Orders ORDER BY rowtime DESC
SELECT STREAM productId, units FROM Orders ORDER BY 2
SELECT STREAM rowtime, units * 2 AS d FROM Orders ORDER BY d
SELECT STREAM * FROM (SELECT * FROM Orders ORDER BY productId)
SELECT STREAM * FROM Orders FETCH FIRST 10 ROWS ONLY
SELECT STREAM * FROM Orders ORDER BY rowtime OFFSET 5 ROWS
SELECT STREAM * FROM (SELECT * FROM Orders LIMIT 5) AS o WHERE units > 1
SELECT STREAM rowtime, RANK() OVER (ORDER BY units DESC) AS r FROM Orders
SELECT STREAM rowtime, SUM(units) OVER (PARTITION BY productId ORDER BY units) AS u FROM Orders
SELECT STREAM rowtime, SUM(units) OVER (ORDER BY rowtime DESC) AS u FROM Orders
SELECT STREAM rowtime, SUM(units) OVER (ORDER BY rowtime ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS u FROM Orders
SELECT STREAM rowtime, NTILE(4) OVER w AS q FROM Orders WINDOW w AS (PARTITION BY productId ORDER BY rowtime)
SELECT STREAM rowtime, MEDIAN(units) OVER w AS m FROM Orders WINDOW w AS (ORDER BY rowtime)
SELECT STREAM rowtime, LAST_VALUE(units) OVER (ORDER BY rowtime RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS l FROM Orders
SELECT STREAM rowtime, LAG(units, productId) OVER (ORDER BY rowtime) AS l FROM Orders
SELECT STREAM o.rowtime, s.orderId FROM Orders AS o JOIN Shipments AS s ON o.orderId = s.orderId
SELECT STREAM o.rowtime FROM Orders AS o JOIN Shipments AS s ON o.orderId = s.orderId AND s.rowtime >= o.rowtime
SELECT STREAM o.rowtime FROM Orders AS o JOIN Shipments AS s ON o.orderId = s.orderId OR o.units = s.orderId
SELECT STREAM o.rowtime FROM Orders AS o, Shipments AS s WHERE o.orderId = s.orderId
SELECT STREAM o.rowtime FROM Orders AS o LEFT JOIN Shipments AS s USING (orderId)
SELECT STREAM o.rowtime, p.units FROM Orders AS o JOIN Orders AS p ON o.productId = p.productId
SELECT STREAM a.rowtime FROM (SELECT rowtime, orderId FROM Orders) AS a JOIN (SELECT orderId FROM Shipments) AS b ON a.orderId = b.orderId
SELECT STREAM ROWTIME FROM Orders OVER (RANGE UNBOUNDED PRECEDING) AS o JOIN Shipments AS s ON o.orderId = s.orderId
SELECT STREAM ROWTIME FROM Orders OVER (ORDER BY rowtime) AS o JOIN Shipments AS s ON o.orderId = s.orderId
SELECT STREAM p.name FROM Products AS p LEFT JOIN Orders AS o ON o.productId = p.productId
SELECT STREAM o.rowtime, p.name FROM Orders AS o FULL OUTER JOIN Products AS p ON o.productId = p.productId
SELECT STREAM o.rowtime, p.name FROM Orders AS o RIGHT JOIN Products AS p ON o.productId = p.productId
SELECT STREAM TIMESTAMP '2030-01-01 00:00:00' - (rowtime - TIMESTAMP '2015-01-01 00:00:00') SECOND AS rowtime FROM Orders
SELECT STREAM orderId AS rowtime, units FROM Orders
SELECT STREAM startDate AS rowtime, name FROM ProductVersions
SELECT STREAM * FROM Products AS p JOIN ProductVersions AS v ON p.productId = v.productId
SELECT STREAM 1 AS one
SELECT STREAM * FROM Orders WHERE orderId IN (SELECT orderId FROM Shipments)
SELECT STREAM o.rowtime FROM Orders AS o WHERE EXISTS (SELECT 1 FROM Shipments AS s WHERE s.orderId = o.orderId)
SELECT STREAM rowtime, (SELECT MAX(orderId) FROM Shipments) AS m FROM Orders
SELECT STREAM rowtime, units FROM Orders WHERE RAND() < 0.1
SELECT orderId, COUNT(*) AS c FROM Shipments GROUP BY orderId
SELECT p.name FROM Products AS p WHERE EXISTS (SELECT 1 FROM Shipments AS s WHERE s.orderId = p.productId)
