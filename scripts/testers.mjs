import { register } from 'node:module';
import { parseArgs } from 'node:util';

// Testers: runs test programs that others wrote over a server of the fixtures and over the package: npm run testers --
// --only schemathesis --seconds 600. Installs them into a cache folder first; one that cannot be installed is named.
// Build first. Prints what each of them counted and what it found; exits with code 1 if one found something or is missing.

const names = /** @type {const} */ (['schemathesis', 'conformance', 'publint', 'attw']);
const usage = `usage: npm run testers -- [--only ${names.join(',')}] [--seconds N] [--seed N]`;

const options = readOptions();
if (options === undefined) {
  console.error(usage);
  process.exit(2);
}
// It is TypeScript and uses what the tests use, as the judge does.
register('./judge/typescript-hooks.mjs', import.meta.url);
/** @type {typeof import('./testers/testers.js')} */
const { run } = await import(new URL('testers/testers.ts', import.meta.url).href);
// A signal that ends this process must end the service, too.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
process.exit((await run(options)) === 0 ? 0 : 1);

/** The flags; undefined if one of them is not understood. */
function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string', default: names.join(',') },
        // The time limit of schemathesis.
        seconds: { type: 'string', default: '60' },
        seed: { type: 'string', default: '1' },
      },
    });
    const asked = values.only.split(',');
    const only = names.filter((name) => asked.includes(name));
    const [seconds, seed] = [Number(values.seconds), Number(values.seed)];
    const areNumbers = Number.isSafeInteger(seconds) && seconds > 0 && Number.isSafeInteger(seed);
    return only.length === asked.length && areNumbers ? { only, seconds, seed } : undefined;
  } catch {
    return undefined;
  }
}
