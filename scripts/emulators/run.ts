import { join } from 'node:path';
import { acceptanceGroups } from '../../test/support/acceptance-groups.js';
import { answerOf } from '../../test/support/bigquery-acceptance.js';
import { readSources, type StoredRecords } from '../../test/support/bigquery-project.js';
import { type Case, readSuite } from '../../test/support/cases.js';
import { acceptance } from '../../test/support/paths.js';
import { type Service, startService } from '../../test/support/start-service.js';
import {
  type Answer,
  agreeing,
  differingValues,
  isExplained,
  type Outcome,
  outcomes,
  type Tried,
} from './explain.js';
import { type Answered, asBigQuery, type Exchange, type Gateway, openGateway } from './gateway.js';
import { type Emulator, type EmulatorName, emulators } from './install.js';
import { startEmulator } from './start.js';
import { emulatorTables, makeTables, refusalMessage, send } from './tables.js';

/** The options of a run. */
export interface Options {
  readonly only: readonly EmulatorName[];
  /** Every n-th case is asked. */
  readonly step: number;
  /** Every n-th of these is also asked redacted. */
  readonly redacted: number;
  /** Whether to print each difference. */
  readonly all: boolean;
  /** Suites to run alone. */
  readonly suites: readonly string[];
  /** Cases to run alone. */
  readonly cases: readonly string[];
  /** Statements to send instead of the cases. */
  readonly sql: readonly string[];
  /** After that time no other case of a folder of logs is asked. */
  readonly seconds: number;
}

/** The statuses of a service that did not wait for its engine. */
const late: ReadonlySet<unknown> = new Set([503, 504]);

const now = '2026-03-10T12:00:00Z';

/**
 * Runs the cases on each emulator and prints a table; returns the number of differences without a reason, and of emulators
 * that could not be run at all.
 */
export async function run(options: Options): Promise<number> {
  let open = 0;
  for (const emulator of emulators.filter(({ name }) => options.only.includes(name))) {
    try {
      const tried = await runOn(emulator.name, options);
      if (options.sql.length === 0) report(emulator, tried);
      open += tried.filter((one) => !isExplained(emulator.name, one)).length;
    } catch (error) {
      open += 1;
      console.log(`${emulator.name} ${emulator.version}: ${error}`);
    }
  }
  return open;
}

/** Runs the cases on one emulator. @throws Error if it cannot be installed, or does not take the tables */
export async function runOn(name: EmulatorName, options: Options): Promise<readonly Tried[]> {
  const emulator = emulators.find((one) => one.name === name);
  if (emulator === undefined) throw new Error(`no emulator ${name}`);
  const { suites } = options;
  const tried: Tried[] = [];
  for (const group of acceptanceGroups) {
    const files = group.files.filter((file) => suites.length === 0 || suites.includes(file));
    if (files.length === 0) continue;
    const logs = join(group.folder, group.data);
    const sources = await readSources(logs);
    // One of its own for each, since a table may outlive its dataset.
    const start = () => startWithTables(emulator, sources);
    let current = await start();
    const restart = async () => {
      current.close();
      current = await start();
    };
    try {
      const { byDdl, refused } = current;
      const made = `${byDdl} of 18 tables by DDL${refused ? `; ${refused}` : ''}`;
      console.log(`${name}, ${group.data}: ${made}`);
      if (options.sql.length > 0) {
        await printAnswers(current.url, options.sql);
        break;
      }
      const service = { url: () => current.url, restart };
      tried.push(...(await runGroup(service, logs, files, options)));
    } finally {
      current.close();
    }
  }
  return tried;
}

async function startWithTables(emulator: Emulator, sources: readonly StoredRecords[]) {
  const running = await startEmulator(emulator);
  try {
    return { ...running, ...(await makeTables(running.url, sources, emulator)) };
  } catch (error) {
    running.close();
    throw error;
  }
}

async function printAnswers(url: string, statements: readonly string[]): Promise<void> {
  for (const query of statements) {
    const { status, received } = await answerTo(url, query);
    console.log(`${query}\n  ${status} ${received.slice(0, 2000)}`);
  }
}

