import type { Compiler, StoredQuery } from '../compiler/compile.js';
import { bindStatement } from '../endpoint/bind-statement.js';
import type { Engine, RunOptions } from '../engine/engine.js';

/**
 * Reads the rows of one of our own queries, which has no parameters and reads no clock; `truncated` if there are
 * more.
 */
export async function readRows<Row>(
  { compiler, engine }: { readonly compiler: Pick<Compiler, 'compile'>; readonly engine: Engine },
  query: Pick<StoredQuery, 'name' | 'sql' | 'maxRows'>,
  options: Partial<Pick<RunOptions, 'caller' | 'signal'>> = {},
): Promise<{ readonly rows: readonly Row[]; readonly truncated: boolean }> {
  const compiled = compiler.compile({ ...query, parameters: [] });
  const statement = bindStatement(compiled, {}, { maxRows: query.maxRows, now: '' });
  const { signal } = new AbortController();
  const { body, truncated } = await engine.run(statement, { signal, ...options });
  return { rows: JSON.parse(Buffer.from(body).toString()), truncated };
}
