import type { TableSchema } from '../../types/table-schema.js';
import type { AnswerFault, AnswerRow, CatalogAnswer, ListedEndpoint } from '../model/endpoint.js';
import { parseJson } from '../model/parse-json.js';

/** An error reported by the server or the network. */
export class ApiError extends Error {
  readonly status: number;
  readonly faults: readonly AnswerFault[];

  constructor(status: number, message: string, faults: readonly AnswerFault[] = []) {
    super(message);
    this.status = status;
    this.faults = faults;
  }
}

/** Returns the message of anything that was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The rows of a run, and the details in its headers. */
export interface RunResult {
  readonly rows: readonly AnswerRow[];
  readonly isTruncated: boolean;
  /** The likely reason for an answer without rows, if the server knows one. */
  readonly note: string;
  /** `MISS`, `HIT`, `STALE` or `BYPASS`. */
  readonly cache: string;
  /** The milliseconds of each step, as the server writes them: `compile;dur=1.5, queue;dur=0.02`. */
  readonly timing: string;
  /** The time from the request to the parsed rows, in milliseconds. */
  readonly totalMs: number;
}

/** The request to an endpoint: its parameters, and `sql` or `lql`. */
export type Body = Readonly<Record<string, string>>;

const jsonHeaders = { 'content-type': 'application/json' };

/** The address of a route, below the page's own folder. */
function requestAddress(path: string): string {
  return new URL(path, document.baseURI.replace(/[?#].*$/, '')).href;
}

/** Returns the address of an endpoint. */
export function endpointAddress(name: string): string {
  return requestAddress(`api/endpoints/query/${encodeURIComponent(name)}`);
}

/** Exchanges the one-time code of a printed link for a token. @throws ApiError */
export async function exchangeCode(code: string): Promise<string> {
  const request = { method: 'POST', headers: jsonHeaders, body: JSON.stringify({ code }) };
  const response = await ask('api/session', request);
  const { token } = (await response.json()) as { readonly token: string };
  return token;
}

/** The service's public API, as the page uses it with a token. */
export type Api = ReturnType<typeof createApi>;

/** Creates the client for a token. Queries are sent in bodies; only a tail has its filter in the URL. */
export function createApi(token: string) {
  const headers = { 'x-api-key': token };
  const get = async <T>(path: string) => (await ask(path, { headers })).json() as Promise<T>;
  const post = (endpoint: string, body: Body, signal?: AbortSignal) =>
    ask(endpointAddress(endpoint), {
      method: 'POST',
      headers: { ...headers, ...jsonHeaders },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  return {
    catalog: async (): Promise<CatalogAnswer> => {
      const none: Pick<CatalogAnswer, 'functions'> = { functions: [] };
      const functions = get<typeof none>('api/functions').catch(() => none);
      const listing = get<{ endpoints: readonly ListedEndpoint[]; now?: string; tail?: boolean }>;
      const { endpoints, now = '', tail = false } = await listing('api/endpoints');
      return { endpoints, ...(await functions), canTail: tail, fixedNowMs: Date.parse(now) };
    },
    /** The projects that the token may see; none if the server does not know them. */
    projects: async () => {
      const none: { readonly projects: readonly string[] } = { projects: [] };
      return (await get<typeof none>('api/projects').catch(() => none)).projects;
    },
    run: async (endpoint: string, body: Body, signal: AbortSignal) => {
      const startMs = performance.now();
      return readResult(await post(endpoint, body, signal), startMs);
    },
    /** Returns the columns of the answer. @throws ApiError with the faults */
    check: async (endpoint: string, body: Body, signal: AbortSignal): Promise<TableSchema> => {
      const response = await post(endpoint, { ...body, 'dry-run': 'true' }, signal);
      return ((await response.json()) as { readonly schema: TableSchema }).schema;
    },
    download: async (endpoint: string, body: Body, format: string) =>
      (await post(endpoint, { ...body, format })).blob(),
    /** Opens a stream of new records, after the last event that was seen. */
    tail: (endpoint: string, query: Body, signal: AbortSignal, lastEventId: string) =>
      ask(`api/tail/${encodeURIComponent(endpoint)}?${new URLSearchParams(query)}`, {
        headers: { ...headers, ...(lastEventId && { 'last-event-id': lastEventId }) },
        signal,
      }),
  };
}

/** Sends a request. @throws ApiError if it is refused or the server cannot be reached */
async function ask(path: string, request: RequestInit): Promise<Response> {
  const options: RequestInit = { cache: 'no-store', referrerPolicy: 'no-referrer', ...request };
  const response = await fetch(requestAddress(path), options).catch((error: unknown) => {
    if (request.signal?.aborted) throw error;
    throw new ApiError(0, 'The server cannot be reached. Is it running?');
  });
  if (!response.ok) throw await readError(response);
  return response;
}

interface ErrorBody {
  readonly error?: string | { readonly message: string; readonly errors?: readonly AnswerFault[] };
}

async function readError(response: Response): Promise<ApiError> {
  const { status } = response;
  const { error = `Status ${status}` } = (await response.json().catch(() => ({}))) as ErrorBody;
  if (typeof error === 'string') return new ApiError(status, error);
  return new ApiError(status, error.message, error.errors);
}

async function readResult(response: Response, startMs: number): Promise<RunResult> {
  const answer = parseJson(await response.text());
  const { result, error } = answer as { result?: readonly AnswerRow[]; error?: string };
  // With `--error-status 200`, a failed query also has this status.
  if (result === undefined) throw new ApiError(400, error ?? 'The answer has no rows');
  const header = (name: string) => response.headers.get(name) ?? '';
  return {
    rows: result,
    isTruncated: header('x-result-truncated') === 'true',
    note: header('x-result-note'),
    cache: header('x-cache'),
    timing: header('server-timing'),
    totalMs: performance.now() - startMs,
  };
}
