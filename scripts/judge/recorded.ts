import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { lex, type Token } from '../../src/compiler/syntax/lex.js';
import { openQueryRunner, type QueryRunner } from '../../test/support/run-query.js';
import { type Exchanges, isExchange, openExchanges } from './recorded-exchanges.js';
import { createdTables } from './recorded-tables.js';

/** The outcome of a recorded query. */
type Outcome =
  | 'right'
  | 'refused by both'
  | 'refused by us'
  | 'refused by BigQuery'
  | 'wrong'
  | 'not asked';

interface Recorded {
  readonly schema?: readonly { readonly name: string; readonly type: string }[];
  readonly rows?: readonly Readonly<Record<string, unknown>>[];
  readonly error?: { readonly message_sample?: string };
}

interface Judged {
  readonly outcome: Outcome;
  /** Why a query is not asked, or both answers if they differ. */
  readonly note?: string;
}

/**
 * Asks every query of a folder of answers that were recorded on BigQuery (`query.sql`, `setup.sql`, `expected.json`), with the
 * tables of its setup as CTEs, and sends every recorded request (`request.json`, `expected_response.json`) to the stand-in of
 * the tests. Prints a table of the outcomes by suite. Returns how many answers are wrong or refused.
 */
export async function judgeRecorded(folder: string, showsAll: boolean): Promise<number> {
  const runner = await openQueryRunner();
  const exchanges = await openExchanges();
  const counts = new Map<string, Map<Outcome, number>>();
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const cases = files
    .filter((file) => ['query.sql', 'request.json'].includes(basename(file)))
    .map(dirname)
    .sort();
  for (const name of cases) {
    const own = join(folder, name);
    const judged = isExchange(own) ? judgeExchange(own, exchanges) : judgeOne(own, runner);
    const { outcome, note } = await judged;
    const suite = relative('.', name).split(sep).at(-2) ?? name;
    const all = counts.get(suite) ?? new Map<Outcome, number>();
    counts.set(suite, all.set(outcome, (all.get(outcome) ?? 0) + 1));
    const isFine = outcome === 'right' || outcome === 'refused by both';
    if (!isFine && (showsAll || outcome !== 'not asked'))
      console.log(`${outcome}: ${name}\n  ${note}`);
  }
  await Promise.all([runner.close(), exchanges.close()]);
  const outcomes = [...new Set([...counts.values()].flatMap((own) => [...own.keys()]))].sort();
  const sum = (outcome: Outcome) =>
    [...counts.values()].reduce((total, own) => total + (own.get(outcome) ?? 0), 0);
  console.table(
    Object.fromEntries([
      ...[...counts].map(([suite, own]) => [suite, Object.fromEntries(own)]),
      ['all', Object.fromEntries(outcomes.map((outcome) => [outcome, sum(outcome)]))],
    ]),
  );
  return sum('wrong') + sum('refused by us') + sum('refused by BigQuery');
}

async function judgeExchange(folder: string, exchanges: Exchanges): Promise<Judged> {
  const found = await exchanges.judge(folder);
  if (found === undefined)
    return { outcome: 'not asked', note: 'the engine sends no such request' };
  return found.length === 0 ? { outcome: 'right' } : { outcome: 'wrong', note: found.join('\n  ') };
}

/** Settings of a job that do not change an answer. */
const harmless: ReadonlySet<string> = new Set([
  ...['use_query_cache', 'priority', 'labels', 'maximum_bytes_billed', 'job_timeout_ms'],
]);

/** Files of a case that set up what a query over log files cannot have. */
const otherSetups = ['headers.json', 'setup_rest.json', 'parameters.json'];

/** Reads a file of a case; empty if it has none of this name. */
type Read = (file: string) => string;

async function judgeOne(folder: string, runner: QueryRunner): Promise<Judged> {
  const read: Read = (file) => {
    const path = join(folder, file);
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  };
  const expected = readExpected(read('expected.json'));
  const isRefused = expected.rows === undefined;
  try {
    const { text: query, tokens } = readStatement(read('query.sql'));
    const tables = createdTables(read('setup.sql'));
    const reason =
      reasonNotToAsk(tokens, read) ?? (tables ? undefined : 'its setup makes more than tables');
    if (reason !== undefined || tables === undefined)
      return { outcome: 'not asked', note: reason ?? '' };
    const rows = await runner.run(tables.withCtes(query), { mayQuoteValues: true });
    const note = expected.error?.message_sample ?? '';
    if (isRefused) return { outcome: 'refused by BigQuery', note };
    return compare(expected, rows, isOrdered(tokens));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { outcome: isRefused ? 'refused by both' : 'refused by us', note: error.message };
  }
}