/** What an emulator says to a statement. */
export async function sayingOf(url: string, query: string): Promise<string> {
  return messageOf([await answerTo(url, query)]);
}

async function answerTo(url: string, query: string): Promise<Answered> {
  const path = `${url}/bigquery/v2/projects/stand-in/queries`;
  return asBigQuery(await send('POST', path, { query, useLegacySql: false }));
}

/** An emulator that can be started anew, at another address. */
interface Restartable {
  readonly url: () => string;
  restart(): Promise<void>;
}

async function runGroup(
  { url, restart }: Restartable,
  logs: string,
  files: readonly string[],
  options: Options,
): Promise<readonly Tried[]> {
  const sides = await openSides(url, logs);
  const end = Date.now() + options.seconds * 1000;
  const tried: Tried[] = [];
  for (const { suite, one, isRedacted } of selectCases(files, options)) {
    if (Date.now() > end) break;
    const verdict = await compare(sides, one, isRedacted);
    tried.push({ suite, id: one.id, isRedacted, ...verdict });
    if (options.all) printOne(one, isRedacted, verdict);
    // An emulator that is busy with a request that nobody waits for would be slow for the next case.
    if (Date.now() < end && !(await sides.gateway.idle())) await restart();
  }
  await sides.close();
  return tried;
}

/** The cases to ask, some of them a second time, redacted. */
function selectCases(files: readonly string[], { cases, step, redacted }: Options) {
  return files.flatMap((suite) => {
    const all = readSuite(join(acceptance, `cases/${suite}.json`)).cases;
    const asked = all.filter(({ id }, at) =>
      cases.length > 0 ? cases.includes(id) : at % step === 0,
    );
    return asked.flatMap((one, at) => {
      const isTwice = one.expect.status === 200n && (at + 1) % redacted === 0;
      const plain = { suite, one, isRedacted: false };
      return isTwice ? [plain, { suite, one, isRedacted: true }] : [plain];
    });
  });
}

/** Starts a service over log files, and one over the emulator's tables; both end with this process. */
async function openSides(url: () => string, logs: string): Promise<Sides> {
  const gateway = await openGateway(url);
  const flags = ['--now', now, '--compile-timeout', '20s', '--query-timeout', '1m', '--quiet'];
  const tables = ['--engine', 'bigquery', '--bigquery-tables', emulatorTables];
  const bigQuery = ['--bigquery-max-window', '0', '--bigquery-sandbox'];
  const [own, other] = await Promise.all([
    startService(['--data', logs, ...flags]),
    startService([...tables, ...bigQuery, ...flags], gateway.environment),
  ]);
  const kill = () => [own, other].forEach(({ pid }) => void process.kill(pid));
  process.once('exit', kill);
  return {
    ...{ own, other, gateway },
    async close() {
      process.off('exit', kill);
      await Promise.all([own.stop(), other.stop()]);
      gateway.close();
    },
  };
}

interface Sides {
  readonly own: Service;
  readonly other: Service;
  readonly gateway: Gateway;
  close(): Promise<void>;
}

interface Verdict extends Pick<Tried, 'outcome' | 'message' | 'values'> {
  readonly answers: readonly [ours: string, theirs: string];
  readonly exchanges: readonly Exchange[];
}

async function compare(
  { own, other, gateway }: Sides,
  one: Case,
  isRedacted: boolean,
): Promise<Verdict> {
  gateway.take();
  const headers = { ...one.headers, ...(isRedacted && { 'svc-endpoint-redact-pii': 'true' }) };
  // A cell that is no value of its column's type may make an answer that is no JSON.
  const both = [own, other].map((service) =>
    answerOf(service, { ...one, headers }).catch((error) => [200, String(error)]),
  );
  const [ours = [], theirs = []] = (await Promise.all(both)) as readonly Answer[];
  const exchanges = gateway.take();
  const outcome = compareAnswers(ours, theirs, exchanges);
  const isRefused = outcome === 'it refuses' || outcome === 'other reason';
  return {
    outcome,
    ...(isRefused && { message: messageOf(exchanges) }),
    values: differingValues(ours, theirs),
    answers: [JSON.stringify(ours), JSON.stringify(theirs)],
    exchanges,
  };
}

