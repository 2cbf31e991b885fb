import type { Context } from 'hono';
import { accepts } from 'hono/accepts';
import type { Inspection } from '../run/inspect-endpoint.js';
import { readyBody, sendReady } from './ready-body.js';
import { printServerTiming } from './server-timing.js';

/**
 * Encodes the columns of a query and, if requested, the results of the compiler's stages, as text if the caller
 * prefers it.
 */
export function encodeInspection(inspection: Inspection, c: Context): Promise<Response> {
  const { schema, explanation, compileMs, waitMs } = inspection;
  const headers = {
    vary: 'Accept, Accept-Encoding',
    'server-timing': printServerTiming({ compile: compileMs, queue: waitMs }),
  };
  const supports = ['application/json', 'text/plain'];
  const type = accepts(c, { header: 'Accept', supports, default: 'application/json' });
  if (explanation !== undefined && type === 'text/plain') {
    const asText = { ...headers, 'content-type': 'text/plain; charset=UTF-8' };
    return sendReady(c, readyBody(`${explanation.print()}\n`, asText));
  }
  return sendReady(c, readyBody({ schema, stages: explanation?.stages }, headers));
}
