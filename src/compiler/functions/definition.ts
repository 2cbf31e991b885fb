import { isScalarName, type ScalarName, type Type } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { letMacro } from '../duckdb-sql/let.js';

/**
 * The pattern of an argument: a type, `T` (any type, the same throughout the signature),
 * `ARRAY<…>`, `PART` (a date part such as DAY), or `ANY`.
 */
export interface ArgumentPattern {
  readonly type: ScalarName | 'T' | 'PART' | 'ANY' | 'ARRAY' | 'STRUCT';
  readonly element?: ArgumentPattern;
  /** The fields of a STRUCT, which is allowed as a result only. */
  readonly fields?: readonly { readonly name: string; readonly pattern: ArgumentPattern }[];
  /** The name of the argument, if it can be passed by name; before a repeated argument, only by name. */
  readonly name?: string;
  /** Whether the argument must not be a literal, because another signature converts literals. */
  readonly isComputed?: true;
  /** The literal to pass if the argument is left out: a BOOL, an INT64 or a STRING. */
  readonly default?: string;
}

/** One way to call a function, and the type of its result. */
export interface Signature {
  readonly args: readonly ArgumentPattern[];
  /** The number of required arguments. */
  readonly required: number;
  /** Whether the last argument may be repeated. */
  readonly repeats: boolean;
  readonly result: ArgumentPattern;
}

/** The lowered clauses of a call: the clauses inside its brackets, and OVER. */
export interface Clauses {
  readonly distinct: boolean;
  readonly ignoreNulls: boolean;
  /** Whether RESPECT NULLS was written. */
  readonly respectNulls?: boolean;
  readonly orderBy: readonly d.DuckOrder[];
  readonly limit?: d.DuckExpression;
  readonly having?: { readonly kind: 'MAX' | 'MIN'; readonly value: d.DuckExpression };
  readonly over?: d.DuckWindow;
}

/**
 * Writes a call in DuckDB's SQL. The arguments are lowered; date parts are strings. May throw a QueryFault
 * at `call.at` if a literal argument has an invalid value.
 */
export type Emitter = (
  args: readonly d.DuckExpression[],
  call: bound.Call,
  clauses: Clauses,
) => d.DuckExpression;

/** A function of GoogleSQL, or an operator: operators have names that begin with `$`. */
export interface FunctionDefinition extends bound.CalledFunction {
  readonly signatures: readonly Signature[];
  readonly emit: Emitter;
  /** The date parts that a `PART` may be, in upper case. */
  readonly parts: readonly string[];
  /** A window function needs OVER; an aggregate may have it. */
  readonly kind: 'scalar' | 'aggregate' | 'window';
  /** Whether ORDER BY and LIMIT are allowed in the brackets. */
  readonly isOrdered: boolean;
  /** Whether the DuckDB expression contains a sub-select, which lambdas do not allow. */
  readonly holdsQuery: boolean;
}

/**
 * A function in the table of its family: `[signatures, emit, parts]`.
 *
 * Signatures look like `STRING, STRING? -> BOOL | BYTES... -> BOOL`. `exact: BOOL?` can be passed by name,
 * `STRING!` must not be a literal, and `exact: BOOL = true?` has a default. `TEXT -> TEXT` is short for
 * `STRING -> STRING | BYTES -> BYTES`; see `typeSets`.
 * Without an emitter, the function calls the macro of the same name.
 */
export type DefinitionEntry = readonly [
  signatures: string,
  emit?: Emitter,
  parts?: readonly string[],
];

type Options = Partial<Pick<FunctionDefinition, 'kind' | 'isOrdered' | 'isStable' | 'holdsQuery'>>;

/**
 * Defines the functions of a table, by their names in lower case; the options apply to all of them.
 * @example defineFunctions({ lower: ['STRING -> STRING', nativeFunction('lower')] })
 */
export function defineFunctions(
  table: Readonly<Record<string, DefinitionEntry>>,
  options: Options = {},
): readonly FunctionDefinition[] {
  return Object.entries(table).map(([name, [signatures, emit, parts = []]]) => ({
    name,
    signatures: signatures.split(' | ').flatMap(expandTypeSet).map(parseSignature),
    emit: emit ?? macroWithLet(name.replaceAll('.', '_')),
    parts,
    kind: 'scalar',
    isOrdered: false,
    isStable: true,
    holdsQuery: false,
    ...options,
  }));
}

