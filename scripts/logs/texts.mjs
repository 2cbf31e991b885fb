import { hash } from './hash.mjs';
import { projectName } from './projects.mjs';

/** @typedef {import('./fill.mjs').Texts} Texts */

/** Size of the cache, about 30 MB; when full, it is cleared. */
const maxCached = 50_000;

/**
 * Creates the function that gives the strings of a user of a project, always the same for the same user.
 * @param {number} seed
 * @returns {(project: number, user: number, email: string) => Texts} `email` is the template's address, which is made unique
 */
export function createTextsOf(seed) {
  /** @type {Map<number, Texts>} */
  const cache = new Map();
  return (project, user, email) => {
    const key = project * 1000 + user;
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    if (cache.size >= maxCached) cache.clear();
    const texts = makeTexts(
      (lane) => hash(seed ^ 0x55aa55aa, key, lane),
      projectName(project),
      email,
    );
    cache.set(key, texts);
    return texts;
  };
}

/** @param {(lane: number) => number} draw @param {string} project @param {string} email @returns {Texts} */
function makeTexts(draw, project, email) {
  return {
    project: Buffer.from(project),
    id: Buffer.from(uuidOf([0, 1, 2, 3].map((lane) => hex8(draw(lane))).join(''))),
    email: Buffer.from(email.replace('@', `.${draw(4) % 1000}@`)),
    address: Buffer.from(addressOf(draw)),
  };
}

/** @param {number} value */
function hex8(value) {
  return value.toString(16).padStart(8, '0');
}

/** Formats 32 hexadecimal digits as a UUID of version 4. @param {string} digits */
function uuidOf(digits) {
  const variant = '89ab'[Number.parseInt(digits.slice(16, 17), 16) & 3];
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(13, 16)}`];
  return [...parts, `${variant}${digits.slice(17, 20)}`, digits.slice(20)].join('-');
}

/** An address reserved for documentation; one in four is IPv6. @param {(lane: number) => number} draw */
function addressOf(draw) {
  if (draw(5) % 4 === 0) {
    return `2001:db8:${(draw(6) % 65_536).toString(16)}::${(1 + (draw(7) % 65_535)).toString(16)}`;
  }
  const network = ['192.0.2', '198.51.100', '203.0.113'][draw(6) % 3];
  return `${network}.${1 + (draw(7) % 254)}`;
}
