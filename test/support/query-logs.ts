import { createCompiler } from '../../src/compiler/compile.js';
import { openDuckDbEngine } from '../../src/engine/duckdb/duckdb.js';
import type { LoadedLogs } from '../../src/service/logs.js';
import { newestTable } from '../../src/values/newest-table.js';
import { printRefusal } from './answers.js';
import { createQueryRunner, type QueryRunner, type RunOptions } from './run-query.js';

const limits = { threads: 1, queryTimeoutMs: 30_000, maxResultBytes: 50_000_000 };

/** A runner over logs, as a server opens them. */
export async function openLogsRunner({ databaseFile, sources }: LoadedLogs): Promise<QueryRunner> {
  const newest = sources.flatMap((source) => newestTable(source) ?? []);
  const engine = await openDuckDbEngine({ ...limits, databaseFile, sources, newest });
  return createQueryRunner(createCompiler(sources), engine);
}

/** A query, and how it is run. */
export type Asked = readonly [sql: string, options?: RunOptions];

/** The answers to queries, in the words of the engine. */
export async function answersOf(
  logs: LoadedLogs,
  queries: readonly Asked[],
): Promise<readonly (readonly [asked: Asked, answer: string])[]> {
  const runner = await openLogsRunner(logs);
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
