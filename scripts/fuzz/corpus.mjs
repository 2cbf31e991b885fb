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
  const cases = suiteCases(root, suites).flatMap(({ params }) => params.sql ?? []);
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

/** Wrappers that compute an expression beside conditions, in lambdas and in aggregates. */
const around = [
  '{e}',
  "coalesce(case when s < 'x' then null end, {e})",
  'if(s is null, null, {e})',
  'nullif({e}, {e})',
  'array(select {e} from unnest([s, s]) as s)',
  'max(cast({e} as string))',
];

/**
 * Queries over columns whose values are good, bad, good and NULL in turn, in 3, 9 and 5,000 rows: failing rows in the
 * middle of a vector have crashed the engine.
 * @param {string} root
 */
export function mixedCorpus(root) {
  /** @type {{ types: Readonly<Record<string, readonly string[]>> }} */
  const { types } = readJson(join(root, 'test/compiler/vectors/values.json'));
  const { STRING: texts = [], ...others } = types;
  const casts = Object.keys(others).map((type) => `safe_cast(s as ${type})`);
  const calls = [
    ...["safe.parse_date('%F', s)", "safe.parse_timestamp('%F %T', s)", 'safe.parse_json(s)'],
    ...['safe.from_hex(s)', 'safe.parse_numeric(s)', 'safe.substr(s, 1, length(s) - 3)'],
    ...["safe.regexp_extract('abc', s)", 'safe.timestamp(s)', 'safe.chr(length(s) - 2)'],
  ];
  return [...casts, ...calls].flatMap((expression, index) =>
    around.map((form, place) => {
      const turn = [0, 7].map((step) => texts[(index + 3 * place + step) % texts.length]);
      const rows = mixedRows(turn, [3, 9, 5_000][(index + place) % 3] ?? 3);
      return `select ${form.replaceAll('{e}', () => expression)} as v from ${rows}`;
    }),
  );
}

/** @param {readonly (string | undefined)[]} texts @param {number} count */
function mixedRows([good, bad], count) {
  const values = [good, bad, good, 'cast(null as string)'];
  if (count < 10) {
    const list = Array.from({ length: count }, (_, row) => values[row % values.length]);
    return `unnest([${list.join(', ')}]) as s`;
  }
  const turns = `case mod(i, 4) when 1 then ${bad} when 3 then null else ${good} end`;
  return `(select ${turns} as s from unnest(generate_array(1, ${count})) as i)`;
}

/**
 * Queries in LQL.
 * @param {string} root
 * @returns {string[]}
 */
export function lqlCorpus(root) {
  const cases = suiteCases(root, ['lql.json', 'own-lql.json']);
  const { lql } = readJson(join(root, 'test/program/non-interference/requests.json'));
  return [...cases.flatMap(({ params }) => params.lql ?? []), ...lql];
}

/** @param {string} root @param {readonly string[]} suites @returns {readonly Case[]} */
function suiteCases(root, suites) {
  return suites
    .map((suite) => join(root, 'test/acceptance/cases', suite))
    .flatMap((file) => readJson(file).cases);
}

/** @param {string} file */
function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
