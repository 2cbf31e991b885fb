import { engineMacros } from '../../src/compiler/duckdb-sql/passes/let-arguments.js';
import { macros as text } from './macros.js';

/** The macros of `sql/bigquery` that bind each of their arguments once, however they are called. */
export function macrosThatNameOnce(): readonly string[] {
  const macros = readMacros(text);
  const isOnce: IsOnce = (name, place) =>
    !engineMacros.has(name) &&
    macros
      .filter((each) => each.name === name)
      .every(({ parameters, body }) => namesOnce(parameters[place] ?? '', body, isOnce));
  const isAllOnce = ({ name, parameters }: Macro) =>
    parameters.every((_, place) => isOnce(name, place));
  return [...new Set(macros.filter(isAllOnce).map(({ name }) => name))];
}

/** The macros that name an argument in a lambda's body or in a struct, themselves or through others, with its places. */
export function macrosWithLambdas(): Readonly<Record<string, readonly number[]>> {
  const macros = readMacros(text);
  const isInside: IsOnce = (name, place) =>
    macros
      .filter((each) => each.name === name)
      .some(({ parameters, body }) => isInLambda(parameters[place] ?? '', body, isInside));
  const found = macros.map(({ name, parameters }) => {
    const places = parameters.flatMap((_, place) => (isInside(name, place) ? [place] : []));
    return [name, places] as const;
  });
  return Object.fromEntries(found.filter(([, places]) => places.length > 0));
}

type IsOnce = (macro: string, place: number) => boolean;

interface Macro {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly body: readonly string[];
}

const token = /--[^\n]*|'(?:[^']|'')*'|[A-Za-z_]\w*|\d[\w.]*|\s+|[^\s]/g;

/** An overload is a macro of the same name. */
function readMacros(sql: string): readonly Macro[] {
  const tokens = (sql.match(token) ?? []).filter((each) => !/^(--|\s)/.test(each));
  const statements = splitAt(tokens, ';').filter((each) => each[1] === 'macro');
  return statements.flatMap((statement) => {
    const name = statement[4] ?? '';
    const overloads = splitAt(statement.slice(5), ',').filter(([first]) => first === '(');
    return overloads.map((part) => {
      const end = part.indexOf(')');
      const parameters = splitAt(part.slice(1, end), ',').flatMap(([each]) => each ?? []);
      return { name, parameters, body: part.slice(end + 2) };
    });
  });
}

/** The parts between the separators that stand in no brackets. */
function splitAt(tokens: readonly string[], separator: string): readonly (readonly string[])[] {
  const parts: string[][] = [[]];
  let depth = 0;
  for (const each of tokens) {
    depth += '([{'.includes(each) ? 1 : ')]}'.includes(each) ? -1 : 0;
    if (each === separator && depth === 0) parts.push([]);
    else parts.at(-1)?.push(each);
  }
  return parts;
}

/** Whether a parameter stands in the body once, in no lambda, and in no call that names it again. */
function namesOnce(parameter: string, body: readonly string[], isOnce: IsOnce): boolean {
  const places = placesOf(parameter, body);
  const [only = 0] = places;
  if (places.length > 1 || body.lastIndexOf('lambda', only) >= 0) return false;
  return callsAround(body, only).every(({ name, place }) => isOnce(name, place));
}

function isInLambda(parameter: string, body: readonly string[], isInside: IsOnce): boolean {
  return placesOf(parameter, body).some(
    (at) =>
      lambdasAround(body, at) > 0 ||
      isInStruct(body, at) ||
      callsAround(body, at).some(({ name, place }) => isInside(name, place)),
  );
}

function placesOf(parameter: string, body: readonly string[]): readonly number[] {
  return body.flatMap((each, place) =>
    each === parameter && body[place - 1] !== '.' && body[place + 1] !== ':' ? [place] : [],
  );
}

function isInStruct(body: readonly string[], at: number): boolean {
  const open: string[] = [];
  for (const each of body.slice(0, at)) {
    if ('([{'.includes(each)) open.push(each);
    else if (')]}'.includes(each)) open.pop();
  }
  return open.includes('{');
}

/** A lambda ends where the brackets do that it stands in. */
function lambdasAround(body: readonly string[], at: number): number {
  let depth = 0;
  const lambdas: number[] = [];
  for (const each of body.slice(0, at)) {
    depth += '([{'.includes(each) ? 1 : ')]}'.includes(each) ? -1 : 0;
    while ((lambdas.at(-1) ?? -1) > depth) lambdas.pop();
    if (each === 'lambda') lambdas.push(depth);
  }
  return lambdas.length;
}

/** The macros whose brackets a place stands in, and in which of their arguments. */
function callsAround(body: readonly string[], at: number) {
  const open: { readonly name: string; place: number }[] = [];
  for (const [i, each] of body.slice(0, at).entries()) {
    const last = open.at(-1);
    if ('([{'.includes(each)) open.push({ name: nameBefore(body, i), place: 0 });
    else if (')]}'.includes(each)) open.pop();
    else if (each === ',' && last !== undefined) last.place += 1;
  }
  return open.filter(({ name }) => name !== '');
}

function nameBefore(body: readonly string[], open: number): string {
  const name = body[open - 1] ?? '';
  return body[open - 3] === 'bq' || engineMacros.has(name) ? name : '';
}
