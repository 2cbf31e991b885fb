import type { SentError } from './sent-error.js';

/** A message to a process: a task to perform, under a new id, or the id of the task to stop. */
export type Request =
  | { readonly id: number; readonly task: string; readonly input: unknown }
  | { readonly stop: number };

/** A message from a process about a task: any number of progress reports, then its result or its error. */
export type Reply =
  | { readonly id: number; readonly progress: unknown }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: SentError };

/** The context of a task besides its input. */
export interface TaskContext<Progress = never> {
  /** Fires when the task should stop. */
  readonly signal: AbortSignal;
  /** Sends progress to the process that waits for the task. */
  readonly report: (progress: Progress) => void;
}

/**
 * The tasks that a process performs, by name. Inputs, results and progress must be plain values, because they are
 * sent.
 */
export type Tasks = Readonly<Record<string, (input: never, context: never) => unknown>>;
