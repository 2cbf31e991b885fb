import { ValueFault } from './value-fault.js';
/** A step of a JSONPath: the name of a member, or the index of an element. */
export type JsonStep = string | number;

/** One step of a path: `.name`, `."quoted name"`, `['name']`, `["name"]` or `[3]`. */
const step =
  /\.(?:"((?:[^"\\]|\\.)*)"|([^.[\]"'*]+))|\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\d+))\]/y;

/**
 * Parses a JSONPath into steps.
 * @throws ValueFault
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/json_functions#JSONPath_format
 */
export function parseJsonPath(path: string): readonly JsonStep[] {
  if (!path.startsWith('$')) throw new ValueFault("JSONPath must start with '$'");
  const steps: JsonStep[] = [];
  for (let from = 1; from < path.length; from = step.lastIndex) {
    step.lastIndex = from;
    const found = step.exec(path);
    if (found === null) throw badStep(path.slice(from));
    const [, double, bare, single, bracketed, index] = found;
    const quoted = double ?? single ?? bracketed;
    steps.push(quoted?.replace(/\\(.)/gs, '$1') ?? bare ?? Number(index));
  }
  return steps;
}

/**
 * Parses a JSONPath that begins with its mode: `lax $.a.b`, `lax recursive $.a.b`.
 * @returns its steps, and whether it enters all nested arrays around a member, instead of one
 * @throws ValueFault
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/json_functions#JSONPath_mode
 */
export function parseLaxPath(path: string) {
  const [, mode = '', rest = path] =
    /^(lax|lax\s+recursive|recursive\s+lax)\s+(\$.*)$/is.exec(path) ?? [];
  return { steps: parseJsonPath(rest), isRecursive: mode.length > 'lax'.length };
}

function badStep(rest: string): ValueFault {
  const message = /^(\.\*|\[\*|\.\.|\[\?|\[@)/.test(rest)
    ? `Unsupported operator in JSONPath: ${rest.replace(/^[.[]/, '').charAt(0)}`
    : `Invalid token in JSONPath at: ${rest}`;
  return new ValueFault(message);
}
