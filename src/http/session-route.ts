import type { Hono, MiddlewareHandler } from 'hono';
import * as v from 'valibot';
import { ServiceError } from '../errors/errors.js';
import { type Env, refuseMethod } from './app-env.js';
import { jsonType } from './error-response.js';
import { isLoopback } from './loopback.js';
import type { SessionCode } from './session-code.js';
import { limitBody } from './with-body.js';

const path = '/api/session';
const bodySchema = v.object({ code: v.string() });

/** Exchanges the code of the printed link for the token. If the server has no code, all are unknown. */
export function addSessionRoute(app: Hono<Env>, session: SessionCode | undefined): void {
  app.post(path, refuseOthers, limitBody(1024, ''), async (c) => {
    const token = session?.redeem(await readCode(c.req.raw));
    if (token === undefined) throw unknownCode(session !== undefined);
    const body = JSON.stringify({ token });
    return c.body(body, 200, { 'content-type': jsonType, 'cache-control': 'no-store' });
  });
  app.all(path, refuseMethod('POST'));
}

/**
 * Refuses pages of other origins, and foreign host names that resolve to this machine.
 * @see https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site
 */
const refuseOthers: MiddlewareHandler<Env> = ({ req }, next) => {
  const host = req.header('host') ?? '';
  const origin = req.header('origin');
  const site = req.header('sec-fetch-site');
  const isOwn = origin === undefined || origin === `http://${host}`;
  const isSame = site === undefined || site === 'same-origin';
  if (isLoopback(host.replace(/:\d+$/, '')) && isOwn && isSame) return next();
  const message = 'Only the page that this server serves on its own machine may exchange a code';
  throw new ServiceError('outOfScope', message);
};

async function readCode(request: Request): Promise<string> {
  const type = request.headers.get('content-type') ?? '';
  const isJson = /^application\/json\s*(?:;|$)/i.test(type);
  const json = isJson ? await request.json().catch(() => undefined) : undefined;
  const { success, output } = v.safeParse(bodySchema, json);
  if (success) return output.code;
  throw new ServiceError('invalid', 'The body must be JSON: {"code": "…"}', { location: 'code' });
}

/** Only a server that generated its token has a code, and has printed both. */
function unknownCode(hasCode: boolean): ServiceError {
  const message = hasCode
    ? 'The code is unknown, used or older than an hour: enter the token, which the server printed at its start, or restart the server for a new link'
    : 'This server gives out no codes: enter one of its tokens';
  return new ServiceError('authError', message);
}
