-- At each departure, how many there were at its origin in the day before it, and their mean delay.
SELECT STREAM rowtime, origin, COUNT(*) OVER aday AS departures, AVG(delay) OVER aday AS delay
FROM Departures
WINDOW aday AS (PARTITION BY origin ORDER BY rowtime RANGE INTERVAL '1' DAY PRECEDING)
