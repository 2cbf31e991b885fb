import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context, Hono } from 'hono';
import { getMimeType } from 'hono/utils/mime';
import { ServiceError } from '../errors/errors.js';
import { digestBytes } from '../process/digest.js';
import { builtPath } from '../process/package-paths.js';
import { type Env, refuseMethod } from './app-env.js';
import { type ReadyBody, sendReady } from './ready-body.js';

/** The page for the browser. */
export interface Explorer {
  /** Its files by name; none if it is off or has not been built. */
  readonly files: ReadonlyMap<string, ReadyBody>;
  /** Why there are none; undefined if there are some. */
  readonly absence?: string;
}

/** Opens the page of this package if it is switched on; the build creates it with the program. */
export function openExplorer(setting: string): Explorer {
  if (setting === 'off') {
    const absence = 'the explorer, which would be here, is off (--explorer on)';
    return { files: new Map(), absence };
  }
  const files = readPageFiles(builtPath('explorer'));
  if (files.size > 0) return { files };
  return { files, absence: 'the explorer has not been built (npm run build)' };
}

/** Adds `/` for the page, and `/explorer/…` for its files. Neither needs a token: they show no logs. */
export function addExplorerRoutes(app: Hono<Env>, { files, absence }: Explorer): void {
  const why = absence === undefined ? '' : `: ${absence}`;
  const send = (c: Context<Env>, name: string) => {
    const file = files.get(name);
    if (file === undefined) throw new ServiceError('notFound', `No such path${why}`);
    return sendReady(c, file);
  };
  app.get('/', (c) => send(c, 'index.html'));
  app.get('/explorer/:file', (c) => send(c, c.req.param('file')));
  if (files.size === 0) return;
  for (const path of ['/', '/explorer/:file']) app.all(path, refuseMethod('GET, HEAD'));
}

/** Reads the files of the page, which do not change while the server runs; none if the page was not built. */
export function readPageFiles(folder: string): Explorer['files'] {
  if (!existsSync(join(folder, 'index.html'))) return new Map();
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(entries.flatMap(({ name }) => readPageFile(folder, name)));
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

/**
 * Log records are shown as text; even if one became markup, the browser would run none of its scripts.
 * @see https://www.w3.org/TR/CSP3/
 */
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
