import { fileURLToPath } from 'node:url';

/** The checkout. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** The project's own sample logs. */
export const fixtures = fileURLToPath(new URL('../../fixtures/', import.meta.url));

/** The command as it is built: `npm test` builds it first. */
export const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** The acceptance cases, the logs that they ask about, and the fields as they are declared. */
export const acceptance = fileURLToPath(new URL('../acceptance/', import.meta.url));
