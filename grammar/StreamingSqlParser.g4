/*
 * The sentences of streaming SQL.
 *
 * Written so that almost every choice needs one or two words of lookahead, and so that only
 * brackets, CASE and EXPLAIN nest: all else is a loop.  Where a text has two readings, the
 * alternative that stands first wins; each such place says so.
 */
parser grammar StreamingSqlParser;

options { tokenVocab = StreamingSqlLexer; }

// --- 1. Whole texts ---------------------------------------------------------------------------

script: SEMICOLON* (statement (SEMICOLON+ statement)*)? SEMICOLON* EOF;
singleStatement: statement SEMICOLON? EOF;
singleQuery: query SEMICOLON? EOF;
singleExpression: expression EOF;

statement
    : query
    | createSchema
    | createStream
    | createTable
    | createView
    | createPump
    | createFunction
    | drop
    | alterPump
    | insert
    | update
    | delete
    | merge
    | explain
    | setOption
    | transaction
    ;

// --- 2. Queries -------------------------------------------------------------------------------

query: withClause? queryBody orderBy? limit? emit?;

// At the end of the whole query; the binder refuses it elsewhere.
emit: EMIT (CHANGES | AFTER WATERMARK);

withClause: WITH RECURSIVE? commonTable (COMMA commonTable)*;
commonTable: identifier columnList? AS LPAREN query RPAREN;

// INTERSECT binds tighter than UNION and EXCEPT; all associate to the left.
queryBody: queryTerm ((UNION | EXCEPT | MINUS_) (ALL | DISTINCT)? queryTerm)*;
queryTerm: queryPrimary (INTERSECT (ALL | DISTINCT)? queryPrimary)*;
queryPrimary
    : select
    | values
    | explicitTable
    | LPAREN query RPAREN
    ;

explicitTable: TABLE qualifiedName;

// A row `(1, 'a')` is a row value among the expressions.
values: VALUES expression (COMMA expression)*;

select
    : SELECT STREAM? (ALL | DISTINCT)? selectItem (COMMA selectItem)*
      (fromClause whereClause? groupBy? havingClause? windowClause? qualifyClause?)?
    ;

selectItem
    : STAR
    | qualifiedName DOT STAR
    | expression (AS identifier | bareAlias)?
    ;

whereClause: WHERE expression;
havingClause: HAVING expression;
windowClause: WINDOW namedWindow (COMMA namedWindow)*;
qualifyClause: QUALIFY expression;
namedWindow: identifier AS LPAREN windowBody RPAREN;

orderBy: ORDER BY sortItem (COMMA sortItem)*;
// WITHIN makes a t-sort; it may stand on either side of the direction.
sortItem: expression within? (ASC | DESC)? (NULLS (FIRST | LAST))? within?;
within: WITHIN additive;

limit
    : LIMIT limitCount (OFFSET additive (ROW | ROWS)?)?
    | LIMIT additive COMMA additive
    | OFFSET additive (ROW | ROWS)? (LIMIT limitCount | fetch)?
    | fetch
    ;
limitCount: ALL | additive;
fetch: FETCH (FIRST | NEXT) additive? (ROW | ROWS) (ONLY | WITH TIES);

// --- 3. FROM ----------------------------------------------------------------------------------

fromClause: FROM fromList;
fromList: fromItem (COMMA fromItem)*;
fromItem: fromPrimary join*;

join
    : CROSS JOIN fromPrimary
    | NATURAL joinKind? JOIN fromPrimary
    | joinKind? ASOF JOIN fromPrimary matchCondition? (ON expression | USING columnList)?
    | joinKind? JOIN fromPrimary (ON expression | USING columnList)
    ;
matchCondition: MATCH_CONDITION expression;
joinKind: INNER | (LEFT | RIGHT | FULL) OUTER?;

