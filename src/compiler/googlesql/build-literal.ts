import type { Type } from '../../types/types.js';
import type { Expression } from '../syntax/tree.js';
import { buildType } from './build-type.js';

/** Builds a literal; its value has the notation of `bound/literal.ts`. */
export function buildLiteral(value: string | null, type: Type): Expression {
  if (value === null) return nullAsType(type);
  switch (type.kind) {
    case 'STRING':
    case 'BYTES':
    case 'INT64':
    case 'BOOL':
      return { kind: 'literal', type: type.kind, value, at: 0 };
    case 'FLOAT64':
      return floatNode(value, type);
    case 'NUMERIC':
      return decimalNode(value, type, 9);
    case 'BIGNUMERIC':
      return decimalNode(value, type, 38);
    case 'INTERVAL':
      return intervalNode(value);
    default:
      return { kind: 'typed-literal', type: type.kind, value, at: 0 };
  }
}

/** `CAST(NULL AS type)` */
export function nullAsType(type: Type): Expression {
  return castNode({ kind: 'literal', type: 'NULL', value: 'NULL', at: 0 }, type);
}

/** The value of a column or a field that a table does not have: an empty array, or NULL. */
export function absentValue(type: Type): Expression {
  if (type.kind !== 'ARRAY') return nullAsType(type);
  return { kind: 'array', type: buildType(type.element), elements: [], at: 0 };
}

/** `CAST(operand AS type)` */
export function castNode(operand: Expression, type: Type): Expression {
  return { kind: 'cast', operand, type: buildType(type), safe: false, at: 0 };
}

/** Builds a decimal literal; if it has more digits after the point than the type allows, a cast that rounds it. */
function decimalNode(value: string, type: Type, scale: number): Expression {
  const fits = (value.split('.')[1]?.length ?? 0) <= scale && !/e/i.test(value);
  if (fits) return { kind: 'typed-literal', type: type.kind, value, at: 0 };
  return castNode({ kind: 'literal', type: 'STRING', value, at: 0 }, type);
}

/** Builds a FLOAT64 literal; without a point or an exponent, it would be an INT64. */
function floatNode(value: string, type: Type): Expression {
  if (/[a-df-z]/i.test(value)) {
    return castNode({ kind: 'literal', type: 'STRING', value, at: 0 }, type);
  }
  const isInteger = /^[-+]?\d+$/.test(value);
  return { kind: 'literal', type: 'FLOAT64', value: isInteger ? `${value}.0` : value, at: 0 };
}

/** `14 months 3 days -4000000 microseconds` -> `INTERVAL '1-2 3 -0:0:4.000000' YEAR TO SECOND` */
function intervalNode(value: string): Expression {
  const [months = 0n, days = 0n, micros = 0n] = value.match(/-?\d+/g)?.map(BigInt) ?? [];
  const seconds = size(micros) / 1_000_000n;
  const time = [seconds / 3600n, (seconds / 60n) % 60n, seconds % 60n].join(':');
  const fraction = String(size(micros) % 1_000_000n).padStart(6, '0');
  const date = `${sign(months)}${size(months) / 12n}-${size(months) % 12n}`;
  const text = `${date} ${days} ${sign(micros)}${time}.${fraction}`;
  const literal: Expression = { kind: 'literal', type: 'STRING', value: text, at: 0 };
  return { kind: 'interval', value: literal, part: 'YEAR', to: 'SECOND', at: 0 };
}

function size(number: bigint): bigint {
  return number < 0n ? -number : number;
}

function sign(number: bigint): string {
  return number < 0n ? '-' : '';
}
