-- A character beyond U+FFFF counts as two, and SUBSTRING gives half of it.
-- SQL:2016 (ISO/IEC 9075-2), 6.30, CHARACTER_LENGTH is the number of characters of the text; documentation, Expressions,
-- Functions and Operators: LENGTH is the "Length of the string".
-- Expected: (1, 3, the character itself).  Actual (5.7.0): (2, 4, half of a surrogate pair)
SELECT CHAR_LENGTH('😀'), POSITION('c' IN 'a😀c'), SUBSTRING('a😀c' FROM 2 FOR 1);
