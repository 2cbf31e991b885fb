import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { acceptanceGroups } from './acceptance-groups.js';
import { type Case, readSuite, sendCase } from './cases.js';
import { acceptance } from './paths.js';
import { type Service, startService } from './start-service.js';

/** Tables with the records of a folder of logs. */
export interface OpenedTables {
  /** As `--bigquery-tables` names them. */
  readonly tables: string;
  readonly environment: NodeJS.ProcessEnv;
  close(): Promise<void>;
}

const now = '2026-03-10T12:00:00Z';

/** Every n-th case is asked. */
export interface Steps {
  readonly plain: number;
  readonly redacted: number;
}

/** Acceptance cases with an answer have the same bytes on DuckDB and on BigQuery, and refused ones are refused. */
export function describeAcceptance(
  open: (data: string) => Promise<OpenedTables>,
  steps: Steps,
): void {
  describe.each(acceptanceGroups)('$data', ({ folder, data, files }) => {
    let opened: OpenedTables;
    let onDuckDb: Service;
    let onBigQuery: Service;

    beforeAll(async () => {
      const logs = join(folder, data);
      opened = await open(logs);
      // The stand-in takes seconds for a redacted logs.all, and far longer on a busy machine.
      const limits = ['--compile-timeout', '20s', '--query-timeout', '3m'];
      const flags = ['--now', now, ...limits, '--quiet'];
      const tables = ['--engine', 'bigquery', '--bigquery-tables', opened.tables];
      const bigQuery = ['--bigquery-max-window', '0', '--bigquery-sandbox'];
      [onDuckDb, onBigQuery] = await Promise.all([
        startService(['--data', logs, ...flags]),
        startService([...tables, ...bigQuery, ...flags], opened.environment),
      ]);
    });
    afterAll(async () => {
      expect(await onDuckDb.stop()).toBe(0);
      expect(await onBigQuery.stop()).toBe(0);
      await opened.close();
    });

    describe.each(files)('%s.json', (file) => {
      const { cases } = readSuite(join(acceptance, `cases/${file}.json`));
      test.each(titled(cases, steps.plain))('%s', async (_title, one) => {
        const [own, other] = await Promise.all([
          answerOf(onDuckDb, one),
          answerOf(onBigQuery, one),
        ]);
        expect(other).toEqual(own);
      });

      const answering = cases.filter(({ expect: { status } }) => status === 200n);
      test.each(titled(answering, steps.redacted))('%s, redacted', async (_title, one) => {
        const headers = { ...one.headers, 'svc-endpoint-redact-pii': 'true' };
        const [own, other] = await Promise.all([
          answerOf(onDuckDb, { ...one, headers }),
          answerOf(onBigQuery, { ...one, headers }),
        ]);
        expect(other).toEqual(own);
      });
    });
  });
}

/** The status, and the rows: in any order if the case has none, and of a refusal only the reason. */
export async function answerOf({ url }: Service, one: Case): Promise<unknown> {
  const response = await sendCase(url, one);
  const text = await response.text();
  if (!response.ok) return [response.status, /"reason":"\w+"/.exec(text)?.[0]];
  if (one.order === 'exact') return [response.status, text];
  const { result }: { result: readonly unknown[] } = JSON.parse(text);
  return [response.status, result.map((row) => JSON.stringify(row)).sort()];
}

/** Every `step`-th case after its title. */
function titled(cases: readonly Case[], step: number) {
  return cases
    .filter((_, index) => index % step === 0)
    .map((one) => [`${one.area}: ${one.id}`, one] as const);
}
