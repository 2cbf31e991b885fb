import { readFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import {
  bindStatement,
  findFunction,
  folderSettings,
  functionNames,
  openDuckDbEngine,
  openServices,
} from './built.mjs';
import { measureNatives } from './natives.mjs';
import { findMisses, targetText } from './price-reasons.mjs';
import { printTable } from './table.mjs';

// The price of each function: processor time a row over a column of values, as a multiple of md5 of a text in the same run.

/** @typedef {import('../../src/compiler/functions/definition.js').FunctionDefinition} FunctionDefinition */
/** @typedef {import('../../src/compiler/functions/definition.js').Signature} Signature */
/** @typedef {import('../../src/compiler/functions/definition.js').ArgumentPattern} ArgumentPattern */

/**
 * A call to measure.
 * @typedef {object} Call
 * @property {string} label
 * @property {(args: readonly string[]) => string} write
 * @property {((args: readonly string[]) => string) | undefined} writeSafe with SAFE.; undefined for aggregates
 * @property {boolean} [isAggregate]
 * @property {readonly (readonly string[])[]} rows literals, one for each argument that is a column
 */

/**
 * Nanoseconds a row; undefined where no value of the kind is known.
 * @typedef {object} Price
 * @property {string} label
 * @property {number | undefined} good
 * @property {number | undefined} bad with SAFE
 * @property {number | undefined} mixed with SAFE
 * @property {number | undefined} native of the nearest function of DuckDB
 */

const root = new URL('../..', import.meta.url).pathname;
/** @type {{ types: Record<string, string[]>, arguments: Record<string, string[][]>, named: Record<string, string> }} */
const values = JSON.parse(readFileSync(`${root}test/compiler/vectors/values.json`, 'utf8'));

/** Rows of a measurement, and how often it is repeated. */
const [rowCount, repeats] = [10_000, 5];
/** The same for the unit of all prices. */
const precise = { rowCount: 100_000, repeats: 20 };
/** Different values of a column. */
const valueCount = 16;

/** Measures every scalar and aggregate function, every cast, and the arithmetic operators. */
export async function measurePrices() {
  const { engine, compiler } = await openServices(
    folderSettings(`${root}fixtures`, '2GB'),
    openDuckDbEngine,
  );
  const { signal } = new AbortController();
  /** @param {string} sql */
  const run = async (sql) => {
    const query = compiler.compile({ name: 'prices', sql, maxRows: 100, parameters: [] });
    const statement = bindStatement(
      query,
      {},
      { maxRows: 100, now: '2026-03-10T12:00:00Z', redact: false },
    );
    const start = process.cpuUsage();
    const { body } = await engine.run(statement, { signal });
    const { user, system } = process.cpuUsage(start);
    return { rows: JSON.parse(Buffer.from(body).toString()), ns: 1000 * (user + system) };
  };
  const text = {
    label: 'md5',
    write: call('md5'),
    writeSafe: undefined,
    rows: [["'abc'"], ["'x y'"]],
  };
  const unit = (await priceOver(run, text, text.rows, text.write, precise)) ?? Number.NaN;
  const natives = await measureNatives(rowCount, repeats);
  /** @type {Price[]} */
  const prices = [];
  for (const one of calls()) {
    prices.push({ ...(await measurePrice(run, one)), native: natives.get(one.label) });
  }
  await engine.close();
  return { unit, prices };
}

/** @typedef {(sql: string) => Promise<{ rows: any[], ns: number }>} Run */

/** @param {Run} run @param {Call} one @returns {Promise<Omit<Price, 'native'>>} */
async function measurePrice(run, one) {
  const { label, write, writeSafe, rows } = one;
  const isBad = writeSafe === undefined ? rows.map(() => false) : await badRows(run, one);
  const good = rows.filter((_, index) => isBad[index] === false);
  const bad = rows.filter((_, index) => isBad[index] === true);
  const safe = writeSafe ?? write;
  return {
    label,
    good: await priceOver(run, one, good, write),
    bad: bad.length === 0 ? undefined : await priceOver(run, one, bad, safe),
    mixed: bad.length === 0 ? undefined : await priceOver(run, one, [...good, ...bad], safe),
  };
}

/**
 * Whether each row is one that SAFE turns into NULL; undefined for all if the query is refused.
 * @param {Run} run @param {Call} one @returns {Promise<(boolean | undefined)[]>}
 */
async function badRows(run, { write, writeSafe = write, rows }) {
  const names = rows[0]?.map((_, index) => `r.c${index}`) ?? [];
  const over = (/** @type {readonly number[]} */ places) =>
    `from unnest([${places.map((place) => record([...(rows[place] ?? []), `${place}`])).join(', ')}]) r`;
  const all = [...rows.keys()];
  try {
    const nothing = `${writeSafe(names)} is null`;
    const found = await run(`select r.c${names.length} as place ${over(all)} where ${nothing}`);
    const places = found.rows.map(({ place }) => Number(place));
    const isError =
      places.length > 0 && (await fails(run, `select ${write(names)} ${over(places)}`));
    return all.map((place) => isError && places.includes(place));
  } catch {
    return all.map(() => undefined);
  }
}

/** @param {Run} run @param {string} sql */
async function fails(run, sql) {
  try {
    await run(sql);
    return false;
  } catch {
    return true;
  }
}

/**
 * Nanoseconds a row of processor time, less those of reading the arguments.
 * @param {Run} run @param {Call} one @param {readonly (readonly string[])[]} rows @param {Call['write']} write
 * @param {{ rowCount: number, repeats: number }} size
 */
async function priceOver(run, one, rows, write, size = { rowCount, repeats }) {
  const {
    rows: [first = []],
    isAggregate,
  } = one;
  if (rows.length === 0) return undefined;
  const names = first.map((_, index) => `r.c${index}`);
  const list = `[${rows.map(record).join(', ')}]`;
  const from = `from (select ${list}[safe_offset(mod(i, ${rows.length}))] r from unnest(generate_array(0, ${size.rowCount - 1})) i)`;
  const reads = names.map((name) => `count(${name})`).join(', ') || 'count(*)';
  try {
    const value = isAggregate ? write(names) : `count(${write(names)})`;
    const own = await least(run, `select ${value} as v ${from}`, size.repeats);
    const base = await least(run, `select ${reads} ${from}`, size.repeats);
    return Math.max(0, own - base) / size.rowCount;
  } catch {
    return undefined;
  }
}

/** The least processor time of several runs, in nanoseconds: other programs can only add to it. @param {Run} run @param {string} sql @param {number} count */
async function least(run, sql, count) {
  const times = [];
  while (times.length < count) times.push((await run(sql)).ns);
  return Math.min(...times);
}

/** @param {readonly string[]} row */
function record(row) {
  return `struct(${row.map((value, index) => `${value} as c${index}`).join(', ')})`;
}

/** @param {string} name @returns {Call['write']} */
function call(name) {
  return (args) => `${name}(${args.join(', ')})`;
}

/** Functions that take no argument, or values of a form that only logs have. */
const without = /^(?:rand|generate_uuid|session_user|current_\w+|error|gap_fill)$/;

/** @returns {readonly Call[]} */
function calls() {
  const functions = functionNames()
    .filter((name) => !without.test(name) && !name.includes(' '))
    .flatMap((name) => findFunction(name) ?? [])
    .filter(({ kind }) => kind !== 'window')
    .flatMap((definition) =>
      definition.signatures.map((signature) => functionCall(definition, signature)),
    )
    .filter(({ rows: [first = []] }) => first.length > 0);
  return [...functions, ...casts(), ...operators()];
}

/** A call of a function with the arguments that it requires. @param {FunctionDefinition} definition @param {Signature} signature @returns {Call} */
function functionCall({ name, kind, parts }, { args, required }) {
  const patterns = args.slice(0, Math.max(1, required));
  const types = patterns.map(({ type, element }) => (element ? `ARRAY<${element.type}>` : type));
  const fixed = patterns.map((pattern, place) => constantArgument(name, pattern, place, parts));
  const columns = patterns.flatMap((pattern, place) =>
    fixed[place] === undefined ? [literals(name, pattern, place)] : [],
  );
  /** @param {string} prefix @returns {Call['write']} */
  const write = (prefix) => (given) => {
    const left = given.values();
    return call(prefix + name)(fixed.map((constant) => constant ?? left.next().value ?? ''));
  };
  return {
    label: `${name}(${types.join(', ')})`,
    write: write(''),
    writeSafe: kind === 'scalar' ? write('safe.') : undefined,
    isAggregate: kind === 'aggregate',
    rows: mixedRows(columns),
  };
}

/** The literal of an argument that queries write as one: a part, a format, a pattern, a path, a zone. @param {string} name @param {ArgumentPattern} pattern @param {number} place @param {readonly string[]} parts */
function constantArgument(name, { type }, place, parts) {
  if (type === 'PART') return parts.includes('DAY') ? 'DAY' : parts[0];
  const list = values.arguments[values.named[name] ?? name]?.[place] ?? [];
  const isFixed = name.startsWith('parse_') || name.startsWith('format') ? place === 0 : place > 0;
  if (type === 'BYTES' && name.startsWith('regexp_') && place === 1) return "b'a'";
  return type === 'STRING' && isFixed ? list[0] : undefined;
}

/** @param {string} name @param {ArgumentPattern} pattern @param {number} place @returns {readonly string[]} */
function literals(name, { type, element }, place) {
  const kind = element?.type ?? type;
  const own = kind === 'T' || kind === 'ANY' ? 'STRING' : kind;
  const key = `${own === 'STRING' ? '' : `${own.toLowerCase()}_`}${values.named[name] ?? name}`;
  const given = values.arguments[key]?.[place] ?? [];
  const list = given.length > 0 ? given : (values.types[own] ?? []);
  return element === undefined
    ? list
    : list.map((value, index) => `[${value}, ${list.at(index - 1)}]`);
}

/** Rows over lists of values of different lengths. @param {readonly (readonly string[])[]} columns */
function mixedRows(columns) {
  return Array.from({ length: valueCount }, (_, index) =>
    columns.map((list, place) => list[(index * (place + 1) + place) % list.length] ?? 'null'),
  );
}

/** Casts between all types. @returns {readonly Call[]} */
function casts() {
  const types = Object.keys(values.types);
  return types.flatMap((from) =>
    types
      .filter((to) => to !== from)
      .map((to) => ({
        label: `cast(${from} as ${to})`,
        write: ([value]) => `cast(${value} as ${to})`,
        writeSafe: ([value]) => `safe_cast(${value} as ${to})`,
        rows: mixedRows([values.types[from] ?? []]),
      })),
  );
}

/** Arithmetic, and the parts of JSON. @returns {readonly Call[]} */
function operators() {
  const arithmetic = ['INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC'].flatMap((type) =>
    ['+', '-', '*', '/'].map((operator) => ({
      label: `${type} ${operator} ${type}`,
      write: (/** @type {readonly string[]} */ [a, b]) => `(${a} ${operator} ${b})`,
      writeSafe: undefined,
      // Values whose product is in range.
      rows: mixedRows([smallNumbers(type), smallNumbers(type).slice(1)]),
    })),
  );
  const json = values.types['JSON'] ?? [];
  return [
    ...arithmetic,
    {
      label: 'JSON.field',
      write: ([a]) => `${a}.a`,
      writeSafe: undefined,
      rows: mixedRows([json]),
    },
    { label: 'JSON[0]', write: ([a]) => `${a}[0]`, writeSafe: undefined, rows: mixedRows([json]) },
  ];
}

/** @param {string} type */
function smallNumbers(type) {
  return ['7', '1.5', '-12.25', '100', '0.5'].map((number) =>
    type === 'INT64' ? `${Math.round(Number(number)) || 3}` : `cast('${number}' as ${type})`,
  );
}

/** Prints the prices as a page of Markdown, the dearest first. @param {Awaited<ReturnType<typeof measurePrices>>} measured @param {boolean} isBusy whether other programs may have run beside */
export function printPrices({ unit, prices }, isBusy) {
  /** @param {number | undefined} ns */
  const cell = (ns) => (ns === undefined ? '' : (ns / unit).toFixed(1));
  const rows = prices
    .filter((price) => dearest(price) > 0)
    .toSorted((a, b) => dearest(b) - dearest(a))
    .map((price) => [
      `\`${price.label}\``,
      ...[price.good, price.bad, price.mixed].map(cell),
      price.native === undefined || price.good === undefined
        ? ''
        : (price.good / price.native).toFixed(1),
      `${Math.round(dearest(price))}`,
    ]);
  const head = ['', 'good', 'bad, SAFE', 'mixed, SAFE', 'good, by native', 'ns'];
  const [cpu] = cpus();
  // A cast that GoogleSQL does not have is refused for good and bad values alike.
  const unmeasured = prices.filter(
    ({ label, good, bad }) => good === undefined && bad === undefined && !label.startsWith('cast('),
  );
  /** @param {number | undefined} ns */
  const multiple = (ns) => (ns === undefined ? undefined : ns / unit);
  const misses = findMisses(
    prices
      .toSorted((a, b) => dearest(b) - dearest(a))
      .map(({ label, good, bad }) => ({ label, good: multiple(good), bad: multiple(bad) })),
  );
  return `# Prices of functions

- ${new Date().toISOString().slice(0, 10)}, ${cpu?.model.trim()}, ${availableParallelism()} cores
- \`npm run bench -- --prices${isBusy ? ' --anyway' : ''}\`${isBusy ? ': other programs ran beside, which makes all prices, and md5, dearer' : ''}

Processor time a row of each function over a column of ${rowCount.toLocaleString('en')} values, less that of reading its arguments: the least of
${repeats} runs. *Good*: values that it takes. *Bad, SAFE*: values that it refuses, with SAFE or SAFE_CAST. *Mixed, SAFE*: both. These are
multiples of md5 of a short text, ${Math.round(unit)} ns a row in this run. *By native*: good values, by the time of the function of DuckDB
that comes closest. *ns*: the dearest of the three. The values are those of \`test/compiler/vectors/values.json\`, the odd ones included.

${printTable([head, ...rows])}

## Above the target

The target is ${targetText}. These miss it; all others meet it.

${printTable([['', 'misses', 'because'], ...misses.map(({ label, miss, reason }) => [`\`${label}\``, miss, reason])])}

Not measured, because the calls are refused or fail with these values: ${unmeasured.map(({ label }) => `\`${label}\``).join(', ') || 'none'}.
`;
}

/** @param {Price} price */
function dearest({ good = 0, bad = 0, mixed = 0 }) {
  return Math.max(good, bad, mixed);
}
