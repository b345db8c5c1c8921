/*
 * The words of streaming SQL.
 *
 * Letters of keywords match in either case.  Every text has a token stream: what is no token of the
 * language becomes one of the tokens of chapter 5 or the last one, which no rule of the parser takes, so that the
 * first fault of a text is reported wherever it lies.
 */
lexer grammar StreamingSqlLexer;

options { caseInsensitive = true; }

// --- 1. Reserved words: names only in double quotes -------------------------------------------
//
// A word is here only if a sentence would have two readings without it.

ALL: 'ALL';
AND: 'AND';
ANY: 'ANY';
AS: 'AS';
BETWEEN: 'BETWEEN';
BY: 'BY';
CASE: 'CASE';
CAST: 'CAST';
CROSS: 'CROSS';
CURRENT_DATE: 'CURRENT_DATE';
CURRENT_TIME: 'CURRENT_TIME';
CURRENT_TIMESTAMP: 'CURRENT_TIMESTAMP';
DATE: 'DATE';
DISTINCT: 'DISTINCT';
ELSE: 'ELSE';
END: 'END';
EXCEPT: 'EXCEPT';
EXISTS: 'EXISTS';
FALSE: 'FALSE';
FOR: 'FOR';
FROM: 'FROM';
FULL: 'FULL';
GROUP: 'GROUP';
HAVING: 'HAVING';
IN: 'IN';
INNER: 'INNER';
INTERSECT: 'INTERSECT';
INTERVAL: 'INTERVAL';
INTO: 'INTO';
IS: 'IS';
JOIN: 'JOIN';
LEFT: 'LEFT';
LIKE: 'LIKE';
LOCALTIME: 'LOCALTIME';
LOCALTIMESTAMP: 'LOCALTIMESTAMP';
NATURAL: 'NATURAL';
NOT: 'NOT';
NULL: 'NULL';
ON: 'ON';
OR: 'OR';
ORDER: 'ORDER';
OUTER: 'OUTER';
OVER: 'OVER';
RIGHT: 'RIGHT';
SELECT: 'SELECT';
SOME: 'SOME';
STREAM: 'STREAM';
TABLE: 'TABLE';
THEN: 'THEN';
TIME: 'TIME';
TIMESTAMP: 'TIMESTAMP';
TO: 'TO';
TRUE: 'TRUE';
UNION: 'UNION';
UNKNOWN: 'UNKNOWN';
USING: 'USING';
VALUES: 'VALUES';
WHEN: 'WHEN';
WHERE: 'WHERE';
WINDOW: 'WINDOW';
WITH: 'WITH';

// --- 2. Words with a meaning in places, names everywhere else ---------------------------------

