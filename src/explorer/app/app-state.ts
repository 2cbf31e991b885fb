import type { FieldSchema } from '../../types/table-schema.js';
import type { Body, RunResult } from '../client/api.js';
import type { PastQuery } from '../client/keep.js';
import type { Catalog, Endpoint, Fault } from '../model/endpoint.js';
import type { PageState } from '../model/page-state.js';
import type { Zone } from '../model/time.js';

/** The last run, or the one that is under way. */
export type Run =
  | { readonly kind: 'none' | 'cancelled' }
  | { readonly kind: 'running'; readonly last: DoneRun | undefined }
  | FailedRun
  | DoneRun;

/** A run that was refused, or failed. */
export interface FailedRun {
  readonly kind: 'failed';
  readonly message: string;
  readonly faults: readonly Fault[];
}

/** A run that has given rows. */
export interface DoneRun {
  readonly kind: 'done';
  readonly result: RunResult;
  readonly columns: readonly FieldSchema[];
  /** What was asked, for downloads and for filters on a value. */
  readonly asked: PageState;
  readonly body: Body;
}

/** Everything that the page shows. */
export interface AppState {
  readonly page: PageState;
  /** Undefined until the server has accepted a token. */
  readonly catalog: Catalog | undefined;
  readonly isConnecting: boolean;
  readonly connectFault: string;
  /** Whether the token is kept until the tab is closed, so that a reloaded page has it. */
  readonly keepsToken: boolean;
  readonly run: Run;
  /** What the check finds in the query as it is typed. */
  readonly faults: readonly Fault[];
  readonly zone: Zone;
  readonly history: readonly PastQuery[];
  /** How the run is going, for screen readers; everybody else sees it. */
  readonly status: string;
  /** A short message, such as that something was copied. */
  readonly notice: string;
}

/** The endpoint that is shown. */
export function endpointOf({ catalog, page }: AppState): Endpoint | undefined {
  return catalog?.endpoints.find(({ name }) => name === page.endpoint);
}
