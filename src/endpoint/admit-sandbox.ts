import type { SandboxQuery } from '../compiler/compile.js';
import { ServiceError } from '../errors/errors.js';
import { printSize } from '../process/print-size.js';
import type { Endpoint } from './endpoint.js';

/** The limit of a caller's query, in bytes of UTF-8. */
export const maxSandboxBytes = 64 * 1024;

/**
 * Checks whether the endpoint accepts a caller's query.
 * @throws ServiceError `accessDenied` if sandboxing is disabled, `resourcesExceeded` over 64 KiB
 */
export function admitSandbox(endpoint: Endpoint, sandbox: SandboxQuery | undefined): void {
  if (sandbox === undefined) return;
  const at = { location: sandbox.language };
  if (!endpoint.sandbox) {
    const message = `Endpoint ${endpoint.name} does not take queries of callers`;
    throw new ServiceError('accessDenied', message, at);
  }
  if (Buffer.byteLength(sandbox.text) > maxSandboxBytes) {
    const message = `The query is longer than its limit of ${printSize(maxSandboxBytes)}`;
    throw new ServiceError('resourcesExceeded', message, at);
  }
}
