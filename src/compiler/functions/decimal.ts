import { castTo, macro } from '../duckdb-sql/duckdb-sql.js';
import { duckType } from '../duckdb-sql/duckdb-type.js';
import { letOnce } from '../duckdb-sql/let.js';
import type { Emitter } from './definition.js';

/** Where the result is exact: the macro `numeric_<name>` or `bignumeric_<name>`; elsewhere `how`. */
export function decimal(name: string, emit: Emitter): Emitter {
  return (args, node, clauses) => {
    const { kind } = node.type;
    if (kind !== 'NUMERIC' && kind !== 'BIGNUMERIC') return emit(args, node, clauses);
    const exact = letOnce(args, (bounded) => macro(`${kind.toLowerCase()}_${name}`, ...bounded));
    return castTo(exact, duckType(node.type));
  };
}
