/**
 * Runs work whose errors do not matter, such as removing a file that is otherwise removed later; returns undefined on
 * error.
 */
export function ignoreErrors<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
