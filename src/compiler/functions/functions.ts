import type * as bound from '../bound/bound.js';
import { subscripts } from './array.js';
import { castFormats } from './cast-format.js';
import type { FunctionDefinition } from './definition.js';
import { familyFunctions } from './families.js';
import { operators } from './operators.js';

/** All functions and operators by name. */
const table: ReadonlyMap<string, FunctionDefinition> = new Map(
  [operators, familyFunctions, castFormats, subscripts]
    .flat()
    .map((definition) => [definition.name, definition]),
);

/** Finds a function by its name in lower case, such as `lower` or `net.host`. */
export function findFunction(name: string): FunctionDefinition | undefined {
  return table.get(name);
}

/** The definition of the function that a call was resolved to. */
export function definitionOf({ function: { name } }: bound.Call): FunctionDefinition {
  const definition = table.get(name);
  if (definition === undefined) throw new Error(`no function ${name} in the table`);
  return definition;
}

/** The names of all functions that a query may call, without operators. */
export function functionNames(): readonly string[] {
  return [...table.keys()].filter((name) => !name.startsWith('$'));
}
