import {
  type Compiler,
  createCompiler,
  type SandboxQuery,
  type StoredQuery,
} from '../../src/compiler/compile.js';
import { bindStatement } from '../../src/endpoint/bind-statement.js';
import type { DuckDbEngine } from '../../src/engine/duckdb/duckdb.js';
import { openWebEngine, openWebParts, webSource } from './web-source.js';

/** One way in which the same records are stored, and what compiles for it. */
export interface Side {
  readonly compiler: Compiler;
  readonly engine: DuckDbEngine;
}

export const maxRows = 1_000;

export const stored = (sql: string): StoredQuery => ({ name: 'web', sql, maxRows, parameters: [] });

/** An endpoint whose rows must be gathered. */
export const over = stored(
  'with web as (select * from `logs.web` where project is not null order by timestamp desc) select id from web',
);

/** An endpoint that hands out every row: nothing need be gathered. */
export const open = stored(
  'with web as (select * from `logs.web` order by timestamp desc) select id from web',
);

export const caller = (text: string): SandboxQuery => ({ language: 'sql', text });

export const compiler = createCompiler([webSource('struct')]);

/** The records in one part, and in three; `close` closes both. */
export async function openSides(): Promise<{
  readonly whole: Side;
  readonly parts: Side;
  readonly close: () => Promise<unknown>;
}> {
  const engine = await openWebEngine('struct');
  const opened = await openWebParts();
  return {
    whole: { compiler, engine },
    parts: { compiler: createCompiler([opened.source]), engine: opened.engine },
    close: () => Promise.all([engine.close(), opened.engine.close()]),
  };
}

/** A query bound to no parameters, at a fixed instant. */
export function statementOf(
  endpoint: StoredQuery,
  sandbox?: SandboxQuery,
  side: Pick<Side, 'compiler'> = { compiler },
) {
  const query = side.compiler.compile(endpoint, sandbox);
  return bindStatement(query, {}, { maxRows, now: '2026-03-10T12:00:00.000000+00:00' });
}
