import type { Context, Hono } from 'hono';
import { onlyText } from '../endpoint/given.js';
import { ServiceError } from '../errors/errors.js';
import type { TailRequest } from '../run/tail.js';
import { parsePosition, type TailPosition } from '../run/tail-position.js';
import { clientAddress, type Env, refuseMethod } from './app-env.js';
import type { Caller } from './authenticate.js';
import { type DecodeOptions, decodeRequest, requestClock } from './decode-request.js';
import { logRequest } from './log-request.js';
import type { AppServices } from './service-app.js';
import { tailStream } from './tail-stream.js';
import type { TakeTurn } from './turns.js';

const path = '/api/tail/:endpoint';

/** Sends new rows of a table as they arrive; refuses if tails are off. */
export function addTailRoute(app: Hono<Env>, options: AppServices, takeTurn: TakeTurn): void {
  const refuse = refuseMethod('GET');
  app.get(path, (c) => (c.req.method === 'HEAD' ? refuse(c) : answerTail(c, options, takeTurn)));
  app.all(path, refuse);
}

async function answerTail(
  c: Context<Env>,
  options: AppServices,
  takeTurn: TakeTurn,
): Promise<Response> {
  const { authenticate, inFlight, tails } = options;
  c.set('endpoint', c.req.param('endpoint') ?? '');
  const caller = authenticate(c.req.raw.headers, clientAddress(c));
  c.set('label', caller.label);
  await takeTurn(caller.id, c.req.raw.signal);
  if (tails === undefined) throw new ServiceError('invalid', notFollowed);
  const stop = new AbortController();
  // Taken before the request is decoded: refusing a tail should cost little.
  const release = tails.slots.take(caller.id);
  const signal = AbortSignal.any([c.req.raw.signal, inFlight.draining, stop.signal]);
  signal.addEventListener('abort', release, { once: true });
  // The client may have disconnected before its turn.
  if (signal.aborted) release();
  try {
    const request = { ...(await decodeTail(c, options, caller)), signal };
    const events = tails.follow(request);
    const { value: first } = await inFlight.run(() => events.next());
    // Only an aborted tail has no first event.
    if (first === undefined) return c.body(null, 204);
    const requestId = c.get('requestId');
    const startMs = performance.now();
    // The request is logged when the tail begins; a later error is logged separately, with the same id.
    const about = { requestId, method: 'GET', endpoint: request.endpoint, label: caller.label };
    const onFailure = (failure: unknown, status: number) =>
      logRequest(options, { ...about, status, startMs, failure });
    return c.body(tailStream({ first, events, stop, signal, requestId, onFailure }), 200, headers);
  } catch (error) {
    release();
    throw error;
  }
}

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Otherwise nginx would buffer the events.
  'x-accel-buffering': 'no',
};

const notFollowed =
  'The logs cannot be followed: the server must run with --watch, and without --shift-to-now';

async function decodeTail(
  c: Context<Env>,
  options: DecodeOptions,
  caller: Caller,
): Promise<Omit<TailRequest, 'signal'>> {
  const asked = await decodeRequest(c.req.raw, c.req.param('endpoint') ?? '', options);
  const { sandbox, format: _, fixedNow: __, ...request } = asked;
  if (sandbox !== undefined) {
    const message = `A tail takes the parameter filter instead of ${sandbox.language}`;
    throw new ServiceError('invalid', message, { location: sandbox.language });
  }
  const parameterText = (name: string) => {
    const text = onlyText(request.parameters.get(name) ?? '');
    if (text !== undefined) return text;
    throw new ServiceError('invalid', `Parameter ${name} has several values`, { location: name });
  };
  return {
    ...request,
    clock: requestClock(asked, options),
    caller: caller.id,
    scope: caller.scope,
    source: parameterText('source'),
    filter: parameterText('filter'),
    from: readPosition(c.req.header('last-event-id') ?? ''),
  };
}

function readPosition(text: string): TailPosition | undefined {
  if (text === '') return undefined;
  const position = parsePosition(text);
  if (position !== undefined) return position;
  throw new ServiceError('invalid', 'Last-Event-ID must be the id of an event of a tail', {
    location: 'Last-Event-ID',
  });
}
