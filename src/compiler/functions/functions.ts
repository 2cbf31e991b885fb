import type * as bound from '../bound/bound.js';
import { aggregateFunctions } from './aggregate.js';
import { approximateFunctions } from './approximate.js';
import { arrayFunctions, subscripts } from './array.js';
import { bitFunctions } from './bit.js';
import { bytesFunctions } from './bytes.js';
import { castFormats } from './cast-format.js';
import { conditionalFunctions } from './conditional.js';
import type { FunctionDefinition } from './definition.js';
import { formatFunctions } from './format.js';
import { intervalFunctions } from './interval.js';
import { jsonFunctions } from './json.js';
import { mathFunctions, numericFunctions } from './math.js';
import { netFunctions } from './net.js';
import { operators } from './operators.js';
import { rangeFunctions } from './range.js';
import { regexpFunctions } from './regexp.js';
import { searchFunctions } from './search.js';
import { statisticalFunctions } from './statistical.js';
import { stringFunctions } from './string.js';
import { dateFunctions, datetimeFunctions, timestampFunctions } from './times.js';
import { utilityFunctions } from './utility.js';
import { windowFunctions } from './window.js';

/** Functions of one kind. */
export interface FunctionFamily {
  readonly title: string;
  /** Pages of the manual, below `/bigquery/docs/reference/standard-sql/`. */
  readonly pages: readonly string[];
  /** In lower case, in order. */
  readonly names: readonly string[];
}

/** Add a new family here: its title, its pages of the manual, and its definitions. */
const table: readonly (readonly [string, readonly string[], readonly FunctionDefinition[]])[] = [
  ['Conditions', ['conditional_expressions'], conditionalFunctions],
  ['Strings', ['string_functions'], [...stringFunctions, ...regexpFunctions, ...formatFunctions]],
  ['Bytes and hashes', ['string_functions', 'hash_functions'], bytesFunctions],
  ['Network addresses', ['net_functions'], netFunctions],
  ['Mathematics', ['mathematical_functions'], mathFunctions],
  ['Bits', ['bit_functions'], bitFunctions],
  ['Exact numbers', ['conversion_functions'], numericFunctions],
  ['Dates', ['date_functions'], dateFunctions],
  ['Datetimes and times', ['datetime_functions', 'time_functions'], datetimeFunctions],
  ['Timestamps', ['timestamp_functions'], timestampFunctions],
  ['Intervals', ['interval_functions'], intervalFunctions],
  ['Ranges', ['range-functions'], rangeFunctions],
  ['JSON', ['json_functions'], jsonFunctions],
  ['Search', ['search_functions', 'text-analysis-functions'], searchFunctions],
  ['Arrays', ['array_functions'], arrayFunctions],
  ['Aggregates', ['aggregate_functions'], aggregateFunctions],
  ['Approximate aggregates', ['approximate_aggregate_functions'], approximateFunctions],
  ['Statistical aggregates', ['statistical_aggregate_functions'], statisticalFunctions],
  ['Window functions', ['numbering_functions', 'navigation_functions'], windowFunctions],
  ['Utilities', ['utility-functions', 'debugging_functions'], utilityFunctions],
];

/** The families of all functions that a query may call. */
export const families: readonly FunctionFamily[] = table.map(([title, pages, definitions]) => {
  const names = definitions.map(({ name }) => name).filter((name) => !name.startsWith('$'));
  return { title, pages, names: names.sort() };
});

/** All functions and operators by name. */
const definitionsByName: ReadonlyMap<string, FunctionDefinition> = new Map(
  [operators, ...table.map((row) => row[2]), castFormats, subscripts]
    .flat()
    .map((definition) => [definition.name, definition]),
);

/** Finds a function by its name in lower case, such as `lower` or `net.host`. */
export function findFunction(name: string): FunctionDefinition | undefined {
  return definitionsByName.get(name);
}

/** The definition of the function that a call was resolved to. */
export function callDefinition({ function: { name } }: bound.Call): FunctionDefinition {
  const definition = definitionsByName.get(name);
  if (definition === undefined) throw new Error(`no function ${name} in the table`);
  return definition;
}

/** The names of all functions that a query may call, without operators. */
export function functionNames(): readonly string[] {
  return [...definitionsByName.keys()].filter((name) => !name.startsWith('$'));
}
