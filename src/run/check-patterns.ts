import { LRUCache } from 'lru-cache';
import { createSingleFlight } from '../cache/single-flight.js';
import type { Bindings, Parameter } from '../endpoint/endpoint.js';
import type { CallerScope } from '../endpoint/scope.js';
import type { Engine, RunOptions } from '../engine/engine.js';
import { type Fault, ServiceError } from '../errors/errors.js';

/** Refuses bindings that contain an invalid regular expression. */
export type CheckPatterns = (
  parameters: readonly Parameter[],
  bindings: Bindings,
  options: RunOptions & { readonly engine: Engine; readonly scope: CallerScope },
) => Promise<void>;

/**
 * Checks `regexp` parameters with the engine's own RE2 before the query runs, so that an invalid pattern is refused
 * even if no row would have been matched against it. Valid patterns are remembered, and concurrent checks of a
 * pattern share a run, but only within one scope. The check throws ServiceError `invalid` with one fault for each
 * invalid pattern.
 * @see https://github.com/google/re2/wiki/Syntax
 */
export function createCheckPatterns(): CheckPatterns {
  const sizeCalculation = (_: true, pattern: string) => pattern.length + 64;
  const valid = new LRUCache<string, true>({ maxSize: 1_000_000, sizeCalculation });
  const checks = createSingleFlight<string | undefined>();
  return async (parameters, bindings, { engine, scope, ...options }) => {
    const faults: Fault[] = [];
    for (const { name, type } of parameters) {
      const pattern = type === 'regexp' ? (bindings[name] ?? null) : null;
      const key = `${scope.key}\n${pattern}`;
      if (pattern === null || valid.has(key)) continue;
      const { signal, caller = '', labels = {} } = options;
      const problem = await checks.join(key, { signal, caller }, (stop, onStart) =>
        tryPattern(engine, pattern, { caller, labels, signal: stop, onStart }),
      );
      if (problem === undefined) valid.set(key, true);
      else faults.push(patternFault(name, problem));
    }
    const [first, ...others] = faults;
    if (first !== undefined) throw ServiceError.of([first, ...others]);
  };
}

/** Returns the engine's message for an invalid pattern, otherwise undefined. */
async function tryPattern(
  engine: Engine,
  pattern: string,
  options: RunOptions,
): Promise<string | undefined> {
  try {
    const values = { p_pattern: pattern };
    const match = { ...engine.dialect.matchPattern, tables: [], values, maxRows: 1 };
    await engine.run(match, options);
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.faults[0].reason !== 'invalidQuery') throw error;
    return error.message;
  }
}

function patternFault(name: string, problem: string): Fault {
  const message = `Invalid value for parameter ${name}: ${problem}`;
  return { reason: 'invalid', message, location: name };
}
