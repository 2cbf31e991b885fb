import { readCommand } from '../../src/config/config.js';
import { openDuckDbEngine } from '../../src/engine/duckdb/duckdb.js';
import { createRunEndpoint, type RunEndpoint } from '../../src/service/run-endpoint.js';
import type { RunRequest } from '../../src/service/run-request.js';
import {
  type OpenedServices,
  openServices,
  type StartOptions,
  singleRun,
} from '../../src/service/start-up.js';

/** Services in this process that count the statements which their engine runs. */
export interface CountedService extends OpenedServices {
  readonly run: RunEndpoint;
  readonly runs: () => number;
}

/** Opens the services over a folder of logs. */
export async function openCounted(
  data: string,
  more: Partial<StartOptions> = {},
  flags: readonly string[] = [],
): Promise<CountedService> {
  const all = ['serve', '--data', data, '--no-disk-cache', '--threads', '1', ...flags];
  const command = readCommand(all, {});
  if (command.verb !== 'serve') throw new Error('not the verb');
  let runs = 0;
  const openEngine = async (options: Parameters<typeof openDuckDbEngine>[0]) => {
    const engine = await openDuckDbEngine(options);
    const run: typeof engine.run = (...args) => {
      runs += 1;
      return engine.run(...args);
    };
    return { ...engine, run };
  };
  const services = await openServices(command.settings, openEngine, { ...singleRun, ...more });
  return { ...services, run: createRunEndpoint(services), runs: () => runs };
}

/** An answer, and how many statements the engine ran for it. */
export interface Asked {
  /** The rows; in other formats than JSON, their text. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly truncated: boolean;
  readonly runs: number;
}

/** Runs a request. */
export async function ask(service: CountedService, request: RunRequest): Promise<Asked> {
  const before = service.runs();
  const { result } = await service.run(request);
  const { body, format, rowCount, truncated } = result;
  const text = Buffer.from(body).toString();
  const rows = format === 'json' ? JSON.parse(text) : [{ text }];
  if (format === 'json' && rows.length !== rowCount) throw new Error('the count is wrong');
  return { rows, truncated, runs: service.runs() - before };
}