/** What the emulator said, or the types of the columns that the service could not read. */
function messageOf(exchanges: readonly Answered[]): string {
  const failure = exchanges.findLast(({ status }) => status !== 200);
  if (failure?.status === 0) return 'it ends';
  if (failure !== undefined) return refusalMessage(failure.received);
  return `it answers with ${exchanges.flatMap(({ received }) => columnTypes(received)).join(', ')}`;
}

function columnTypes(received: string): readonly string[] {
  if (!received.includes('"schema"')) return [];
  const { schema } = JSON.parse(received) as {
    readonly schema?: {
      readonly fields?: readonly { readonly type: string; readonly mode?: string }[];
    };
  };
  return (schema?.fields ?? []).map(({ type, mode }) => (mode === 'REPEATED' ? `${type}[]` : type));
}

function compareAnswers(ours: Answer, theirs: Answer, exchanges: readonly Exchange[]): Outcome {
  const [own, other] = [ours[0] === 200, theirs[0] === 200];
  if (JSON.stringify(ours) === JSON.stringify(theirs)) {
    if (!own) return 'both refuse';
    return exchanges.some(({ isInlined }) => isInlined) ? 'equal, inlined' : 'equal';
  }
  const hasEnded = exchanges.some(({ status }) => status === 0);
  if (late.has(ours[0]) || (late.has(theirs[0]) && !hasEnded)) return 'too slow';
  if (own && other) return 'differs';
  if (own) return 'it refuses';
  return other ? 'only it answers' : 'other reason';
}

function printOne(one: Case, isRedacted: boolean, verdict: Verdict): void {
  const { outcome, message, answers, exchanges } = verdict;
  if (agreeing.has(outcome)) return;
  console.log(`\n${one.id}${isRedacted ? ', redacted' : ''}: ${outcome}`);
  console.log(`  case: ${one.endpoint} ${JSON.stringify(one.params)}`);
  const [ours, theirs] = answers.map((text) => text.slice(0, 1500));
  console.log(`  ours:   ${ours}\n  theirs: ${theirs}`);
  if (message !== undefined) console.log(`  message: ${message}`);
  for (const { sent, status, received } of exchanges.filter((each) => each.sent !== '')) {
    const { query } = JSON.parse(sent) as { readonly query: string };
    console.log(`  statement: ${query.slice(-3000)}\n  ${status} ${received.slice(0, 1500)}`);
  }
}

/** Prints a table of suites, and the messages of an emulator with their numbers, but for differences that have a reason. */
function report({ name, version }: Emulator, tried: readonly Tried[]): void {
  const title = `${name} ${version}`;
  const suites = [...new Set(tried.map(({ suite }) => suite))];
  console.log(`\n| ${title} | ${outcomes.join(' | ')} |\n|---|${'--:|'.repeat(outcomes.length)}`);
  for (const isRedacted of [false, true]) {
    for (const suite of suites) {
      const own = tried.filter((one) => one.suite === suite && one.isRedacted === isRedacted);
      if (own.length > 0) printRow(`${suite}${isRedacted ? ', redacted' : ''}`, own);
    }
  }
  printRow('all', tried);
  const counts = new Map<string, string[]>();
  const open = tried.filter((one) => !isExplained(name, one));
  console.log(`${open.length} differences without a reason in scripts/emulators/reasons.ts`);
  for (const { id, outcome, message, values } of open) {
    const [first] = values;
    const said = message ?? `${first?.theirs.slice(0, 50)} instead of ${first?.ours.slice(0, 50)}`;
    const key = `${outcome}: ${said.split('\n')[0]?.slice(0, 110)}`;
    counts.set(key, [...(counts.get(key) ?? []), id]);
  }
  const sorted = [...counts].sort(([, a], [, b]) => b.length - a.length);
  for (const [key, ids] of sorted) console.log(`${ids.length} × ${key} (${ids.slice(0, 3)})`);
}

function printRow(title: string, tried: readonly Tried[]): void {
  const numbers = outcomes.map((one) => tried.filter(({ outcome }) => outcome === one).length);
  console.log(`| ${title} | ${numbers.join(' | ')} |`);
}
