import type { Type } from '../../types/types.js';
import type { TypeLimits } from '../bound/bound.js';
import { quotedName } from '../syntax/make-nodes.js';
import type { TypeName } from '../syntax/names.js';

/** Builds the name of a type, with the parameters that limit its values. */
export function buildType(type: Type, limits?: TypeLimits): TypeName {
  if (type.kind === 'ARRAY') {
    const element = buildType(
      type.element,
      limits?.kind === 'element' ? limits.element : undefined,
    );
    return { name: 'ARRAY', element, at: 0 };
  }
  if (type.kind === 'STRUCT') {
    const fields = type.fields.flatMap(({ name, type: of, stored }, index) => {
      const own = limits?.kind === 'fields' ? limits.fields[index] : undefined;
      return stored
        ? [{ ...(name !== '' && { name: quotedName(name) }), type: buildType(of, own) }]
        : [];
    });
    return { name: 'STRUCT', fields, at: 0 };
  }
  const parameters = typeParameters(limits);
  return { name: type.kind, ...(parameters && { parameters }), at: 0 };
}

function typeParameters(limits: TypeLimits | undefined): readonly number[] | undefined {
  if (limits?.kind === 'length') return [limits.length];
  return limits?.kind === 'decimal' ? [limits.precision, limits.scale] : undefined;
}
