import { stringText } from '../../src/compiler/syntax/print-literal.js';

/** The value of a macro without arguments, by its name without `pii_` and `_pattern`. */
export type PatternOf = (name: string) => Promise<string>;

/**
 * The functions that redact personal data on BigQuery, with the patterns of the macros in `sql/bigquery/redaction.sql`,
 * which explains them.
 */
export async function redactionFunctions(patternOf: PatternOf): Promise<string> {
  const names = [
    ...['hint', 'ipv6_hint', 'odd', 'escaped', 'barrier', 'fence', 'unfence'],
    ...['ipv4', 'mapped', 'groups', 'email'],
  ];
  const patterns = new Map<string, string>();
  for (const name of names) patterns.set(name, stringText(await patternOf(name)));
  const pattern = (name: string) => patterns.get(name) ?? '';
  const replace = (x: string, name: string, by: string) =>
    `REGEXP_REPLACE(${x}, ${pattern(name)}, ${stringText(by)})`;
  const ipv4 = (x: string) =>
    replace(replace(x, 'ipv4', '\\1REDACTED\\2'), 'ipv4', '\\1REDACTED\\2');
  const unmark = (x: string, by: string) =>
    `REGEXP_REPLACE(${x}, '[\\\\x{FDD0}-\\\\x{FDD2}]', ${stringText(by)})`;
  const escaped = replace(unmark('x', '\uFFFD'), 'escaped', '\uFDD0\\0\uFDD1');
  const barred = replace(escaped, 'barrier', '\uFDD2\\0\uFDD2');
  const marked = `REPLACE(REPLACE(${barred}, '\uFDD2\uFDD0', '\uFDD0'), '\uFDD1\uFDD2', '\uFDD1')`;
  const groups = replace(
    ipv4(replace(replace('marked', 'fence', '\\1z\\2'), 'mapped', '\\1REDACTED')),
    'groups',
    '\\1REDACTED',
  );
  const text = `SELECT ${unmark(replace(ipv4('shown'), 'email', 'REDACTED\\1'), '')}
    FROM (
      SELECT IF(REGEXP_CONTAINS(x, ${pattern('ipv6_hint')}), ${replace(groups, 'unfence', '\\1\\2')}, marked) AS shown
      FROM (SELECT IF(REGEXP_CONTAINS(x, ${pattern('odd')}), ${marked}, x) AS marked)
    )`;
  const jsonHint = stringText(`\\\\u|${await patternOf('hint')}`);
  const token = stringText('"(?:[^"\\\\]|\\\\.)*"(?:\\s*:)?|[^"]+');
  const isText = `STARTS_WITH(token, '"') AND ENDS_WITH(token, '"') AND REGEXP_CONTAINS(token, ${jsonHint})`;
  return `-- The functions that redact personal data on BigQuery. A test writes this file (npx vitest run redaction -u) from the
-- patterns of sql/bigquery/redaction.sql, which explains them.
CREATE TEMP FUNCTION redact(x STRING) AS (
  IF(REGEXP_CONTAINS(x, ${pattern('hint')}), (
    ${text}
  ), x)
);

CREATE TEMP FUNCTION redact_bytes(x BYTES) AS (
  IF(SAFE_CAST(x AS STRING) IS NULL, x, CAST(redact(SAFE_CAST(x AS STRING)) AS BYTES))
);

CREATE TEMP FUNCTION redact_json(x JSON) AS (
  IF(REGEXP_CONTAINS(TO_JSON_STRING(x), ${jsonHint}), PARSE_JSON(ARRAY_TO_STRING(ARRAY(
    SELECT IF(${isText}, TO_JSON_STRING(redact(STRING(PARSE_JSON(token)))), token)
    FROM UNNEST(REGEXP_EXTRACT_ALL(TO_JSON_STRING(x), ${token})) AS token WITH OFFSET AS place
    ORDER BY place
  ), ''), wide_number_mode => 'round'), x)
);
`;
}
