import type { AnswerRow } from '../model/endpoint.js';
import { createEventReader, type StreamEvent } from '../model/event-stream.js';
import { parseJson } from '../model/parse-json.js';
import { ApiError } from './api.js';

/** The received records, newest first, and the state of the connection. */
export interface TailState {
  readonly status: 'connecting' | 'following' | 'waiting' | 'paused' | 'failed';
  readonly rows: readonly AnswerRow[];
  /** The total number of records received; `rows` has only the newest. */
  readonly count: number;
  /** Whether the server omitted some records, because too many arrived at once. */
  readonly hasGap: boolean;
  /** The reason for which the server refused, if it did. */
  readonly message?: string;
}

const maxRows = 1000;
const retryMs = 2000;

/** A tail before its first record. */
export const noTail: TailState = { status: 'connecting', rows: [], count: 0, hasGap: false };

/** Follows the new records of a source until it is paused. */
export function followTail(
  open: (signal: AbortSignal, lastEventId: string) => Promise<Response>,
  onChange: (state: TailState) => void,
) {
  let state = noTail;
  let lastEventId = '';
  let connection = new AbortController();
  const change = (patch: Partial<TailState>) => {
    state = { ...state, ...patch };
    onChange(state);
  };
  const take = ({ type, data, id }: StreamEvent) => {
    lastEventId = id;
    if (type === 'gap') change({ hasGap: true });
    if (type === 'rows') change(withRows(state, data));
    if (type === 'error') throw parseError(data);
  };
  const connect = async (signal: AbortSignal): Promise<void> => {
    change({ status: 'connecting' });
    const response = await open(signal, lastEventId);
    change({ status: 'following' });
    await readEvents(response, take);
  };
  const follow = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const error: unknown = await connect(signal).catch((cause: unknown) => cause);
      if (signal.aborted) return;
      // A retry after a refusal would not help.
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) {
        return change({ status: 'failed', message: error.message });
      }
      change({ status: 'waiting' });
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  };
  void follow(connection.signal);
  return {
    /** Closes the connection, but keeps the position. */
    pause: () => {
      connection.abort();
      change({ status: 'paused' });
    },
    /** Resumes after the last record received. */
    resume: () => {
      connection = new AbortController();
      void follow(connection.signal);
    },
  };
}

/** Parses the last event of a failed stream; its status makes it a refusal. */
function parseError(data: string): ApiError {
  const { error } = JSON.parse(data) as { readonly error: { readonly message: string } };
  return new ApiError(400, error.message);
}

function withRows({ rows, count }: TailState, data: string): Partial<TailState> {
  const { result } = parseJson(data) as { readonly result: readonly AnswerRow[] };
  const rowTime = ({ timestamp }: AnswerRow) => Number(timestamp ?? 0);
  const fresh = result.toSorted((a, b) => rowTime(b) - rowTime(a));
  return { rows: [...fresh, ...rows].slice(0, maxRows), count: count + result.length };
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
