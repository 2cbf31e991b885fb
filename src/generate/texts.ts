import { hash, uuidOf } from './hash.js';

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
    id: uuidOf(draw),
    email: email.replace('@', `.${draw(4) % 1000}@`),
    address: addressOf(draw),
  };
}

/** An address reserved for documentation; one in four is IPv6. */
function addressOf(draw: Draw): string {
  if (draw(5) % 4 === 0) {
    return `2001:db8:${(draw(6) % 65_536).toString(16)}::${(1 + (draw(7) % 65_535)).toString(16)}`;
  }
  const network = ['192.0.2', '198.51.100', '203.0.113'][draw(6) % 3];
  return `${network}.${1 + (draw(7) % 254)}`;
}
