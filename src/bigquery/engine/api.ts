import { setTimeout as sleep } from 'node:timers/promises';
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
  /** Set for a request that must not arrive twice, because it starts something that costs money. */
  readonly isOnce?: boolean;
}

/**
 * BigQuery's REST API.
 * @see https://cloud.google.com/bigquery/docs/reference/rest
 */
export interface BigQueryApi {
  /** Sends a request, and retries after transient errors. @throws ApiFailure */
  send(request: ApiRequest): Promise<unknown>;
}

/** A request that BigQuery refused or never received. */
export class ApiFailure extends Error {
  /**
   * BigQuery's reason, such as `invalidQuery`; `authError` without credentials, `unreachable` for a request that was
   * not sent, `noAnswer` for a request that may have arrived.
   */
  readonly reason: string;

  constructor(reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** The reasons of transient errors. */
export const passingReasons: ReadonlySet<string> = new Set(
  `backendError internalError jobBackendError jobInternalError jobRateLimitExceeded noAnswer rateLimitExceeded
  tableUnavailable unreachable`.split(/\s+/),
);

/** The delays before each retry, in milliseconds. */
const waitsMs = [500, 1000, 2000];

/** A request without an answer is aborted after this time, in milliseconds. */
const defaultTimeoutMs = 30_000;

/**
 * Opens the API with Google's client and application default credentials.
 * @throws SetupError if the client is not installed
 */
export async function openApi(requestTimeoutMs = defaultTimeoutMs): Promise<BigQueryApi> {
  const { BigQuery } = await import('@google-cloud/bigquery').catch((cause: unknown) => {
    const hint = 'npm install @google-cloud/bigquery@8';
    throw new SetupError([`--engine bigquery needs Google's client: ${hint} (${String(cause)})`]);
  });
  // The client's own retries are off: they repeat requests that start jobs, and the client never calls back if its time
  // for retries ends before the next retry.
  const client = new BigQuery({ retryOptions: { autoRetry: false } });
  const sendOnce = ({ method, path, project, query, body }: ApiRequest) =>
    new Promise<unknown>((resolve, reject) => {
      const late = () => reject(new ApiFailure('noAnswer', 'BigQuery does not answer'));
      const timer = setTimeout(late, requestTimeoutMs);
      const request = {
        method,
        uri: `/${path}`,
        ...(project !== undefined && { projectId: project }),
        ...(query && { qs: query }),
        // As a string: in an object, the client replaces `{{projectId}}`.
        ...(body && { body: JSON.stringify(body), headers: jsonType }),
      };
      client.request(request, (error, answer) => {
        clearTimeout(timer);
        if (error === null || error === undefined) resolve(answer);
        else reject(toFailure(error));
      });
    });
  return {
    async send(request) {
      for (const ms of waitsMs) {
        try {
          return await sendOnce(request);
        } catch (error) {
          if (!(error instanceof ApiFailure) || !canRepeat(error, request)) throw error;
        }
        await sleep(ms);
      }
      return sendOnce(request);
    },
  };
}

const jsonType = { 'content-type': 'application/json' };

function canRepeat({ reason }: ApiFailure, { isOnce = false }: ApiRequest): boolean {
  return passingReasons.has(reason) && !(isOnce && reason === 'noAnswer');
}

/** The client's error: an answer of the API, which has `errors`, or a failure of the connection or the credentials. */
interface ClientError {
  readonly message: string;
  /** The status of an answer, or a code such as ECONNRESET. */
  readonly code?: number | string;
  /** The type of a connection error, such as `request-timeout`. */
  readonly type?: string;
  readonly errors?: readonly { readonly reason?: string; readonly message?: string }[];
}

function toFailure(error: ClientError): ApiFailure {
  const message = error.errors?.[0]?.message ?? error.message;
  return new ApiFailure(errorReason(error), message, { cause: error });
}

function errorReason(error: ClientError): string {
  const { errors, code = '', type } = error;
  if ('errors' in error) return errors?.[0]?.reason ?? reasons.get(Number(code)) ?? 'invalid';
  if (unsentCodes.has(String(code))) return 'unreachable';
  if (type !== undefined || /^E[A-Z]/.test(String(code))) return 'noAnswer';
  // Without a token, nothing is sent.
  return Number(code) >= 500 ? 'unreachable' : 'authError';
}

const unsentCodes: ReadonlySet<string> = new Set(['EAI_AGAIN', 'ECONNREFUSED', 'ENOTFOUND']);

/** The reasons to assume, by status, if an answer states none. */
const reasons: ReadonlyMap<number, string> = new Map([
  [400, 'invalid'],
  [401, 'authError'],
  [403, 'accessDenied'],
  [404, 'notFound'],
  [429, 'rateLimitExceeded'],
  [500, 'backendError'],
  // A gateway does not know whether the request arrived.
  [502, 'noAnswer'],
  [503, 'backendError'],
  [504, 'noAnswer'],
]);
