/** True in `npm run test:nightly`. In `npm test` each random search and stress test is a smoke test of a few seconds. */
export const isFullLength = process.env['NIGHTLY'] === 'full';

/** A number of rounds, seeds or seconds: `full` in `npm run test:nightly`, `smoke` in `npm test`. */
export function nightly(full: number, smoke: number): number {
  return isFullLength ? full : smoke;
}

/** All items in `npm run test:nightly`; in `npm test` the first and every `step`-th after it. */
export function sample<const T>(items: readonly T[], step: number): readonly T[] {
  return items.filter((_, index) => index % nightly(1, step) === 0);
}
