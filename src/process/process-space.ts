import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { digestText } from './digest.js';
import { ignoreErrors } from './ignore-errors.js';

/**
 * Returns a digest of the scope in which this process's id is unique: the boot of the machine and the namespace of
 * process ids, of which each container has its own; the machine's name on systems other than Linux. 12 hexadecimal
 * digits.
 * @see https://man7.org/linux/man-pages/man7/pid_namespaces.7.html
 */
export function processSpace(): string {
  const space = ignoreErrors(() => {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  });
  return digestText(space ?? hostname()).slice(0, 12);
}
