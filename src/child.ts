import { SetupError } from './errors.js';

/** The works that the program gives to processes of their own, which start in half its time. */
const works: Readonly<Record<string, () => Promise<unknown>>> = {
  engine: async () => (await import('./engine/engine-child.js')).runEngineChild(),
  load: async () => (await import('./source/load-in-child.js')).runLoadChild(),
};

await works[process.argv[2] ?? '']?.().catch((error: unknown) => {
  process.stderr.write(
    error instanceof SetupError ? `${error.lines.join('\n')}\n` : `${String(error)}\n`,
  );
  process.exit(2);
});
process.exit();
