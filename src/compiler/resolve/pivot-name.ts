import { QueryFault } from '../../errors/query-fault.js';
import type * as bound from '../bound/bound.js';
import type { PivotValue } from '../syntax/tree.js';

/**
 * The part of a pivot column's name that comes from a value without an alias; `isWhole` if the name has
 * no prefix. `1.5` -> `_1_point_5` or `1_point_5`, `-1` -> `minus_1`, `date '2026-03-01'` ->
 * `_2026_03_01` or `2026_03_01`.
 * @throws QueryFault for a value that needs an alias
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#pivot_operator
 */
export function pivotName(
  value: bound.Expression,
  isWhole: boolean,
  { value: { at } }: PivotValue,
): string {
  const name = nameOf(value, at);
  if (name === emptyText) return isWhole ? name.slice(1) : name;
  return isWhole && startsWithDigit(value) ? `_${name}` : name;
}

/** The name of the empty string, as BigQuery writes it within a longer name. */
const emptyText = '_empty_string_value';

/** Whether the name would begin with the digit of a number or a date; strings stay as they are. */
function startsWithDigit(value: bound.Expression): boolean {
  if (value.kind === 'struct') {
    const [first] = value.values;
    return first !== undefined && !value.type.fields[0]?.name && startsWithDigit(first);
  }
  const isText = value.type.kind === 'STRING';
  return value.kind === 'literal' && !isText && /^\d/.test(value.value ?? '');
}

function nameOf(value: bound.Expression, at: number): string {
  if (value.kind === 'struct') {
    const { fields } = value.type;
    const parts = value.values.map((part, i) => [fields[i]?.name ?? '', nameOf(part, at)]);
    return parts.flatMap(([field, name]) => (field === '' ? [name] : [field, name])).join('_');
  }
  if (value.kind !== 'literal') {
    const message =
      'Generating an implicit alias for this PIVOT value is not supported; please provide an explicit alias';
    throw new QueryFault(message, at);
  }
  if (value.value === null) return 'NULL';
  const name = literalNames.get(value.type.kind)?.(value.value);
  if (name !== undefined) return name;
  throw new QueryFault(`PIVOT values of type ${value.type.kind} must specify an alias`, at);
}

type NameOf = (value: string) => string;

const numberName: NameOf = (value) => {
  const short = value.includes('.') ? value.replace(/\.?0+$/, '') : value;
  return short.replace('-', 'minus_').replace('.', '_point_');
};

/** The functions that name a literal, by its type; their argument is its value in the notation of the bound tree. */
const literalNames: ReadonlyMap<string, NameOf> = new Map([
  ...['INT64', 'NUMERIC', 'BIGNUMERIC'].map((kind) => [kind, numberName] as const),
  ['BOOL', (value) => value.toLowerCase()],
  ['STRING', (value) => value || emptyText],
  ['DATE', (value) => value.replaceAll('-', '_')],
]);
