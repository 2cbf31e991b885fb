import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getMimeType } from 'hono/utils/mime';
import { digestBytes } from '../process/digest.js';
import type { ReadyBody } from './ready-body.js';

/** The files of the page by name. */
export type PageFiles = ReadonlyMap<string, ReadyBody>;

/** Reads the files of the page, which do not change while the server runs; undefined if the page was not built. */
export function readPageFiles(folder: string): PageFiles | undefined {
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
    const files = new Map(entries.flatMap(({ name }) => readPageFile(folder, name)));
    return files.has('index.html') ? files : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Returns no entry for a file of unknown type, which is not served. */
function readPageFile(folder: string, name: string): readonly (readonly [string, ReadyBody])[] {
  const contentType = getMimeType(name);
  if (contentType === undefined) return [];
  const bytes = new Uint8Array(readFileSync(join(folder, name)));
  const caching = hashed.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache';
  const headers = { ...pageHeaders, 'content-type': contentType, 'cache-control': caching };
  return [[name, { plain: { bytes, etag: `"${digestBytes(bytes)}"` }, headers, sent: new Map() }]];
}

/** @see https://www.w3.org/TR/CSP3/ log records are shown as text; even if one got in as markup, none of it would run */
const policy = [
  "default-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
].join('; ');

const pageHeaders = {
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
};

/** The names that esbuild gives to files with `[hash]`. */
const hashed = /-[A-Z0-9]{8}\.\w+$/;
