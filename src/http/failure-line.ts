import { type Reason, ServiceError, StatementFault } from '../errors/errors.js';

/** What a log line tells of an error. */
interface FailureLine {
  readonly type: string;
  /** Of an error of Node's: `EPIPE`. */
  readonly code?: string;
  /** Of a statement that failed. */
  readonly kind?: string;
  readonly digest?: string | undefined;
  readonly stack: readonly string[];
  readonly cause?: FailureLine;
}

/** How far down the causes of an error are told. */
const deepest = 5;

/**
 * An error without its message, and so are its causes: a message may quote a statement and the rows
 * it read. What is left says where it was thrown, and which statement it was by its digest.
 */
export function failureLine(failure: unknown, depth = 0): FailureLine | undefined {
  if (failure === undefined || depth > deepest) return undefined;
  if (!(failure instanceof Error)) return { type: typeof failure, stack: [] };
  const { kind, digest } = failure instanceof StatementFault ? failure : {};
  const code = codeOf(failure);
  const cause = failureLine(failure.cause, depth + 1);
  return {
    type: failure.constructor.name,
    ...(code === undefined ? {} : { code }),
    ...(kind === undefined ? {} : { kind, digest }),
    stack: framesOf(failure),
    ...(cause === undefined ? {} : { cause }),
  };
}

/** Of a refusal, its reason: one of a closed set of words. */
export function reasonOf(failure: unknown): { readonly reason?: Reason } {
  return failure instanceof ServiceError ? { reason: failure.faults[0].reason } : {};
}

function codeOf(failure: Error): string | undefined {
  const { code } = failure as NodeJS.ErrnoException;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? code : undefined;
}

/** The stack behind the message, which may have lines that look like frames; of a stack that does not begin with it, nothing. */
function framesOf({ message, stack = '' }: Error): readonly string[] {
  const at = stack.indexOf(message);
  const isHead = at >= 0 && /^[\w$ [\]]*(?:: )?$/.test(stack.slice(0, at));
  const lines = isHead ? stack.slice(at + message.length).split('\n') : [];
  return lines.map((line) => line.trim()).filter((line) => line.startsWith('at '));
}
