import type { Suggestion, Suggestions, Vocabulary } from './complete-sql.js';
import type { ListedTable } from './endpoint.js';
import { readLql } from './matches.js';
import { leafField, leafPaths, pathKey } from './record-paths.js';

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

/** Suggests the sources after `f:`, and elsewhere the fields of the source and the words of LQL. */
export function completeLql(text: string, at: number, { tables }: Vocabulary): Suggestions {
  const item = /\S*$/.exec(text.slice(0, at))?.[0] ?? '';
  const lead = /^-?(?:(?:f|from|s|select):)?/.exec(item)?.[0] ?? '';
  const from = at - item.length + lead.length;
  if (/^(?:f|from):/.test(lead)) {
    return { from, options: tables.map(({ name }) => ({ label: name, kind: 'table' })) };
  }
  const after = lead.endsWith(':') ? '' : ':';
  const paths = leafPaths(tableOfLql(text, tables)?.schema.fields ?? []);
  const fields = paths.map((path): Suggestion => {
    const label = pathKey(path).replace(/^metadata\./, 'm.');
    return { label, kind: 'path', insert: `${label}${after}`, detail: leafField(path).type };
  });
  const others = words.map(([label, detail]): Suggestion => ({ label, kind: 'keyword', detail }));
  return { from, options: lead === '' ? [...fields, ...others] : fields };
}

/** The table that an LQL query reads, even if the query is incomplete. */
export function tableOfLql(text: string, tables: readonly ListedTable[]): ListedTable | undefined {
  const lql = readLql(text);
  const named = lql ? lql.from?.text : /(?:^|\s)(?:f|from):(\S+)/.exec(text)?.[1];
  return tables.find(({ name }) => name === named) ?? tables[0];
}
