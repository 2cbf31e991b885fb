import type { FieldSchema } from '../../types/table-schema.js';
import type { ListedEndpoint } from './endpoint.js';
import { addCondition } from './filter-sql.js';
import { isMade, type Level, levelCondition, levelRoles, type Roles } from './levels.js';
import { lqlAsSql, pageMatches } from './matches.js';
import type { PageState } from './page-state.js';
import { leafField, pathKey } from './record-paths.js';
import { outline } from './sql-outline.js';

const lqlLevels = {
  error: 'error..emergency',
  warn: 'warning..warning',
  info: 'info..notice',
  debug: 'debug..debug',
};
const lqlStatuses = { error: '500..599', warn: '400..499', info: '100..399', debug: undefined };

/**
 * Adds a filter to a page's query, so that only the records of a level remain, or all others. LQL that cannot express
 * it becomes SQL. Undefined if the query has no records with a level.
 */
export function filterLevel(
  page: PageState,
  endpoint: ListedEndpoint,
  level: Level,
  isOut: boolean,
): Partial<PageState> | undefined {
  const fields = pageMatches(page, endpoint)?.table.schema.fields ?? [];
  const roles = levelRoles(fields);
  if (roles === undefined) return undefined;
  const lql = page.language === 'lql' ? page.lql : '';
  const filter = page.language === 'sql' ? undefined : lqlFilter(roles, level, fields);
  if (filter !== undefined) {
    return { language: 'lql', lql: `${lql.trimEnd()} ${isOut ? '-' : ''}${filter}`.trimStart() };
  }
  const sql = page.language === 'sql' ? page.sql : lqlAsSql(lql, endpoint);
  const isLevel = levelCondition(roles, level, outline(sql ?? '')?.sources[0]?.alias ?? '');
  const text = sql && addCondition(sql, isOut ? `(${isLevel}) is not true` : isLevel);
  return text === undefined ? undefined : { language: 'sql', sql: text };
}

/**
 * Returns LQL for a level, if that means the same as {@link levelCondition}. LQL has ranges of numbers and of the names
 * of levels. It cannot say: this level, or without a level this status.
 */
function lqlFilter(
  roles: Roles,
  wanted: Level,
  fields: readonly FieldSchema[],
): string | undefined {
  const { level, status } = roles;
  if (level && status) return undefined;
  const path = level ?? status ?? [];
  const key = pathKey(path).replace(/^metadata\./, 'm.');
  const { type } = leafField(path);
  const isRange = level ? isMade(roles, fields) : type === 'INT64';
  const range = (level ? lqlLevels : lqlStatuses)[wanted];
  const isWord = /^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(key);
  return isRange && isWord && range ? `${key}:${range}` : undefined;
}
