import { arrayType, scalar, type Type } from '../types/types.js';

/** The BigQuery types of the parameter types of endpoint files. */
const scalars = {
  string: scalar('STRING'),
  regexp: scalar('STRING'),
  timestamp: scalar('TIMESTAMP'),
  date: scalar('DATE'),
  integer: scalar('INT64'),
  number: scalar('FLOAT64'),
  boolean: scalar('BOOL'),
} as const satisfies Record<string, Type>;

/** A parameter of a stored query. */
export interface StoredParameter {
  readonly name: string;
  readonly type: keyof typeof scalars;
  /** Whether it is an array of that type. */
  readonly isList?: boolean;
  /** Whether a request must give it. */
  readonly required?: boolean;
  /** Its value in a request that does not give it. */
  readonly default?: string;
}

/** The types of parameters, by name. */
export function typesByName(parameters: readonly StoredParameter[]): ReadonlyMap<string, Type> {
  const parameterType = ({ type, isList }: StoredParameter) =>
    isList ? arrayType(scalars[type]) : scalars[type];
  return new Map(parameters.map((parameter) => [parameter.name, parameterType(parameter)]));
}
