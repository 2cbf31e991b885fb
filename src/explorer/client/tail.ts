import type { AnswerRow } from '../model/endpoint.js';
import { createEventReader, type StreamEvent } from '../model/event-stream.js';
import { parseJson } from '../model/parse-json.js';
import { ApiError } from './api.js';

/** The state of the connection, and the number of received records. */
export interface TailState {
  readonly status: 'connecting' | 'following' | 'waiting' | 'failed';
  readonly count: number;
  /** Whether the server omitted some records, because too many arrived at once. */
  readonly hasGap: boolean;
  /** The reason for which the server refused, if it did. */
  readonly message?: string;
}

/** The maximum number of live rows. */
export const maxLiveRows = 1000;
const retryMs = 2000;

/** A tail before its first record. */
export const noTail: TailState = { status: 'connecting', count: 0, hasGap: false };

/** The server's stream, and the receivers of its contents. */
export interface TailOptions {
  readonly open: (signal: AbortSignal, lastEventId: string) => Promise<Response>;
  /** The position of the first record; empty to begin after the existing ones. */
  readonly from: string;
  /** Whether a record is on the page already: those of the first instant are sent again. */
  readonly isKnown: (row: AnswerRow) => boolean;
  readonly onChange: (state: TailState) => void;
  readonly show: (rows: readonly AnswerRow[]) => void;
}

/** Follows the new records of a source until it is cancelled. */
export async function followTail(
  { open, from, isKnown, onChange, show }: TailOptions,
  signal: AbortSignal,
): Promise<void> {
  let state = noTail;
  let lastEventId = from;
  const change = (patch: Partial<TailState>) => {
    state = { ...state, ...patch };
    onChange(state);
  };
  const take = ({ type, data, id }: StreamEvent) => {
    lastEventId = id;
    if (type === 'gap') change({ hasGap: true });
    const { result = [], error } = parseJson(data) as EventBody;
    // The last event of a failed stream is a refusal.
    if (error !== undefined) throw new ApiError(400, error.message);
    const fresh = result.filter((row) => !isKnown(row));
    show(fresh);
    change({ count: state.count + fresh.length });
  };
  const connect = async (): Promise<void> => {
    change({ status: 'connecting' });
    const response = await open(signal, lastEventId);
    change({ status: 'following' });
    await readEvents(response, take);
  };
  while (!signal.aborted) {
    const error: unknown = await connect().catch((cause: unknown) => cause);
    if (signal.aborted) return;
    // A retry after a refusal would not help.
    if (error instanceof ApiError && error.status >= 400 && error.status < 500) {
      return change({ status: 'failed', message: error.message });
    }
    change({ status: 'waiting' });
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}

interface EventBody {
  readonly result?: readonly AnswerRow[];
  readonly error?: { readonly message: string };
}

async function readEvents(response: Response, take: (event: StreamEvent) => void): Promise<void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const read = createEventReader();
  for (;;) {
    const part = await reader?.read();
    if (part === undefined || part.done) return;
    for (const event of read(part.value)) take(event);
  }
}