// `((SELECT …))` is a sub-query in brackets of its own, not a bracketed FROM item; LATERAL before
// a bracket or a call is never a name.
fromPrimary
    : lateral
    | qualifiedName systemTime? overClause? tableAlias? overClause?
    | LPAREN query RPAREN overClause? tableAlias? overClause?
    | LPAREN fromList RPAREN
    | TABLE LPAREN tableCall RPAREN tableAlias?
    | TABLE? tableCall tableAlias?
    ;

// Of SQL, but not yet of this language.
lateral
    : LATERAL (LPAREN query RPAREN | TABLE LPAREN tableCall RPAREN | tableCall) tableAlias?
    ;

// All but a plain value stands in brackets: behind a call, OVER would be the call's.
systemTime: FOR SYSTEM_TIME AS OF instant;
instant: literal | QUESTION | parenthesized | currentTime | columnReference;
tableAlias: (AS identifier | bareAlias) columnList?;
columnList: LPAREN identifier (COMMA identifier)* RPAREN;

tableCall: qualifiedName LPAREN (tableArgument (COMMA tableArgument)*)? RPAREN;
// One partition key, or several as a row value, and one sort key: a comma begins the next argument.
// `(SELECT …)` is an expression, which stands for its rows where a function takes a table.
tableArgument
    : (identifier ARROW)? (TABLE (qualifiedName | LPAREN query RPAREN) | expression)
      (PARTITION BY expression)? (ORDER BY sortItem)?
    ;

// --- 4. GROUP BY ------------------------------------------------------------------------------

groupBy: GROUP BY groupItem (COMMA groupItem)*;

// `(a, b)` is a grouping set of two keys, not a row value.
groupItem
    : LPAREN RPAREN
    | LPAREN groupExpression (COMMA groupExpression)+ RPAREN
    | GROUPING SETS LPAREN groupItem (COMMA groupItem)* RPAREN
    | (CUBE | ROLLUP) LPAREN groupItem (COMMA groupItem)* RPAREN
    | groupExpression
    ;
groupExpression: expression within?;

// --- 5. Windows -------------------------------------------------------------------------------

overClause: OVER window;

// `w (RANGE …)` reads as `(w RANGE …)`.
window
    : identifier (LPAREN windowBody RPAREN)?
    | LPAREN windowBody RPAREN
    ;
windowBody: identifier? (partitionBy orderBy? | orderBy partitionBy?)? frame?;
partitionBy: PARTITION BY expression (COMMA expression)*;

frame
    : (ROWS | RANGE | GROUPS) (frameBound | BETWEEN frameBound AND frameBound) frameExclusion?
    ;
frameExclusion: EXCLUDE (CURRENT ROW | GROUP | TIES | NO OTHERS);
frameBound
    : UNBOUNDED (PRECEDING | FOLLOWING)
    | CURRENT ROW
    | frameOffset (PRECEDING | FOLLOWING)
    ;
// `10 MINUTE` reads as INTERVAL '10' MINUTE.
frameOffset: (INTEGER | DECIMAL) intervalQualifier | additive;

// --- 6. Expressions, loosest operator first ---------------------------------------------------

expression: conjunction (OR conjunction)*;
conjunction: negation (AND negation)*;
negation: NOT* predicate;

// Tests follow their operand and associate to the left: `a = b IS TRUE` is `(a = b) IS TRUE`.
predicate: additive test*;
test
    : comparison
    | isTest
    | NOT? (between | like | inTest)
    ;
// `= SOME ((SELECT …))` asks the sub-query, it is not the aggregate of a scalar one.
comparison: comparisonOperator ((ALL | ANY | SOME) LPAREN query RPAREN | additive);
comparisonOperator: EQUAL | NOT_EQUAL | LESS | LESS_OR_EQUAL | GREATER | GREATER_OR_EQUAL;
isTest: IS NOT? (NULL | TRUE | FALSE | UNKNOWN | DISTINCT FROM additive);
between: BETWEEN (SYMMETRIC | ASYMMETRIC)? additive AND additive;
like: (LIKE | SIMILAR TO) additive (ESCAPE additive)?;
// `IN ((SELECT …))` asks the sub-query, it is not a list of one scalar sub-query.
inTest: IN LPAREN (query | expression (COMMA expression)*) RPAREN;

