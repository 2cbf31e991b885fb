import type { Field } from '../../types/type.js';
import { holdsAddress } from './address-key.js';
import { maxKeys, mergeFields } from './columns.js';
import { isUsable, type Shape } from './shape.js';

/** A place in the records. */
interface Place {
  /** Empty for the records themselves. */
  readonly path: string;
  /** The declared fields of the record that is declared here; undefined where none is. */
  readonly declared: readonly Field[] | undefined;
}

/**
 * What of a shape has no place in a table, a line each; no line quotes an address. An undeclared
 * object with an address among its keys loses nothing: all of it is kept as text.
 */
export function listLeftOut(shape: Shape, { path, declared }: Place): readonly string[] {
  const fields = [...(mergeFields(shape.fields, shape.elements?.fields) ?? [])];
  const place = path === '' ? 'the records' : path;
  const named = fields.filter(([key]) => !holdsAddress(key));
  const isMap = fields.length > maxKeys;
  const map = isMap ? [`${place}: more than ${maxKeys} different keys`] : [];
  const hasAddress = named.length < fields.length;
  if (hasAddress && declared === undefined) return map;
  const unusable = fields.some(([key]) => !isUsable(key));
  return [
    ...map,
    ...(unusable ? [`${place}: keys that cannot be a name are left out`] : []),
    ...(hasAddress ? [`${place}: keys that hold an address are left out`] : []),
    ...(isMap
      ? []
      : named.flatMap(([key, child]) => listLeftOut(child, below({ path, declared }, key)))),
  ];
}

function below({ path, declared }: Place, key: string): Place {
  const field = declared?.find(({ name }) => name.toLowerCase() === key.toLowerCase());
  const element = field?.type.kind === 'ARRAY' ? field.type.element : undefined;
  return {
    path: path === '' ? key : `${path}.${key}`,
    declared: element?.kind === 'STRUCT' ? element.fields : undefined,
  };
}
