/** The output of `check`, and whether all endpoints are without faults. */
export interface CheckReport {
  readonly lines: readonly string[];
  readonly ok: boolean;
}

/** `1 fault`, `2 faults` */
export function countOf(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
