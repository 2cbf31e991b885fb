import { ask } from './ask-service.js';
import type { OpenedTables } from './bigquery-acceptance.js';
import { canariesIn, makeCanaryFolder } from './canary-service.js';
import { type Service, startService } from './start-service.js';
import { wallForms } from './wall-forms.js';

/** Queries that told a caller something about rows of another project. */
export interface Leaks {
  /** Those whose answer or message has a value of such a row. */
  readonly values: readonly string[];
  /** Those that end differently if there are such rows. */
  readonly ends: readonly string[];
}

/** Sends the queries of the wall's tests to BigQuery, over tables with rows of another project and without. */
export async function findLeaks(open: (data: string) => Promise<OpenedTables>): Promise<Leaks> {
  const sides = [await openSide(open, true), await openSide(open, false)] as const;
  const values: string[] = [];
  const ends: string[] = [];
  const queries = wallForms.flatMap(([, all]) => all);
  for (let from = 0; from < queries.length; from += atOnce) {
    const tries = queries.slice(from, from + atOnce).map(async (sql) => {
      const [withOthers, alone] = await Promise.all(sides.map((side) => answerOf(side, sql)));
      if (canariesIn(withOthers ?? '').length > 0) values.push(sql);
      if (withOthers !== alone) ends.push(sql);
    });
    await Promise.all(tries);
  }
  for (const { close } of sides) await close();
  return { values, ends };
}

const atOnce = 4;

interface Side {
  readonly service: Service;
  readonly close: () => Promise<void>;
}

async function openSide(
  open: (data: string) => Promise<OpenedTables>,
  withOthers: boolean,
): Promise<Side> {
  const folder = makeCanaryFolder({ withOthers });
  const { tables, environment, close } = await open(folder.data);
  const flags = ['--engine', 'bigquery', '--bigquery-tables', tables, '--quiet'];
  const limits = ['--bigquery-max-window', '0', '--bigquery-sandbox'];
  const service = await startService([...flags, ...limits], environment);
  return {
    service,
    async close() {
      await service.stop();
      await close();
      folder.remove();
    },
  };
}

async function answerOf({ service }: Side, sql: string): Promise<string> {
  const response = await ask(service, { project: 'mine', sql });
  return `${response.status} ${await response.text()}`;
}
