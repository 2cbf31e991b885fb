import { printStages } from '../compiler/explain.js';
import type { Settings } from '../config/settings.js';
import { admitSandbox } from '../endpoint/admit-sandbox.js';
import { bindStatement } from '../endpoint/bind-statement.js';
import { knownValues } from '../endpoint/known-values.js';
import { bindParameters } from '../endpoint/parameters.js';
import { printTimestamp } from '../endpoint/timestamp.js';
import { openDuckDbEngine } from '../engine/duckdb/duckdb.js';
import { openServices } from '../service/start-up.js';
import { makeTemporaryFolder } from '../service/temporary-folder.js';
import { exampleParameters } from './example.js';
import { readParameters, readSandbox } from './query.js';

/**
 * Every stage of the compiler for an endpoint or for a query over it, and the engine's plan; with `--stage`, one
 * of them. A plan needs values,
 * so required parameters that are not given get example values.
 * @throws SetupError, ServiceError
 */
export async function explain(settings: Settings, name: string): Promise<string> {
  const given = readParameters(settings.param ?? []);
  const { catalog, compiler, engine } = await openServices(
    {
      ...settings,
      // Without a data folder the sources are empty tables, which have a plan too.
      data: settings.data ?? makeTemporaryFolder(),
    },
    openDuckDbEngine,
  );
  try {
    const endpoint = catalog.find(name);
    const sandbox = readSandbox(settings);
    admitSandbox(endpoint, sandbox);
    const redact = settings.redactPii || endpoint.redactPii;
    const values = new Map([...exampleParameters(endpoint), ...given]);
    const bindings = bindParameters(endpoint.parameters, values);
    const known = knownValues(endpoint.parameters, bindings, compiler.projects);
    const options = { redact, known };
    const { stage } = settings;
    const stages = compiler.explain(endpoint, sandbox, options);
    if (stage !== undefined && stage !== 'plan') {
      return asLines(printStages(stages.filter((one) => one.name === stage)));
    }
    const statement = bindStatement(compiler.compile(endpoint, sandbox, options), bindings, {
      maxRows: endpoint.maxRows,
      now: settings.now ?? printTimestamp(Date.now()),
      redact,
    });
    const plan = asLines(await engine.explainPlan(statement));
    return stage === 'plan' ? plan : `${asLines(printStages(stages))}\n${plan}`;
  } finally {
    await engine.close();
  }
}

/** The text with one line break at its end. */
function asLines(text: string): string {
  return `${text.trimEnd()}\n`;
}
