import { createRequire } from 'node:module';
import { lazily } from '../../process/lazily.js';
import { asciiLower } from './analyze-text.js';

const require = createRequire(import.meta.url);

/** Loaded on the first call: the list of public suffixes takes 30 ms. */
const tldts = lazily<typeof import('tldts')>(() => require('tldts'));

/** The input is the result of NET.HOST; only suffixes of the list count, and none of its private domains. */
const options = {
  allowPrivateDomains: false,
  detectIp: false,
  extractHostname: false,
  mixedInputs: false,
  validateHostname: false,
} as const;

/** Returns how many labels of a host form its public suffix; undefined if it has none. */
function suffixLength(labels: readonly string[]): number | undefined {
  if (labels.includes('')) return undefined;
  // BigQuery lowercases only English letters.
  const { isIcann, publicSuffix } = tldts().parse(asciiLower(labels.join('.')), options);
  return isIcann === true ? publicSuffix?.split('.').length : undefined;
}

/**
 * Returns the public suffix of a host, the result of NET.HOST, with `more` labels before it, as the host writes them.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/net_functions#netpublic_suffix
 */
export function endOfHost(host: string, more: number): string | null {
  const dot = host.endsWith('.') ? '.' : '';
  const labels = host.slice(0, host.length - dot.length).split('.');
  const length = suffixLength(labels);
  if (length === undefined || length + more > labels.length) return null;
  return labels.slice(-length - more).join('.') + dot;
}
