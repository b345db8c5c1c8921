-- EXISTS in the condition of a LEFT JOIN fails.
-- Documentation, Expressions, Functions and Operators: "[NOT] EXISTS (<query>)" is an operator, and SELECT has
-- "JOIN from_item [ ON join_condition ]".  Bob comes after Ann, and nobody after Bob.
-- Expected: (Sales, Ann), (Empty, NULL).  Actual (5.7.0): field ordinal [5] out of range
CREATE MAPPING m (__key INT, deptno INT, name VARCHAR, loc VARCHAR) TYPE IMap
  OPTIONS ('keyFormat' = 'int', 'valueFormat' = 'compact', 'valueCompactTypeName' = 'm');
CREATE MAPPING e (__key INT, name VARCHAR, deptno INT) TYPE IMap
  OPTIONS ('keyFormat' = 'int', 'valueFormat' = 'compact', 'valueCompactTypeName' = 'e');
INSERT INTO m VALUES (0, 1, 'Sales', 'Rome'), (1, 2, 'Empty', 'Oslo');
INSERT INTO e VALUES (10, 'Ann', 1), (11, 'Bob', 1);
SELECT d.name, e.name FROM m AS d
LEFT JOIN e ON e.deptno = d.deptno AND EXISTS (SELECT 1 FROM e AS x WHERE x.__key = e.__key + 1);
