// The targets of the prices, and why some functions miss them.

/** Multiples of md5 that 2 microseconds are, and 3, where md5 takes 200 nanoseconds. */
const [most, mostOfDear] = [10, 15];
/** SAFE of bad values costs at most this share of good ones, but for what the measurement cannot tell apart. */
const [badShare, blur] = [1.5, 2];

/** The calls that read or write JSON, URLs or numbers of up to 38 digits. */
const dear = /NUMERIC|json|^net\.(?:host|reg_domain|public_suffix)/i;

/** The first that matches counts. @type {readonly (readonly [RegExp, string])[]} */
const reasons = [
  [/^(?:repeat|[lr]pad)\(/, 'some results have thousands of characters or bytes'],
  [/^generate_/, 'some results have dozens to thousands of elements'],
  [
    /^(?:corr|covar|var|stddev)\w*\(/,
    'exact sums of integers, in JavaScript, so that no order changes them',
  ],
  [/^(?:sha512|farm_fingerprint)/, 'JavaScript computes it'],
  [
    /^(?:search|text_analyze|bag_of_words|normalize|contains_substr)/,
    'words and letters, in JavaScript',
  ],
  [/^net\.(?:reg_domain|public_suffix)/, 'looks up the list of public suffixes, in JavaScript'],
  [/^net\.(?:safe_)?ip/, 'takes an address apart and puts it together, part by part'],
  [
    /^(?:ceil|ceiling|floor|round|trunc|cast)\((?:BIG)?NUMERIC/,
    'numbers of 38 digits are among the values; a failed TRY_CAST writes a message',
  ],
  [
    /json|JSON/,
    'JavaScript parses the text, sorts and prints it; with SAFE, some faults are errors of JavaScript',
  ],
  [
    /NUMERIC [-+*/]|^(?:div|safe_divide|safe_multiply|mod)\(.*NUMERIC/,
    'integers of 128 bits: DuckDB divides them bit by bit',
  ],
  [
    /^(?:exp|ln|log|pow|power|sqrt)\w*\(.*NUMERIC/,
    'each number becomes a FLOAT64 through its text',
  ],
  [/NUMERIC/, 'DuckDB computes with 128 bits in software'],
  [/^(?:cast\(STRING as INTERVAL|justify_)/, 'its parts are read one by one, and each is checked'],
  [
    /^(?:parse_\w+|date|datetime|timestamp|time)\(STRING|^cast\(STRING as/,
    'a regular expression with a group for each part; zones and odd forms are among the values',
  ],
  [/_bucket\(/, 'the parts of the width are read and checked in each row'],
  [/^(?:range_intersect|range_bucket|cast\(RANGE)/, 'a record with two bounds, checked one by one'],
  [
    /^(?:edit_distance|soundex|initcap|reverse|to_code_points|translate|split|to_base32|safe_convert)/,
    'character by character',
  ],
  [/BYTES/, 'bytes become characters, and characters bytes, because DuckDB has it for texts only'],
  [/^regexp_/, 'a list of all matches'],
  [/INT64/, 'computes with 128 bits, so that it cannot overflow'],
];

/**
 * The prices that miss a target, and by what.
 * @param {readonly { label: string, good: number | undefined, bad: number | undefined }[]} prices in multiples of md5, of good values and of bad ones with SAFE
 * @returns {readonly { label: string, miss: string, reason: string }[]}
 */
export function findMisses(prices) {
  return prices.flatMap(({ label, good, bad }) => {
    const target = dear.test(label) ? mostOfDear : most;
    const mostOfBad = good === undefined ? target : Math.max(badShare * good, good + blur);
    const misses = [
      ...(good !== undefined && good > target ? [`good: ${good.toFixed(1)} of ${target}`] : []),
      ...(bad !== undefined && bad > mostOfBad
        ? [`bad: ${bad.toFixed(1)} of ${mostOfBad.toFixed(1)}`]
        : []),
    ];
    const reason = reasons.find(([pattern]) => pattern.test(label))?.[1] ?? '**no reason known**';
    return misses.length === 0 ? [] : [{ label, miss: misses.join(', '), reason }];
  });
}

/** The targets in words. */
export const targetText = `${most} multiples (2 µs where md5 takes 200 ns; ${mostOfDear}, or 3 µs, for NUMERIC, BIGNUMERIC, JSON and URLs), and for bad
values with SAFE ${badShare} times the good ones, or ${blur} multiples more, which the measurement cannot tell apart`;
