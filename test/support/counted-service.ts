import { readCommand } from '../../src/config/config.js';
import { openDuckDbEngine } from '../../src/engine/duckdb/duckdb.js';
import { createRunEndpoint, type RunEndpoint } from '../../src/run/run-endpoint.js';
import type { RunRequest } from '../../src/run/run-request.js';
import {
  type OpenedServices,
  openServices,
  type StartOptions,
  singleRun,
} from '../../src/start/start-up.js';
import { idKey } from './load-logs.js';

/** Services in this process that count the statements that their engine runs. */
export interface CountedService extends OpenedServices {
  readonly run: RunEndpoint;
  readonly runs: () => number;
  /** The number of these statements that were answered without their text. */
  readonly kept: () => number;
}

/** Opens the services over a folder of logs. */
export async function openCounted(
  data: string,
  more: Partial<StartOptions> = {},
  flags: readonly string[] = [],
): Promise<CountedService> {
  const all = ['serve', '--data', data, '--no-disk-cache', '--threads', '1', ...flags];
  const command = readCommand(all, { LOG_ENDPOINTS_ID_KEY: idKey });
  if (command.verb !== 'serve') throw new Error('not the verb');
  let runs = 0;
  let kept = 0;
  const openEngine = async (options: Parameters<typeof openDuckDbEngine>[0]) => {
    const engine = await openDuckDbEngine(options);
    const run: typeof engine.run = async (statement, running) => {
      runs += 1;
      if (statement.newest === undefined) return engine.run(statement, running);
      const textless = { ...statement, ...refused };
      const result = await engine.run(textless, running).catch(() => undefined);
      if (result === undefined) return engine.run(statement, running);
      kept += 1;
      return result;
    };
    return { ...engine, run };
  };
  const services = await openServices(command.settings, openEngine, { ...singleRun, ...more });
  return { ...services, run: createRunEndpoint(services), runs: () => runs, kept: () => kept };
}

/** A text that the engine refuses: an answer did not need it. */
const refused = { sql: 'no statement', steps: [], tables: [], values: {} } as const;

/** An answer, and how many statements the engine ran for it. */
export interface Asked {
  /** The rows; in other formats than JSON, their text. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly truncated: boolean;
  readonly runs: number;
  /** The number of these statements that were answered without their text. */
  readonly kept: number;
}

/** Runs a request. */
export async function ask(service: CountedService, request: RunRequest): Promise<Asked> {
  const before = { runs: service.runs(), kept: service.kept() };
  const { result } = await service.run(request);
  const { body, format, rowCount, truncated } = result;
  const text = Buffer.from(body).toString();
  const rows = format === 'json' ? JSON.parse(text) : [{ text }];
  if (format === 'json' && rows.length !== rowCount) throw new Error('the count is wrong');
  return {
    rows,
    truncated,
    runs: service.runs() - before.runs,
    kept: service.kept() - before.kept,
  };
}
