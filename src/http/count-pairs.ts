import { MIMEType } from 'node:util';
import { firstElements } from '../common/slice-json.js';
import { ServiceError } from '../errors/errors.js';

/** The limit of parameters in a URL's query, a form, a JSON object or a multipart form. */
const maxPairs = 100;

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

/** @throws ServiceError `bodyTooLarge` for a multipart form with more than 100 parts; `type` is its content type */
export function limitParts(body: Buffer, type: string): void {
  const boundary = boundaryOf(type);
  // One delimiter more than parts: the last one closes the form.
  if (boundary !== '' && countDelimiters(body, `--${boundary}`) > maxPairs + 1) throw tooMany();
}

function tooMany(): ServiceError {
  const message = `The body has more than its limit of ${maxPairs} parameters`;
  return new ServiceError('bodyTooLarge', message);
}

/** Stops above the limit; empty pairs do not count. */
function countPairs(text: string): number {
  let count = 0;
  for (const _ of text.matchAll(/[^&]+/g)) {
    count += 1;
    if (count > maxPairs) break;
  }
  return count;
}

function boundaryOf(type: string): string {
  try {
    return new MIMEType(type).params.get('boundary') ?? '';
  } catch {
    // The form parser refuses this type.
    return '';
  }
}

/** Counts up to two more than the limit. */
function countDelimiters(body: Buffer, delimiter: string): number {
  return body.toString('latin1').split(delimiter, maxPairs + 3).length - 1;
}
