import type { Answer } from '../service/run-endpoint.js';
import type { Asked } from '../service/run-request.js';

/**
 * Remembers which cached result answers a request, so that a repeated request is not bound and compiled again. It holds
 * no rows: they are looked up in the result cache each time.
 */
export interface RepeatedRequests {
  /** The answer to this request, if the result cache still holds its rows. */
  find(asked: Asked, scope: string): Answer | undefined;
  /** Lets {@link find} answer this request again; an answer that was not cached is ignored. */
  add(asked: Asked, scope: string, answer: Answer): void;
}

type Remembered = Pick<Answer, 'endpoint' | 'columns'> & {
  readonly reread: NonNullable<Answer['reread']>;
};

/** Creates an empty memory. It is keyed by the decoded request itself, so it forgets what the decoder has forgotten. */
export function createRepeatedRequests(): RepeatedRequests {
  const known = new WeakMap<Asked, Map<string, Remembered>>();
  return {
    find(asked, scope) {
      const remembered = known.get(asked)?.get(scope);
      const cached = remembered?.reread();
      // An empty answer may need a note, which depends on the request.
      if (remembered === undefined || cached === undefined || cached.result.rowCount === 0)
        return undefined;
      const { endpoint, columns } = remembered;
      const { result, state, ageSeconds, secondsLeft } = cached;
      const { note } = result;
      const times = { compileMs: 0, waitMs: 0 };
      // The spread comes last, because V8 adds properties slowly after one.
      const answer = { endpoint, columns, result, state, ageSeconds, secondsLeft, ...times };
      return note === undefined ? answer : { note, ...answer };
    },
    add(asked, scope, { reread, endpoint, columns }) {
      if (reread === undefined) return;
      const byScope = known.get(asked) ?? new Map<string, Remembered>();
      byScope.set(scope, { reread, endpoint, columns });
      known.set(asked, byScope);
    },
  };
}
