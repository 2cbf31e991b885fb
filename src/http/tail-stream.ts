import type { TailEvent } from '../run/tail.js';
import { printPosition } from '../run/tail-position.js';
import { errorResponse } from './error-response.js';

/** A tail that has started. */
export interface OpenedTail {
  readonly first: TailEvent;
  readonly events: AsyncGenerator<TailEvent, void, void>;
  readonly requestId: string;
  /** Ends the tail. */
  readonly stop: AbortController;
  /** Fires for any reason to end, including the controller's. */
  readonly signal: AbortSignal;
  /** Called when a run fails, before the client is told. */
  readonly onFailure: (error: unknown, status: number) => void;
}

/**
 * The interval between comments, in milliseconds. They are sent even if there are events, so that they reveal nothing.
 */
const beatMs = 15_000;

const comment = ': still here\n\n';

/**
 * Streams a tail as server-sent events. While the client does not read, only one event waits, and no query runs.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function tailStream(tail: OpenedTail): ReadableStream<Uint8Array> {
  const { stop, signal } = tail;
  const chunks = printTail(tail);
  const encoder = new TextEncoder();
  let isClosed = false;
  return new ReadableStream({
    start(controller) {
      const beat = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(comment));
      }, beatMs).unref();
      const close = () => {
        clearInterval(beat);
        if (!isClosed) controller.close();
        isClosed = true;
      };
      signal.addEventListener('abort', close, { once: true });
      if (signal.aborted) close();
    },
    async pull(controller) {
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
  const { first, events, signal, requestId, onFailure } = tail;
  try {
    yield printEvent(first);
    for await (const event of events) yield printEvent(event);
  } catch (error) {
    if (signal.aborted) return;
    const response = errorResponse(error, requestId);
    onFailure(error, response.status);
    yield `event: error\ndata: ${await response.text()}\n\n`;
  }
}

function printEvent({ rows, hasGap, position }: TailEvent): string {
  const gap = hasGap ? 'event: gap\ndata: {}\n\n' : '';
  return `${gap}id: ${printPosition(position)}\nevent: rows\ndata: {"result":[${rows.join()}]}\n\n`;
}
