import { drawUuid, hash } from './hash.js';

/** The strings of one user of a project. */
export type Texts = ReturnType<ReturnType<typeof createUserTexts>>;

/**
 * Creates a function that returns the strings of a user, by the ranks of project and user, always the same for the
 * same user; `email` is the template's address, which is made unique.
 */
export function createUserTexts(seed: number, nameProject: (project: number) => string) {
  return (project: number, user: number, email: string) => {
    const draw = (lane: number) => hash(seed ^ 0x55aa55aa, project * 1000 + user, lane);
    return {
      project: nameProject(project),
      id: drawUuid(draw),
      email: email.replace('@', `.${draw(4) % 1000}@`),
      address: drawAddress(draw),
    };
  };
}

/** Returns an address reserved for documentation; one in four is IPv6. */
function drawAddress(draw: (lane: number) => number): string {
  if (draw(5) % 4 === 0) {
    return `2001:db8:${(draw(6) % 65_536).toString(16)}::${(1 + (draw(7) % 65_535)).toString(16)}`;
  }
  const network = ['192.0.2', '198.51.100', '203.0.113'][draw(6) % 3];
  return `${network}.${1 + (draw(7) % 254)}`;
}
