import type { SentBodies, SentBody } from '../cache/entry.js';
import { formats } from '../formats/formats.js';
import { digestBytes } from '../process/digest.js';
import type { Answer } from '../run/run-endpoint.js';
import { commonHeaders } from './app-env.js';
import { acceptedCoding, type Coding, compressBody } from './compress-body.js';
import { printServerTiming } from './server-timing.js';

const opening = Buffer.from('{"result":');
const closing = Buffer.from('}');

/** The request, and how to answer it. */
interface EncodeOptions {
  readonly request: Request;
  readonly requestId: string;
  /** Whether the data may change at any time, so that clients must revalidate a response before they reuse it. */
  readonly isWatched: boolean;
}

/**
 * Creates the response to a run with all its headers: the rows, compressed if the caller accepts that, and details of
 * the run in headers; 304 if the caller already has the body.
 */
export async function encodeResponse(
  answer: Answer,
  { request, requestId, isWatched }: EncodeOptions,
): Promise<Response> {
  const { result, sent } = answer;
  const isCompressed = formats[result.format].isCompressed === true;
  const accepted = isCompressed ? null : request.headers.get('accept-encoding');
  const makePlain = async () => {
    return { bytes: wrap(result), etag: `"${result.digest ?? digestBytes(result.body)}"` };
  };
  const body = await sentBody(sent, makePlain, accepted);
  const facts = { ...answerHeaders(answer, body, isWatched), 'x-request-id': requestId };
  if (matchesEtag(request, body.etag)) return new Response(null, { status: 304, headers: facts });
  return new Response(body.bytes, { headers: { ...facts, ...bodyHeaders(body, answer) } });
}

function bodyHeaders(
  { bytes, coding }: SentBody,
  answer: Answer,
): Readonly<Record<string, string>> {
  const { contentType, suffix } = formats[answer.result.format];
  return {
    'content-type': contentType,
    'content-length': String(bytes.length),
    ...(coding === undefined ? {} : { 'content-encoding': coding }),
    ...(suffix === undefined ? {} : { 'content-disposition': saveAs(answer.endpoint, suffix) }),
  };
}

/** Asks browsers to save the body in a file named after the endpoint. */
function saveAs(endpoint: string, suffix: string): string {
  return `attachment; filename="${endpoint.replace(/[^\w.-]/g, '_')}.${suffix}"`;
}

function answerHeaders(
  answer: Answer,
  { etag }: SentBody,
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

/** Returns the body in the client's preferred encoding; `sent` has the bodies that were encoded before. */
export function sentBody(
  sent: SentBodies,
  make: () => Promise<SentBody>,
  acceptEncoding: string | null,
): Promise<SentBody> {
  const coding = acceptedCoding(acceptEncoding);
  const plain = sendOnce(sent, undefined, make);
  if (coding === undefined) return plain;
  return sendOnce(sent, coding, async () => compress(await plain, coding));
}

/** Encodes a body once for each cached result, and again if that fails. */
function sendOnce(
  sent: SentBodies,
  coding: Coding | undefined,
  make: () => Promise<SentBody>,
): Promise<SentBody> {
  const known = sent.get(coding);
  if (known !== undefined) return known;
  const made = make();
  sent.set(coding, made);
  made.catch(() => sent.delete(coding));
  return made;
}

async function compress(plain: SentBody, coding: Coding): Promise<SentBody> {
  const bytes = await compressBody(plain.bytes, coding);
  if (bytes === undefined) return plain;
  return { bytes, etag: plain.etag.replace(/"$/, `-${coding}"`), coding };
}

/** Wraps the rows for sending: JSON has an envelope. */
function wrap({ body, format }: Answer['result']): Uint8Array<ArrayBuffer> {
  if (format !== 'json') return body;
  // Not from Buffer's pool: a slice would keep the whole pool in memory.
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
 * Returns the time spent on a request, in milliseconds; a cached answer spent none in the engine. `queueMs` is the
 * total wait for the compiler and the engine.
 */
export function answerTimings(answer: Answer): Timings {
  const { compileMs, waitMs, result } = answer;
  const spent = isCached(answer) ? { queueMs: 0, engineMs: 0, encodeMs: 0 } : result.timings;
  return { compileMs, ...spent, queueMs: waitMs + spent.queueMs };
}

type Timings = Answer['result']['timings'] & Pick<Answer, 'compileMs'>;

function printTimings(answer: Answer): string {
  const { compileMs, queueMs, engineMs, encodeMs } = answerTimings(answer);
  const durations = { compile: compileMs, queue: queueMs, engine: engineMs, encode: encodeMs };
  const { billedBytes } = answer.result;
  if (billedBytes === undefined || isCached(answer)) return printServerTiming(durations);
  return `${printServerTiming(durations)}, billed;desc="${billedBytes} bytes"`;
}
