import type { Context } from 'hono';
import { accepts } from 'hono/accepts';
import type { Inspection } from '../service/inspect-endpoint.js';
import { jsonType } from './error-response.js';
import { printServerTiming } from './server-timing.js';

/** The columns of a query and, if they were asked for, the results of the compiler's stages, as text if the caller prefers it. */
export function encodeInspection(inspection: Inspection, c: Context): Response {
  const { schema, explanation, compileMs, waitMs } = inspection;
  const headers = {
    'cache-control': 'no-store',
    'server-timing': printServerTiming({ compile: compileMs, queue: waitMs }),
  };
  const supports = ['application/json', 'text/plain'];
  const type = accepts(c, { header: 'Accept', supports, default: 'application/json' });
  if (explanation !== undefined && type === 'text/plain') {
    return c.text(`${explanation.print()}\n`, 200, headers);
  }
  const body = JSON.stringify({ schema, stages: explanation?.stages });
  return c.body(body, 200, { ...headers, 'content-type': jsonType });
}
