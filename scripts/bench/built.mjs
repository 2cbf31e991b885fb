import { importBuilt } from '../built.mjs';

// Modules of the built program in build/, typed by their sources because the build emits no types.

/** @type {typeof import('../../src/config/config.js')} */
export const { readCommand } = await importBuilt('config/config.js');
/** @type {typeof import('../../src/start/start-up.js')} */
export const { openServices } = await importBuilt('start/start-up.js');
/** @type {typeof import('../../src/compiler/compile.js')} */
export const { createCompiler } = await importBuilt('compiler/compile.js');
/** @type {typeof import('../../src/compiler/functions/functions.js')} */
export const { findFunction, functionNames } = await importBuilt('compiler/functions/functions.js');
/** @type {typeof import('../../src/compiler/compile-sandbox.js')} */
export const { compileHere } = await importBuilt('compiler/compile-sandbox.js');
/** @type {typeof import('../../src/compiler/statement-memory.js')} */
export const { createStatementMemory } = await importBuilt('compiler/statement-memory.js');
/** @type {typeof import('../../src/engine/duckdb/duckdb.js')} */
export const { openDuckDbEngine } = await importBuilt('engine/duckdb/duckdb.js');
/** @type {typeof import('../../src/engine/pool/pool.js')} */
export const { createEnginePool } = await importBuilt('engine/pool/pool.js');
/** @type {typeof import('../../src/formats/encode.js')} */
export const { encodeRows } = await importBuilt('formats/encode.js');
/** @type {typeof import('../../src/engine/duckdb/lockdown.js')} */
export const { openDatabase } = await importBuilt('engine/duckdb/lockdown.js');
/** @type {typeof import('../../src/engine/duckdb/macro-file.js')} */
export const { readMacros } = await importBuilt('engine/duckdb/macro-file.js');
/** @type {typeof import('../../src/engine/verify/verify.js')} */
export const { openVerifier } = await importBuilt('engine/verify/verify.js');
/** @type {typeof import('../../src/endpoint/bind-statement.js')} */
export const { bindStatement } = await importBuilt('endpoint/bind-statement.js');
/** @type {typeof import('../../src/endpoint/known-values.js')} */
export const { knownValues } = await importBuilt('endpoint/known-values.js');

/** @type {typeof import('../../src/logs/files/files.js')} */
export const { findLogFiles } = await importBuilt('logs/files/files.js');
/** @type {typeof import('../../src/logs/load/load.js')} */
export const { load } = await importBuilt('logs/load/load.js');
/** @type {typeof import('../../src/logs/columns/declared-sources.js')} */
export const { parseSources, readSourceFiles, withShapes } = await importBuilt(
  'logs/columns/declared-sources.js',
);

/** @typedef {import('../../src/start/start-up.js').OpenedServices} OpenedServices */
/** @typedef {import('./queries.mjs').Query} Query */

/** The clock of every query: the generated logs end there. */
export const now = '2026-03-10T12:00:00.000000+00:00';

/** The settings of a data folder. @param {string} folder @param {string} memoryLimit */
export function folderSettings(folder, memoryLimit) {
  const flags = ['--data', folder, '--memory-limit', memoryLimit];
  const command = readCommand(['query', 'logs.all', ...flags], {});
  if (command.verb !== 'query') throw new Error('the command line was not read as the verb query');
  return command.settings;
}

/** Compiles a query into the statement that an engine runs. @param {OpenedServices} opened @param {Query} query @param {boolean} [redact] */
export function compileStatement({ catalog, compiler }, { endpoint, values, sql }, redact = false) {
  const stored = catalog.find(endpoint);
  const sandbox =
    sql === undefined ? undefined : { language: /** @type {const} */ ('sql'), text: sql };
  const known = knownValues(stored.parameters, values, compiler.projects);
  const compiled = compiler.compile(stored, sandbox, { redact, known });
  return bindStatement(compiled, values, { maxRows: stored.maxRows, now, redact });
}
