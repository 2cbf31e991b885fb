import type { Compiler } from '../../src/compiler/compile.js';
import { printGoogleSql } from '../../src/compiler/syntax/print-googlesql.js';
import { parse } from '../../src/compiler/syntax/syntax.js';

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
