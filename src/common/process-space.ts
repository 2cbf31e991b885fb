import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * A digest of where this process's id is unique: the boot of the machine and the namespace of process ids, which each
 * container has of its own; the machine's name on any system but Linux. 12 hexadecimal digits.
 * @see https://man7.org/linux/man-pages/man7/pid_namespaces.7.html
 */
export function processSpace(): string {
  return createHash('sha256').update(describeSpace()).digest('hex').slice(0, 12);
}

function describeSpace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}
