import type { Field } from '../../types/types.js';
import { holdsAddress } from './address-key.js';
import { maxKeys, mergeFields } from './columns.js';
import { isUsable, type Shape } from './shape.js';

/** A record within the records of a source. */
interface RecordAt {
  /** Empty for the records themselves. */
  readonly path: string;
  /** Its declared fields; undefined if no record is declared here. */
  readonly declared: readonly Field[] | undefined;
}

/**
 * Describes the parts of a shape that cannot be stored in a table, one line each; no line quotes an
 * address.
 * An undeclared object with an address among its keys loses nothing: it is stored as text.
 */
export function listLeftOut(shape: Shape, { path, declared }: RecordAt): readonly string[] {
  const fields = [...(mergeFields(shape.fields, shape.elements?.fields) ?? [])];
  const where = path === '' ? 'the records' : path;
  const named = fields.filter(([key]) => !holdsAddress(key));
  const isMap = fields.length > maxKeys;
  const map = isMap ? [`${where}: more than ${maxKeys} different keys`] : [];
  const hasAddress = named.length < fields.length;
  if (hasAddress && declared === undefined) return map;
  const unusable = fields.some(([key]) => !isUsable(key));
  return [
    ...map,
    ...(unusable ? [`${where}: keys that cannot be names are left out`] : []),
    ...(hasAddress ? [`${where}: keys that hold an address are left out`] : []),
    ...(isMap
      ? []
      : named.flatMap(([key, child]) => listLeftOut(child, below({ path, declared }, key)))),
  ];
}

function below({ path, declared }: RecordAt, key: string): RecordAt {
  const field = declared?.find(({ name }) => name.toLowerCase() === key.toLowerCase());
  const element = field?.type.kind === 'ARRAY' ? field.type.element : undefined;
  return {
    path: path === '' ? key : `${path}.${key}`,
    declared: element?.kind === 'STRUCT' ? element.fields : undefined,
  };
}
