import type { BoundCall } from '../bound/bound.js';
import { aggregateFunctions } from './aggregate.js';
import { approximateFunctions } from './approximate.js';
import { arrayFunctions, subscripts } from './array.js';
import { bitFunctions } from './bit.js';
import { bytesFunctions } from './bytes.js';
import { castFormats } from './cast-format.js';
import { conditionalFunctions } from './conditional.js';
import { dateFunctions } from './date.js';
import { datetimeFunctions } from './datetime.js';
import type { FunctionDefinition } from './definition.js';
import { formatFunctions } from './format.js';
import { intervalFunctions } from './interval.js';
import { jsonFunctions } from './json.js';
import { mathFunctions } from './math.js';
import { netFunctions } from './net.js';
import { numericFunctions } from './numeric.js';
import { operators } from './operators.js';
import { regexpFunctions } from './regexp.js';
import { searchFunctions } from './search.js';
import { statisticalFunctions } from './statistical.js';
import { stringFunctions } from './string.js';
import { timestampFunctions } from './timestamp.js';
import { utilityFunctions } from './utility.js';
import { windowFunctions } from './window.js';

/** All functions and operators by name. A new family is added here. */
const table: ReadonlyMap<string, FunctionDefinition> = new Map(
  [
    operators,
    conditionalFunctions,
    stringFunctions,
    regexpFunctions,
    formatFunctions,
    bytesFunctions,
    netFunctions,
    utilityFunctions,
    mathFunctions,
    bitFunctions,
    numericFunctions,
    castFormats,
    dateFunctions,
    datetimeFunctions,
    timestampFunctions,
    intervalFunctions,
    jsonFunctions,
    searchFunctions,
    arrayFunctions,
    aggregateFunctions,
    approximateFunctions,
    statisticalFunctions,
    windowFunctions,
    subscripts,
  ]
    .flat()
    .map((definition) => [definition.name, definition]),
);

/** The function of this name in lower case, such as `lower` or `net.host`. */
export function findFunction(name: string): FunctionDefinition | undefined {
  return table.get(name);
}

/** The definition of the function that a call was resolved to. */
export function definitionOf({ function: { name } }: BoundCall): FunctionDefinition {
  const definition = table.get(name);
  if (definition === undefined) throw new Error(`no function ${name} in the table`);
  return definition;
}

/** The names of all functions that a query may call, without operators. */
export function functionNames(): readonly string[] {
  return [...table.keys()].filter((name) => !name.startsWith('$'));
}
