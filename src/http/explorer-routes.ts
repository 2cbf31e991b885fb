import type { Context, Hono } from 'hono';
import { ServiceError } from '../errors/errors.js';
import { builtPath } from '../process/package-paths.js';
import { type Env, refuseMethod } from './app-env.js';
import { type PageFiles, readPageFiles } from './page-files.js';
import { sendReady } from './ready-body.js';

/** The page for the browser: its files, or why it is missing. */
export type Explorer = { readonly files: PageFiles } | { readonly absence: string };

/** Opens the page of this package if it is switched on; the build creates it with the program. */
export function openExplorer(setting: string): Explorer {
  if (setting === 'off') {
    return { absence: 'the explorer, which would be here, is off (--explorer on)' };
  }
  const files = readPageFiles(builtPath('explorer'));
  return files === undefined
    ? { absence: 'the explorer has not been built (npm run build)' }
    : { files };
}

/** Adds `/` for the page, and `/explorer/…` for its files. Neither needs a token: they show no logs. */
export function addExplorerRoutes(app: Hono<Env>, explorer: Explorer): void {
  const absence = 'absence' in explorer ? `: ${explorer.absence}` : '';
  const files: PageFiles = 'files' in explorer ? explorer.files : new Map();
  const send = (c: Context<Env>, name: string) => {
    const file = files.get(name);
    if (file === undefined) throw new ServiceError('notFound', `No such path${absence}`);
    return sendReady(c, file);
  };
  app.get('/', (c) => send(c, 'index.html'));
  app.get('/explorer/:file', (c) => send(c, c.req.param('file')));
  if ('files' in explorer) {
    for (const path of ['/', '/explorer/:file']) app.all(path, refuseMethod('GET, HEAD'));
  }
}
