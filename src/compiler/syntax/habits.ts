import type { Token } from './lex.js';

/**
 * Habits from other databases, each with a hint. A habit is a sequence of tokens, with `^` before the
 * unexpected one: words and symbols as written, in upper case, and kinds of literals in lower case.
 */
const syntaxHabits: readonly (readonly [tokens: string, hint: string])[] = [
  ['INTERVAL string ^', 'write the part outside of the quotes: INTERVAL 1 HOUR'],
  ['^ ->', "write JSON_VALUE(x, '$.key') for a string, or JSON_QUERY(x, '$.key') for JSON"],
  ['FILTER ^ (', 'write COUNTIF(condition), or SUM(IF(condition, x, NULL))'],
  ['^ FILTER (', 'write COUNTIF(condition), or SUM(IF(condition, x, NULL))'],
  ['TOP ^ integer', 'write LIMIT at the end of the query'],
  ['LIMIT integer ^ ,', 'write LIMIT count OFFSET skipped'],
  ['DISTINCT ^ ON', 'write QUALIFY ROW_NUMBER() OVER (PARTITION BY x ORDER BY y) = 1'],
  ['^ AT TIME ZONE', "write DATETIME(t, 'Europe/Rome') for the civil time of a TIMESTAMP"],
  ['^ FETCH FIRST', 'write LIMIT at the end of the query'],
  ['OFFSET ^ integer', 'write LIMIT count OFFSET skipped'],
  ['^ RLIKE', "write REGEXP_CONTAINS(x, r'pattern')"],
  ['^ REGEXP', "write REGEXP_CONTAINS(x, r'pattern')"],
  ['^ ~', "write REGEXP_CONTAINS(x, r'pattern')"],
  ['^ ! ~', "write NOT REGEXP_CONTAINS(x, r'pattern')"],
  ['IN ^', 'write x IN UNNEST(array), or STRPOS(text, part) > 0'],
  ['= ^ =', 'write = once'],
  ['& ^ &', 'write AND'],
  ['^ %', 'write MOD(a, b)'],
  ['FROM ^ string', 'write the name without quotes, or in backticks'],
  ['JOIN ^ string', 'write the name without quotes, or in backticks'],
];

/** The functions of other databases, by name in lower case, and their replacements. */
export const functionHabits: Readonly<Record<string, string>> = {
  array_size: 'ARRAY_LENGTH(x)',
  bool_and: 'LOGICAL_AND(x)',
  bool_or: 'LOGICAL_OR(x)',
  cardinality: 'ARRAY_LENGTH(x)',
  charindex: 'STRPOS(text, part)',
  concat_ws: "ARRAY_TO_STRING([a, b], ',')",
  convert: 'CAST(x AS type)',
  count_if: 'COUNTIF(condition)',
  convert_tz: "DATETIME(t, 'Europe/Rome') for the civil time of a TIMESTAMP",
  date_format: "FORMAT_TIMESTAMP('%F %T', t)",
  date_part: 'EXTRACT(HOUR FROM t)',
  dateadd: 'TIMESTAMP_ADD(t, INTERVAL 1 DAY)',
  datediff: 'TIMESTAMP_DIFF(end, start, DAY)',
  datepart: 'EXTRACT(HOUR FROM t)',
  decode: 'CASE x WHEN a THEN b ELSE c END',
  from_unixtime: 'TIMESTAMP_SECONDS(n)',
  gen_random_uuid: 'GENERATE_UUID()',
  generate_series: 'GENERATE_ARRAY(1, 10) or GENERATE_TIMESTAMP_ARRAY(start, end, INTERVAL 1 HOUR)',
  get_json_object: "JSON_VALUE(x, '$.key')",
  getdate: 'CURRENT_TIMESTAMP()',
  group_concat: "STRING_AGG(x, ',')",
  iif: 'IF(condition, a, b)',
  isnull: 'IFNULL(a, b) or a IS NULL',
  json_array_elements: 'UNNEST(JSON_QUERY_ARRAY(x))',
  json_extract_path_text: "JSON_VALUE(x, '$.key')",
  len: 'LENGTH(x)',
  listagg: "STRING_AGG(x, ',' ORDER BY y)",
  median: 'APPROX_QUANTILES(x, 2)[OFFSET(1)]',
  now: 'CURRENT_TIMESTAMP()',
  nvl: 'IFNULL(a, b)',
  percentile: 'APPROX_QUANTILES(x, 100)[OFFSET(95)]',
  position: 'STRPOS(text, part)',
  quantile: 'APPROX_QUANTILES(x, 100)[OFFSET(95)]',
  random: 'RAND()',
  regexp_count: "ARRAY_LENGTH(REGEXP_EXTRACT_ALL(x, r'pattern'))",
  regexp_like: "REGEXP_CONTAINS(x, r'pattern')",
  regexp_match: "REGEXP_CONTAINS(x, r'pattern')",
  regexp_matches: "REGEXP_CONTAINS(x, r'pattern')",
  split_part: "SPLIT(x, ',')[SAFE_OFFSET(0)]",
  str_to_date: "PARSE_DATE('%F', text)",
  strftime: "FORMAT_TIMESTAMP('%F %T', t)",
  string_to_array: "SPLIT(x, ',')",
  sysdate: 'CURRENT_TIMESTAMP()',
  time_bucket: 'TIMESTAMP_TRUNC(t, HOUR) or TIMESTAMP_BUCKET(t, INTERVAL 5 MINUTE)',
  to_char: "FORMAT_TIMESTAMP('%F %T', t)",
  to_date: "PARSE_DATE('%F', text)",
  to_number: 'CAST(x AS INT64)',
  to_timestamp: "TIMESTAMP_SECONDS(n) or PARSE_TIMESTAMP('%F %T', text)",
  tostartofhour: 'TIMESTAMP_TRUNC(t, HOUR)',
  try_cast: 'SAFE_CAST(x AS type)',
  unix_timestamp: 'UNIX_SECONDS(t)',
  zeroifnull: 'IFNULL(x, 0)',
};

/** `; write …` if a function of this name, in lower case, is known from other databases; otherwise empty. */
export function functionHint(name: string): string {
  const instead = Object.hasOwn(functionHabits, name) ? functionHabits[name] : undefined;
  return instead === undefined ? '' : `; write ${instead}`;
}

/** `; write …` if other databases write words between the arguments of this function; otherwise empty. */
export function callHint(name: string): string {
  const lower = name.toLowerCase();
  return lower.startsWith('substr') ? '; write SUBSTR(x, start, length)' : functionHint(lower);
}

/** `; write …` for a call that WITHIN GROUP follows: it joins values to a string, or computes a percentile. */
export function withinGroupHint(name: string): string {
  const isList = name.toLowerCase().endsWith('agg');
  return isList ? "; write STRING_AGG(x, ',' ORDER BY y)" : percentileHint;
}

const percentileHint = '; write APPROX_QUANTILES(x, 100)[OFFSET(95)] for a percentile';

/** `; …` if the tokens around an unexpected one are a habit from other databases; otherwise empty. */
export function syntaxHint(peek: (ahead: number) => Token): string {
  const habit = syntaxHabits.find(([tokens]) => isAt(tokens.split(' '), peek));
  return habit === undefined ? '' : `; ${habit[1]}`;
}

function isAt(words: readonly string[], peek: (ahead: number) => Token): boolean {
  const unexpected = words.indexOf('^');
  return words.every((word, index) => {
    if (index === unexpected) return true;
    const token = peek(index < unexpected ? index - unexpected : index - unexpected - 1);
    return token.key === word || token.kind === word;
  });
}
