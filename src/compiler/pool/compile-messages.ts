import type { Fault } from '../../errors/errors.js';
import type { SourceSchema } from '../../types/schema.js';
import type { CompileOptions, SandboxQuery, StoredQuery } from '../compile.js';

/** One state of the log files, as a compiler needs it. */
export interface CompileData {
  /** Differs for every state. */
  readonly version: string;
  readonly sources: readonly SourceSchema[];
  /** Stored queries that a worker compiles in advance, so that no caller waits for that. */
  readonly endpoints: readonly StoredQuery[];
}

/** A caller's query over an endpoint. */
export interface QueryToCompile {
  readonly endpoint: StoredQuery;
  readonly sandbox: SandboxQuery;
  readonly options: CompileOptions;
}

/** What the server sends to a compile worker, which answers each request in order. */
export type CompileRequest =
  | { readonly kind: 'open'; readonly data: CompileData }
  | { readonly kind: 'compile'; readonly version: string; readonly query: QueryToCompile };

/** What a compile worker answers. */
export type CompileReply =
  | { readonly kind: 'open' }
  /** A `CompiledQuery`, serialized by `node:v8`: its length is known before anything is allocated. */
  | { readonly kind: 'compiled'; readonly query: Uint8Array }
  | { readonly kind: 'refused'; readonly faults: readonly [Fault, ...Fault[]] }
  /** A bug; no caller may see its text. */
  | { readonly kind: 'failed'; readonly message: string; readonly stack: string };

/** How many states of the log files a worker keeps: requests may still use the one before the current. */
const keptVersions = 2;

/**
 * Adds a value, then drops the oldest over two. The server and the worker both call it for each `open`,
 * so the server knows what the worker still has.
 */
export function keepVersion<T>(versions: Map<string, T>, version: string, value: T): void {
  versions.set(version, value);
  for (const old of [...versions.keys()].slice(0, -keptVersions)) versions.delete(old);
}
