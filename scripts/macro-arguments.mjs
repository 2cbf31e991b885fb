// Generates two files of src/compiler/duckdb-sql: passes/macro-arguments.ts, how the macros in sql/bigquery use
// their arguments, and failing-macros.ts, which of them fail on some values, both according to DuckDB's parse of
// each body; and the twins of the latter, sql/bigquery/twins.sql. `npm run build` runs this before tsc.

import { readFileSync, writeFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { macroNames, makeTwins, splitStatements } from './macro-twins.mjs';

/**
 * A node of DuckDB's parse tree from `json_serialize_sql`; only the keys read here are listed.
 * @typedef {object} Node
 * @property {string} [class]
 * @property {string} [type]
 * @property {readonly string[]} [column_names]
 * @property {string} [function_name]
 * @property {string} [schema]
 * @property {string} [catalog]
 * @property {readonly Node[]} [children]
 * @property {Node} [lhs] the parameters of a lambda
 * @property {Node} [expr] the body of a lambda
 */

/**
 * The surroundings of a node in the body of a macro.
 * @typedef {object} Context
 * @property {ReadonlySet<string>} visible the macro's parameters that no lambda shadows
 * @property {boolean} inLambda
 * @property {boolean} inStruct
 * @property {readonly { readonly name: string, readonly index: number }[]} calls the enclosing macro calls, with the index of the argument that contains the node
 */

/** A use of a parameter. @typedef {Context & { readonly parameter: string }} Use */

/**
 * One macro; overloads are separate macros with the same name, and so is its twin to macroArguments.
 * @typedef {object} Macro
 * @property {string} name
 * @property {readonly string[]} parameters
 * @property {Node} body
 */

/** DuckDB's built-in functions that are macros and repeat their arguments. */
const engineMacros = new Set(['array_to_string', 'nullif', 'split_part']);

const root = new URL('..', import.meta.url);

/** The path of src/values from a folder below src/compiler/duckdb-sql. @param {string} folder */
function values(folder) {
  const levels = `src/compiler/duckdb-sql/${folder}`.split('/').length - 2;
  return `${'../'.repeat(levels)}values/`;
}
const folder = new URL('sql/bigquery/', root);

/** The text of the first file. @param {readonly Macro[]} macros @returns {string} */
function macroArguments(macros) {
  const names = [...new Set(macros.map(({ name }) => macroBaseName(name)))].sort();
  const uses = new Map(names.map((name) => [name, usesByArgument(macros, name)]));
  /** @type {(name: string, index: number) => boolean} */
  const isUsedOnce = (name, index) =>
    !engineMacros.has(name) &&
    (uses.get(name)?.[index] ?? []).every(
      (overload) =>
        overload.length <= 1 &&
        overload.every(
          ({ inLambda, calls }) =>
            !inLambda && others(calls, name).every((call) => isUsedOnce(call.name, call.index)),
        ),
    );
  /** @type {(name: string, index: number) => boolean} */
  const isInLambda = (name, index) =>
    (uses.get(name)?.[index] ?? [])
      .flat()
      .some(
        ({ inLambda, inStruct, calls }) =>
          inLambda ||
          inStruct ||
          others(calls, name).some((call) => isInLambda(call.name, call.index)),
      );
  /** @type {(name: string) => readonly number[]} */
  const usedIndexes = (name) => [...(uses.get(name) ?? []).keys()];
  return print({
    once: names.filter(
      (name) => usedIndexes(name).length > 0 && usedIndexes(name).every((i) => isUsedOnce(name, i)),
    ),
    subselects: names.filter((name) =>
      macros.some((macro) => macroBaseName(macro.name) === name && holdsQuery(macro.body)),
    ),
    inLambdas: names.flatMap((name) => {
      const indexes = usedIndexes(name).filter((i) => isInLambda(name, i));
      return indexes.length === 0 ? [] : [`${name}.${indexes.join('')}`];
    }),
  });
}

/**
 * The macros that can call `bq.fail_…`, themselves or through another, and those with a twin of their own.
 * @param {readonly Macro[]} macros @param {ReadonlySet<string>} names @returns {ReadonlySet<string>}
 */
function findFailing(macros, names) {
  const failing = new Set([...names].filter((name) => names.has(`safe_${name}`)));
  for (let before = -1; before < failing.size; ) {
    before = failing.size;
    for (const { name, body } of macros) {
      if (!callsIn(body).some((called) => failing.has(called))) continue;
      if (name.startsWith('safe_')) throw new Error(`The macro bq.${name} can fail`);
      failing.add(name);
    }
  }
  return failing;
}

/** The text of the other file. @param {ReadonlySet<string>} failing @returns {string} */
function failingMacros(failing) {
  return `// Generated from sql/bigquery by scripts/macro-arguments.mjs. Do not edit.

import { words } from '${values('')}words.js';

/** The macros that fail on some values. */
export const failingMacros: ReadonlySet<string> = ${printNameSet([...failing].sort())};
`;
}

/** The macros that a body calls. @param {Node} node @returns {readonly string[]} */
function callsIn(node) {
  const { function_name: name, schema, catalog } = node;
  const own = name !== undefined && (schema === 'bq' || catalog === 'bq') ? [name] : [];
  return [...own, ...childNodes(node).flatMap(callsIn)];
}

/** The text of all macros, in their order, without the twins. */
function readText() {
  const names = JSON.parse(readFileSync(new URL('order.json', folder), 'utf8'));
  const files = names.filter((/** @type {string} */ name) => name !== 'twins');
  return files
    .map((/** @type {string} */ name) => readFileSync(new URL(`${name}.sql`, folder), 'utf8'))
    .join('\n');
}

/** Parses the macros without creating them. @param {string} text @returns {Promise<readonly Macro[]>} */
async function parseMacros(text) {
  const statements = splitStatements(text).map((statement) =>
    statement.slice('create macro bq.'.length),
  );
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const overloads = statements.flatMap(readOverloads);
  const bodies = overloads.map(({ body }) => `select ${body}`);
  const sql = `select json_serialize_sql(body) from (select unnest(from_json($1, '["varchar"]')) as body)`;
  const reader = await connection.runAndReadAll(sql, [JSON.stringify(bodies)]);
  const trees = reader.getRows().map(([text]) => JSON.parse(String(text)));
  instance.closeSync();
  return overloads.map(({ name, parameters }, index) => {
    const tree = trees[index];
    if (tree.error) throw new Error(`The macro bq.${name} is not valid SQL: ${tree.error_message}`);
    return { name, parameters, body: tree };
  });
}

/** The overloads of `name(a, b) as body, (a) as body;`. @param {string} statement */
function readOverloads(statement) {
  const [name = ''] = /^\w+/.exec(statement) ?? [];
  const overloads = statement.slice(name.length).split(/,\s*(?=\([\w, ]*\) as\s)/);
  return overloads.map((overload) => {
    const [, list = '', body = ''] = /^\(([\w, ]*)\) as\s([\s\S]*?);?\s*$/.exec(overload) ?? [];
    const parameters = list.split(',').flatMap((parameter) => parameter.match(/\w+/)?.[0] ?? []);
    return { name, parameters, body };
  });
}

/** The calls of other macros: a macro may call its own twin. @param {Context['calls']} calls @param {string} name */
function others(calls, name) {
  return calls.filter((call) => call.name !== name);
}

/** A twin uses its arguments as its macro does. @param {string} name */
function macroBaseName(name) {
  return name.replace(/^safe_/, '');
}

/**
 * The uses of each argument of a macro, a list for each overload.
 * @param {readonly Macro[]} macros @param {string} name @returns {readonly Use[][][]}
 */
function usesByArgument(macros, name) {
  const overloads = macros.filter((macro) => macroBaseName(macro.name) === name);
  const count = Math.max(...overloads.map(({ parameters }) => parameters.length));
  return Array.from({ length: count }, (_, index) =>
    overloads.map(({ parameters, body }) => {
      const visible = new Set(parameters);
      const uses = usesIn(body, { visible, inLambda: false, inStruct: false, calls: [] });
      return uses.filter(({ parameter }) => parameter === parameters[index]);
    }),
  );
}

/** @param {Node} node @param {Context} context @returns {readonly Use[]} */
function usesIn(node, context) {
  const parts = childNodes(node);
  if (node.class === 'COLUMN_REF') {
    const [parameter = ''] = node.column_names ?? [];
    return context.visible.has(parameter) ? [{ ...context, parameter }] : [];
  }
  if (node.class === 'LAMBDA' && node.lhs && node.expr) {
    const hidden = columnsIn(node.lhs);
    const visible = new Set([...context.visible].filter((name) => !hidden.includes(name)));
    return usesIn(node.expr, { ...context, visible, inLambda: true });
  }
  if (node.class !== 'FUNCTION') return parts.flatMap((part) => usesIn(part, context));
  const { children = [], ...clauses } = node;
  return [
    ...children.flatMap((child, index) => usesIn(child, argumentContext(node, index, context))),
    ...childNodes(clauses).flatMap((part) => usesIn(part, context)),
  ];
}

/** @param {Node} node @param {number} index @param {Context} context @returns {Context} */
function argumentContext({ function_name: name = '', schema, catalog }, index, context) {
  if (name === 'struct_pack') return { ...context, inStruct: true };
  const isMacro = schema === 'bq' || catalog === 'bq' || engineMacros.has(name);
  return isMacro
    ? { ...context, calls: [...context.calls, { name: macroBaseName(name), index }] }
    : context;
}

/** @param {Node} node @returns {readonly Node[]} */
function childNodes(node) {
  /** @type {readonly unknown[]} */
  const values = Object.values(node);
  return values.filter((value) => typeof value === 'object' && value !== null);
}

/** @param {Node} node @returns {readonly string[]} */
function columnsIn(node) {
  return node.column_names ?? childNodes(node).flatMap(columnsIn);
}

/** @param {Node} node @returns {boolean} */
function holdsQuery(node) {
  return node.class === 'SUBQUERY' || childNodes(node).some(holdsQuery);
}

/**
 * @param {object} facts
 * @param {readonly string[]} facts.once
 * @param {readonly string[]} facts.subselects
 * @param {readonly string[]} facts.inLambdas
 */
function print({ once, subselects, inLambdas }) {
  return `// Generated from sql/bigquery by scripts/macro-arguments.mjs. Do not edit.

import { words } from '${values('passes/')}words.js';

/** DuckDB's built-in functions that are macros and repeat their arguments. */
export const engineMacros: ReadonlySet<string> = ${printNameSet([...engineMacros])};

/** The macros that use each argument at most once, and never in a lambda; here and below, so do their twins. */
export const macrosUsingArgumentsOnce: ReadonlySet<string> = ${printNameSet(once)};

/** The macros with a sub-select, which DuckDB does not allow in a lambda. */
export const macrosWithSubselects: ReadonlySet<string> = ${printNameSet(subselects)};

/** The macros that use arguments in a lambda or a struct, themselves or through another macro, with the indexes of the arguments. */
export const argumentsInLambdas: ReadonlySet<string> = ${printNameSet(inLambdas)};
`;
}

/** The code of a set of names. @param {readonly string[]} names */
function printNameSet(names) {
  const text = `'${names.join(' ')}'`;
  return text.length > 40 ? `words(\n  ${text},\n)` : `words(${text})`;
}

const text = readText();
const macros = await parseMacros(text);
const failing = findFailing(macros, macroNames(text));
const output = new URL('src/compiler/duckdb-sql/', root);
writeFileSync(new URL('passes/macro-arguments.ts', output), macroArguments(macros));
writeFileSync(new URL('failing-macros.ts', output), failingMacros(failing));
writeFileSync(new URL('twins.sql', folder), makeTwins(text, failing));
