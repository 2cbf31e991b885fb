import type { SentError } from './sent-error.js';

/** A message to a process: a task to perform, under an id that is new, or the id of the task to stop. */
export type Request =
  | { readonly id: number; readonly task: string; readonly input: unknown }
  | { readonly stop: number };

/** A message of a process about the task of an id: any number of progress reports, then its result or its error. */
export type Reply =
  | { readonly id: number; readonly progress: unknown }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: SentError };

/** What a task gets besides its input. */
export interface TaskContext<Progress = never> {
  /** Fires when the task should stop. */
  readonly signal: AbortSignal;
  /** Sends the progress to the process that waits for the task. */
  readonly report: (progress: Progress) => void;
}

/** The tasks that a process performs, by name. Inputs, results and progress are plain values, because they are sent. */
export type Tasks = Readonly<Record<string, (input: never, context: never) => unknown>>;
