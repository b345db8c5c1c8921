// A small streaming engine behind the kit's protocol: filter, project, and aggregates by TUMBLE.
// It goes by watermarks: a window is emitted when the bound of the stream has reached its end.
import { readFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

const HELLO = JSON.parse(readFileSync(new URL('hello.json', import.meta.url), 'utf8'));

class Unsupported extends Error {}

// --- Values are those of the wire, but a TIMESTAMP is a count of milliseconds ---

const millis = (text) => Date.parse(`${text.replace(' ', 'T')}Z`);
const timestamp = (ms) => new Date(ms).toISOString().replace('T', ' ').replace(/(\.000)?Z$/, '');
const FAMILIES = { SMALLINT: 'number', INTEGER: 'number', TIMESTAMP: 'time', VARCHAR: 'text' };
const family = (column) => FAMILIES[column.type.match(/^\w+/)[0]];
const isTime = (column) => family(column) === 'time';
const LIMITS = { SMALLINT: 2 ** 15, INTEGER: 2 ** 31 };
const fits = (v, { type, nullable }) => (v === null ? nullable : {
  number: () => Number.isInteger(v) && -LIMITS[type] <= v && v < LIMITS[type],
  text: () => typeof v === 'string' && [...v].length <= (type.match(/\d+/) ?? [Infinity])[0],
  time: () => /^[^.]{19}(\.\d{1,9})?$/.test(v) && !Number.isNaN(millis(v)),
}[family({ type })]());

// --- SQL: a script as columns by stream; a query as a plan ---

const oneLine = (sql) => sql.replace(/--.*|[\s;]+$/g, ' ').replace(/\s+/g, ' ').trim();
const parts = (list) => list.split(/,(?![^(]*\))/).map((part) => part.trim());
const folded = (name = '') => name.toUpperCase();

function streamsOf(ddl) {
  const scripts = oneLine(ddl).split(';').map((text) => text.trim()).filter(Boolean);
  return Object.fromEntries(scripts.map((text) => {
    const found = /^CREATE STREAM (\w+) \((.*)\)( WITH HISTORY)?$/i.exec(text);
    if (!found) throw new Unsupported('a script with more than CREATE STREAM');
    return [folded(found[1]), parts(found[2]).map(columnOf)];
  }));
}

function columnOf(text) {
  const found = /^(\w+) (\w+(?:\(\d+\))?)( ASCENDING)?( NOT NULL)?$/i.exec(text);
  if (!found || !family({ type: folded(found[2]) })) throw new Unsupported('such a column');
  const [, name, type, ordered, required] = found;
  return { name: folded(name), type: folded(type), ordered, nullable: !ordered && !required };
}

function planOf(sql, streams) {
  const query = /^SELECT STREAM (.+?) FROM (\w+)(?: WHERE (.+?))?(?: GROUP BY (.+))?$/i;
  const [, items, input, where, groups] = query.exec(oneLine(sql ?? '')) ?? [];
  const columns = streams[folded(input)];
  if (!columns) throw new Unsupported('more than SELECT STREAM, WHERE and GROUP BY');
  const clock = columns.findIndex((column) => column.ordered && isTime(column));
  const window = groups && windowOf(parts(groups)[0], columns[clock]);
  const keys = groups ? parts(groups).slice(1).map((key) => columnNamed(key, columns)) : [];
  const listed = items === '*' ? columns.map((column) => column.name) : parts(items);
  const select = listed.map((item) => {
    const [, text, name] = /^(.+?)(?: AS (\w+))?$/i.exec(item);
    const found = window ? ofGroup(text, window, keys, columns) : columnNamed(text, columns);
    return { ...found, name: folded(name) || found.name || 'EXPR' };
  });
  const passes = where ? conditionOf(where, columns) : () => 1;
  return { input: folded(input), columns, clock, window, keys, passes, select };
}

function columnNamed(name, columns) {
  const place = columns.findIndex((column) => column.name === folded(name));
  if (place < 0) throw new Unsupported('an expression that is not a column');
  return { ...columns[place], value: (row) => row[place] };
}

const UNITS = { SECOND: 1000, MINUTE: 60_000, HOUR: 3_600_000, DAY: 86_400_000 };

function windowOf(text, time) {
  const found = /^TUMBLE ?\((\w+), INTERVAL '([1-9]\d*)' (SECOND|MINUTE|HOUR|DAY)\)$/i.exec(text);
  if (!found || folded(found[1]) !== time?.name) throw new Unsupported('such a group');
  return { of: folded(text).slice('TUMBLE'.length), size: found[2] * UNITS[folded(found[3])] };
}

function ofGroup(text, window, keys, columns) {
  const edges = { [`TUMBLE_START${window.of}`]: 'start', [`TUMBLE_END${window.of}`]: 'end' };
  const edge = edges[folded(text)];
  if (edge) return { type: 'TIMESTAMP(3)', nullable: false, value: (group) => group[edge] };
  if (/^COUNT\(\*\)$/i.test(text)) {
    return { type: 'BIGINT', nullable: false, value: (group) => group.rows.length };
  }
  const [, summed] = /^SUM\((\w+)\)$/i.exec(text) ?? [];
  if (summed) {
    const { value, nullable } = columnNamed(summed, columns);
    return { type: 'BIGINT', nullable, value: (group) => {
      const known = group.rows.map(value).filter((each) => each !== null);
      return known.length ? known.reduce((a, b) => a + b) : null;
    } };
  }
  const place = keys.findIndex((key) => key.name === folded(text));
  if (place < 0) throw new Unsupported('an aggregate besides COUNT(*) and SUM');
  return { ...keys[place], value: (group) => group.keys[place] };
}

// A condition as a function to 1 (true), 0.5 (unknown) or 0 (false).
function conditionOf(text, columns) {
  const [, inner] = /^NOT \((.+)\)$/i.exec(text) ?? [];
  if (inner) return (row) => 1 - conditionOf(inner, columns)(row);
  const [, ranged, low, high] = /^(\w+) BETWEEN (\S+) AND (\S+)$/i.exec(text) ?? [];
  if (ranged) {
    const ends = [[ranged, '>=', low], [ranged, '<=', high]].map((e) => comparison(e, columns));
    return (row) => Math.min(...ends.map((end) => end(row)));
  }
  const [, left, op, right] = /^(\w+) ?(=|<>|<=|>=|<|>) ?(.+)$/.exec(text) ?? [];
  if (!left) throw new Unsupported('such a condition');
  return comparison([left, op, right], columns);
}

const COMPARE = { '=': (a, b) => a === b, '<>': (a, b) => a !== b, '<': (a, b) => a < b,
  '<=': (a, b) => a <= b, '>': (a, b) => a > b, '>=': (a, b) => a >= b };

function comparison([name, op, literal], columns) {
  const { value, ...column } = columnNamed(name, columns);
  const [, number, text] = /^(?:(\d+)|'([^']*)')$/.exec(literal) ?? [];
  const kind = number ? 'number' : text && 'text';
  if (family(column) !== kind) throw new Unsupported('such a literal');
  const right = number ? Number(number) : text;
  return (row) => (value(row) === null ? 0.5 : Number(COMPARE[op](value(row), right)));
}

