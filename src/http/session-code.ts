import { randomBytes, timingSafeEqual } from 'node:crypto';
import { digestToken } from '../config/tokens.js';

/** A code that can be exchanged for a token once. */
export type SessionCode = ReturnType<typeof createSessionCode>;

/** The lifetime of a code, in milliseconds. */
const lifetimeMs = 3_600_000;

/** Creates a code for a token. `now` is a clock in milliseconds. */
export function createSessionCode(token: string, now: () => number) {
  const code = randomBytes(24).toString('base64url');
  const endMs = now() + lifetimeMs;
  let isUsed = false;
  return {
    code,
    /** Returns the token; undefined if the code is wrong, used or expired. */
    redeem(given: string): string | undefined {
      if (isUsed || now() >= endMs || !timingSafeEqual(digestToken(given), digestToken(code))) {
        return undefined;
      }
      isUsed = true;
      return token;
    },
  };
}
