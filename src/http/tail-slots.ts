import { ServiceError } from '../errors/errors.js';

const max = 32;
const maxPerCaller = 4;

/** Creates the slots of open tails, all free; their number is limited. */
export function createTailSlots() {
  const taken = new Set<{ readonly caller: string }>();
  return {
    get open(): number {
      return taken.size;
    },
    /** Takes a slot; the returned function releases it. @throws ServiceError `rateLimitExceeded` if none is free */
    take(caller: string): () => void {
      const own = [...taken].filter((slot) => slot.caller === caller).length;
      if (own >= maxPerCaller) {
        throw full(`The token has ${own} tails open, which is the limit; close one`);
      }
      if (taken.size >= max) {
        throw full(`The server has ${max} tails open, which is the limit; try again later`);
      }
      const slot = { caller };
      taken.add(slot);
      return () => void taken.delete(slot);
    },
  };
}

function full(message: string): ServiceError {
  return new ServiceError('rateLimitExceeded', message);
}
