import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FunctionDefinition } from '../../src/compiler/functions/definition.js';
import { findFunction, functionNames } from '../../src/compiler/functions/functions.js';
import { root } from './paths.js';

/** All function definitions. Operators have names that no query can write and that the table does not list. */
export async function allDefinitions(): Promise<readonly FunctionDefinition[]> {
  const folder = join(root, 'src/compiler/functions');
  const modules: readonly Readonly<Record<string, unknown>>[] = await Promise.all(
    readdirSync(folder).map((file) => import(join(folder, file))),
  );
  const lists = modules.flatMap((module) => Object.values(module)).filter(Array.isArray);
  const names = lists.flat().map(({ name }) => name as string | undefined);
  const operators = names.filter((name) => name?.startsWith('$') === true);
  return [...new Set([...functionNames(), ...operators])].flatMap(
    (name) => findFunction(name ?? '') ?? [],
  );
}