additive: multiplicative ((PLUS | DASH) multiplicative)*;
multiplicative: signed ((STAR | SLASH | PERCENT | CONCAT) signed)*;
signed: (PLUS | DASH)* primary;

primary
    : literal
    | intervalLiteral
    | QUESTION
    | scalarQuery
    | parenthesized
    | EXISTS LPAREN query RPAREN
    | rowValue
    | caseExpression
    | cast
    | extract
    | round
    | step
    | timestampCall
    | substring
    | position
    | trim
    | overlay
    | currentTime
    | monotonic
    | functionCall
    | columnReference
    ;

scalarQuery: LPAREN query RPAREN;

// One expression, a row value of several, or with a qualifier the distance of two times.
parenthesized: LPAREN expression (COMMA expression)* RPAREN intervalQualifier?;
rowValue: ROW LPAREN expression (COMMA expression)* RPAREN;

caseExpression: CASE expression? whenClause+ (ELSE expression)? END;
whenClause: WHEN expression THEN expression;

cast: CAST LPAREN expression AS dataType RPAREN;
extract: EXTRACT LPAREN timeUnit FROM expression RPAREN;
round: (FLOOR | CEIL | CEILING) LPAREN expression (TO timeUnit)? RPAREN;
step: STEP LPAREN expression BY expression RPAREN;
timestampCall
    : (TIMESTAMPADD | TIMESTAMPDIFF) LPAREN timestampUnit COMMA expression COMMA expression RPAREN
    ;
// YEAR to SECOND, also spelled SQL_TSI_YEAR to SQL_TSI_SECOND.
timestampUnit: identifier;
substring
    : SUBSTRING LPAREN expression
      (FROM expression (FOR expression)? | COMMA expression (COMMA expression)?) RPAREN
    ;
position: POSITION LPAREN additive IN additive RPAREN;
trim
    : TRIM LPAREN (BOTH | LEADING | TRAILING) additive? FROM additive RPAREN
    | TRIM LPAREN additive (FROM additive)? RPAREN
    ;
overlay
    : OVERLAY LPAREN expression PLACING expression FROM expression (FOR expression)? RPAREN
    ;
currentTime
    : (CURRENT_DATE | CURRENT_TIME | CURRENT_TIMESTAMP | LOCALTIME | LOCALTIMESTAMP)
      (LPAREN INTEGER RPAREN)?
    ;
monotonic: MONOTONIC LPAREN expression RPAREN;

columnReference: qualifiedName;

// `STRING_AGG(x, ',' ORDER BY y)` reads as `STRING_AGG(x, ',') WITHIN GROUP (ORDER BY y)`.
functionCall
    : functionName LPAREN
      (STAR | (ALL | DISTINCT)? expression (COMMA expression)* orderBy?)? RPAREN
      nullTreatment? withinGroup? filterClause? nullTreatment? overClause?
    ;
// A word with a call syntax of its own is a function's name only behind a qualifier.
// The aggregate SOME is the one function whose name is reserved.
functionName: plainName | SOME | identifier (DOT identifier)+;
nullTreatment: (RESPECT | IGNORE) NULLS;
withinGroup: WITHIN GROUP LPAREN orderBy RPAREN;
filterClause: FILTER LPAREN WHERE expression RPAREN;

// --- 7. Literals, types, names ----------------------------------------------------------------

literal
    : INTEGER
    | DECIMAL
    | STRING
    | BINARY
    | TRUE
    | FALSE
    | UNKNOWN
    | NULL
    | (DATE | TIME | TIMESTAMP) STRING
    ;

