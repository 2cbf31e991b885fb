/**
 * A 32-bit hash of three numbers, the same on every machine. Random draws from a hash need no state, so
 * they do not depend on the order in which events are generated.
 * `count` is the number of the event, possibly larger than 32 bits; `lane` says which draw of the event.
 */
export function hash(seed: number, count: number, lane: number): number {
  const high = Math.floor(count / 4294967296);
  let mixed = seed ^ Math.imul(count, 0x9e3779b1) ^ Math.imul(high + 1, 0x85ebca77);
  mixed = scramble(mixed) ^ Math.imul(lane + 1, 0xc2b2ae3d);
  return scramble(mixed) >>> 0;
}

/** Returns the hash as a number of at least 0 and less than 1. */
export function fraction(seed: number, count: number, lane: number): number {
  return hash(seed, count, lane) / 4294967296;
}

/** The finalizer of MurmurHash3. */
function scramble(value: number): number {
  let mixed = value ^ (value >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** Returns hexadecimal digits of 32-bit numbers, the lowest digit first. */
export function hexDigits(digits: number, draw: (word: number) => number): string {
  let text = '';
  for (let index = 0, bits = 0; index < digits; index += 1, bits >>>= 4) {
    if (index % 8 === 0) bits = draw(index / 8);
    text += (bits & 15).toString(16);
  }
  return text;
}

/** Returns a UUID of version 4 from random 32-bit numbers. */
export function drawUuid(draw: (word: number) => number): string {
  const text = hexDigits(32, draw);
  const variant = '89ab'[draw(0) >>> 30] ?? '8';
  const third = `4${text.slice(13, 16)}`;
  const fourth = `${variant}${text.slice(17, 20)}`;
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-${third}-${fourth}-${text.slice(20)}`;
}
