import { closeSync } from 'node:fs';
import { isatty } from 'node:tty';

/**
 * Lets the process end with its exit code although its terminal has hung up. Node.js resets the terminal at its end and
 * crashes if that fails, but skips descriptors that are closed.
 */
export function closeLostTerminal(): void {
  const terminals = [0, 1, 2].filter(isatty);
  process.once('exit', () => {
    for (const fd of terminals) if (!isatty(fd)) closeSync(fd);
  });
}
