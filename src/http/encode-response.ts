import { createHash } from 'node:crypto';
import type { Answer } from '../service/run-endpoint.js';
import { jsonType } from './error-response.js';

const opening = Buffer.from('{"result":');
const closing = Buffer.from('}');

/** The answer to a run: the engine's bytes in their envelope, facts about the run in headers; 304 where the caller has the body. */
export function encodeResponse(answer: Answer, request: Request): Response {
  const headers = headersOf(answer);
  const { etag, body } = bodyOf(answer.result);
  if (hasBody(request, etag)) return new Response(null, { status: 304, headers });
  return new Response(body, { headers: { ...headers, ...bodyHeaders(body) } });
}

/** The same for a caller who has no body of it, with the headers that every answer has. */
export function recallResponse(answer: Answer, own: Readonly<Record<string, string>>): Response {
  const { result, state, ageSeconds } = answer;
  const made = bodyOf(result);
  const { last, body } = made;
  if (last?.state === state && last.ageSeconds === ageSeconds) {
    return new Response(body, { headers: { ...last.headers, ...own } });
  }
  const headers = { ...headersOf(answer), ...bodyHeaders(body) };
  made.last = { state, ageSeconds, headers };
  return new Response(body, { headers: { ...headers, ...own } });
}

function headersOf(answer: Answer): Readonly<Record<string, string>> {
  const { result, state, secondsLeft } = answer;
  return {
    etag: bodyOf(result).etag,
    'cache-control': state === 'BYPASS' ? 'no-store' : `private, max-age=${secondsLeft}`,
    'x-cache': state,
    ...(isKept(answer) ? { age: String(answer.ageSeconds) } : {}),
    'server-timing': printTimings(answer),
    'x-result-rows': String(result.rowCount),
    'x-result-truncated': String(result.truncated),
  };
}

function bodyHeaders({ length }: Buffer): Readonly<Record<string, string>> {
  return { 'content-type': jsonType, 'content-length': String(length) };
}

interface Body {
  readonly body: Buffer<ArrayBuffer>;
  readonly etag: string;
  /** The headers of the last answer with it: within a second they are the same. */
  last?: Pick<Answer, 'state' | 'ageSeconds'> & {
    readonly headers: Readonly<Record<string, string>>;
  };
}

const bodies = new WeakMap<Answer['result'], Body>();

/** Made once for rows that are kept. */
function bodyOf(result: Answer['result']): Body {
  const known = bodies.get(result);
  if (known !== undefined) return known;
  // In memory of its own: what is cut from Buffer's pool keeps more than itself.
  const body = Buffer.alloc(opening.length + result.json.byteLength + closing.length);
  body.set(opening);
  body.set(result.json, opening.length);
  body.set(closing, body.length - closing.length);
  const etag = `"${createHash('sha256').update(result.json).digest('base64url')}"`;
  const made: Body = { body, etag };
  bodies.set(result, made);
  return made;
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

/**
 * Where a request's time went, in milliseconds: rows that were kept took it none of the engine's.
 * `queue` is the wait for the compiler and for the engine together.
 */
export function timingsOf(answer: Answer): Timings {
  const { compileMs, waitMs, result } = answer;
  const spent = isKept(answer) ? { queueMs: 0, engineMs: 0, encodeMs: 0 } : result.timings;
  return { compileMs, ...spent, queueMs: waitMs + spent.queueMs };
}

type Timings = Answer['result']['timings'] & Pick<Answer, 'compileMs'>;

function printTimings(answer: Answer): string {
  const { compileMs, queueMs, engineMs, encodeMs } = timingsOf(answer);
  return Object.entries({ compile: compileMs, queue: queueMs, engine: engineMs, encode: encodeMs })
    .map(([name, ms]) => `${name};dur=${Number(ms.toFixed(2))}`)
    .join(', ');
}
