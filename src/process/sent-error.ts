import { type Fault, ServiceError, SetupError, StatementFault } from '../errors/errors.js';

/** An error as plain values, for sending to another process; only a refusal may be shown to callers. */
export type SentError = Readonly<
  | { kind: 'refusal'; faults: readonly [Fault, ...Fault[]]; cause: string }
  | { kind: 'setup'; lines: readonly string[] }
  | {
      kind: 'failure';
      message: string;
      stack: string;
      /** The fields of a `StatementFault`. */
      statement?: { readonly kind: string; readonly digest: string; readonly cause: string };
    }
>;

/** Converts an error to plain values. */
export function sendError(error: unknown): SentError {
  if (error instanceof ServiceError) {
    return { kind: 'refusal', faults: error.faults, cause: String(error.cause ?? '') };
  }
  if (error instanceof SetupError) return { kind: 'setup', lines: error.lines };
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  if (!(error instanceof StatementFault)) return { kind: 'failure', message, stack };
  const { kind, digest, cause } = error;
  return { kind: 'failure', message, stack, statement: { kind, digest, cause: String(cause) } };
}

/** Restores an error sent by another process. */
export function receiveError(sent: SentError): Error {
  if (sent.kind === 'refusal')
    return Object.assign(ServiceError.of(sent.faults), { cause: sent.cause });
  if (sent.kind === 'setup') return new SetupError(sent.lines);
  const { message, stack, statement } = sent;
  const error =
    statement === undefined ? new Error(message) : new StatementFault(message, statement);
  return Object.assign(error, { stack });
}
