import type { ArgumentPattern, FunctionDefinition, Signature } from './definition.js';

/** Prints a signature, such as `LPAD(STRING, INT64, [STRING])`. */
export function printSignature({ name }: FunctionDefinition, signature: Signature): string {
  const { args, required, repeats } = signature;
  if (name.startsWith('$')) return printOperator(name, args.map(printPattern));
  const words = args.map((arg, i) => (i < required ? printPattern(arg) : `[${printPattern(arg)}]`));
  return `${title(name)}(${words.join(', ')}${repeats ? ', ...' : ''})`;
}

function printOperator(name: string, words: readonly string[]): string {
  const [first = '', second = '', third = ''] = words;
  if (name === '$IN') return `${first} IN (${second}, ...)`;
  if (name === '$BETWEEN') return `${first} BETWEEN ${second} AND ${third}`;
  if (words.length > 1) return `${first} ${title(name)} ${second}`;
  if (name.startsWith('$IS ')) return `${first} ${title(name)}`;
  return name === '$NOT' ? `NOT ${first}` : `${title(name)}${first}`;
}

function printPattern({ type, element }: ArgumentPattern): string {
  if (element !== undefined) return `ARRAY<${printPattern(element)}>`;
  return type === 'T' ? 'ANY' : type === 'PART' ? 'DATE_PART' : type;
}

/** The name of a function or an operator in messages. */
export function title(name: string): string {
  return unaryTitles[name] ?? name.replace(/^\$/, '').toUpperCase();
}

const unaryTitles: Readonly<Record<string, string>> = { $negate: '-', $plus: '+', $invert: '~' };
