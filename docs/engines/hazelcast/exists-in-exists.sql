-- An EXISTS within an EXISTS that names a column of the outermost query forgets this condition.
-- SQL:2016 (ISO/IEC 9075-2), 8.10, exists predicate: true if the subquery has a row.  Of Empty, the employee after Cid is Dan,
-- who is not in Empty.
-- Expected: (Sales).  Actual (5.7.0): (Sales), (Empty)
CREATE MAPPING m (__key INT, deptno INT, name VARCHAR, loc VARCHAR) TYPE IMap
  OPTIONS ('keyFormat' = 'int', 'valueFormat' = 'compact', 'valueCompactTypeName' = 'm');
CREATE MAPPING e (__key INT, name VARCHAR, deptno INT) TYPE IMap
  OPTIONS ('keyFormat' = 'int', 'valueFormat' = 'compact', 'valueCompactTypeName' = 'e');
INSERT INTO m VALUES (0, 1, 'Sales', 'Rome'), (1, 2, 'Empty', 'Oslo');
INSERT INTO e VALUES (10, 'Ann', 1), (11, 'Bob', 1), (20, 'Cid', 2), (21, 'Dan', 3);
SELECT d.name FROM m AS d WHERE EXISTS (SELECT 1 FROM e WHERE e.deptno = d.deptno
  AND EXISTS (SELECT 1 FROM e AS b WHERE b.__key = e.__key + 1 AND b.deptno = d.deptno));
