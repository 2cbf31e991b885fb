import { readFileSync } from 'node:fs';
import { packagePath } from '../../process/package-paths.js';

let text: string | undefined;

/** The definitions of the functions that redact personal data, which a statement that calls them needs before it. */
export function redactionFunctions(): string {
  text ??= readFileSync(packagePath('sql/googlesql/redaction.sql'), 'utf8');
  return text;
}
