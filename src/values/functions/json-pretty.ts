import { endOfToken } from '../json-raw.js';
import { ValueFault } from '../value-fault.js';

/** How long a result may be: each line of a deeply nested value begins with many spaces. */
const maxLength = 10_000_000;

/**
 * Pretty-prints a JSON text that has no blanks outside its strings: each item is on a line of its own.
 * @throws ValueFault if the result is too long
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/json_functions#to_json_string
 */
export function prettyJson(json: string): string {
  const parts: string[] = [];
  let depth = 0;
  let length = 0;
  for (const token of tokensOf(json)) {
    depth += steps[token] ?? 0;
    const part = printToken(token, `\n${'  '.repeat(depth)}`);
    parts.push(part);
    length += part.length;
    if (length > maxLength) throw new ValueFault('The pretty-printed JSON is too long');
  }
  return parts.join('');
}

/** The tokens of a text without blanks; an empty container is one token. */
function* tokensOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const isEmpty = ['[]', '{}'].includes(text.slice(at, at + 2));
    const end = isEmpty ? at + 2 : endOfToken(text, at);
    yield text.slice(at, end);
    at = end;
  }
}

/** How a token changes the depth. */
const steps: Readonly<Record<string, number>> = { '{': 1, '[': 1, '}': -1, ']': -1 };

function printToken(token: string, newLine: string): string {
  if (token === ':') return ': ';
  if (token === '}' || token === ']') return newLine + token;
  return token === '{' || token === '[' || token === ',' ? token + newLine : token;
}
