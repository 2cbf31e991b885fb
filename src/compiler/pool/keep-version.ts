/** The number of states of the logs that a process keeps, because requests may still use the previous one. */
const keptVersions = 2;

/**
 * Adds a value, and drops the oldest if there are more than two. The server and the process both call it
 * for each `open`, so the server knows which states the process still has.
 */
export function keepVersion<T>(versions: Map<string, T>, version: string, value: T): void {
  versions.set(version, value);
  for (const old of [...versions.keys()].slice(0, -keptVersions)) versions.delete(old);
}
