import type { Fault } from '../../errors/errors.js';
import type { SourceSchema } from '../../types/schema.js';
import type { CompilerOptions, StoredQuery } from '../compile.js';
import type { QueryToCompile } from '../compile-sandbox.js';

/** One state of the logs: the schemas and stored queries that a compiler needs. */
export interface CompileData extends Pick<CompilerOptions, 'bigQuery'> {
  /** Unique for each state. */
  readonly version: string;
  readonly sources: readonly SourceSchema[];
  /** Stored queries that a worker compiles in advance, so that no caller waits for them. */
  readonly endpoints: readonly StoredQuery[];
}

/** A caller's query of an endpoint, or a stored query to explain. */
export type SandboxToCompile = QueryToCompile;

/** A request to a compile worker, which replies in order. */
export type CompileRequest =
  | { readonly kind: 'open'; readonly data: CompileData }
  | { readonly kind: 'compile'; readonly version: string; readonly query: SandboxToCompile };

/** The reply of a compile worker. */
export type CompileReply =
  | { readonly kind: 'open' }
  /** A {@link Traced} query, serialized by `node:v8`, so that its size is known before it is read. */
  | { readonly kind: 'compiled'; readonly query: Uint8Array }
  | { readonly kind: 'refused'; readonly faults: readonly [Fault, ...Fault[]] }
  /** A bug, whose message callers must not see. */
  | { readonly kind: 'failed'; readonly message: string; readonly stack: string };

/** The number of states that a worker keeps, because requests may still use the previous one. */
const keptVersions = 2;

/**
 * Adds a value, and drops the oldest if there are more than two. The server and the worker both call it
 * for each `open`, so the server knows which states the worker still has.
 */
export function keepVersion<T>(versions: Map<string, T>, version: string, value: T): void {
  versions.set(version, value);
  for (const old of [...versions.keys()].slice(0, -keptVersions)) versions.delete(old);
}