/** Emitters by the kind of a type. */
type EmittersByKind = Readonly<Partial<Record<Type['kind'], Emitter>>>;

/** Chooses the emitter by the type of the first argument. */
export function byArgument(emitters: EmittersByKind, otherwise: Emitter): Emitter {
  return (args, node, clauses) =>
    (emitters[node.args[0]?.type.kind ?? 'STRING'] ?? otherwise)(args, node, clauses);
}

/** Chooses the emitter by the type of the result. */
export function byResult(emitters: EmittersByKind, otherwise: Emitter): Emitter {
  return (args, node, clauses) => (emitters[node.type.kind] ?? otherwise)(args, node, clauses);
}

/** Calls the macro of this name. Its arguments become variables first, since the macro may repeat them. */
export function macroWithLet(name: string): Emitter {
  return (args) => letMacro(name, ...args);
}

/** Calls the DuckDB function of this name with the same arguments. */
export function nativeFunction(name: string): Emitter {
  return (args) => d.call(name, ...args);
}

/** Calls the DuckDB aggregate or window function of this name with the same arguments and clauses. */
export function nativeAggregate(name: string): Emitter {
  return (args, _, clauses) => withClauses(d.call(name, ...args), clauses);
}

/** Writes DuckDB's operator between the arguments. */
export function nativeOperator(operator: string): Emitter {
  return (args) => d.infix(operator, ...args);
}

/** Casts an argument to a string; NULL if it is left out. */
export function asVarchar(value: d.DuckExpression = d.nullValue): d.DuckExpression {
  return d.castTo(value, 'VARCHAR');
}

/** Adds to a call the clauses that DuckDB supports: all except LIMIT and HAVING. */
export function withClauses(
  node: d.DuckCall,
  { distinct, ignoreNulls, orderBy, over }: Clauses,
  filter?: d.DuckExpression,
): d.DuckCall {
  return {
    ...node,
    distinct,
    ignoreNulls,
    orderBy,
    ...(over && { over }),
    ...(filter && { filter }),
  };
}

/** Sets of types. A signature may name one set; it then becomes one signature per type in the set. */
const typeSets = Object.entries({
  DECIMAL: ['NUMERIC', 'BIGNUMERIC'],
  MOMENT: ['DATE', 'DATETIME', 'TIMESTAMP'],
  NUMBER: ['INT64', 'NUMERIC', 'BIGNUMERIC', 'FLOAT64'],
  TEXT: ['STRING', 'BYTES'],
});

function expandTypeSet(signature: string): readonly string[] {
  const [name = '', types] = typeSets.find(([set]) => signature.includes(set)) ?? [];
  return types?.map((type) => signature.replaceAll(name, type)) ?? [signature];
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
  if (word.endsWith('!')) return { ...parsePattern(word.slice(0, -1)), isComputed: true };
  const [, name, rest = ''] = /^(\w+): (.*)$/.exec(word) ?? [];
  if (name !== undefined) return { ...parsePattern(rest), name };
  const [, type, standard] = /^(\w+) = (.*)$/.exec(rest === '' ? word : rest) ?? [];
  if (type !== undefined && standard !== undefined) {
    return { ...parsePattern(type), default: standard };
  }
  const element = /^ARRAY<(.*)>$/.exec(word)?.[1];
  if (element !== undefined) return { type: 'ARRAY', element: parsePattern(element) };
  const fields = /^STRUCT<(.*)>$/.exec(word)?.[1]?.split(', ');
  if (fields !== undefined) return { type: 'STRUCT', fields: fields.map(parseField) };
  if (word === 'T' || word === 'PART' || word === 'ANY' || isScalarName(word))
    return { type: word };
  throw new Error(`a signature has the unknown type ${word}`);
}

function parseField(field: string): NonNullable<ArgumentPattern['fields']>[number] {
  const [name = '', type = ''] = field.split(' ');
  return { name, pattern: parsePattern(type) };
}
