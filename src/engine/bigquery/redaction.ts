import { readFileSync } from 'node:fs';
import { packagePath } from '../../process/package-paths.js';

let text: string | undefined;

/** Returns the definitions of the functions that redact personal data, which must precede a statement that calls them. */
export function redactionFunctions(): string {
  text ??= readFileSync(packagePath('sql/googlesql/redaction.sql'), 'utf8');
  return text;
}
