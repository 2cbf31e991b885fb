import { createCompiler, type StoredQuery } from '../../src/compiler/compile.js';
import { type Fault, ServiceError } from '../../src/errors/errors.js';
import { webSource } from './web-source.js';

/** An endpoint whose CTE callers can query. */
export const stored: StoredQuery = {
  name: 'web',
  sql: 'with web as (select * from `logs.web` order by timestamp desc) select id from web',
  maxRows: 10,
  parameters: [{ name: 'project', type: 'string' }],
};

/** A compiler over the source `web`. */
export const compiler = createCompiler([webSource('struct')]);

/** The first fault of a caller's query in SQL over the endpoint; throws if there is none. */
export function faultOf(text: string): Fault {
  try {
    compiler.compile(stored, { language: 'sql', text });
  } catch (error) {
    if (error instanceof ServiceError) return error.faults[0];
    throw error;
  }
  throw new Error('it compiled');
}

/** The message of {@link faultOf}. */
export function messageOf(text: string): string {
  return faultOf(text).message;
}
