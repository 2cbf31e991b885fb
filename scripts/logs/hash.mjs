/**
 * A 32-bit hash of three numbers, the same on every machine. Random draws from a hash need no state, so
 * they do not depend on the order in which events are generated.
 * @param {number} seed
 * @param {number} count number of the event: an integer, possibly larger than 32 bits
 * @param {number} lane which draw of the event
 */
export function hash(seed, count, lane) {
  const high = Math.floor(count / 4294967296);
  let mixed = seed ^ Math.imul(count, 0x9e3779b1) ^ Math.imul(high + 1, 0x85ebca77);
  mixed = scramble(mixed) ^ Math.imul(lane + 1, 0xc2b2ae3d);
  return scramble(mixed) >>> 0;
}

/** The hash as a number of at least 0 and less than 1. @param {number} seed @param {number} count @param {number} lane */
export function fraction(seed, count, lane) {
  return hash(seed, count, lane) / 4294967296;
}

/** The finalizer of MurmurHash3. @param {number} value */
function scramble(value) {
  let mixed = value ^ (value >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
