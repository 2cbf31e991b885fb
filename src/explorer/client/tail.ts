import type { AnswerRow } from '../model/endpoint.js';
import { createEventReader, type StreamEvent } from '../model/event-stream.js';
import { parseJson } from '../model/parse-json.js';
import { ApiError } from './api.js';

/** The state of the connection, and the numbers of received records. */
export interface TailState {
  readonly status: 'connecting' | 'following' | 'waiting' | 'failed';
  readonly isPaused: boolean;
  /** The number of records shown. */
  readonly count: number;
  /** The number of records held back by the pause. */
  readonly held: number;
  /** Whether the server omitted some records, because too many arrived at once. */
  readonly hasGap: boolean;
  /** The reason for which the server refused, if it did. */
  readonly message?: string;
}

/** The maximum number of live rows. */
export const maxLiveRows = 1000;
const retryMs = 2000;

/** A tail before its first record. */
export const noTail: TailState = {
  ...{ status: 'connecting', isPaused: false, count: 0, held: 0, hasGap: false },
};

/** The server's stream, and the receivers of its contents. */
export interface TailOptions {
  readonly open: (signal: AbortSignal, lastEventId: string) => Promise<Response>;
  /** The position of the first record; empty to begin after the existing ones. */
  readonly from: string;
  /** Whether a record is on the page already: those of the first instant are sent again. */
  readonly isKnown: (row: AnswerRow) => boolean;
  readonly onChange: (state: TailState) => void;
  /** Shows records, newest first. */
  readonly show: (rows: readonly AnswerRow[]) => void;
}

/** Follows the new records of a source. A pause holds them back, and counts them. */
export function followTail({ open, from, isKnown, onChange, show }: TailOptions) {
  let state = noTail;
  let lastEventId = from;
  let heldRows: readonly AnswerRow[] = [];
  const connection = new AbortController();
  const { signal } = connection;
  const change = (patch: Partial<TailState>) => {
    state = { ...state, ...patch };
    onChange(state);
  };
  const add = (rows: readonly AnswerRow[]) => {
    if (state.isPaused) {
      heldRows = [...rows, ...heldRows].slice(0, maxLiveRows);
      change({ held: state.held + rows.length });
    } else {
      show(rows);
      change({ count: state.count + rows.length });
    }
  };
  const take = ({ type, data, id }: StreamEvent) => {
    lastEventId = id;
    if (type === 'gap') change({ hasGap: true });
    if (type === 'rows') add(readRows(data).filter((row) => !isKnown(row)));
    if (type === 'error') throw parseError(data);
  };
  const connect = async (): Promise<void> => {
    change({ status: 'connecting' });
    const response = await open(signal, lastEventId);
    change({ status: 'following' });
    await readEvents(response, take);
  };
  const follow = async (): Promise<void> => {
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
  };
  void follow();
  return {
    stop: () => connection.abort(),
    pause: () => change({ isPaused: true }),
    /** Shows the records that the pause held back. */
    resume: () => {
      show(heldRows);
      heldRows = [];
      change({ isPaused: false, count: state.count + state.held, held: 0 });
    },
  };
}

/** Parses the last event of a failed stream; its status makes it a refusal. */
function parseError(data: string): ApiError {
  const { error } = JSON.parse(data) as { readonly error: { readonly message: string } };
  return new ApiError(400, error.message);
}

/** Reads the records of an event, newest first. */
function readRows(data: string): readonly AnswerRow[] {
  const { result } = parseJson(data) as { readonly result: readonly AnswerRow[] };
  const rowTime = ({ timestamp }: AnswerRow) => Number(timestamp ?? 0);
  return result.toSorted((a, b) => rowTime(b) - rowTime(a));
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
