// The built program's own modules. The types are those of the sources: what is built has none.

/** @type {typeof import('../../src/config.js')} */
export const { readCommand } = await built('config.js');
/** @type {typeof import('../../src/cli/open-services.js')} */
export const { openServices } = await built('cli/open-services.js');
/** @type {typeof import('../../src/query/compile.js')} */
export const { createCompiler } = await built('query/compile.js');
/** @type {typeof import('../../src/engine/duckdb-engine.js')} */
export const { openDuckDbEngine } = await built('engine/duckdb-engine.js');
/** @type {typeof import('../../src/engine/lockdown.js')} */
export const { openDatabase } = await built('engine/lockdown.js');
/** @type {typeof import('../../src/engine/second-look.js')} */
export const { createSecondLook } = await built('engine/second-look.js');
/** @type {typeof import('../../src/endpoint/bind-statement.js')} */
export const { bindStatement } = await built('endpoint/bind-statement.js');

/** @type {{ readonly openEnginePool?: OpenPool, readonly createEnginePool?: (options: object) => { readonly open: OpenPool } }} */
const pools = await built('engine/engine-pool.js');

/** @typedef {(options: object) => Promise<import('../../src/engine/engine.js').Engine>} OpenPool */
/** @typedef {import('../../src/cli/open-services.js').Opened} Opened */
/** @typedef {import('./queries.mjs').Asked} Asked */

/** The clock of every question: the generated logs end at it. */
export const now = '2026-03-10T12:00:00.000000+00:00';

/** @param {string} module */
function built(module) {
  return import(new URL(`../../dist/${module}`, import.meta.url).href);
}

/** The settings of a data folder. @param {string} folder @param {string} memoryLimit */
export function settingsOf(folder, memoryLimit) {
  const flags = ['--data', folder, '--memory-limit', memoryLimit];
  const command = readCommand(['query', 'logs.all', ...flags], {});
  if (command.verb !== 'query') throw new Error('not the verb');
  return command.settings;
}

/** An engine whose statements run in processes of their own. @param {object} options @returns {ReturnType<OpenPool>} */
export function openPool(options) {
  if (pools.openEnginePool !== undefined) return pools.openEnginePool(options);
  if (pools.createEnginePool === undefined) throw new Error('there is no pool of engines');
  return pools.createEnginePool({ ...options, callers: 1 }).open(options);
}

/** The database files that hold the edge logs: one, or one for each part. @param {Opened} opened @returns {readonly string[]} */
export function databaseFiles({ logs }) {
  const source = logs.sources.find(({ name }) => name === 'edge_logs');
  /** @type {{ readonly parts?: readonly { readonly file: string }[] }} */
  const { parts = [] } = Object(source);
  return parts.length === 0 ? [logs.databaseFile] : parts.map(({ file }) => file);
}

/** A question as the engine gets it. @param {Opened} opened @param {Asked} asked @param {boolean} [redact] */
export function statementOf({ catalog, compiler }, { endpoint, values, sql }, redact = false) {
  const stored = catalog.find(endpoint);
  const sandbox =
    sql === undefined ? undefined : { language: /** @type {const} */ ('sql'), text: sql };
  const query = compiler.compile(stored, sandbox, { redact });
  return bindStatement(query, values, { maxRows: stored.maxRows, now, redact });
}
