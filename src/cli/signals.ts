import { setTimeout as sleep } from 'node:timers/promises';

/** A closing terminal sends SIGHUP. Node.js handles it even under `nohup`. */
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Handles signals with this listener only. The new listener is added before the old ones are removed:
 * Node drops a pending signal while there is no listener.
 */
function onSignals(listener: (signal: NodeJS.Signals) => void): void {
  for (const signal of signals) {
    const before = process.listeners(signal);
    process.on(signal, listener);
    for (const old of before) process.off(signal, old);
  }
}

/** Makes a signal end the process after its exit handlers have run. */
export function exitOnSignals(): void {
  onSignals(exit);
}

/** Settles at the first signal; a later one ends the process immediately. */
export async function untilSignal(): Promise<void> {
  await new Promise<void>((resolve) => onSignals(() => resolve()));
  onSignals(() => {});
  // npm forwards the terminal's signal, so a single Ctrl-C arrives twice.
  void sleep(300).then(exitOnSignals);
}

/** The interval between checks that the parent process still runs, in milliseconds. */
const parentIntervalMs = 200;

/** The process that started this one. */
const parent = process.ppid;

/** Settles when the process that started this one has ended: then this process gets another parent. */
export async function untilOrphaned(): Promise<void> {
  while (process.ppid === parent) await sleep(parentIntervalMs, undefined, { ref: false });
}

/** Without this, Node would wait for a running query, and the default action would skip all exit handlers. */
function exit(signal: NodeJS.Signals): never {
  process.removeAllListeners(signal);
  process.on('exit', () => process.kill(process.pid, signal));
  process.exit();
}
