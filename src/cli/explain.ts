import { openBigQuery } from '../bigquery/bigquery.js';
import { printStages, stageNames } from '../compiler/explain.js';
import type { Settings } from '../config/settings.js';
import { admitSandbox } from '../endpoint/admit-sandbox.js';
import { bindStatement } from '../endpoint/bind-statement.js';
import { exampleParameters } from '../endpoint/example-parameters.js';
import type { Given } from '../endpoint/given.js';
import { knownValues } from '../endpoint/known-values.js';
import { bindParameters } from '../endpoint/parameters.js';
import { printTimestamp } from '../endpoint/timestamp.js';
import { openDuckDbEngine } from '../engine/duckdb/duckdb.js';
import type { ExplainingEngine } from '../engine/engine.js';
import { SetupError } from '../errors/errors.js';
import { type OpenedServices, openServices, singleRun } from '../start/start-up.js';
import { makeTemporaryFolder } from '../start/temporary-folder.js';
import { readParameters, readSandbox } from './query.js';

/**
 * Prints every stage of the compiler for an endpoint or for a query over it, and the engine's plan; with `--stage`,
 * only one of them. A plan needs values, so missing required parameters get example values.
 * @throws SetupError, ServiceError
 */
export async function explain(settings: Settings, name: string): Promise<string> {
  const { stage } = settings;
  checkStage(stage);
  const parameters = readParameters(settings.param ?? []);
  const { catalog, compiler, engine } = await openExplained(settings);
  try {
    const endpoint = catalog.find(name);
    const sandbox = readSandbox(settings);
    admitSandbox(endpoint, sandbox);
    const redact = settings.redactPii || endpoint.redactPii;
    const values = new Map<string, Given>([...exampleParameters(endpoint), ...parameters]);
    const bindings = bindParameters(endpoint.parameters, values);
    const known = knownValues(endpoint.parameters, bindings, compiler.projects);
    const options = { redact, known };
    const { query, stages } = compiler.explain(endpoint, sandbox, options);
    if (stage !== undefined && stage !== 'plan') {
      return endLine(printStages(stages.filter((one) => one.name === stage)));
    }
    const statement = bindStatement(query, bindings, {
      maxRows: endpoint.maxRows,
      now: settings.now ?? printTimestamp(Date.now()),
      redact,
    });
    const plan = endLine(await engine.explainPlan(statement));
    return stage === 'plan' ? plan : `${endLine(printStages(stages))}\n${plan}`;
  } finally {
    await engine.close();
  }
}

/** Opens the services that explain a statement. */
async function openExplained(settings: Settings): Promise<OpenedServices<ExplainingEngine>> {
  const bigQuery = await openBigQuery(settings);
  if (bigQuery !== undefined) {
    return openServices(settings, bigQuery.pool.open, { ...singleRun, ...bigQuery });
  }
  // Without a data folder, the sources are empty tables, which also have a plan.
  const none = settings.paths ? {} : { data: settings.data ?? makeTemporaryFolder() };
  return openServices({ ...settings, ...none }, openDuckDbEngine);
}

const stageChoices: readonly string[] = [...stageNames, 'plan'];

/** @throws SetupError for a name that is not a stage */
function checkStage(stage: string | undefined): void {
  if (stage === undefined || stageChoices.includes(stage)) return;
  throw new SetupError([`--stage must be one of ${stageChoices.join(', ')}`]);
}

/** Ends the text with exactly one line break. */
function endLine(text: string): string {
  return `${text.trimEnd()}\n`;
}
