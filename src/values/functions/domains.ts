import { createRequire } from 'node:module';
import { type TextFunction, textFunction } from './script-function.js';

const require = createRequire(import.meta.url);

let tldts: typeof import('tldts') | undefined;

/** Loaded on the first call: the list of public suffixes takes 30 ms. */
function loadTldts(): typeof import('tldts') {
  tldts ??= require('tldts') as typeof import('tldts');
  return tldts;
}

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
  const host = labels.join('.').replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const { isIcann, publicSuffix } = loadTldts().parse(host, options);
  return isIcann === true ? publicSuffix?.split('.').length : undefined;
}

/** Returns the public suffix of a host with `more` labels before it, as the host writes them. */
function endOf(host: string | null, more: number): string | null {
  if (host === null) return null;
  const dot = host.endsWith('.') ? '.' : '';
  const labels = host.slice(0, host.length - dot.length).split('.');
  const length = suffixLength(labels);
  if (length === undefined || length + more > labels.length) return null;
  return labels.slice(-length - more).join('.') + dot;
}

/**
 * Both take the result of NET.HOST.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/net_functions#netpublic_suffix
 */
export const domainFunctions: readonly TextFunction[] = [
  textFunction('js_public_suffix', ([host = null]) => endOf(host, 0)),
  textFunction('js_reg_domain', ([host = null]) => endOf(host, 1)),
];
