import { ServiceError } from '../errors.js';
import type { SandboxQuery } from '../query/compile.js';
import type { Endpoint } from './endpoint.js';

/** The longest query a caller may send, in bytes of UTF-8. */
export const maxSandboxBytes = 64 * 1024;

/**
 * Lets a caller's query through, or refuses it.
 * @throws ServiceError `accessDenied` where the server or the endpoint takes none, `resourcesExceeded` over 64 KiB
 */
export function admitSandbox(
  endpoint: Endpoint,
  sandbox: SandboxQuery | undefined,
  allowed: boolean,
): void {
  if (sandbox === undefined) return;
  const place = { location: sandbox.language };
  if (!endpoint.sandbox) {
    const message = `Endpoint ${endpoint.name} does not take queries of callers`;
    throw new ServiceError('accessDenied', message, place);
  }
  if (!allowed) {
    const message =
      "Callers' queries are not available until they are confined to the endpoint; for trusted callers only, start the server with --unsafe-sandbox";
    throw new ServiceError('accessDenied', message, place);
  }
  if (Buffer.byteLength(sandbox.text) > maxSandboxBytes) {
    const message = `The query is longer than its limit of ${maxSandboxBytes} bytes`;
    throw new ServiceError('resourcesExceeded', message, place);
  }
}
