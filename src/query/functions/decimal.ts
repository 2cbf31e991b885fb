import { once } from '../bind-once.js';
import { castTo, macro } from '../duck.js';
import { duckType } from '../duck-type.js';
import type { How } from './row.js';

/** Where the result is exact: the macro `numeric_<name>` or `bignumeric_<name>`; elsewhere `how`. */
export function decimal(name: string, how: How): How {
  return (args, node, clauses) => {
    const { kind } = node.type;
    if (kind !== 'NUMERIC' && kind !== 'BIGNUMERIC') return how(args, node, clauses);
    const exact = once(args, (bounded) => macro(`${kind.toLowerCase()}_${name}`, ...bounded));
    return castTo(exact, duckType(node.type));
  };
}
