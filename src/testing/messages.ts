import type { SentError } from '../common/sent-error.js';
import type { DuckDbOptions } from '../engine/duckdb/duckdb.js';
import type { EngineData } from '../engine/duckdb/lockdown.js';
import type { Statement } from '../engine/engine.js';
import type { LoadOptions } from '../logs/load/job.js';

/** The limits of all engines and of all loads. */
export interface WorkerLimits {
  readonly engine: Omit<DuckDbOptions, keyof EngineData>;
  readonly load: Pick<LoadOptions, 'memoryLimit' | 'threads'>;
}

/** What a worker does; an engine is known by a number that its opener has chosen. */
export type Task =
  | { readonly kind: 'load'; readonly options: LoadOptions }
  | { readonly kind: 'open'; readonly engine: number; readonly data: EngineData }
  | { readonly kind: 'run'; readonly engine: number; readonly statement: Statement }
  | { readonly kind: 'close'; readonly engine: number };

/** Messages to a worker. Each task is answered once, by its id; `stop` interrupts the task of that id. */
export type WorkerRequest =
  | { readonly kind: 'limits'; readonly limits: WorkerLimits }
  | { readonly kind: 'task'; readonly id: number; readonly task: Task }
  | { readonly kind: 'stop'; readonly id: number };

/** A worker's answer to a task. */
export type WorkerReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: SentError };
