import type { Context, Hono } from 'hono';
import { builtPath } from '../common/package-paths.js';
import { ServiceError } from '../errors/errors.js';
import { type Env, refuseMethod } from './app-env.js';
import { acceptedCoding } from './compress-body.js';
import { matchesEtag } from './encode-response.js';
import { type PageFile, type PageFiles, readPageFiles } from './page-files.js';

/** The page in the browser: its files, or why there is none. */
export type Explorer = { readonly files: PageFiles } | { readonly absence: string };

/** The page of this package, if it is switched on; it was built together with the program. */
export function openExplorer(setting: string): Explorer {
  if (setting === 'off') {
    return { absence: 'the explorer, which would be here, is off (--explorer on)' };
  }
  const files = readPageFiles(builtPath('explorer'));
  return files === undefined
    ? { absence: 'the explorer has not been built (npm run build)' }
    : { files };
}

/** `/` is the page, `/explorer/…` what it loads. Neither needs a token: they show no logs. */
export function addExplorerRoutes(app: Hono<Env>, explorer: Explorer): void {
  const absence = 'absence' in explorer ? `: ${explorer.absence}` : '';
  const files: PageFiles = 'files' in explorer ? explorer.files : new Map();
  const send = (c: Context<Env>, name: string) => {
    const file = files.get(name);
    if (file === undefined) throw new ServiceError('notFound', `No such path${absence}`);
    return sendFile(c, file);
  };
  app.get('/', (c) => send(c, 'index.html'));
  app.get('/explorer/:file', (c) => send(c, c.req.param('file')));
  if ('files' in explorer) {
    for (const path of ['/', '/explorer/:file']) app.all(path, refuseMethod('GET, HEAD'));
  }
}

/** @see https://www.w3.org/TR/CSP3/ log records are shown as text; should one get in as markup, nothing of it runs */
const policy = [
  "default-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
].join('; ');

async function sendFile(c: Context<Env>, file: PageFile): Promise<Response> {
  const coding = acceptedCoding(c.req.header('accept-encoding') ?? null);
  const compressed = coding && (await file.compressed(coding));
  const isCompressed = coding !== undefined && compressed !== undefined;
  const etag = isCompressed ? `"${file.etag}-${coding}"` : `"${file.etag}"`;
  const headers = { ...pageHeaders, ...cacheHeaders(file), etag };
  if (matchesEtag(c.req.raw, etag)) return c.body(null, 304, headers);
  return c.body(compressed ?? file.body, 200, {
    ...headers,
    'content-type': file.contentType,
    ...(isCompressed && { 'content-encoding': coding }),
  });
}

const pageHeaders = {
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  vary: 'Accept-Encoding',
};

function cacheHeaders({ isFixed }: PageFile): { readonly 'cache-control': string } {
  return { 'cache-control': isFixed ? 'public, max-age=31536000, immutable' : 'no-cache' };
}
