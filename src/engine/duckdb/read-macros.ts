import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../common/package-paths.js';

/**
 * The SQL of all macros: the files of `sql/bigquery`, one for each family of functions, in the order
 * of its `order.json`. DuckDB binds the body of a macro when it creates it, so a file comes after
 * those whose macros it uses.
 */
export function readMacros(folder = packagePath('sql/bigquery')): string {
  const order = JSON.parse(readFileSync(join(folder, 'order.json'), 'utf8')) as readonly string[];
  return order.map((name) => readFileSync(join(folder, `${name}.sql`), 'utf8')).join('\n');
}

/**
 * Finds the first macro that uses one that does not exist yet, because DuckDB's own message names
 * neither the macro nor the remedy.
 * @returns the problem, or undefined if each macro uses only earlier ones
 */
export function findOrderFault(text: string): string | undefined {
  const statements = text
    .replaceAll(/^\s*--.*$/gm, '')
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .split(/^\s*create macro bq\./m);
  const definitions = statements.slice(1).map((statement) => ({
    name: /^\w+/.exec(statement)?.[0] ?? '',
    uses: [...statement.matchAll(/\bbq\.(\w+)\(/g)].map(([, used = '']) => used),
  }));
  const names = definitions.map(({ name }) => name);
  for (const [index, { name, uses }] of definitions.entries()) {
    const missing = uses.find((used) => !names.slice(0, index).includes(used));
    if (missing === undefined) continue;
    return names.includes(missing)
      ? `The macro bq.${name} uses bq.${missing}, which is created later: move bq.${missing} up, or its file in sql/bigquery/order.json`
      : `The macro bq.${name} uses bq.${missing}, which no file of sql/bigquery defines`;
  }
  return undefined;
}
