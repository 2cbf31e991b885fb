import { type FieldPlan, maxKeys, type Plan } from './columns.js';
import { emptyShape, type ScalarKind, type Shape } from './shape.js';

/** A shape as it is stored with its records; plain values. */
export interface StoredShape {
  readonly scalars?: readonly ScalarKind[];
  /** In the order in which they were found. */
  readonly fields?: readonly (readonly [key: string, shape: StoredShape])[];
  readonly elements?: StoredShape;
}

/**
 * Packs the parts of a shape that affect how records are stored. A map may have any number of keys; it
 * keeps one key more than a record may have, so that it is still recognized as a map.
 */
export function packShape(shape: Shape, fields: readonly FieldPlan[]): StoredShape {
  const { scalars, elements } = shape;
  return {
    ...(scalars.size > 0 && { scalars: [...scalars] }),
    ...(shape.fields && { fields: packFields(shape.fields, fields) }),
    ...(elements && { elements: packShape(elements, fields) }),
  };
}

function packFields(
  found: ReadonlyMap<string, Shape>,
  fields: readonly FieldPlan[],
): readonly (readonly [string, StoredShape])[] {
  const plans = new Map(fields.flatMap(({ keys, plan }) => keys.map((key) => [key, plan])));
  return [...found].flatMap(([key, shape], index) => {
    const plan = plans.get(key);
    if (plan !== undefined) return [[key, packShape(shape, fieldsOf(plan))] as const];
    return index > maxKeys ? [] : [[key, {}] as const];
  });
}

function fieldsOf(plan: Plan): readonly FieldPlan[] {
  return plan.is === 'record' ? plan.fields : [];
}

/** The shape that was packed. */
export function unpackShape({ scalars, fields, elements }: StoredShape): Shape {
  return {
    ...emptyShape(),
    scalars: new Set(scalars),
    fields: fields && new Map(fields.map(([key, shape]) => [key, unpackShape(shape)])),
    elements: elements && unpackShape(elements),
  };
}
