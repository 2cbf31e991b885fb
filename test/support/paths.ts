import { fileURLToPath } from 'node:url';

/** The checkout. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** The project's own sample logs. */
export const fixtures = fileURLToPath(new URL('../../fixtures/', import.meta.url));

/** The command as it is built: `npm test` builds it first. */
export const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** The acceptance suites, beside the checkout and not in it. */
export const shared = fileURLToPath(new URL('../../../shared/', import.meta.url));