AFTER: 'AFTER';
ALTER: 'ALTER';
ASC: 'ASC';
ASCENDING: 'ASCENDING';
ASOF: 'ASOF';
ASYMMETRIC: 'ASYMMETRIC';
BOTH: 'BOTH';
CASCADE: 'CASCADE';
CEIL: 'CEIL';
CEILING: 'CEILING';
CENTURY: 'CENTURY';
CHANGES: 'CHANGES';
CHECK: 'CHECK';
COMMIT: 'COMMIT';
CREATE: 'CREATE';
CUBE: 'CUBE';
CURRENT: 'CURRENT';
DAY: 'DAY';
DECADE: 'DECADE';
DEFAULT: 'DEFAULT';
DELETE: 'DELETE';
DESC: 'DESC';
DESCENDING: 'DESCENDING';
DOW: 'DOW';
DOY: 'DOY';
DROP: 'DROP';
EMIT: 'EMIT';
EPOCH: 'EPOCH';
ESCAPE: 'ESCAPE';
EXCLUDE: 'EXCLUDE';
EXPEDITED: 'EXPEDITED';
EXPLAIN: 'EXPLAIN';
EXTRACT: 'EXTRACT';
FETCH: 'FETCH';
FILTER: 'FILTER';
FIRST: 'FIRST';
FLOOR: 'FLOOR';
FOLLOWING: 'FOLLOWING';
FOREIGN: 'FOREIGN';
FUNCTION: 'FUNCTION';
GROUPING: 'GROUPING';
GROUPS: 'GROUPS';
HISTORY: 'HISTORY';
HOUR: 'HOUR';
IF: 'IF';
IGNORE: 'IGNORE';
INSERT: 'INSERT';
ISODOW: 'ISODOW';
ISOYEAR: 'ISOYEAR';
KEY: 'KEY';
LAST: 'LAST';
LATERAL: 'LATERAL';
LEADING: 'LEADING';
LIMIT: 'LIMIT';
MATCHED: 'MATCHED';
MATCH_CONDITION: 'MATCH_CONDITION';
MATCH_RECOGNIZE: 'MATCH_RECOGNIZE';
MERGE: 'MERGE';
MILLENNIUM: 'MILLENNIUM';
MILLISECOND: 'MILLISECOND';
MINUS_: 'MINUS';
MINUTE: 'MINUTE';
MONOTONIC: 'MONOTONIC';
MONTH: 'MONTH';
NEXT: 'NEXT';
NO: 'NO';
NULLS: 'NULLS';
OF: 'OF';
OFFSET: 'OFFSET';
ONLY: 'ONLY';
OPTIONS: 'OPTIONS';
OTHERS: 'OTHERS';
OVERLAY: 'OVERLAY';
PARTITION: 'PARTITION';
PERIOD: 'PERIOD';
PLACING: 'PLACING';
PLAN: 'PLAN';
POSITION: 'POSITION';
PRECEDING: 'PRECEDING';
PRECISION: 'PRECISION';
PRIMARY: 'PRIMARY';
PUMP: 'PUMP';
PUNCTUATED: 'PUNCTUATED';
QUALIFY: 'QUALIFY';
QUARTER: 'QUARTER';
RANGE: 'RANGE';
RECURSIVE: 'RECURSIVE';
REPLACE: 'REPLACE';
RESPECT: 'RESPECT';
RESTRICT: 'RESTRICT';
RETURN: 'RETURN';
RETURNS: 'RETURNS';
ROLLBACK: 'ROLLBACK';
ROLLUP: 'ROLLUP';
ROW: 'ROW';
ROWS: 'ROWS';
SAVEPOINT: 'SAVEPOINT';
SCHEMA: 'SCHEMA';
SECOND: 'SECOND';
SET: 'SET';
SETS: 'SETS';
SIMILAR: 'SIMILAR';
START: 'START';
STARTED: 'STARTED';
STEP: 'STEP';
STOP: 'STOP';
STOPPED: 'STOPPED';
STRICT: 'STRICT';
SUBSTRING: 'SUBSTRING';
SYMMETRIC: 'SYMMETRIC';
SYSTEM_TIME: 'SYSTEM_TIME';
TIES: 'TIES';
TIMESTAMPADD: 'TIMESTAMPADD';
TIMESTAMPDIFF: 'TIMESTAMPDIFF';
TRAILING: 'TRAILING';
TRIM: 'TRIM';
UNBOUNDED: 'UNBOUNDED';
UPDATE: 'UPDATE';
UPSERT: 'UPSERT';
VARYING: 'VARYING';
VIEW: 'VIEW';
WATERMARK: 'WATERMARK';
WEEK: 'WEEK';
WITHIN: 'WITHIN';
WITHOUT: 'WITHOUT';
WORK: 'WORK';
YEAR: 'YEAR';
ZONE: 'ZONE';

// --- 3. Signs ---------------------------------------------------------------------------------

LPAREN: '(';
RPAREN: ')';
COMMA: ',';
SEMICOLON: ';';
DOT: '.';
QUESTION: '?';
PLUS: '+';
DASH: '-';
STAR: '*';
SLASH: '/';
PERCENT: '%';
CONCAT: '||';
ARROW: '=>';
EQUAL: '=';
NOT_EQUAL: '<>' | '!=';
LESS: '<';
LESS_OR_EQUAL: '<=';
GREATER: '>';
GREATER_OR_EQUAL: '>=';

// --- 4. Literals and names --------------------------------------------------------------------

STRING: '\'' (~'\'' | '\'\'')* '\'';
BINARY: 'X\'' (~'\'' | '\'\'')* '\'';
INTEGER: DIGIT+;
DECIMAL: (DIGIT+ '.' DIGIT* | '.' DIGIT+) EXPONENT? | DIGIT+ EXPONENT;
IDENTIFIER: LETTER PART*;
QUOTED_IDENTIFIER: '"' (~'"' | '""')+ '"';

// --- 5. What is no word of the language -------------------------------------------------------

/** `1abc`: neither a number nor a name. */
MALFORMED_NUMBER: (DIGIT+ ('.' DIGIT*)? | '.' DIGIT+) EXPONENT? LETTER PART*;
EMPTY_NAME: '""';
UNTERMINATED_STRING: 'X'? '\'' (~'\'' | '\'\'')*;
UNTERMINATED_NAME: '"' (~'"' | '""')*;
UNTERMINATED_COMMENT: '/*' (~'*' | '*'+ ~[*/])* '*'*;
DOUBLE_EQUAL: '==';

// --- 6. What stands between the words ---------------------------------------------------------

SPACE: [ \t\r\n\u000B\u000C\u0085\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF]+
    -> channel(HIDDEN);
LINE_COMMENT: '--' ~[\r\n]* -> channel(HIDDEN);
BLOCK_COMMENT: '/*' .*? '*/' -> channel(HIDDEN);

// Last, for any other rule that takes one character goes before it.
STRANGE_CHARACTER: .;

fragment DIGIT: [0-9];
fragment EXPONENT: 'E' [+-]? DIGIT+;
fragment LETTER: [\p{L}_];
fragment PART: [\p{L}\p{M}\p{Nd}_$];
