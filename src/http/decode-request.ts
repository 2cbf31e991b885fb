import { parseTimestamp, printTimestamp } from '../endpoint/timestamp.js';
import { ServiceError } from '../errors/errors.js';
import type { Clock, RunRequest } from '../service/run-endpoint.js';
import { limitQuery } from './count-pairs.js';
import { decodeBody } from './decode-body.js';

/** Settings for decoding requests. */
export interface DecodeOptions {
  /** The prefix of the service's own headers. */
  readonly headerPrefix: string;
  readonly allowNowHeader: boolean;
  /** The instant of requests that do not set one, `YYYY-MM-DDTHH:MM:SS.ffffff+00:00`. */
  readonly fixedNow?: string | undefined;
  /** The wall clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Decodes an HTTP request, with its parameters from the URL and the body. Names with several different values
 * are listed in `conflicts`.
 * @throws ServiceError `invalid` for a malformed body or header; `urlTooLarge` or `bodyTooLarge` for more than
 * 100 parameters in the URL or the body
 */
export async function decodeRequest(
  request: Request,
  endpoint: string,
  options: DecodeOptions,
): Promise<Omit<RunRequest, 'caller' | 'scope'>> {
  const { headers, url, signal } = request;
  const redact = asksForRedaction(headers.get(`${options.headerPrefix}-ENDPOINT-REDACT-PII`) ?? '');
  const clock = readClock(headers, options);
  const pairs = [...readQuery(url), ...(await decodeBody(request))];
  // An empty value counts as absent, so empty ones go first: a Map keeps the last of equal names.
  const parameters = new Map([...pairs.filter(isEmpty), ...pairs.filter((pair) => !isEmpty(pair))]);
  const sandbox = readSandbox(parameters);
  return {
    endpoint,
    parameters,
    conflicts: conflictsOf(pairs, parameters),
    clock,
    redact,
    signal,
    ...(sandbox === undefined ? {} : { sandbox }),
  };
}

function readQuery(url: string): URLSearchParams {
  const start = url.indexOf('?');
  const query = start === -1 ? '' : url.slice(start + 1);
  limitQuery(query);
  return new URLSearchParams(query);
}

type Pair = readonly [string, string];

function isEmpty([, value]: Pair): boolean {
  return value === '';
}

/** The names with several different values. */
function conflictsOf(
  pairs: readonly Pair[],
  last: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  const others = pairs.filter((pair) => !isEmpty(pair) && last.get(pair[0]) !== pair[1]);
  return new Set(others.map(([name]) => name));
}

function readSandbox(parameters: ReadonlyMap<string, string>): RunRequest['sandbox'] {
  const languages = ['sql', 'lql'] as const;
  const language = languages.find((name) => (parameters.get(name) ?? '').trim() !== '');
  return language && { language, text: parameters.get(language) ?? '' };
}

function readClock(headers: Headers, options: DecodeOptions): Clock {
  const name = `${options.headerPrefix}-ENDPOINT-NOW`;
  const text = options.allowNowHeader ? headers.get(name) : null;
  if (text === null) {
    const { fixedNow } = options;
    return { now: fixedNow ?? printTimestamp(options.now()), fixed: fixedNow !== undefined };
  }
  const now = parseTimestamp(text);
  if (now !== undefined) return { now, fixed: true };
  const message = `Invalid value for header ${name}: must be an ISO 8601 timestamp`;
  throw new ServiceError('invalid', message, { location: name });
}

/** A repeated header arrives as one comma-separated list; a single `true` in it turns redaction on. */
function asksForRedaction(value: string): boolean {
  return /(^|,)\s*true\s*(,|$)/i.test(value);
}
