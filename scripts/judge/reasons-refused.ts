import type { Reason } from './reason.js';

/** We refuse what the reference implementation answers. */
export const refusals: readonly Reason[] = [
  {
    what: 'an array with a NULL element in the answer',
    right: 'we',
    why: 'BigQuery refuses it too, when it writes the answer',
    ours: /^Array cannot have a null element/,
  },
  {
    what: 'a sub-query in the ON clause of an outer join that reads columns of both sides',
    right: 'we',
    why: 'BigQuery refuses every sub-query with a table in ON',
    ours: /^(?:Unsupported subquery with table in join predicate|A subquery in the ON clause of an outer join)/,
  },
  {
    what: 'BIGNUMERIC with more than 30 digits before the point or 8 after it',
    right: 'reference',
    why: 'DuckDB has exact numbers of 38 digits; `SAFE_CAST` gives NULL',
    ours: /BIGNUMERIC is limited|Invalid BIGNUMERIC literal|to type BIGNUMERIC \(at most 30 digits/,
  },
  {
    what: '`SAFE_CAST` to BIGNUMERIC of more than 8 digits after the point',
    right: 'reference',
    why: 'as above',
    sql: /safe_cast\((?:'1\.(?:123456789|5e-19)'|x) as bignumeric\)/,
  },
  {
    what: 'formats from a column: `FORMAT_DATE`, `PARSE_DATE` and the like',
    right: 'reference',
    why: 'only a literal format is translated',
    ours: /^(?:FORMAT|PARSE)_\w+ requires a format that is a literal/,
  },
  {
    what: 'format elements that BigQuery does not document, such as `%!`',
    right: 'unknown',
    why: 'refused with a message that names the element',
    ours: /^(?:Format element %\S is not supported|Invalid format element)/,
  },
  {
    what: "`cast('2018' as date format 'YYYY')`",
    right: 'reference',
    why: 'BigQuery takes the missing parts from the current date; we refuse a format without them',
    ours: /^A format without year and month is not supported/,
  },
  {
    what: 'more than 512 wildcards of LIKE, or 64 mixed ones; widths above 1,000 in FORMAT; formats of CAST above 512 characters; long results of REGEXP_REPLACE',
    right: 'reference',
    why: 'limits that keep one query from using the service up',
    ours: /^A LIKE pattern has at most|^FORMAT takes widths|^Format string too long; limit 512|^REGEXP_REPLACE: exceeded maximum output/,
  },
  {
    what: '`REGEXP_INSTR` with a capturing group in a pattern from a column, inside other brackets, or after flags',
    right: 'reference',
    why: 'refused with a message that says so',
    ours: /^REGEXP_INSTR is not supported with a capturing group/,
  },
  {
    what: 'roots, powers and logarithms of BIGNUMERIC',
    right: 'reference',
    why: 'DuckDB has decimals of 38 digits; refused rather than rounded',
    ours: /^(?:SQRT|POW|POWER|EXP|LN|LOG|LOG10) of BIGNUMERIC is not supported/,
  },
  {
    what: "a string as the amount of an INTERVAL: `interval cast('1' as string) day`",
    right: 'we',
    why: 'the manual: an INT64, or a literal string',
    sql: /interval cast\('1' as string\) day/,
  },
];
