-- COUNT of two columns counts all rows, and COUNT(DISTINCT x, y) the first column alone.
-- Documentation, Expressions, Functions and Operators: COUNT(field) is the "number of input rows in which the field is not
-- null"; there is no COUNT of several fields.
-- Expected: an error (or 2, the rows in which neither is null; or 3 distinct pairs).  Actual (5.7.0): 5; 2
SELECT COUNT(x, y) AS c FROM (VALUES (1, 1), (1, NULL), (NULL, 1), (NULL, NULL), (2, 2)) AS t (x, y);
SELECT COUNT(DISTINCT x, y) AS c FROM (VALUES (1, 1), (1, 1), (1, 2), (2, 1), (1, NULL), (NULL, 1)) AS t (x, y);
