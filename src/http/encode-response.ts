import { createHash } from 'node:crypto';
import type { Answer } from '../run-endpoint.js';
import { jsonType } from './error-response.js';

const opening = Buffer.from('{"result":');
const closing = Buffer.from('}');

/** The answer to a run: the engine's bytes in their envelope, facts about the run in headers; 304 where the caller has the body. */
export function encodeResponse(answer: Answer, request: Request): Response {
  const { result, state, secondsLeft } = answer;
  const etag = etagOf(result);
  const headers: Record<string, string> = {
    etag,
    'cache-control': state === 'BYPASS' ? 'no-store' : `private, max-age=${secondsLeft}`,
    'x-cache': state,
    ...(isKept(answer) ? { age: String(answer.ageSeconds) } : {}),
    'server-timing': printTimings(answer),
    'x-result-rows': String(result.rowCount),
    'x-result-truncated': String(result.truncated),
  };
  if (hasBody(request, etag)) return new Response(null, { status: 304, headers });
  const body = Buffer.concat([opening, result.json, closing]);
  headers['content-type'] = jsonType;
  headers['content-length'] = String(body.length);
  return new Response(body, { status: 200, headers });
}

const etags = new WeakMap<Answer['result'], string>();

function etagOf(result: Answer['result']): string {
  const known = etags.get(result);
  if (known !== undefined) return known;
  const etag = `"${createHash('sha256').update(result.json).digest('base64url')}"`;
  etags.set(result, etag);
  return etag;
}

// RFC 9110, 13.1.2: If-None-Match compares weakly, and turns only GET and HEAD into 304.
function hasBody({ method, headers }: Request, etag: string): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const tags = (headers.get('if-none-match') ?? '').split(',').map((tag) => tag.trim());
  return tags.some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
}

function isKept({ state }: Answer): boolean {
  return state === 'HIT' || state === 'STALE';
}

/** Where a request's time went, in milliseconds: rows that were kept took it none of the engine's. */
export function timingsOf(answer: Answer): Timings {
  const { compileMs, result } = answer;
  const spent = isKept(answer) ? { queueMs: 0, engineMs: 0, encodeMs: 0 } : result.timings;
  return { compileMs, ...spent };
}

type Timings = Answer['result']['timings'] & Pick<Answer, 'compileMs'>;

function printTimings(answer: Answer): string {
  const { compileMs, queueMs, engineMs, encodeMs } = timingsOf(answer);
  return Object.entries({ compile: compileMs, queue: queueMs, engine: engineMs, encode: encodeMs })
    .map(([name, ms]) => `${name};dur=${Number(ms.toFixed(2))}`)
    .join(', ');
}
