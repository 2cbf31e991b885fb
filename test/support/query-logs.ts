import { createCompiler } from '../../src/compiler/compile.js';
import { openDuckDbEngine } from '../../src/engine/duckdb/duckdb.js';
import { newestTable } from '../../src/rows/newest-table.js';
import type { LoadedLogs } from '../../src/start/logs.js';
import { printRefusal } from './answers.js';
import { createQueryRunner, type QueryRunner, type RunOptions } from './run-query.js';

const limits = { threads: 1, queryTimeoutMs: 30_000, maxResultBytes: 50_000_000 };

/** A runner over logs, as a server opens them. */
export async function openLogsRunner(logs: LoadedLogs): Promise<QueryRunner> {
  const engine = await openDuckDbEngine(dataOf(logs));
  return createQueryRunner(createCompiler(logs.sources), engine);
}

/** A runner over logs that a running engine takes up, as it does while a server follows its files. */
export async function openNextRunner(before: LoadedLogs, logs: LoadedLogs): Promise<QueryRunner> {
  const running = await openDuckDbEngine(dataOf(before));
  const next = await running.openNext(dataOf(logs));
  await running.close();
  if (next === undefined) throw new Error('the logs need another engine');
  return createQueryRunner(createCompiler(logs.sources), next);
}

function dataOf({ databaseFile, sources }: LoadedLogs) {
  const newest = sources.flatMap((source) => newestTable(source) ?? []);
  return { ...limits, databaseFile, sources, newest };
}

/** A query, and how it is run. */
export type Asked = readonly [sql: string, options?: RunOptions];

/** The answers to queries, in the words of the engine. */
export async function answersOf(
  logs: LoadedLogs,
  queries: readonly Asked[],
  open = openLogsRunner,
): Promise<readonly (readonly [asked: Asked, answer: string])[]> {
  const runner = await open(logs);
  const answers = queries.map(async (asked) => {
    const [sql, options] = asked;
    return [asked, await runner.runText(sql, options).catch(printRefusal)] as const;
  });
  const all = await Promise.all(answers);
  await runner.close();
  return all;
}

/** An answer with the fields of its records by name, and a refusal without its message, which may list fields in order. */
export function withoutOrder(answer: string): unknown {
  if (!answer.startsWith('[')) return answer.replace(/:.*/, '');
  return JSON.parse(answer, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(
      Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)),
    );
  });
}
