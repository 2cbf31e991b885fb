import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

// The fuzzer's initial corpus: queries of the tests, both accepted and refused ones.

/** @typedef {{ readonly params: { readonly sql?: string, readonly lql?: string } }} Case */

/** Longer queries are slow to mutate. */
const maxCharacters = 3_000;

/**
 * Queries in SQL.
 * @param {string} root
 * @returns {string[]}
 */
export function sqlCorpus(root) {
  const suites = ['dialect.json', 'sandbox.json', 'own.json'];
  const cases = casesOf(root, suites).flatMap(({ params }) => params.sql ?? []);
  const attacks = readdirSync(join(root, 'test/compiler/sandbox/attacks')).flatMap((file) => {
    /** @type {{ sql?: string[] }[]} */
    const groups = readJson(join(root, 'test/compiler/sandbox/attacks', file));
    return groups.flatMap(({ sql = [] }) => sql);
  });
  return [...cases, ...attacks].filter((text) => text.length < maxCharacters);
}

/**
 * Queries that probe for other projects' records: they fail on those rows, or depend on statistics of
 * the whole table.
 * @param {string} root
 * @returns {string[]}
 */
export function probingCorpus(root) {
  const { expressions, places, sources } = readJson(join(root, 'test/compiler/wall/forms.json'));
  const forms = places.flatMap((/** @type {string} */ form, /** @type {number} */ row) =>
    expressions.map((/** @type {string} */ expression, /** @type {number} */ column) => {
      const large = column % 2 === 0 ? 'edge_logs' : 'function_logs';
      const table = row % 3 === 0 ? sources[column % sources.length] : large;
      return form.replaceAll('{e}', () => expression).replaceAll('{t}', table);
    }),
  );
  /** @type {{ sql: string[], values: string[] }[]} */
  const groups = readJson(join(root, 'test/program/non-interference/queries.json'));
  const queries = groups.flatMap(({ sql, values }) =>
    sql.flatMap((text) => values.map((value) => text.replaceAll('{v}', value))),
  );
  return [...forms, ...queries];
}

/**
 * Queries in LQL.
 * @param {string} root
 * @returns {string[]}
 */
export function lqlCorpus(root) {
  const cases = casesOf(root, ['lql.json', 'own-lql.json']);
  const { lql } = readJson(join(root, 'test/program/non-interference/requests.json'));
  return [...cases.flatMap(({ params }) => params.lql ?? []), ...lql];
}

/** @param {string} root @param {readonly string[]} suites @returns {readonly Case[]} */
function casesOf(root, suites) {
  return suites
    .map((suite) => join(root, 'test/acceptance/cases', suite))
    .flatMap((file) => readJson(file).cases);
}

/** @param {string} file */
function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
