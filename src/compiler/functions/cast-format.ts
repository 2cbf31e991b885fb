import { QueryFault } from '../../errors/query-fault.js';
import { parseNumberFormat } from '../../values/cast-number-format.js';
import { constantText } from '../bound/constant-text.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { letOnce } from '../duckdb-sql/let.js';
import { castFromText, castToText } from './cast-time.js';
import {
  asVarchar,
  defineFunctions,
  type Emitter,
  macroWithLet,
  nativeFunction,
} from './definition.js';
import { faultsAt } from './format-faults.js';

interface Encoding {
  readonly write: Emitter;
  readonly read: Emitter;
}

const hex: Encoding = {
  write: (args) => d.call('lower', d.call('hex', ...args)),
  read: macroWithLet('hex_to_bytes'),
};
const utf8: Encoding = { write: macroWithLet('bytes_to_string'), read: nativeFunction('encode') };

/** The encodings of BYTES as strings, by the name of the format. */
const encodings: Readonly<Record<string, Encoding>> = {
  ASCII: { write: macroWithLet('bytes_to_ascii'), read: macroWithLet('ascii_to_bytes') },
  BASE2: { write: macroWithLet('bits'), read: macroWithLet('base2_to_bytes') },
  BASE16: hex,
  BASE32: { write: macroWithLet('to_base32'), read: macroWithLet('from_base32') },
  BASE64: { write: nativeFunction('base64'), read: macroWithLet('base64_to_bytes') },
  BASE64M: { write: macroWithLet('bytes_to_base64m'), read: macroWithLet('from_base64') },
  HEX: hex,
  'UTF-8': utf8,
  UTF8: utf8,
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
  return ([value = d.nullValue, format = d.nullValue], node, clauses) => {
    const known = constantText(node.args[1]);
    const write = (encoding: Encoding, one: DuckExpression) => encoding[way]([one], node, clauses);
    if (known === undefined) return encodeRow([value, format], write, fails[way]);
    const encoding = encodings[known?.toUpperCase() ?? ''];
    if (encoding === undefined) throw new QueryFault(unknownEncoding, node.at);
    return write(encoding, value);
  };
}

const unknownEncoding = `The format of a cast with BYTES must be one of ${Object.keys(encodings).join(', ')}`;

const fails = { read: 'fail_bytes', write: 'fail_string' } as const;

/** Chooses the encoding for each row. */
function encodeRow(
  args: readonly DuckExpression[],
  write: (encoding: Encoding, value: DuckExpression) => DuckExpression,
  fail: string,
): DuckExpression {
  return letOnce(args, ([value = d.nullValue, format = d.nullValue]) =>
    letOnce([d.call('upper', format)], ([name = d.nullValue]) => ({
      kind: 'case',
      whens: [
        { when: d.infix('OR', d.isNull(value), d.isNull(name)), result: d.nullValue },
        ...Object.entries(encodings).map(([known, encoding]) => ({
          when: d.infix('=', name, d.text(known)),
          result: write(encoding, value),
        })),
      ],
      otherwise: d.macro(fail, d.text(unknownEncoding)),
    })),
  );
}

/**
 * `CAST(n AS STRING FORMAT '999.99')`; `src/values/functions` prints the number.
 * @throws QueryFault if the compiler knows the format and it is invalid
 */
function castNumberToText(...[[value, format], node]: Parameters<Emitter>): DuckExpression {
  const known = constantText(node.args[1]);
  if (typeof known === 'string') faultsAt(node.at, () => parseNumberFormat(known));
  const kind = d.text(node.args[0]?.type.kind ?? '');
  return d.call('js_cast_number', asVarchar(value), kind, asVarchar(format));
}
