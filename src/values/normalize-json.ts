import { type Json, parseTree, printTree } from './json-tree.js';
import { ValueFault } from './value-fault.js';

/** The treatment of a number that a FLOAT64 cannot hold exactly: refuse it, or round it. */
export type WideNumberMode = 'exact' | 'round';

/**
 * Prints a JSON text as BigQuery prints the JSON value parsed from it: without blanks, with the members of each
 * object sorted by name, only the first of members with the same name, and numbers by value.
 * @throws ValueFault if it is not JSON, nested too deeply, or has a number that JSON values cannot hold
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/json_functions#parse_json
 */
export function normalizeJson(text: string, mode: WideNumberMode): string {
  const tree = readTree(text.startsWith('\ufeff') ? text.slice(1) : text);
  return printTree(tree, (scalar) => printScalar(scalar, mode));
}

function readTree(text: string): Json {
  try {
    // Parse the tree first, because its depth is limited: JSON.parse is slow on thousands of brackets.
    const tree = parseTree(text);
    JSON.parse(text);
    return tree;
  } catch (error) {
    throw error instanceof SyntaxError ? syntaxFault() : error;
  }
}

function syntaxFault(): ValueFault {
  return new ValueFault('Invalid input: syntax error while parsing JSON');
}

function printScalar(raw: string, mode: WideNumberMode): string {
  if (raw.startsWith('"')) return raw.includes('\\') ? printString(JSON.parse(raw)) : raw;
  if (/^[tfn]/.test(raw)) return raw;
  if (/^-?\d+$/.test(raw) && isInteger(raw)) return raw === '-0' ? '0' : raw;
  return printDouble(raw, mode);
}

/** @throws ValueFault for a surrogate without its other half */
function printString(value: string): string {
  if (/\p{Surrogate}/u.test(value)) throw syntaxFault();
  return JSON.stringify(value);
}

/** Whether an integer fits into 64 bits, with or without a sign; others are doubles. */
function isInteger(digits: string): boolean {
  if (digits.length < 19) return true;
  if (digits.length > 20) return false;
  const value = BigInt(digits);
  return value >= -(2n ** 63n) && value < 2n ** 64n;
}

/** Rounding does not change numbers with at most this many characters. */
const maxExactLength = 15;

/** @throws ValueFault if the number is too large, or too precise */
function printDouble(raw: string, mode: WideNumberMode): string {
  const value = Number(raw);
  if (!Number.isFinite(value)) {
    throw new ValueFault(`Invalid input: number overflow parsing '${raw.slice(0, maxQuoted)}'`);
  }
  const printed = doubleText(value);
  const isRounded = mode === 'exact' && (value === 0 || raw.length > maxExactLength);
  if (isRounded && significant(raw) !== significant(printed)) {
    const number = raw.slice(0, maxQuoted);
    throw new ValueFault(`Input number: ${number} cannot round-trip through string representation`);
  }
  return printed;
}

const maxQuoted = 100;

/** Returns the digits of a number without zeros at its ends. */
function significant(number: string): string {
  const [digits = ''] = number.toLowerCase().split('e');
  return trimZeros(digits.replace(/[-.]/g, ''));
}

function trimZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end).replace(/^0+/, '');
}

/** Doubles from the first value on, or below the second, are printed with an exponent. */
const [large, small] = [1e15, 1e-4];

/** A double as BigQuery prints it in a JSON value: `1.0`, `0.0001`, `1e-05`, `1.5e+15`. */
export function doubleText(value: number): string {
  const size = Math.abs(value);
  if (size >= large || (size < small && size > 0)) {
    return value.toExponential().replace(/e([-+])(\d)$/, 'e$10$2');
  }
  const text = Object.is(value, -0) ? '-0' : String(value);
  return text.includes('.') ? text : `${text}.0`;
}
