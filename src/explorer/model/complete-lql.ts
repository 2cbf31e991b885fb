import type { Suggestion, Suggestions } from './complete-sql.js';
import type { Table } from './endpoint.js';
import { keyOf, leafPaths } from './record-paths.js';

const words: readonly (readonly [string, string])[] = [
  ['f:', 'the source to read'],
  ['s:', 'a field to show'],
  ['t:last@1h', 'the last hour'],
  ['t:last@1d', 'the last day'],
  ['t:today', 'today, in UTC'],
  ['c:count(*)', 'a chart of the number of records'],
  ['c:group_by(t::minute)', 'a chart by minute'],
  ['c:group_by(t::hour)', 'a chart by hour'],
  ['m.level:warning..emergency', 'the levels from warning on'],
];

/** Suggests the sources after `f:`, otherwise the fields of the source and the keywords of LQL. */
export function completeLql(text: string, at: number, tables: readonly Table[]): Suggestions {
  const item = /\S*$/.exec(text.slice(0, at))?.[0] ?? '';
  const lead = /^-?(?:(?:f|from|s|select):)?/.exec(item)?.[0] ?? '';
  const from = at - item.length + lead.length;
  if (/^(?:f|from):/.test(lead)) {
    return { from, options: tables.map(({ name }) => ({ label: name, kind: 'table' })) };
  }
  const named = /(?:^|\s)(?:f|from):(\S+)/.exec(text)?.[1];
  const table = tables.find(({ name }) => name === named) ?? tables[0];
  const isSelect = lead.endsWith(':');
  const fields = table === undefined ? [] : fieldsOf(table, isSelect ? '' : ':');
  const others = lead === '' ? words.map(wordOption) : [];
  return { from, options: [...fields, ...others] };
}

function fieldsOf(table: Table, after: string): readonly Suggestion[] {
  return leafPaths(table.schema.fields).map((path) => ({
    label: keyOf(path).replace(/^metadata\./, 'm.'),
    kind: 'path',
    insert: `${keyOf(path).replace(/^metadata\./, 'm.')}${after}`,
    detail: path.at(-1)?.type ?? '',
  }));
}

function wordOption([label, detail]: readonly [string, string]): Suggestion {
  return { label, kind: 'keyword', detail };
}
