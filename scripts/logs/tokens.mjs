/** @typedef {import('../fixtures/random.mjs').Random} Random */

/**
 * What stands in a template where each event has its own text. A drawn text also has its length and
 * a number, so that the same text twice in an event stays the same; capital letters ask for capitals.
 */
export const tokens = { project: '@@p@@', id: '@@i@@', email: '@@e@@', address: '@@a@@' };

/** A token, or an instant, as it is found again in the text of a record. */
export const holePattern =
  /@@(?<word>[a-z])(?<digits>\d*)(?:\.(?<lane>\d+))?@@|@@(?<capital>[A-Z])(?<length>\d+)\.(?<number>\d+)@@|\d{4}-\d\d-\d\d(?<separator>[T ])\d\d:\d\d:\d\d(?:\.(?<fraction>\d+))?/g;

/** The same draws, but tokens for what no two events share. @param {Random} random @returns {Random} */
export function withTokens(random) {
  let lane = 8;
  const next = () => {
    lane += 4;
    return lane;
  };
  return {
    ...random,
    hex: (digits) => `@@h${digits}.${next()}@@`,
    uuid: () => `@@u.${next()}@@`,
  };
}
