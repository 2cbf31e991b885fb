import { SetupError } from './errors/errors.js';
import { closeLostTerminal } from './process/lost-terminal.js';

/** The tasks that run in child processes, each of which imports only what its task needs. */
const tasks: Readonly<Record<string, () => Promise<unknown>>> = {
  engine: async () => (await import('./engine/pool/engine-child.js')).runEngineChild(),
  compile: async () => {
    const { runCompileChild } = await import('./compiler/pool/compile-child.js');
    return runCompileChild(async (options) => {
      const { createBigQueryTarget } = await import('./bigquery/target/target.js');
      return createBigQueryTarget(options);
    });
  },
  testing: async () =>
    (await import('./testing/test-worker-child.js')).runTestingChild(process.argv[3]),
  load: async () => (await import('./logs/load/load-in-child.js')).runLoadChild(),
};

closeLostTerminal();
await tasks[process.argv[2] ?? '']?.().catch((error: unknown) => {
  process.stderr.write(
    error instanceof SetupError ? `${error.lines.join('\n')}\n` : `${String(error)}\n`,
  );
  process.exit(2);
});
process.exit();
