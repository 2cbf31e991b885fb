/**
 * The limits that the parameters of a type set: a length, a precision and a scale, or the limits of the
 * element or the fields.
 */
export type TypeLimits =
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number }
  | { readonly kind: 'element'; readonly element: TypeLimits }
  | { readonly kind: 'fields'; readonly fields: readonly (TypeLimits | undefined)[] };
