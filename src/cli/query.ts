import { openBigQuery } from '../bigquery/bigquery.js';
import type { Settings } from '../config/settings.js';
import { type Given, gatherValues, givenTexts } from '../endpoint/given.js';
import { unbound } from '../endpoint/scope.js';
import { printTimestamp } from '../endpoint/timestamp.js';
import { openDuckDbEngine } from '../engine/duckdb/duckdb.js';
import type { Engine } from '../engine/engine.js';
import { ServiceError, SetupError } from '../errors/errors.js';
import { formatNames } from '../formats/formats.js';
import { createRunEndpoint } from '../run/run-endpoint.js';
import type { RunRequest } from '../run/run-request.js';
import { inputLines } from '../start/input-lines.js';
import { openServices, type StartOptions, singleRun } from '../start/start-up.js';
import { withOnlyProject } from './only-project.js';
import { printTable } from './print-table.js';

/**
 * Runs an endpoint once and returns its rows in the format of the settings. If there are none, calls `onWarning` with
 * a likely reason. If the engine finds the stored logs damaged, reloads them first.
 * @throws SetupError, ServiceError
 */
export async function query(
  settings: Settings,
  endpoint: string,
  options: Partial<StartOptions> = {},
): Promise<Uint8Array | string> {
  const { format } = settings;
  const given = readParameters(settings.param ?? []);
  const bigQuery = await openBigQuery(settings);
  const services = await openServices<Engine>(settings, bigQuery?.pool.open ?? openDuckDbEngine, {
    ...singleRun,
    ...options,
    ...bigQuery,
  });
  for (const { line } of inputLines(services.logs)) options.onWarning?.(line);
  try {
    const runEndpoint = createRunEndpoint(services);
    const asked = { endpoint, parameters: given };
    const parameters = await withOnlyProject(services, asked, options.onWarning);
    const sandbox = readSandbox(settings);
    const request: RunRequest = {
      endpoint,
      parameters,
      ...(sandbox === undefined ? {} : { sandbox }),
      clock: { now: settings.now ?? printTimestamp(Date.now()), fixed: true },
      redact: settings.redactPii,
      // A table is printed from JSON.
      format: { named: '', accepted: formatNames.find((each) => each === format) ?? 'json' },
      signal: new AbortController().signal,
      caller: '',
      scope: unbound,
    };
    const { result, note, columns } = await runEndpoint(request).catch(async (error: unknown) => {
      if (error instanceof ServiceError || !(await services.repair())) throw error;
      return runEndpoint(request);
    });
    if (note !== undefined) options.onWarning?.(result.rowCount > 0 ? note : `no rows: ${note}`);
    const body = Buffer.from(result.body);
    if (format === 'table') return printTable(body.toString(), columns);
    // JSON has the same envelope as in responses, on one line.
    return format === 'json' ? `{"result":${body}}\n` : result.body;
  } finally {
    await services.serving.close();
  }
}

/** Returns the query in `--sql`, otherwise in `--lql`. */
export function readSandbox({ sql, lql }: Settings): RunRequest['sandbox'] {
  if (sql !== undefined) return { language: 'sql', text: sql };
  return lql === undefined ? undefined : { language: 'lql', text: lql };
}

/** Parses `name=value` strings. @throws SetupError */
export function readParameters(texts: readonly string[]): ReadonlyMap<string, Given> {
  const given = new Map<string, Given>();
  for (const text of texts) {
    const end = text.indexOf('=');
    if (end < 1) throw new SetupError([`--param must be name=value: ${text}`]);
    const name = text.slice(0, end);
    given.set(name, gatherValues([...givenTexts(given.get(name) ?? ''), text.slice(end + 1)]));
  }
  return given;
}