intervalLiteral: INTERVAL (PLUS | DASH)? (STRING | INTEGER | DECIMAL) intervalQualifier;
// `FLOOR(t - INTERVAL '1 2' DAY TO HOUR)`: TO belongs to the interval, where it can.  In
// `FLOOR(t - INTERVAL '90' SECOND TO MINUTE)` it cannot.  The last alternative is refused later, in words.
intervalQualifier
    : YEAR leadingDigits? TO MONTH fractionDigits?
    | DAY leadingDigits? TO (HOUR | MINUTE | SECOND) fractionDigits?
    | HOUR leadingDigits? TO (MINUTE | SECOND) fractionDigits?
    | MINUTE leadingDigits? TO SECOND fractionDigits?
    | intervalUnit leadingDigits?
    | intervalUnit leadingDigits? TO intervalUnit fractionDigits?
    ;
leadingDigits: LPAREN INTEGER (COMMA INTEGER)? RPAREN;
fractionDigits: LPAREN INTEGER RPAREN;
intervalUnit: YEAR | QUARTER | MONTH | WEEK | DAY | HOUR | MINUTE | SECOND;
timeUnit
    : intervalUnit
    | MILLISECOND
    | EPOCH
    | DECADE
    | CENTURY
    | MILLENNIUM
    | ISOYEAR
    | DOW
    | ISODOW
    | DOY
    ;

dataType
    : DATE
    | (TIME | TIMESTAMP) (LPAREN INTEGER RPAREN)? ((WITH | WITHOUT) TIME ZONE)?
    | INTERVAL intervalQualifier
    | identifier (PRECISION | VARYING)? (LPAREN INTEGER (COMMA INTEGER)? RPAREN)?
    ;

qualifiedName: identifier (DOT identifier)*;

identifier: plainName | callWord;
plainName: IDENTIFIER | QUOTED_IDENTIFIER | bareWord | boundWord;
/** A name behind an expression or a FROM item, without AS. */
bareAlias: IDENTIFIER | QUOTED_IDENTIFIER | bareWord | callWord;

// Words with a call syntax of their own: names, unless a bracket follows.
callWord
    : CEIL
    | CEILING
    | CUBE
    | EXTRACT
    | FLOOR
    | MONOTONIC
    | OPTIONS
    | OVERLAY
    | POSITION
    | ROLLUP
    | ROW
    | STEP
    | SUBSTRING
    | TIMESTAMPADD
    | TIMESTAMPDIFF
    | TRIM
    ;

// Names everywhere, but as an alias only behind AS: something else may follow there.
boundWord
    : ALTER
    | ASC
    | ASOF
    | COMMIT
    | CREATE
    | DAY
    | DELETE
    | DESC
    | DROP
    | EMIT
    | ESCAPE
    | EXPLAIN
    | FETCH
    | FILTER
    | HOUR
    | IGNORE
    | INSERT
    | LATERAL
    | LIMIT
    | MATCH_CONDITION
    | MATCH_RECOGNIZE
    | MERGE
    | MINUS_
    | MINUTE
    | MONTH
    | OFFSET
    | QUALIFY
    | QUARTER
    | RESPECT
    | ROLLBACK
    | SAVEPOINT
    | SECOND
    | SET
    | SIMILAR
    | UPDATE
    | UPSERT
    | WEEK
    | WITHIN
    | YEAR
    ;

// Names everywhere.
bareWord
    : AFTER
    | ASCENDING
    | ASYMMETRIC
    | BOTH
    | CASCADE
    | CENTURY
    | CHANGES
    | CHECK
    | CURRENT
    | DECADE
    | DEFAULT
    | DESCENDING
    | DOW
    | DOY
    | EPOCH
    | EXCLUDE
    | EXPEDITED
    | FIRST
    | FOLLOWING
    | FOREIGN
    | FUNCTION
    | GROUPING
    | GROUPS
    | HISTORY
    | IF
    | ISODOW
    | ISOYEAR
    | KEY
    | LAST
    | LEADING
    | MATCHED
    | MILLENNIUM
    | MILLISECOND
    | NEXT
    | NO
    | NULLS
    | OF
    | ONLY
    | OTHERS
    | PARTITION
    | PERIOD
    | PLACING
    | PLAN
    | PRECEDING
    | PRECISION
    | PRIMARY
    | PUMP
    | PUNCTUATED
    | RANGE
    | RECURSIVE
    | REPLACE
    | RESTRICT
    | RETURN
    | RETURNS
    | ROWS
    | SCHEMA
    | SETS
    | START
    | STARTED
    | STOP
    | STOPPED
    | STRICT
    | SYMMETRIC
    | SYSTEM_TIME
    | TIES
    | TRAILING
    | UNBOUNDED
    | VARYING
    | VIEW
    | WATERMARK
    | WITHOUT
    | WORK
    | ZONE
    ;

