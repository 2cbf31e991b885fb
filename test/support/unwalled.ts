import type { Compiler } from '../../src/query/compile.js';
import { parse } from '../../src/query/parse.js';
import { printGoogleSql } from '../../src/query/print-googlesql.js';

/**
 * A compiler that puts nothing between a caller's query and the rows of other projects: it compiles
 * the endpoint's CTEs and the caller's SELECT as one stored query, which is trusted.
 */
export function withoutWall(compiler: Compiler): Compiler {
  return {
    ...compiler,
    compile(endpoint, sandbox, options) {
      if (sandbox === undefined) return compiler.compile(endpoint, undefined, options);
      if (sandbox.language !== 'sql') throw new Error('only SQL is compiled without the wall');
      const own = parse(sandbox.text);
      const tree = { ...own, ctes: [...parse(endpoint.sql).ctes, ...own.ctes] };
      return compiler.compile({ ...endpoint, sql: printGoogleSql(tree) }, undefined, options);
    },
  };
}
