import { duckDbDialect } from '../../src/engine/duckdb/dialect.js';
import type { Engine, Statement } from '../../src/engine/engine.js';
import { withTimeLimit } from '../../src/engine/time-limit.js';
import type { ServiceError } from '../../src/errors/errors.js';
import { encodeRows } from '../../src/formats/encode.js';
import { shutdownError, stoppedError } from '../../src/process/stop-errors.js';

/** The answer of a fake engine to a statement: rows as JSON, a refusal, or no end. */
export type FakeAnswer = readonly string[] | ServiceError | 'endless';

const timings = { queueMs: 1, engineMs: 2.345, encodeMs: 3 };

/** An engine that runs nothing and answers as it is told; it keeps the contract of engines. */
export function createFakeEngine(
  answer: (statement: Statement) => FakeAnswer,
  queryTimeoutMs = 30_000,
): Engine {
  const closing = new AbortController();
  const end = (signal: AbortSignal) => {
    if (closing.signal.aborted) throw shutdownError();
    if (signal.aborted) throw stoppedError(signal);
  };
  return {
    dialect: duckDbDialect,
    run: (statement, { signal, onStart }) =>
      withTimeLimit(signal, queryTimeoutMs, async (limit) => {
        end(limit);
        onStart?.();
        const given = answer(statement);
        if (given instanceof Error) throw given;
        if (given !== 'endless') {
          const { maxRows, format = 'json', columns = [] } = statement;
          const rows = given.slice(0, maxRows).map((row) => Buffer.from(row));
          const body = await encodeRows(rows, format, columns);
          const truncated = given.length > maxRows;
          return { body, format, rowCount: rows.length, truncated, timings };
        }
        await Promise.race([fired(limit), fired(closing.signal)]);
        end(limit);
        throw new Error('woken for nothing');
      }),
    close: async () => closing.abort(),
  };
}

function fired(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
