import { type Reason, ServiceError, StatementFault } from '../errors/errors.js';

/** An error in a log line. */
interface FailureLine {
  readonly type: string;
  /** The code of a Node error, such as `EPIPE`. */
  readonly code?: string;
  /** The kind of a failed statement's error, and the digest of its text. */
  readonly kind?: string;
  readonly digest?: string | undefined;
  readonly stack: readonly string[];
  readonly cause?: FailureLine;
}

/** The maximum number of nested causes in the log. */
const maxDepth = 5;

/**
 * Describes an error and its causes without their messages, which may quote a statement and its rows. It still shows
 * where the error was thrown, and identifies the statement by its digest.
 */
export function failureLine(failure: unknown, depth = 0): FailureLine | undefined {
  if (failure === undefined || depth > maxDepth) return undefined;
  if (!(failure instanceof Error)) return { type: typeof failure, stack: [] };
  const { kind, digest } = failure instanceof StatementFault ? failure : {};
  const code = systemErrorCode(failure);
  const cause = failureLine(failure.cause, depth + 1);
  return {
    type: failure.constructor.name,
    ...(code === undefined ? {} : { code }),
    ...(kind === undefined ? {} : { kind, digest }),
    stack: stackFrames(failure),
    ...(cause === undefined ? {} : { cause }),
  };
}

/** Returns the reason of a ServiceError; empty for any other error. */
export function failureReason(failure: unknown): { readonly reason?: Reason } {
  return failure instanceof ServiceError ? { reason: failure.faults[0].reason } : {};
}

function systemErrorCode(failure: Error): string | undefined {
  const code = 'code' in failure && failure.code;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? code : undefined;
}

/**
 * Returns the stack frames after the message, which may itself contain lines that look like frames. Empty if the
 * stack does not begin with the message.
 */
function stackFrames({ message, stack = '' }: Error): readonly string[] {
  const at = stack.indexOf(message);
  const isHead = at >= 0 && /^[\w$ [\]]*(?:: )?$/.test(stack.slice(0, at));
  const lines = isHead ? stack.slice(at + message.length).split('\n') : [];
  return lines.map((line) => line.trim()).filter((line) => line.startsWith('at '));
}
