import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { ServiceError } from '../errors/errors.js';
import type { Answer, FailedRun } from '../run/run-endpoint.js';
import type { Asked } from '../run/run-request.js';
import type { Caller } from './authenticate.js';
import { errorResponse } from './error-response.js';

/** The values that each request passes from handler to handler. */
export interface Env {
  Bindings: Partial<HttpBindings>;
  Variables: {
    requestId: string;
    /** The name or identifier in the path. */
    endpoint?: string;
    /** The project in the path, which sets the parameter of that name. */
    project?: string | undefined;
    caller?: Caller;
    /** The label of the token if the request has no run with a caller. */
    label?: string | undefined;
    failure?: unknown;
    run?: Asked;
    answer?: Answer;
    failedRun?: FailedRun;
    /** Whether the response already has the common headers. */
    hasCommonHeaders?: boolean;
    /** The status for the log and the metrics, if it differs from the response's. */
    status?: number;
  };
}

/** The address that a request comes from; empty outside of a server. */
export function clientAddress({ env }: { readonly env: Env['Bindings'] | undefined }): string {
  return env?.incoming?.socket.remoteAddress ?? '';
}

/** The headers of every response, besides the request id. */
export const commonHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

/** Refuses a method that a path does not support; `allow` lists the supported ones. */
export function refuseMethod(allow: string): (c: Context<Env>) => Response {
  return (c) => {
    const error = new ServiceError('methodNotAllowed', `The method must be one of ${allow}`);
    return errorResponse(error, c.get('requestId'), { allow });
  };
}
