import { setTimeout as sleep } from 'node:timers/promises';
import type { TailEvent } from '../service/tail.js';
import { printPosition } from '../service/tail-position.js';
import { errorResponse } from './error-response.js';

/** A tail that has begun. */
export interface OpenedTail {
  readonly first: TailEvent;
  readonly events: AsyncGenerator<TailEvent, void, void>;
  readonly requestId: string;
  /** Ends the tail. */
  readonly stop: AbortController;
  /** Fires for any reason to end, the controller's included. */
  readonly signal: AbortSignal;
}

/** How often a comment is sent, in milliseconds: whatever happens, so that it tells nothing. */
const beatMs = 15_000;

/** How long a client may read nothing, in milliseconds. */
const stalledMs = 60_000;

/**
 * The tail as server-sent events. It runs no query while the client does not read.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function tailStream(tail: OpenedTail): ReadableStream<Uint8Array> {
  const { stop, signal } = tail;
  const chunks = printTail(tail);
  const stalled = setTimeout(() => stop.abort(), stalledMs).unref();
  const encoder = new TextEncoder();
  let isClosed = false;
  return new ReadableStream({
    start(controller) {
      const close = () => {
        clearTimeout(stalled);
        if (!isClosed) controller.close();
        isClosed = true;
      };
      signal.addEventListener('abort', close, { once: true });
      if (signal.aborted) close();
    },
    async pull(controller) {
      stalled.refresh();
      const { value, done } = await chunks.next();
      if (isClosed) return;
      if (done) stop.abort();
      else controller.enqueue(encoder.encode(value));
    },
    cancel() {
      isClosed = true;
      stop.abort();
    },
  });
}

async function* printTail(tail: OpenedTail): AsyncGenerator<string, void, void> {
  const { first, events, signal, requestId } = tail;
  try {
    yield printEvent(first);
    yield* printNext(events, signal);
  } catch (error) {
    if (signal.aborted) return;
    yield `event: error\ndata: ${await errorResponse(error, requestId).text()}\n\n`;
  }
}

async function* printNext(
  events: OpenedTail['events'],
  signal: AbortSignal,
): AsyncGenerator<string, void, void> {
  let next = events.next();
  let beat = untilBeat(signal);
  while (!signal.aborted) {
    const event = await Promise.race([next, beat]);
    if (event === 'beat') {
      beat = untilBeat(signal);
      yield ': still here\n\n';
    } else {
      if (event.done) return;
      yield printEvent(event.value);
      next = events.next();
    }
  }
}

async function untilBeat(signal: AbortSignal): Promise<'beat'> {
  await sleep(beatMs, undefined, { signal, ref: false }).catch(() => {});
  return 'beat';
}

function printEvent({ rows, hasGap, position }: TailEvent): string {
  const gap = hasGap ? 'event: gap\ndata: {}\n\n' : '';
  return `${gap}id: ${printPosition(position)}\nevent: rows\ndata: {"result":[${rows.join()}]}\n\n`;
}
