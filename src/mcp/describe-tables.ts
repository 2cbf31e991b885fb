import type { CallToolResult } from '@modelcontextprotocol/server';
import { ServiceError, shortName } from '../errors/errors.js';
import { didYouMean } from '../errors/suggest.js';
import type { EndpointDescription } from '../run/describe-endpoints.js';
import type { Arguments } from './arguments.js';
import { firstFitting } from './results.js';
import type { AnswerLimits } from './session.js';
import { exampleQuery, type ToolTable, toolTables, typedColumns } from './tables.js';
import { markUntrusted, notice } from './untrusted.js';

/**
 * Describes the tables of an endpoint with their columns, and an example query for each, as many as fit.
 * @throws ServiceError `notFound` for an endpoint or a table that does not exist
 */
export function describeTables(
  usual: EndpointDescription,
  endpoints: readonly EndpointDescription[],
  { given, limits }: { readonly given: Arguments; readonly limits: AnswerLimits },
): CallToolResult {
  const endpoint = given['endpoint']
    ? find('endpoint', String(given['endpoint']), endpoints)
    : usual;
  const tables = choose(toolTables(endpoint), [given['tables'] ?? []].flat().map(String));
  const described = tables.map(describe);
  const shown = firstFitting(described, print, limits.maxBytes);
  const left = tables.slice(shown.length).map(({ name }) => name);
  const remark = remarkOn(shown.length, left);
  return {
    content: [{ type: 'text', text: `${markUntrusted(shown.map(print).join('\n\n'))}\n${remark}` }],
    structuredContent: { notice, endpoint: endpoint.name, tables: shown, remark },
  };
}

/** The tables of these names, each once; without names, all. */
function choose(tables: readonly ToolTable[], names: readonly string[]): readonly ToolTable[] {
  if (names.length === 0) return tables;
  const named = tables.flatMap((table) =>
    [table.name, ...table.aliases].map((name) => ({ name, table })),
  );
  return [...new Set(names.map((name) => find('table', name, named).table))];
}

function find<T extends { readonly name: string }>(
  kind: string,
  name: string,
  candidates: readonly T[],
): T {
  const found = candidates.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (found !== undefined) return found;
  const names = candidates.map((one) => one.name);
  const hint = didYouMean(name, names) || `; there are ${names.join(', ')}`;
  throw new ServiceError('notFound', `No such ${kind}: ${shortName(name)}${hint}`);
}

function describe(table: ToolTable) {
  const { name, aliases, schema } = table;
  const example = exampleQuery(table);
  const columns = typedColumns(schema);
  return { name, aliases, columns, ...(example === undefined ? {} : { example }) };
}

function print({ name, aliases, columns, example = '' }: ReturnType<typeof describe>): string {
  const lines = columns.map((column) => `  ${column.name} ${column.type}`);
  const others = aliases.length === 0 ? '' : ` (also called ${aliases.join(', ')})`;
  return [`table ${name}${others}`, ...lines, `example:\n${example}`].join('\n');
}

function remarkOn(shown: number, left: readonly string[]): string {
  const count = `${shown} ${shown === 1 ? 'table' : 'tables'}`;
  if (left.length === 0) return `${count}, all of them.`;
  return `Cut after ${count}. Ask for the others with the argument tables: ${left.join(', ')}.`;
}