// --- 8. CREATE, DROP, ALTER -------------------------------------------------------------------

orReplace: OR REPLACE;

createSchema: CREATE orReplace? SCHEMA qualifiedName;
createStream
    : CREATE orReplace? FOREIGN? STREAM qualifiedName tableElements?
      (history | changes | optionList)*
    ;
createTable: CREATE orReplace? TABLE qualifiedName tableElements;
createView: CREATE orReplace? VIEW qualifiedName columnList? AS query;
createPump
    : CREATE orReplace? PUMP qualifiedName (STARTED | STOPPED)? AS
      (insert | update | delete | merge)
    ;
createFunction
    : CREATE orReplace? FUNCTION qualifiedName
      LPAREN (functionParameter (COMMA functionParameter)*)? RPAREN
      RETURNS dataType RETURN expression
    ;
functionParameter: identifier dataType;

history: WITH HISTORY additive?;
changes: WITH CHANGES (KEY columnList)?;
optionList: OPTIONS LPAREN option (COMMA option)* RPAREN;
option: identifier additive;

tableElements: LPAREN tableElement (COMMA tableElement)* RPAREN;
// `PRIMARY KEY`, `PERIOD (`, `CHECK (` and `WATERMARK FOR` begin a constraint, not a column.
tableElement: tableConstraint | columnDefinition;
tableConstraint
    : PRIMARY KEY columnList
    | PERIOD (FOR SYSTEM_TIME)? columnList
    | checkConstraint
    | WATERMARK FOR identifier AS additive
    ;
columnDefinition: identifier dataType columnOption*;
columnOption
    : NOT NULL
    | PRIMARY KEY
    | columnOrder
    | DEFAULT additive
    | checkConstraint
    | FROM STRING
    | optionList
    ;
checkConstraint: CHECK LPAREN expression RPAREN;
columnOrder: (ASCENDING | DESCENDING) STRICT? disorder?;
disorder: WITHIN INTEGER (ROW | ROWS) | WITHIN additive | PUNCTUATED;

objectKind: SCHEMA | FOREIGN? STREAM | TABLE | VIEW | PUMP | FUNCTION;
drop: DROP objectKind (IF EXISTS)? qualifiedName (CASCADE | RESTRICT)?;
alterPump: ALTER PUMP qualifiedName (START | STOP);

// --- 9. INSERT, UPDATE, DELETE, MERGE ---------------------------------------------------------

insert: (INSERT EXPEDITED? | UPSERT) INTO qualifiedName columnList? query;
update: UPDATE qualifiedName tableAlias? SET assignment (COMMA assignment)* whereClause?;
assignment: identifier EQUAL expression;
delete: DELETE FROM qualifiedName tableAlias? whereClause?;
merge: MERGE INTO qualifiedName tableAlias? USING fromPrimary ON expression mergeClause+;
mergeClause
    : WHEN NOT? MATCHED (AND expression)? THEN (mergeUpdate | mergeDelete | mergeInsert)
    ;
mergeUpdate: UPDATE SET assignment (COMMA assignment)*;
mergeDelete: DELETE;
mergeInsert
    : INSERT columnList? VALUES LPAREN expression (COMMA expression)* RPAREN
    ;

// --- 10. The rest -----------------------------------------------------------------------------

explain: EXPLAIN (PLAN FOR)? statement;
setOption: SET qualifiedName EQUAL? additive;
transaction
    : COMMIT WORK?
    | ROLLBACK WORK? (TO SAVEPOINT identifier)?
    | SAVEPOINT identifier
    ;
