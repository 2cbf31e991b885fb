import { MIMEType } from 'node:util';
import { maxListValues } from '../endpoint/bind-list.js';
import { ServiceError, shortName } from '../errors/errors.js';
import { ignoreErrors } from '../process/ignore-errors.js';
import { firstElements, type JsonSlice } from '../values/slice-json.js';

/** The maximum number of parameters in a URL's query, a form, a JSON object or a multipart form. */
const maxPairs = 100;
/** The maximum bytes of the headers of all parts together. */
const maxHeadBytes = 32 * 1024;

/** @throws ServiceError `urlTooLarge` for a query with more than 100 pairs */
export function limitQuery(query: string): void {
  if (countPairs(query) <= maxPairs) return;
  const message = `The URL has more than its limit of ${maxPairs} parameters`;
  throw new ServiceError('urlTooLarge', message);
}

/** @throws ServiceError `bodyTooLarge` for an urlencoded form with more than 100 pairs */
export function limitForm(text: string): void {
  if (countPairs(text) > maxPairs) throw tooMany();
}

/** @throws ServiceError `bodyTooLarge` for a JSON object, even an invalid one, with more than 100 members */
export function limitMembers(text: string): void {
  if (firstElements(text, maxPairs + 1).length > maxPairs) throw tooMany();
}

/**
 * Refuses long arrays before they are split: together they may have as many values as one list.
 * @throws ServiceError `invalid`, which names the member that exceeds the limit
 */
export function limitElements(members: readonly JsonSlice[]): void {
  let left = maxListValues;
  for (const { name, raw } of members) {
    if (raw.startsWith('[')) left -= firstElements(raw, left + 1).length;
    if (left >= 0) continue;
    const message = `Invalid value for parameter ${shortName(name)}: the arrays of a body must have at most ${maxListValues} values together`;
    throw new ServiceError('invalid', message, { location: name });
  }
}

/**
 * @param type the content type of a multipart form
 * @throws ServiceError `bodyTooLarge` for more than 100 parts, or more than 32 KB before their contents
 */
export function limitParts(body: Buffer, type: string): void {
  // The form parser refuses a type that cannot be parsed.
  const boundary = ignoreErrors(() => new MIMEType(type).params.get('boundary'));
  if (!boundary) return;
  // Split off at most two parts more than the limit.
  const [, ...parts] = body.toString('latin1').split(`--${boundary}`, maxPairs + 3);
  // The last delimiter closes the form, so there is one delimiter more than parts.
  if (parts.length > maxPairs + 1) throw tooMany();
  const heads = parts.flatMap((part) => part.split('\r\n\r\n', 1)).join('');
  if (heads.length <= maxHeadBytes) return;
  throw new ServiceError('bodyTooLarge', 'The parts of the form have more than 32 KB of headers');
}

function tooMany(): ServiceError {
  const message = `The body has more than its limit of ${maxPairs} parameters`;
  return new ServiceError('bodyTooLarge', message);
}

/** Counts up to just above the limit; empty pairs do not count. */
function countPairs(text: string): number {
  return text.split(/&+/, maxPairs + 2).filter((pair) => pair !== '').length;
}
