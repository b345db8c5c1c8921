-- A column beside EXISTS over views is another one of the row, or the query fails.
-- Documentation, Expressions, Functions and Operators: "The EXISTS operator returns TRUE if a given subquery returns one or
-- more records".  The department of Sales is in Rome, and has Ann.
-- Expected: (Sales, true), (Empty, false); with loc (Sales, Rome, true), (Empty, Oslo, false).
-- Actual (5.7.0): (Rome, true), (Oslo, false); Index 3 out of bounds for length 3
CREATE MAPPING m (__key INT, deptno INT, name VARCHAR, loc VARCHAR) TYPE IMap
  OPTIONS ('keyFormat' = 'int', 'valueFormat' = 'compact', 'valueCompactTypeName' = 'm');
CREATE MAPPING e (__key INT, name VARCHAR, deptno INT) TYPE IMap
  OPTIONS ('keyFormat' = 'int', 'valueFormat' = 'compact', 'valueCompactTypeName' = 'e');
INSERT INTO m VALUES (0, 1, 'Sales', 'Rome'), (1, 2, 'Empty', 'Oslo');
INSERT INTO e VALUES (0, 'Ann', 1);
CREATE VIEW dept AS SELECT deptno, name, loc FROM m;
CREATE VIEW emp AS SELECT name, deptno FROM e;
SELECT d.name, EXISTS (SELECT 1 FROM emp WHERE emp.deptno = d.deptno) AS x FROM dept AS d;
SELECT d.name, d.loc, EXISTS (SELECT 1 FROM emp WHERE emp.deptno = d.deptno) AS x FROM dept AS d;
