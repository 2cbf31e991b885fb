import type { Dialect } from '../engine.js';

/** The properties of DuckDB, which runs in this process or in a child process. */
export const duckDbDialect: Dialect = {
  matchPattern: {
    sql: `select encode(cast(regexp_matches('', cast($p_pattern as varchar)) as varchar))`,
  },
  isRemote: false,
};