// --- A plan that runs: rows and bounds in, rows out ---

class Query {
  constructor(plan) {
    Object.assign(this, plan, { bound: -Infinity, fed: 0, groups: new Map(), out: [], late: [] });
  }

  take(wire) {
    const place = this.fed++, { columns, input } = this;
    const drop = (code, reason) => this.late.push({ input, row: wire, place, code, reason });
    if (wire.length !== columns.length || !wire.every((value, i) => fits(value, columns[i]))) {
      return drop('BAD_ROW', 'a value is not of its column');
    }
    const row = wire.map((v, i) => (v !== null && isTime(columns[i]) ? millis(v) : v));
    const time = row[this.clock];
    if (time < this.bound) return drop('LATE', `below ${timestamp(this.bound)}`);
    this.advance(time);
    if (this.passes(row) !== 1) return undefined;
    return this.window ? this.group(row, time) : this.emit(row);
  }

  // Rows of a history have moved the bound of their stream.
  remember(rows) { rows.forEach((row) => this.advance(millis(row[this.clock]))); }

  group(row, time) {
    const { size } = this.window, start = Math.floor(time / size) * size;
    const keys = this.keys.map((key) => key.value(row)), id = JSON.stringify([start, keys]);
    if (!this.groups.has(id)) this.groups.set(id, { start, end: start + size, keys, rows: [] });
    this.groups.get(id).rows.push(row);
  }

  advance(bound) {
    this.bound = Math.max(this.bound, bound);
    const complete = [...this.groups].filter(([, group]) => group.end <= this.bound);
    for (const [id, group] of complete.sort(([, a], [, b]) => a.end - b.end)) {
      this.groups.delete(id);
      this.emit(group);
    }
  }

  emit(source) {
    this.out.push(this.select.map((item) => {
      const value = item.value(source);
      return value !== null && isTime(item) ? timestamp(value) : value;
    }));
  }
}

// --- The protocol: lines of JSON on standard input, answers on descriptor 3 ---

let query;
const unsupported = (reason) => ({ answer: 'unsupported', reason });
// An event of an input that the query does not read is done at once.
const isRead = ({ input }) => query && [undefined, null, query.input].includes(input);
const done = (f = () => {}) => (request) => (isRead(request) && f(request)) || { answer: 'done' };
const ANSWERS = {
  start: () => ({ answer: 'hello', ...HELLO }),
  open: ({ ddl, sql }) => {
    try {
      query = new Query(planOf(sql, streamsOf(ddl)));
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      return unsupported(error.message);
    }
    const columns = query.select.map(({ name, type, nullable }) => ({ name, type, nullable }));
    return { answer: 'accepted', streaming: true, columns };
  },
  load: ({ object, rows }) => done(() => query.remember(rows))({ input: object }),
  now: done(), stop: done(), close: done(() => { query = undefined; }),
  rows: done(({ rows }) => rows.forEach((row) => query.take(row))),
  bound: done(({ at, strict }) => {
    const bound = millis(at) + (strict ? 1 : 0);
    return bound < query.bound ? unsupported('no warnings of bounds') : query.advance(bound);
  }),
  end: done(() => query.advance(Infinity)),
  poll: () => ({ answer: 'output', rows: query.out.splice(0), late: query.late.splice(0) }),
  explain: () => ({ answer: 'text', text: '' }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { seq, request, ...fields } = JSON.parse(line);
  const given = ANSWERS[request]?.(fields) ?? unsupported(`no event ${request}`);
  const answer = Buffer.from(`${JSON.stringify({ seq, ...given })}\n`);
  for (let sent = 0; sent < answer.length;) sent += writeSync(3, answer, sent);
  if (request === 'stop') process.exit();
}
