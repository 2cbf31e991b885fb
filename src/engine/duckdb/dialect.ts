import type { Dialect } from '../engine.js';

/** DuckDB in this process or in another. */
export const duckDbDialect: Dialect = {
  matchPattern: {
    sql: `select encode(cast(regexp_matches('', cast($p_pattern as varchar)) as varchar))`,
  },
  isRemote: false,
};