/** Python writes NaN and infinities as words. */
function readExpected(json: string): Recorded {
  const text = json.replaceAll(/^(.*": |\s+)(-?(?:NaN|Infinity))(,?)$/gm, '$1"$2"$3');
  return JSON.parse(text) as Recorded;
}

/** The statement of a file, without comments around it and without its semicolon. */
function readStatement(file: string): { readonly text: string; readonly tokens: readonly Token[] } {
  const all = lex(file).slice(0, -1);
  const tokens = all.at(-1)?.key === ';' ? all.slice(0, -1) : all;
  return { text: file.slice(tokens[0]?.at ?? 0, tokens.at(-1)?.end ?? 0), tokens };
}

/** Whether the query itself has an ORDER BY; that of a sub-query or of a window orders no answer. */
function isOrdered(tokens: readonly Token[]): boolean {
  let depth = 0;
  return tokens.some(({ key = '' }, at) => {
    depth += Number(key === '(') - Number(key === ')');
    return depth === 0 && key === 'ORDER' && tokens[at + 1]?.key === 'BY';
  });
}

const starts: ReadonlySet<string | undefined> = new Set(['SELECT', 'WITH', 'FROM', '(']);
const changing: ReadonlySet<string> = new Set(['RAND', 'GENERATE_UUID', 'SESSION_USER']);

const reasonsNotToAsk: readonly (readonly [
  applies: (tokens: readonly Token[]) => boolean,
  reason: string,
])[] = [
  [([first]) => !starts.has(first?.key), 'it is no query'],
  [(tokens) => tokens.some(({ key }) => key === ';'), 'it has several statements'],
  [
    (tokens) => tokens.some(({ key = '' }) => key.startsWith('CURRENT_') || changing.has(key)),
    'its answer changes',
  ],
  [(tokens) => tokens.some(readsDataset), 'it reads what a dataset has besides its tables'],
];

/** Whether a name is that of a view of the dataset, of a partition or of many tables. */
function readsDataset({ kind, value }: Token): boolean {
  if (kind !== 'word' && kind !== 'quoted') return false;
  return /INFORMATION_SCHEMA|_PARTITION(?:DATE|TIME)|\*$/i.test(value);
}

function reasonNotToAsk(tokens: readonly Token[], read: Read): string | undefined {
  const other = otherSetups.find((file) => read(file) !== '');
  if (other !== undefined) return `it has a ${other}`;
  const settings = Object.keys(JSON.parse(read('job_config.json') || '{}') as object);
  const setting = settings.find((name) => !harmless.has(name));
  if (setting !== undefined) return `it sets ${setting}`;
  return reasonsNotToAsk.find(([applies]) => applies(tokens))?.[1];
}

type Rows = readonly Readonly<Record<string, unknown>>[];

function compare({ schema = [], rows = [] }: Recorded, ours: Rows, inOrder: boolean): Judged {
  if (schema.some(({ type }) => type === 'INTERVAL'))
    return { outcome: 'not asked', note: 'its intervals are recorded in no documented form' };
  const types = schema.map(({ type }) => type);
  const print = (list: Rows) => {
    const printed = list.map((row) =>
      JSON.stringify(Object.values(row).map((value, index) => plain(value, types[index] ?? ''))),
    );
    return inOrder ? printed : printed.toSorted();
  };
  const [theirs, own] = [print(rows), print(ours)];
  const isSame = JSON.stringify(theirs) === JSON.stringify(own);
  if (isSame) return { outcome: 'right' };
  const note = `BigQuery: ${theirs.join(' ').slice(0, 300)}\n  we:       ${own.join(' ').slice(0, 300)}`;
  return { outcome: 'wrong', note };
}

/** A value without what is only a matter of form: numbers of 12 digits, times in microseconds, JSON without blanks. */
function plain(value: unknown, type: string): unknown {
  if (value === null || value === undefined) return null;
  // The contract of HTTP prints an empty array as null.
  if (Array.isArray(value)) return value.length === 0 ? null : value.map((one) => plain(one, type));
  if (typeof value === 'object')
    return Object.entries(value).map(([name, one]) => [name, plain(one, '')]);
  if (typeof value === 'number') return numberText(value);
  if (typeof value !== 'string') return value;
  return type === 'RANGE' ? rangeBounds(value) : plainText(value, type);
}

/** `[a, b)` as the recorded object; its times have a T and a zone of minutes. */
function rangeBounds(range: string): unknown {
  const [start, end] = range
    .slice(1, -1)
    .split(', ')
    .map((bound) => bound.replace(' ', 'T').replace(/\+00$/, '+00:00'))
    .map((bound) => (bound === 'UNBOUNDED' ? null : bound));
  return plain({ start, end }, '');
}

function plainText(value: string, type: string): unknown {
  if (type === 'JSON') return JSON.stringify(sorted(JSON.parse(value)));
  if (/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(value) || /^-?(?:nan|inf(?:inity)?)$/i.test(value))
    return type === 'STRING'
      ? value
      : numberText(Number(value.replace(/^(-?)inf.*$/i, '$1Infinity')));
  const [, whole, fraction = ''] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?\+00:00$/.exec(value) ?? [];
  if (whole === undefined) return value.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
  return numberText(Date.parse(`${whole}Z`) * 1000 + Number(fraction.padEnd(6, '0')));
}

function numberText(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(12)));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, one]) => [name, sorted(one)]));
}
