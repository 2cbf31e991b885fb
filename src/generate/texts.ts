import { hash } from './hash.js';

/** The strings of one user of a project. */
export interface Texts {
  readonly project: string;
  readonly id: string;
  readonly email: string;
  readonly address: string;
}

/** Gives the strings of a user, by the ranks of project and user; `email` is the template's address, which is made unique. */
export type TextsOf = (project: number, user: number, email: string) => Texts;

/** Size of the cache, about 30 MB; when full, it is cleared. */
const maxCached = 50_000;

/** Creates the function that gives the strings of a user of a project, always the same for the same user. */
export function createTextsOf(seed: number, nameOf: (project: number) => string): TextsOf {
  const cache = new Map<number, Texts>();
  return (project, user, email) => {
    const key = project * 1000 + user;
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    if (cache.size >= maxCached) cache.clear();
    const draw = (lane: number) => hash(seed ^ 0x55aa55aa, key, lane);
    const texts = makeTexts(draw, nameOf(project), email);
    cache.set(key, texts);
    return texts;
  };
}

/** Draws a number of 32 bits. */
type Draw = (lane: number) => number;

function makeTexts(draw: Draw, project: string, email: string): Texts {
  return {
    project,
    id: uuidOf([0, 1, 2, 3].map((lane) => hex8(draw(lane))).join('')),
    email: email.replace('@', `.${draw(4) % 1000}@`),
    address: addressOf(draw),
  };
}

function hex8(value: number): string {
  return value.toString(16).padStart(8, '0');
}

/** Formats 32 hexadecimal digits as a UUID of version 4. */
function uuidOf(digits: string): string {
  const variant = '89ab'[Number.parseInt(digits.slice(16, 17), 16) & 3];
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(13, 16)}`];
  return [...parts, `${variant}${digits.slice(17, 20)}`, digits.slice(20)].join('-');
}

/** An address reserved for documentation; one in four is IPv6. */
function addressOf(draw: Draw): string {
  if (draw(5) % 4 === 0) {
    return `2001:db8:${(draw(6) % 65_536).toString(16)}::${(1 + (draw(7) % 65_535)).toString(16)}`;
  }
  const network = ['192.0.2', '198.51.100', '203.0.113'][draw(6) % 3];
  return `${network}.${1 + (draw(7) % 254)}`;
}
