import { type Given, gatherValues, givenTexts, merge } from '../endpoint/given.js';
import { parseTimestamp, printTimestamp } from '../endpoint/timestamp.js';
import { ServiceError } from '../errors/errors.js';
import type { Asked, Clock, RunRequest } from '../run/run-request.js';
import { acceptedFormat } from './accept.js';
import { limitQuery } from './count-pairs.js';
import { type BodyPair, decodeBody } from './decode-body.js';

/** Settings for decoding requests. */
export interface DecodeOptions {
  /** The prefix of the service's own headers. */
  readonly headerPrefix: string;
  readonly allowNowHeader: boolean;
  /** The time of requests that do not set one, `YYYY-MM-DDTHH:MM:SS.ffffff+00:00`. */
  readonly fixedNow?: string | undefined;
  /** The wall clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Decodes an HTTP request, with its parameters from the URL and the body, and its time if it was set.
 * @throws ServiceError `invalid` for a malformed body or header; `urlTooLarge` or `bodyTooLarge` for more than
 * 100 parameters in the URL or the body
 */
export async function decodeRequest(
  request: Request,
  endpoint: string,
  options: DecodeOptions & {
    readonly whenRead?: () => Promise<void>;
    /** The project in the path, which takes precedence. */
    readonly project?: string | undefined;
  },
): Promise<Asked & { readonly fixedNow: string | undefined }> {
  const { headers, url } = request;
  const { redact, clock } = decodeHeaders(headers, options);
  const fixedNow = clock.fixed ? clock.now : undefined;
  const inUrl = gatherAll([...readQuery(url)]);
  const inBody = gatherAll(await decodeBody(request, options.whenRead));
  const merged = [...inBody].map(
    ([name, given]) => [name, merge(inUrl.get(name) ?? '', given)] as const,
  );
  const inPath = options.project === undefined ? [] : [['project', options.project] as const];
  const parameters = new Map([...inUrl, ...merged, ...inPath]);
  const named = givenTexts(parameters.get('format') ?? '').at(-1) ?? '';
  const format = { named, accepted: acceptedFormat(headers.get('accept')) };
  const sandbox = readSandbox(parameters);
  return { endpoint, redact, fixedNow, parameters, format, ...(sandbox && { sandbox }) };
}

/** Returns the time of a decoded request. */
export function requestClock(
  { fixedNow }: Pick<DecodeOptions, 'fixedNow'>,
  { now }: Pick<DecodeOptions, 'now'>,
): Clock {
  return fixedNow === undefined
    ? { now: printTimestamp(now()), fixed: false }
    : { now: fixedNow, fixed: true };
}

/** Decodes the service's own headers. @throws ServiceError `invalid` for a malformed one */
export function decodeHeaders(
  headers: Headers,
  options: DecodeOptions,
): Pick<RunRequest, 'redact' | 'clock'> {
  const given = headers.get(`${options.headerPrefix}-ENDPOINT-REDACT-PII`) ?? '';
  // A repeated header arrives as one comma-separated list; a single `true` in it turns redaction on.
  const redact = /(^|,)\s*true\s*(,|$)/i.test(given);
  return { redact, clock: readClock(headers, options) };
}

function readQuery(url: string): URLSearchParams {
  const start = url.indexOf('?');
  const query = start === -1 ? '' : url.slice(start + 1);
  limitQuery(query);
  return new URLSearchParams(query);
}

function gatherAll(pairs: readonly BodyPair[]): ReadonlyMap<string, Given> {
  const values = new Map<string, BodyPair[1][]>();
  for (const [name, value] of pairs) values.set(name, [...(values.get(name) ?? []), value]);
  return new Map([...values].map(([name, given]) => [name, gatherValues(given)]));
}

function readSandbox(parameters: ReadonlyMap<string, Given>): RunRequest['sandbox'] {
  // If several are given, any one will do: the request is refused later.
  const texts = (['sql', 'lql'] as const).map((language) => ({
    language,
    text: givenTexts(parameters.get(language) ?? '').at(-1) ?? '',
  }));
  return texts.find(({ text }) => text.trim() !== '');
}

function readClock(headers: Headers, options: DecodeOptions): Clock {
  const name = `${options.headerPrefix}-ENDPOINT-NOW`;
  const text = options.allowNowHeader ? headers.get(name) : null;
  if (text === null) return requestClock(options, options);
  const now = parseTimestamp(text);
  if (now !== undefined) return { now, fixed: true };
  const message = `Invalid value for header ${name}: must be an ISO 8601 timestamp`;
  throw new ServiceError('invalid', message, { location: name });
}
