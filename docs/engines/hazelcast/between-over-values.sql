-- BETWEEN over a column of VALUES with dates fails.
-- Documentation, Expressions, Functions and Operators: BETWEEN "Returns TRUE if X is within the given range of Y and Z".
-- Expected: true, false.  Actual (5.7.0): Cannot create literal for type 'UNKNOWN'
SELECT d BETWEEN DATE '1969-12-31' AND DATE '1970-01-01' AS b
FROM (VALUES (DATE '1970-01-01'), (DATE '1970-01-02')) AS t (d);
