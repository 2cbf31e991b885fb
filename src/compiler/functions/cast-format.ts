import { QueryFault } from '../../errors/query-fault.js';
import { call, type DuckExpression, duckNull } from '../duckdb-sql/duckdb-sql.js';
import { castNumberToText } from './cast-number.js';
import { castFromText, castToText } from './cast-time.js';
import { defineFunctions, type Emitter, macroWithLet } from './definition.js';

/** By the name of the format: how to write BYTES as a text, and how to read that text. */
const encodings: Readonly<Record<string, { readonly write: Emitter; readonly read: Emitter }>> = {
  ASCII: { write: macroWithLet('bytes_to_ascii'), read: macroWithLet('ascii_to_bytes') },
  BASE2: { write: macroWithLet('bits'), read: macroWithLet('base2_to_bytes') },
  BASE16: { write: hex, read: macroWithLet('hex_to_bytes') },
  BASE32: { write: macroWithLet('to_base32'), read: macroWithLet('from_base32') },
  BASE64: { write: ([x = duckNull]) => call('base64', x), read: macroWithLet('base64_to_bytes') },
  BASE64M: { write: macroWithLet('bytes_to_base64m'), read: macroWithLet('from_base64') },
  HEX: { write: hex, read: macroWithLet('hex_to_bytes') },
  'UTF-8': { write: macroWithLet('bytes_to_string'), read: ([x = duckNull]) => call('encode', x) },
  UTF8: { write: macroWithLet('bytes_to_string'), read: ([x = duckNull]) => call('encode', x) },
};

/**
 * `CAST(x AS type FORMAT format)`. A query cannot call these names itself.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/format-elements#format_bytes_as_string
 */
export const castFormats = defineFunctions({
  '$CAST DATE AS STRING FORMAT': ['DATE, STRING -> STRING', castToText],
  '$CAST DATETIME AS STRING FORMAT': ['DATETIME, STRING -> STRING', castToText],
  '$CAST TIME AS STRING FORMAT': ['TIME, STRING -> STRING', castToText],
  '$CAST TIMESTAMP AS STRING FORMAT': ['TIMESTAMP, STRING, STRING? -> STRING', castToText],
  '$CAST STRING AS DATE FORMAT': ['STRING, STRING -> DATE', castFromText],
  '$CAST STRING AS DATETIME FORMAT': ['STRING, STRING -> DATETIME', castFromText],
  '$CAST STRING AS TIME FORMAT': ['STRING, STRING -> TIME', castFromText],
  '$CAST STRING AS TIMESTAMP FORMAT': ['STRING, STRING, STRING? -> TIMESTAMP', castFromText],
  '$CAST INT64 AS STRING FORMAT': ['INT64, STRING -> STRING', castNumberToText],
  '$CAST NUMERIC AS STRING FORMAT': ['NUMERIC, STRING -> STRING', castNumberToText],
  '$CAST BIGNUMERIC AS STRING FORMAT': ['BIGNUMERIC, STRING -> STRING', castNumberToText],
  '$CAST FLOAT64 AS STRING FORMAT': ['FLOAT64, STRING -> STRING', castNumberToText],
  '$CAST BYTES AS STRING FORMAT': ['BYTES, STRING -> STRING', bytesEncoding('write')],
  '$CAST STRING AS BYTES FORMAT': ['STRING, STRING -> BYTES', bytesEncoding('read')],
});

function bytesEncoding(way: 'read' | 'write'): Emitter {
  return ([value = duckNull], node, clauses) => {
    const [, format] = node.args;
    const name = format?.kind === 'literal' ? (format.value ?? '') : '';
    const encoding = encodings[name.toUpperCase()];
    if (encoding !== undefined) return encoding[way]([value], node, clauses);
    const known = Object.keys(encodings).join(', ');
    throw new QueryFault(`The format of a cast with BYTES must be one of ${known}`, node.at);
  };
}

function hex([value = duckNull]: readonly DuckExpression[]): DuckExpression {
  return call('lower', call('hex', value));
}
