// The built program's own modules. The types are those of the sources: what is built has none.

/** @type {typeof import('../../src/config/config.js')} */
export const { readCommand } = await built('config/config.js');
/** @type {typeof import('../../src/service/start-up.js')} */
export const { openServices } = await built('service/start-up.js');
/** @type {typeof import('../../src/compiler/compile.js')} */
export const { createCompiler } = await built('compiler/compile.js');
/** @type {typeof import('../../src/engine/duckdb/duckdb.js')} */
export const { openDuckDbEngine } = await built('engine/duckdb/duckdb.js');
/** @type {typeof import('../../src/engine/pool/pool.js')} */
export const { createEnginePool } = await built('engine/pool/pool.js');
/** @type {typeof import('../../src/engine/duckdb/json-values.js')} */
export const { joinRows } = await built('engine/duckdb/json-values.js');
/** @type {typeof import('../../src/engine/duckdb/lockdown.js')} */
export const { openDatabase } = await built('engine/duckdb/lockdown.js');
/** @type {typeof import('../../src/engine/duckdb/read-macros.js')} */
export const { readMacros } = await built('engine/duckdb/read-macros.js');
/** @type {typeof import('../../src/engine/verify/verify.js')} */
export const { createVerify } = await built('engine/verify/verify.js');
/** @type {typeof import('../../src/endpoint/bind-statement.js')} */
export const { bindStatement } = await built('endpoint/bind-statement.js');

/** @type {typeof import('../../src/endpoint/known-values.js')} */
export const { knownValues } = await built('endpoint/known-values.js');

/** @typedef {import('../../src/service/start-up.js').OpenedServices} OpenedServices */
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

/** A question as the engine gets it. @param {OpenedServices} opened @param {Asked} asked @param {boolean} [redact] */
export function statementOf({ catalog, compiler }, { endpoint, values, sql }, redact = false) {
  const stored = catalog.find(endpoint);
  const sandbox =
    sql === undefined ? undefined : { language: /** @type {const} */ ('sql'), text: sql };
  const known = knownValues(stored.parameters, values, compiler.projects);
  const query = compiler.compile(stored, sandbox, { redact, known });
  return bindStatement(query, values, { maxRows: stored.maxRows, now, redact });
}
