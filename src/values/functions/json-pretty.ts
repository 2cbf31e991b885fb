import { endOfToken } from '../json-raw.js';
import { ValueFault } from '../value-fault.js';

/** The maximum length of a result: each line of a deeply nested value begins with many spaces. */
const maxLength = 10_000_000;

/**
 * Pretty-prints a JSON text that has no blanks outside its strings, with each item on its own line.
 * @throws ValueFault if the result is too long
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/json_functions#to_json_string
 */
export function prettyJson(json: string): string {
  const parts: string[] = [];
  let depth = 0;
  let length = 0;
  for (const token of jsonTokens(json)) {
    depth += steps[token] ?? 0;
    const part = printToken(token, `\n${'  '.repeat(depth)}`);
    parts.push(part);
    length += part.length;
    if (length > maxLength) throw new ValueFault('The pretty-printed JSON is too long');
  }
  return parts.join('');
}

/** Yields the tokens of JSON without blanks; an empty container is one token. */
function* jsonTokens(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const isEmpty = ['[]', '{}'].includes(text.slice(at, at + 2));
    const end = isEmpty ? at + 2 : endOfToken(text, at);
    yield text.slice(at, end);
    at = end;
  }
}

/** The change of depth at each token. */
const steps: Readonly<Record<string, number>> = { '{': 1, '[': 1, '}': -1, ']': -1 };

function printToken(token: string, newLine: string): string {
  if (token === ':') return ': ';
  if (token === '}' || token === ']') return newLine + token;
  return token === '{' || token === '[' || token === ',' ? token + newLine : token;
}
