import type { ListedEndpoint } from './endpoint.js';
import { addCondition } from './filter-sql.js';
import { findRoles, type Level, levelExpression, type Roles } from './levels.js';
import { lqlAsSql, matchesOf } from './matches.js';
import type { PageState } from './page-state.js';
import { leafOf, pathKey } from './record-paths.js';

const lqlLevels = {
  ...{ error: 'error..emergency', warn: 'warning..warning', info: 'info..notice' },
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
  const fields = matchesOf(page, endpoint)?.table.schema.fields;
  const roles = fields && findRoles(fields);
  if (roles === undefined) return undefined;
  const lql = page.language === 'lql' ? page.lql : '';
  const filter = page.language === 'sql' ? undefined : lqlFilter(roles, level);
  if (filter !== undefined) {
    return { language: 'lql', lql: `${lql.trimEnd()} ${isOut ? '-' : ''}${filter}`.trimStart() };
  }
  const sql = page.language === 'sql' ? page.sql : lqlAsSql(lql, endpoint);
  const isLevel = `${levelExpression(roles)} = '${level}'`;
  const text = sql && addCondition(sql, isOut ? `(${isLevel}) is not true` : isLevel);
  return text === undefined ? undefined : { language: 'sql', sql: text };
}

/** LQL has ranges of levels and of numbers, but no filter on either a level or a status. */
function lqlFilter({ level, status }: Roles, wanted: Level): string | undefined {
  if (level && status) return undefined;
  const path = level ?? status ?? [];
  const key = pathKey(path).replace(/^metadata\./, 'm.');
  const { type } = leafOf(path);
  const isRange = level ? /^(?:m\.)?level$/.test(key) && type === 'STRING' : type === 'INT64';
  const range = (level ? lqlLevels : lqlStatuses)[wanted];
  const isWord = /^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(key);
  return isRange && isWord && range ? `${key}:${range}` : undefined;
}
