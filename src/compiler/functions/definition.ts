import type { ScalarName } from '../../types/schema.js';
import type { BoundCall } from '../bound/bound.js';
import {
  call,
  type DuckCall,
  type DuckExpression,
  type DuckOrder,
  type DuckWindow,
  infix,
  macro,
} from '../duckdb-sql/duckdb-sql.js';
import { once } from '../duckdb-sql/let.js';

/**
 * What an argument must be: a type, `T` (any, the same wherever it stands), `ARRAY<…>`, `PART` (a date part such as
 * DAY), `ANY`.
 */
export interface ArgumentPattern {
  readonly type: ScalarName | 'T' | 'PART' | 'ANY' | 'ARRAY' | 'STRUCT';
  readonly element?: ArgumentPattern;
  /** Of a STRUCT, which only a result may be. */
  readonly fields?: readonly { readonly name: string; readonly pattern: ArgumentPattern }[];
  /** Set where it may be given by name. */
  readonly name?: string;
}

export interface Signature {
  readonly args: readonly ArgumentPattern[];
  /** How many must be given. */
  readonly required: number;
  /** Whether the last may be given many times. */
  readonly repeats: boolean;
  readonly result: ArgumentPattern;
}

/** What stands in a call's brackets, or behind them, beside its arguments. */
export interface Clauses {
  readonly distinct: boolean;
  readonly ignoreNulls: boolean;
  /** Whether RESPECT NULLS was written. */
  readonly respectNulls?: boolean;
  readonly orderBy: readonly DuckOrder[];
  readonly limit?: DuckExpression;
  readonly having?: { readonly kind: 'MAX' | 'MIN'; readonly value: DuckExpression };
  readonly over?: DuckWindow;
}

/**
 * How a call is written in DuckDB; the arguments are lowered already, date parts are texts. It may
 * throw a QueryFault at `call.at` for what only the values of literals show.
 */
export type How = (
  args: readonly DuckExpression[],
  call: BoundCall,
  clauses: Clauses,
) => DuckExpression;

/** One function of GoogleSQL, or one operator under a name that begins with `$`. */
export interface FunctionRow {
  readonly name: string;
  readonly signatures: readonly Signature[];
  readonly how: How;
  /** The date parts that a `PART` may be, in upper case. */
  readonly parts: readonly string[];
  /** `window`: needs OVER. An aggregate may have it. */
  readonly kind: 'scalar' | 'aggregate' | 'window';
  /** Whether ORDER BY and LIMIT may stand in the brackets. */
  readonly isOrdered: boolean;
  /** False where two calls with the same arguments may differ. */
  readonly isStable: boolean;
  /** Whether what it is written as holds a sub-select. */
  readonly holdsQuery: boolean;
}

/**
 * `[signatures, how, parts]`: as `STRING, STRING? -> BOOL | BYTES... -> BOOL`, an argument that may
 * be given by name as `exact: BOOL?`; without `how`, the macro of its name.
 */
export type RowText = readonly [signatures: string, how?: How, parts?: readonly string[]];

type RowOptions = Partial<Pick<FunctionRow, 'kind' | 'isOrdered' | 'isStable' | 'holdsQuery'>>;

/** A table of rows by name. */
export function rows(
  table: Readonly<Record<string, RowText>>,
  options: RowOptions = {},
): readonly FunctionRow[] {
  return Object.entries(table).map(([name, [signatures, how, parts = []]]) => ({
    name,
    signatures: signatures.split(' | ').map(parseSignature),
    how: how ?? bound(name.replaceAll('.', '_')),
    parts,
    kind: 'scalar',
    isOrdered: false,
    isStable: true,
    holdsQuery: false,
    ...options,
  }));
}

/** The macro of this name, which may name its arguments many times. */
export function bound(name: string): How {
  return (args) => once(args, (bounded) => macro(name, ...bounded));
}

/** The DuckDB function of this name, with the same arguments. */
export function native(name: string): How {
  return (args) => call(name, ...args);
}

/** The DuckDB aggregate or window function of this name, with the call's clauses. */
export function aggregate(name: string): How {
  return (args, _, clauses) => withClauses(call(name, ...args), clauses);
}

/** A call with the clauses that DuckDB knows: not LIMIT, nor HAVING. */
export function withClauses(node: DuckCall, clauses: Clauses): DuckCall {
  const { distinct, ignoreNulls, orderBy, over } = clauses;
  return { ...node, distinct, ignoreNulls, orderBy, ...(over === undefined ? {} : { over }) };
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
  const [, name, rest = ''] = /^(\w+): (.*)$/.exec(word) ?? [];
  if (name !== undefined) return { ...parsePattern(rest), name };
  const element = /^ARRAY<(.*)>$/.exec(word)?.[1];
  if (element !== undefined) return { type: 'ARRAY', element: parsePattern(element) };
  const fields = /^STRUCT<(.*)>$/.exec(word)?.[1]?.split(', ');
  if (fields !== undefined) return { type: 'STRUCT', fields: fields.map(parseField) };
  return { type: word as Exclude<ArgumentPattern['type'], 'ARRAY' | 'STRUCT'> };
}

function parseField(field: string): NonNullable<ArgumentPattern['fields']>[number] {
  const [name = '', type = ''] = field.split(' ');
  return { name, pattern: parsePattern(type) };
}
