import type { Random } from './world/random.js';

/**
 * Placeholders for the values that differ between events. The token of a random value includes the value's length
 * and a number. Equal tokens in one event stand for the same value; a token in capitals stands for digits in capitals.
 */
export const tokens = {
  project: '@@project@@',
  id: '@@id@@',
  email: '@@email@@',
  address: '@@address@@',
} as const;

/** Matches a token or a timestamp in the text of a record. */
export const holePattern =
  /@@(?<kind>[A-Za-z]+)(?<digits>\d*)(?:\.(?<lane>\d+))?@@|\d{4}-\d\d-\d\d(?<separator>[T ])\d\d:\d\d:\d\d(?:\.(?<fraction>\d+))?/g;

/** The same generator, but with tokens in place of values that are unique to an event. */
export function withTokens(random: Random): Random {
  let lane = 8;
  const next = () => {
    lane += 4;
    return lane;
  };
  return {
    ...random,
    hex: (digits) => `@@hex${digits}.${next()}@@`,
    uuid: () => `@@uuid.${next()}@@`,
  };
}
