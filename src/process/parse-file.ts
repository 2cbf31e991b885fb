import * as v from 'valibot';
import { didYouMean } from '../errors/suggest.js';

/**
 * Parses a JSON file of the user by the schema of an object; `inner` lists the keys of nested objects.
 * @throws Error that says what is wrong, and at which key
 */
export function parseFile<S extends v.GenericSchema & { readonly entries: object }>(
  schema: S,
  json: string,
  inner: readonly string[] = [],
): v.InferOutput<S> {
  const { success, output, issues } = v.safeParse(schema, JSON.parse(json));
  if (success) return output;
  const [issue] = issues;
  const keys = [...Object.keys(schema.entries), ...inner];
  const at = v.getDotPath(issue);
  const key = at?.split('.').at(-1) ?? '';
  if (issue.expected === 'never' && !keys.includes(key)) {
    throw new Error(`unknown key ${at}${didYouMean(key, keys)}; the keys are ${keys.join(', ')}`);
  }
  throw new Error(at === null ? issue.message : `${at}: ${issue.message}`);
}
