import { createHash } from 'node:crypto';
import { formats } from '../formats/formats.js';
import type { Answer } from '../service/run-endpoint.js';
import { commonHeaders } from './app-env.js';
import { acceptedCoding, type Coding, compressBody } from './compress-body.js';
import { printServerTiming } from './server-timing.js';

const opening = Buffer.from('{"result":');
const closing = Buffer.from('}');

/** How responses are encoded. */
export interface EncodeOptions {
  /** Whether the data may change at any time, so that clients must ask again before they use a response twice. */
  readonly isWatched: boolean;
}

interface EncodeTask extends EncodeOptions {
  readonly request: Request;
  readonly requestId: string;
}

/**
 * The response to a run with all its headers: the rows, compressed if the caller takes that, and facts about the run in
 * headers; 304 if the caller already has the body.
 */
export function encodeResponse(answer: Answer, task: EncodeTask): Response | Promise<Response> {
  const made = sentBody(answer.result, task.request.headers.get('accept-encoding'));
  if (made instanceof Promise) return made.then((body) => encodeBody(answer, body, task));
  return encodeBody(answer, made, task);
}

function encodeBody(answer: Answer, made: Body, { request, requestId, isWatched }: EncodeTask) {
  if (matchesEtag(request, made.etag)) {
    const headers = { ...headersOf(answer, made, isWatched), 'x-request-id': requestId };
    return new Response(null, { status: 304, headers });
  }
  if (made.last === undefined || !hasSameHeaders(made.last.answer, answer)) {
    const facts = headersOf(answer, made, isWatched);
    made.last = { answer, headers: { ...facts, ...bodyHeaders(made, answer), 'x-request-id': '' } };
  }
  // It overwrites a header, because V8 adds properties slowly after a spread.
  const headers = { ...made.last.headers, 'x-request-id': requestId };
  return new Response(made.body, { headers });
}

/** Whether two answers with the same rows have the same headers, as those of a cached result have within a second. */
function hasSameHeaders(one: Answer, other: Answer): boolean {
  return (
    one.state === other.state &&
    one.ageSeconds === other.ageSeconds &&
    one.compileMs === other.compileMs &&
    one.waitMs === other.waitMs &&
    one.note === other.note
  );
}

function bodyHeaders({ body, coding }: Body, answer: Answer): Readonly<Record<string, string>> {
  const { contentType, suffix } = formats[answer.result.format];
  return {
    'content-type': contentType,
    'content-length': String(body.length),
    ...(coding === undefined ? {} : { 'content-encoding': coding }),
    ...(suffix === undefined ? {} : { 'content-disposition': saveAs(answer.endpoint, suffix) }),
  };
}

/** Asks browsers to save the body in a file named after the endpoint. */
function saveAs(endpoint: string, suffix: string): string {
  return `attachment; filename="${endpoint.replace(/[^\w.-]/g, '_')}.${suffix}"`;
}

function headersOf(
  answer: Answer,
  { etag }: Body,
  isWatched: boolean,
): Readonly<Record<string, string>> {
  const { result, state, secondsLeft } = answer;
  const reuse = isWatched ? 'private, no-cache' : `private, max-age=${secondsLeft}`;
  return {
    ...commonHeaders,
    etag,
    'cache-control': state === 'BYPASS' ? 'no-store' : reuse,
    vary: 'Accept, Accept-Encoding',
    'x-cache': state,
    ...(isCached(answer) ? { age: String(answer.ageSeconds) } : {}),
    'server-timing': printTimings(answer),
    'x-result-rows': String(result.rowCount),
    'x-result-truncated': String(result.truncated),
    ...(answer.note === undefined ? {} : { 'x-result-note': answer.note }),
  };
}

interface Body {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly etag: string;
  readonly coding?: Coding;
  /** The last answer with this body, and its headers. */
  last?: { readonly answer: Answer; readonly headers: Readonly<Record<string, string>> };
}

const bodies = new WeakMap<Answer['result'], Body>();
const compressed = new WeakMap<Body, Map<Coding, Body | Promise<Body>>>();

/** The body in the coding that the caller likes best, compressed once for each cached result. */
function sentBody(result: Answer['result'], acceptEncoding: string | null): Body | Promise<Body> {
  const plain = bodyOf(result);
  const coding = formats[result.format].isCompressed ? undefined : acceptedCoding(acceptEncoding);
  if (coding === undefined) return plain;
  const known = compressed.get(plain) ?? new Map<Coding, Body | Promise<Body>>();
  compressed.set(plain, known);
  const made = known.get(coding) ?? compress(plain, coding);
  known.set(coding, made);
  if (made instanceof Promise) {
    made.then(
      (body) => known.set(coding, body),
      () => known.delete(coding),
    );
  }
  return made;
}

async function compress(plain: Body, coding: Coding): Promise<Body> {
  const body = await compressBody(plain.body, coding);
  if (body === undefined) return plain;
  return { body, etag: plain.etag.replace(/"$/, `-${coding}"`), coding };
}

/** The body and its ETag, built once for each cached result. */
function bodyOf(result: Answer['result']): Body {
  const existing = bodies.get(result);
  if (existing !== undefined) return existing;
  const etag = `"${createHash('sha256').update(result.body).digest('base64url')}"`;
  const made: Body = { body: wrap(result), etag };
  bodies.set(result, made);
  return made;
}

/** The rows as they are sent; JSON has an envelope. */
function wrap({ body, format }: Answer['result']): Uint8Array<ArrayBuffer> {
  if (format !== 'json') return body;
  // Not from Buffer's pool: a slice of it would keep the whole pool in memory.
  const wrapped = Buffer.alloc(opening.length + body.byteLength + closing.length);
  wrapped.set(opening);
  wrapped.set(body, opening.length);
  wrapped.set(closing, wrapped.length - closing.length);
  return wrapped;
}

/**
 * Whether the caller already has the body.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2 weak comparison; only GET and HEAD become 304
 */
export function matchesEtag({ method, headers }: Request, etag: string): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const given = headers.get('if-none-match');
  if (given === null) return false;
  const tags = given.split(',').map((tag) => tag.trim());
  return tags.some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
}

function isCached({ state }: Answer): boolean {
  return state === 'HIT' || state === 'STALE';
}

/**
 * Where a request's time went, in milliseconds; a cached answer spent none in the engine.
 * `queueMs` adds up the waits for the compiler and for the engine.
 */
export function timingsOf(answer: Answer): Timings {
  const { compileMs, waitMs, result } = answer;
  const spent = isCached(answer) ? { queueMs: 0, engineMs: 0, encodeMs: 0 } : result.timings;
  return { compileMs, ...spent, queueMs: waitMs + spent.queueMs };
}

type Timings = Answer['result']['timings'] & Pick<Answer, 'compileMs'>;

function printTimings(answer: Answer): string {
  const { compileMs, queueMs, engineMs, encodeMs } = timingsOf(answer);
  const durations = { compile: compileMs, queue: queueMs, engine: engineMs, encode: encodeMs };
  const { billedBytes } = answer.result;
  if (billedBytes === undefined || isCached(answer)) return printServerTiming(durations);
  return `${printServerTiming(durations)}, billed;desc="${billedBytes} bytes"`;
}
