import { QueryFault } from '../../errors/query-fault.js';
import type { TypeLimits } from '../bound/bound.js';
import type { TypeName } from '../syntax/names.js';

/**
 * The limits that a type's parameters set; undefined without parameters.
 * @throws QueryFault for parameters that the type does not have, or that are out of range
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/data-types#parameterized_data_types
 */
export function typeLimits(type: TypeName): TypeLimits | undefined {
  if (type.element !== undefined) {
    const element = typeLimits(type.element);
    return element && { kind: 'element', element };
  }
  if (type.fields !== undefined) {
    const fields = type.fields.map((field) => typeLimits(field.type));
    return fields.some((limits) => limits !== undefined) ? { kind: 'fields', fields } : undefined;
  }
  if (type.parameters === undefined) return undefined;
  const read = readers[type.name];
  if (read !== undefined) return read(type, type.parameters);
  throw new QueryFault(`${type.name} does not support type parameters`, type.at);
}

/** Refuses parameters in the type of a constructor, as BigQuery does. @throws QueryFault */
export function refuseParameters(type: TypeName): void {
  if (typeLimits(type) === undefined) return;
  const message = 'Type parameters are not allowed in the type of an array or struct constructor';
  throw new QueryFault(message, type.at);
}

type Reader = (type: TypeName, parameters: readonly number[]) => TypeLimits;

const readers: Readonly<Record<string, Reader>> = {
  STRING: readLength,
  BYTES: readLength,
  NUMERIC: readDecimal({ integerDigits: 29, maxScale: 9 }),
  BIGNUMERIC: readDecimal({ integerDigits: 38, maxScale: 38 }),
};

function readLength({ name, at }: TypeName, parameters: readonly number[]): TypeLimits {
  const [length = 0, ...others] = parameters;
  if (others.length > 0) {
    const found = `Found ${parameters.length} parameters`;
    throw new QueryFault(`${name} type can only have one parameter. ${found}`, at);
  }
  if (length < 1) throw new QueryFault(`${name} length must be greater than 0`, at);
  return { kind: 'length', length };
}

function readDecimal(max: { readonly integerDigits: number; readonly maxScale: number }): Reader {
  return ({ name, at }, parameters) => {
    const [precision = 0, scale = 0, ...others] = parameters;
    if (others.length > 0) {
      const found = `Found ${parameters.length} parameters`;
      throw new QueryFault(`${name} type can only have 1 or 2 parameters. ${found}`, at);
    }
    const shape = `In ${name}(${parameters.length === 1 ? 'P' : 'P, S'})`;
    if (scale > max.maxScale) {
      throw new QueryFault(`${shape}, S must be between 0 and ${max.maxScale}`, at);
    }
    const [least, most] = [Math.max(1, scale), scale + max.integerDigits];
    if (precision < least || precision > most) {
      throw new QueryFault(`${shape}, P must be between ${least} and ${most}`, at);
    }
    return { kind: 'decimal', precision, scale };
  };
}
