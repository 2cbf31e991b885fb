import type { FieldPlan } from '../columns/columns.js';
import { storedPath } from '../columns/stored-type.js';
import { printKeys } from './node.js';

/** Translates the key paths at which a scan found several objects to the paths of the records. */
export function findListPaths(
  fields: readonly FieldPlan[],
  several: ReadonlySet<string>,
): readonly string[] {
  return several.size === 0 ? [] : pathsBelow({ fields, keys: [[]], path: '' }, several);
}

interface Below {
  readonly fields: readonly FieldPlan[];
  /** The keys of the current path, in every spelling. */
  readonly keys: readonly (readonly string[])[];
  readonly path: string;
}

function pathsBelow(below: Below, several: ReadonlySet<string>): readonly string[] {
  return below.fields.flatMap(({ name, keys, plan }) => {
    if (plan.is !== 'record') return [];
    const path = storedPath(below.path, name);
    const spelled = keys.flatMap((key) => below.keys.map((before) => [...before, key]));
    const inner = pathsBelow({ fields: plan.fields, keys: spelled, path }, several);
    return spelled.some((each) => several.has(printKeys(each))) ? [path, ...inner] : inner;
  });
}
