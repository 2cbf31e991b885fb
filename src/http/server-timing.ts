/**
 * Prints the header `Server-Timing`, with durations in milliseconds to two decimals: `compile;dur=1.2, engine;dur=3`.
 * @see https://www.w3.org/TR/server-timing/
 */
export function printServerTiming(durations: Readonly<Record<string, number>>): string {
  return Object.entries(durations)
    .map(([name, ms]) => `${name};dur=${Math.round(ms * 100) / 100}`)
    .join(', ');
}
