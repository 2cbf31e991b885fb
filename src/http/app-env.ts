import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { ServiceError } from '../errors/errors.js';
import type { Answer, FailedRun } from '../run/run-endpoint.js';
import type { Asked } from '../run/run-request.js';
import type { Caller } from './authenticate.js';
import { errorResponse } from './error-response.js';

/** What each request carries from handler to handler. */
export interface Env {
  Bindings: Partial<HttpBindings>;
  Variables: {
    requestId: string;
    /** The name or identifier in the path. */
    endpoint?: string;
    /** The project in the path, which is the parameter of that name. */
    project?: string | undefined;
    caller?: Caller;
    /** The label of the token where there is no caller of a run. */
    label?: string | undefined;
    failure?: unknown;
    run?: Asked;
    answer?: Answer;
    failedRun?: FailedRun;
    /** Whether the response has the headers of every response already. */
    hasCommonHeaders?: boolean;
    /** The status for the log and the metrics, if it is not that of the response. */
    status?: number;
  };
}

/** The address that a request comes from; empty outside of a server. */
export function clientAddress({ env }: { readonly env: Env['Bindings'] | undefined }): string {
  return env?.incoming?.socket.remoteAddress ?? '';
}

/** The headers of every response, besides the request's id. */
export const commonHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

/** Answers a method that a path does not have; `allow` lists those that it has. */
export function refuseMethod(allow: string): (c: Context<Env>) => Response {
  return (c) => {
    const error = new ServiceError('methodNotAllowed', `The method must be one of ${allow}`);
    return errorResponse(error, c.get('requestId'), { allow });
  };
}
