import { QueryFault } from '../../errors/query-fault.js';
import type { Cursor } from './cursor.js';
import type { Identifier, NameMatch } from './names.js';
import type { SetOperator } from './tree.js';

const operators = ['UNION', 'INTERSECT', 'EXCEPT'] as const;

const modes: readonly (readonly [readonly string[], NameMatch['mode']])[] = [
  [[], 'STRICT'],
  [['INNER'], 'INNER'],
  [['LEFT'], 'LEFT'],
  [['LEFT', 'OUTER'], 'LEFT'],
  [['FULL'], 'FULL'],
  [['FULL', 'OUTER'], 'FULL'],
  [['OUTER'], 'FULL'],
];

/**
 * Parses a set operator, such as `[mode] UNION ALL [BY NAME [ON (columns)]]`; returns undefined if none comes next.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#set_operators
 */
export function parseSetOperator(cursor: Cursor): SetOperator | undefined {
  const found = modes.find(([words]) => operators.some((word) => cursor.at(...words, word)));
  if (found === undefined) return undefined;
  const [words, mode] = found;
  cursor.accept(...words);
  const operator = cursor.acceptOne(...operators);
  if (operator === undefined) return undefined;
  if (operator !== 'UNION' && cursor.at('ALL')) {
    throw new QueryFault(`${operator} ALL is not supported`, cursor.next.at);
  }
  const distinct = !cursor.accept('ALL');
  if (distinct) cursor.expect('DISTINCT');
  const match = parseMatch(cursor, mode);
  return { operator, distinct, ...(match && { match }) };
}

function parseMatch(cursor: Cursor, mode: NameMatch['mode']): NameMatch | undefined {
  const { at } = cursor.next;
  if (cursor.accept('BY', 'NAME')) return { mode, ...parseColumns(cursor, 'ON') };
  const isStrict = cursor.accept('STRICT', 'CORRESPONDING');
  if (isStrict && mode !== 'STRICT') {
    throw new QueryFault(`STRICT cannot be used with ${mode}`, at);
  }
  if (isStrict || cursor.accept('CORRESPONDING')) {
    const own = mode === 'STRICT' && !isStrict ? 'INNER' : mode;
    return { mode: own, ...parseColumns(cursor, 'BY') };
  }
  if (mode === 'STRICT') return undefined;
  throw new QueryFault(`${mode} before a set operator requires BY NAME or CORRESPONDING`, at);
}

function parseColumns(cursor: Cursor, word: string): Pick<NameMatch, 'columns'> {
  return cursor.accept(word, '(') ? { columns: cursor.closed(() => cursor.names()) } : {};
}

/** Whether two operators may follow each other without brackets. */
export function isSameOperator(a: SetOperator, b: SetOperator): boolean {
  const isSameKind = a.operator === b.operator && a.distinct === b.distinct;
  return isSameKind && a.match?.mode === b.match?.mode && matchedColumns(a) === matchedColumns(b);
}

function matchedColumns({ match }: SetOperator): string | undefined {
  return match?.columns?.map((column: Identifier) => column.name.toLowerCase()).join('.');
}
