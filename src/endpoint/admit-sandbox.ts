import type { SandboxQuery } from '../compiler/compile.js';
import { ServiceError } from '../errors/errors.js';
import type { Endpoint } from './endpoint.js';

/** The longest query a caller may send, in bytes of UTF-8. */
export const maxSandboxBytes = 64 * 1024;

/**
 * Lets a caller's query through, or refuses it.
 * @throws ServiceError `accessDenied` where the endpoint takes none, `resourcesExceeded` over 64 KiB
 */
export function admitSandbox(endpoint: Endpoint, sandbox: SandboxQuery | undefined): void {
  if (sandbox === undefined) return;
  const place = { location: sandbox.language };
  if (!endpoint.sandbox) {
    const message = `Endpoint ${endpoint.name} does not take queries of callers`;
    throw new ServiceError('accessDenied', message, place);
  }
  if (Buffer.byteLength(sandbox.text) > maxSandboxBytes) {
    const message = `The query is longer than its limit of ${maxSandboxBytes} bytes`;
    throw new ServiceError('resourcesExceeded', message, place);
  }
}
