import { readFileSync } from 'node:fs';
import { families, findFunction } from '../compiler/functions/functions.js';
import { printSignature } from '../compiler/functions/print-signature.js';
import { packagePath } from '../process/package-paths.js';

/** Returns a one-sentence description of each function, by its name in lower case. */
export function readDescriptions(): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(packagePath('sql/bigquery/descriptions.json'), 'utf8'));
}

/**
 * Describes every function that a query may call, as an editor shows it: its name in upper case, the title of its
 * family, such as `Strings`, its signatures, such as `LPAD(STRING, INT64, [STRING])`, and a one-sentence description.
 */
export function describeFunctions() {
  const descriptions = readDescriptions();
  return families.flatMap(({ title, names }) =>
    names.flatMap((name) => {
      const definition = findFunction(name);
      const signatures = definition?.signatures.map((one) => printSignature(definition, one)) ?? [];
      const description = descriptions[name] ?? '';
      return [{ name: name.toUpperCase(), family: title, signatures, description }];
    }),
  );
}
