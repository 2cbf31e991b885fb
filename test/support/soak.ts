/** True in `npm run test:soak`. In `npm test` each soak and stress test is a smoke test of a few seconds. */
export const isFullLength = process.env['SOAK'] === 'full';

/** A number of rounds, seeds or seconds: `full` in `npm run test:soak`, `smoke` in `npm test`. */
export function soak(full: number, smoke: number): number {
  return isFullLength ? full : smoke;
}

/** All items in `npm run test:soak`; in `npm test` the first and every `step`-th after it. */
export function sample<const T>(items: readonly T[], step: number): readonly T[] {
  return items.filter((_, index) => index % soak(1, step) === 0);
}
