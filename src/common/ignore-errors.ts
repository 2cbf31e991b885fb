/** Runs work whose failure changes nothing, such as removing a file that is removed later otherwise. */
export function ignoreErrors(work: () => unknown): void {
  try {
    work();
  } catch {}
}
