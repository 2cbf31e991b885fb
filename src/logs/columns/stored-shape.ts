import { emptyShape, type ScalarKind, type Shape } from './shape.js';

/** The stored form of a shape, without counts; plain values. */
export interface StoredShape {
  readonly scalars?: readonly ScalarKind[];
  /** In the order in which they were found. */
  readonly fields?: readonly (readonly [key: string, shape: StoredShape])[];
  readonly elements?: StoredShape;
  readonly isPartial?: true;
}

/** Packs a shape that is within the budget. */
export function packShape({ scalars, fields, elements, isPartial }: Shape): StoredShape {
  return {
    ...(scalars.size > 0 && { scalars: [...scalars] }),
    ...(fields && { fields: [...fields].map(([key, shape]) => [key, packShape(shape)] as const) }),
    ...(elements && { elements: packShape(elements) }),
    ...(isPartial && { isPartial }),
  };
}

/** Unpacks a shape: all stored fields have types. */
export function unpackShape({ scalars, fields, elements, isPartial }: StoredShape): Shape {
  return {
    ...emptyShape(),
    scalars: new Set(scalars),
    fields: fields && new Map(fields.map(([key, shape]) => [key, unpackShape(shape)])),
    elements: elements && unpackShape(elements),
    isPartial: isPartial ?? false,
    isTyped: true,
  };
}
