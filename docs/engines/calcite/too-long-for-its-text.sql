-- The text of a number or a time is cut where it is too long for its type.
-- SQL-92 6.10, <cast specification>, general rules 6a and 6e: an exception is raised, "string data, right truncation"; only
-- a text is cut, with a warning (6c).
-- Expected: an error from each.  Actual (1.42.0): 123; 10:17
SELECT CAST(x AS VARCHAR(3)) AS s FROM (VALUES (12345)) AS t (x);
SELECT CAST(x AS VARCHAR(5)) AS s FROM (VALUES (TIME '10:17:00')) AS t (x);
