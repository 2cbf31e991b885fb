import { aggregateFunctions } from './aggregate.js';
import { approximateFunctions } from './approximate.js';
import { arrayFunctions } from './array.js';
import { bitFunctions } from './bit.js';
import { castFormats } from './cast-format.js';
import { conditionalFunctions } from './conditional.js';
import { dateFunctions } from './date.js';
import { jsonFunctions } from './json.js';
import { mathFunctions } from './math.js';
import { numericFunctions } from './numeric.js';
import { operators } from './operators.js';
import type { FunctionRow } from './row.js';
import { statisticalFunctions } from './statistical.js';
import { stringFunctions } from './string.js';
import { subscripts } from './subscript.js';
import { windowFunctions } from './window.js';

const table: ReadonlyMap<string, FunctionRow> = new Map(
  [
    operators,
    conditionalFunctions,
    stringFunctions,
    mathFunctions,
    bitFunctions,
    numericFunctions,
    castFormats,
    dateFunctions,
    approximateFunctions,
    arrayFunctions,
    jsonFunctions,
    statisticalFunctions,
    aggregateFunctions,
    windowFunctions,
    subscripts,
  ]
    .flat()
    .map((row) => [row.name, row]),
);

/** The row of a function by its name in lower case, such as `lower` or `net.host`. */
export function findFunction(name: string): FunctionRow | undefined {
  return table.get(name);
}

/** The names that a query may call, operators left out. */
export function functionNames(): readonly string[] {
  return [...table.keys()].filter((name) => !name.startsWith('$'));
}
