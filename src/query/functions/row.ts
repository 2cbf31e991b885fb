import type { ScalarName } from '../../source/schema.js';
import type { BoundCall } from '../bound.js';
import { call, type DuckExpression, infix, macro } from '../duck.js';

/**
 * What an argument must be: a type, `T` (any, the same wherever it stands), `ARRAY<…>`, `PART` (a date part such as
 * DAY), `ANY`.
 */
export interface ArgumentPattern {
  readonly type: ScalarName | 'T' | 'PART' | 'ANY' | 'ARRAY';
  readonly element?: ArgumentPattern;
}

export interface Signature {
  readonly args: readonly ArgumentPattern[];
  /** How many must be given. */
  readonly required: number;
  /** Whether the last may be given many times. */
  readonly repeats: boolean;
  readonly result: ArgumentPattern;
}

/** How a call is written in DuckDB; the arguments are lowered already, date parts are texts. */
export type How = (args: readonly DuckExpression[], call: BoundCall) => DuckExpression;

/** One function of GoogleSQL, or one operator under a name that begins with `$`. */
export interface FunctionRow {
  readonly name: string;
  readonly signatures: readonly Signature[];
  readonly how: How;
  /** The date parts that a `PART` may be, in upper case. */
  readonly parts: readonly string[];
  readonly isAggregate: boolean;
  /** False where two calls with the same arguments may differ. */
  readonly isStable: boolean;
}

/** `[signatures, how, parts]`: as `STRING, STRING? -> BOOL | BYTES... -> BOOL`; without `how`, the macro of its name. */
export type RowText = readonly [signatures: string, how?: How, parts?: readonly string[]];

/** A table of rows by name. */
export function rows(
  table: Readonly<Record<string, RowText>>,
  options: { readonly isAggregate?: boolean; readonly isStable?: boolean } = {},
): readonly FunctionRow[] {
  return Object.entries(table).map(([name, [signatures, how, parts = []]]) => ({
    name,
    signatures: signatures.split(' | ').map(parseSignature),
    how: how ?? ((args) => macro(name, ...args)),
    parts,
    isAggregate: options.isAggregate ?? false,
    isStable: options.isStable ?? true,
  }));
}

/** The DuckDB function of this name, with the same arguments. */
export function native(name: string): How {
  return (args) => call(name, ...args);
}

/** DuckDB's operator between the arguments. */
export function between(operator: string): How {
  return (args) => infix(operator, ...args);
}

function parseSignature(signature: string): Signature {
  const [left = '', result = ''] = signature.split('->').map((part) => part.trim());
  const words = left === '' ? [] : left.split(/,\s*/);
  return {
    args: words.map((word) => parsePattern(word.replace(/[?.]+$/, ''))),
    required: words.filter((word) => !/[?.]$/.test(word)).length,
    repeats: words.at(-1)?.endsWith('...') ?? false,
    result: parsePattern(result),
  };
}

function parsePattern(word: string): ArgumentPattern {
  const element = /^ARRAY<(.*)>$/.exec(word)?.[1];
  if (element !== undefined) return { type: 'ARRAY', element: parsePattern(element) };
  return { type: word as Exclude<ArgumentPattern['type'], 'ARRAY'> };
}
