import { descriptions } from '../compiler/functions/descriptions.js';
import { families } from '../compiler/functions/families.js';
import { findFunction } from '../compiler/functions/functions.js';
import { printSignature } from '../compiler/functions/print-signature.js';

/** What an editor shows of a function. */
export interface FunctionDescription {
  /** In upper case. */
  readonly name: string;
  /** The title of its family, such as `Strings`. */
  readonly family: string;
  /** Such as `LPAD(STRING, INT64, [STRING])`. */
  readonly signatures: readonly string[];
  /** One sentence. */
  readonly description: string;
}

/** Describes every function that a query may call. */
export function describeFunctions(): readonly FunctionDescription[] {
  return families.flatMap(({ title, names }) =>
    names.flatMap((name) => {
      const definition = findFunction(name);
      const signatures = definition?.signatures.map((one) => printSignature(definition, one)) ?? [];
      const description = descriptions[name] ?? '';
      return [{ name: name.toUpperCase(), family: title, signatures, description }];
    }),
  );
}
