import { SetupError } from '../../errors/errors.js';

/** A request to BigQuery's REST API, below a project. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST';
  /** Such as `queries`. */
  readonly path: string;
  /** By default the project of the credentials. */
  readonly project?: string;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: object;
}

/**
 * BigQuery's REST API.
 * @see https://cloud.google.com/bigquery/docs/reference/rest
 */
export interface BigQueryApi {
  /** Sends a request, again if it fails for a passing reason. @throws ApiFailure */
  send(request: ApiRequest): Promise<unknown>;
}

/** A request that BigQuery refused, or that did not reach it. */
export class ApiFailure extends Error {
  /** BigQuery's reason, such as `invalidQuery`; `unreachable` without an answer, `authError` without credentials. */
  readonly reason: string;

  constructor(reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** How often a request is sent again, and for how long. */
const retryOptions = { autoRetry: true, maxRetries: 3, totalTimeout: 20 };

/** A connection without an answer is given up after this time, in milliseconds. */
const requestTimeoutMs = 60_000;

/**
 * Opens the API with Google's client and application default credentials.
 * @throws SetupError if the client is not installed
 */
export async function openApi(): Promise<BigQueryApi> {
  const { BigQuery } = await importClient();
  const client = new BigQuery({ retryOptions });
  client.timeout = requestTimeoutMs;
  return {
    send: ({ method, path, project, query, body }) =>
      new Promise((resolve, reject) => {
        const request = {
          method,
          uri: `/${path}`,
          ...(project !== undefined && { projectId: project }),
          ...(query && { qs: query }),
          ...(body && { json: body }),
        };
        client.request(request, (error, answer) => {
          if (error === null || error === undefined) resolve(answer);
          else reject(toFailure(error));
        });
      }),
  };
}

async function importClient(): Promise<typeof import('@google-cloud/bigquery')> {
  try {
    return await import('@google-cloud/bigquery');
  } catch (cause) {
    const hint = 'npm install @google-cloud/bigquery@8';
    throw new SetupError([`--engine bigquery needs Google's client: ${hint} (${String(cause)})`]);
  }
}

/** What the client throws: an error of the API, which has `errors`; or one of the connection or the credentials. */
interface ClientError {
  readonly message: string;
  /** The status of an answer, or a code such as ECONNRESET. */
  readonly code?: number | string;
  /** Of a connection, such as `request-timeout`. */
  readonly type?: string;
  readonly errors?: readonly { readonly reason?: string; readonly message?: string }[];
}

function toFailure(error: ClientError): ApiFailure {
  const { errors, code, type } = error;
  const [first] = errors ?? [];
  const isConnection =
    type !== undefined || /^E(?:CONN|TIMEDOUT|NOTFOUND|AI_AGAIN|HOST|NET|PIPE)/.test(String(code));
  const other = isConnection ? 'unreachable' : 'authError';
  const reason = first?.reason ?? (errors && reasons.get(Number(code))) ?? other;
  return new ApiFailure(reason, first?.message ?? error.message, { cause: error });
}

/** The reasons of answers that give none. */
const reasons: ReadonlyMap<number, string> = new Map([
  [400, 'invalid'],
  [401, 'authError'],
  [403, 'accessDenied'],
  [404, 'notFound'],
  [429, 'rateLimitExceeded'],
  [500, 'backendError'],
  [502, 'backendError'],
  [503, 'backendError'],
  [504, 'backendError'],
]);
