/** Runs work whose failure changes nothing, such as removing a file that is removed later otherwise; then it is undefined. */
export function ignoreErrors<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
