import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  ArgumentPattern,
  FunctionDefinition,
  Signature,
} from '../../src/compiler/functions/definition.js';
import { scalarNames, writeCall } from './every-call.js';
import { nightly } from './nightly.js';
import { root } from './paths.js';
import { randomFrom } from './random.js';

/** A call over rows of literals, one for each argument. Some arguments are columns, the others have one value in all rows. */
export interface VectorCall {
  readonly label: string;
  readonly write: (args: readonly string[]) => string;
  /** With SAFE. or SAFE_CAST; undefined for an operator. */
  readonly writeSafe?: (args: readonly string[]) => string;
  readonly columns: readonly number[];
  readonly rows: readonly (readonly string[])[];
}

interface Values {
  readonly types: Readonly<Record<string, readonly string[]>>;
  /** Lists for the arguments of a function that need values of a form; an empty list stands for all values of the type. */
  readonly arguments: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** The name of such lists, by function. */
  readonly named: Readonly<Record<string, string>>;
}

const file = join(root, 'test/compiler/vectors/values.json');
const values = JSON.parse(readFileSync(file, 'utf8')) as Values;

/** Rows of a call, and how often it is called with other constants. */
const [rowCount, constantCount] = [nightly(24, 12), nightly(4, 2)];

/** The types of T and ANY. */
const generals = scalarNames.filter((_, index) => index % nightly(1, 4) === 0);

type Next = (below: number) => number;

/** The calls of a function, with each signature and number of arguments, and each of them as the only column. */
export function vectorCalls(definition: FunctionDefinition, seed: number): readonly VectorCall[] {
  const random = randomFrom(seed);
  const next: Next = (below) => random() % below;
  return definition.signatures.flatMap((signature) =>
    countsOf(signature).flatMap((count) =>
      typesOf(signature).flatMap((general) =>
        formsOf(definition, { signature, count, general }).flatMap((columns) =>
          callsOver(definition, { signature, count, general, columns }, next),
        ),
      ),
    ),
  );
}

/** Casts between two types, alone and in arrays and structs. */
export function vectorCasts(from: string, to: string, seed: number): readonly VectorCall[] {
  const random = randomFrom(seed);
  const next: Next = (below) => random() % below;
  const forms = ['', 'ARRAY', 'STRUCT'].map((form) => {
    const rows = Array.from({ length: rowCount }, () => [formOf(form, from, next)]);
    const target = form === '' ? to : `${form}<${to}>`;
    const write =
      (word: string) =>
      ([value]: readonly string[]) =>
        `${word}(${value} as ${target})`;
    const label = `cast ${form} ${from} to ${to}`;
    return { label, write: write('cast'), writeSafe: write('safe_cast'), columns: [0], rows };
  });
  return forms;
}

function formOf(form: string, type: string, next: Next): string {
  if (form === 'ARRAY') return arrayOf(values.types[type] ?? [], type, next);
  const value = literalOf(values.types[type] ?? [], type, next);
  return form === '' ? value : `struct(${value})`;
}

function countsOf({ args, required, repeats }: Signature): readonly number[] {
  const most = args.length + (repeats ? 1 : 0);
  return Array.from({ length: most - required + 1 }, (_, index) => required + index);
}

function typesOf({ args }: Signature): readonly string[] {
  const isGeneral = args.some(({ type, element }) => ['T', 'ANY'].includes(element?.type ?? type));
  return isGeneral ? generals : ['STRING'];
}

interface Form {
  readonly signature: Signature;
  readonly count: number;
  /** The type of T and ANY. */
  readonly general: string;
}

/** Which arguments are columns: all, or one of them. */
function formsOf(
  _: FunctionDefinition,
  { signature, count }: Form,
): readonly (readonly number[])[] {
  const places = Array.from({ length: count }, (_place, index) => index);
  const free = places.filter((place) => patternAt(signature, place)?.type !== 'PART');
  return free.length < 2 ? [free] : [free, ...free.map((place) => [place])];
}

function patternAt({ args }: Signature, place: number): ArgumentPattern | undefined {
  return args[place] ?? args.at(-1);
}

function callsOver(
  definition: FunctionDefinition,
  { signature, count, general, columns }: Form & { readonly columns: readonly number[] },
  next: Next,
): readonly VectorCall[] {
  const fill = (place: number) => argumentOf(definition, { signature, place, general }, next);
  const isAll = columns.length > 1 || count === columns.length;
  const hasPart = signature.args.some(({ type }) => type === 'PART');
  return Array.from({ length: isAll && !hasPart ? 1 : constantCount }, () => {
    const constants = Array.from({ length: count }, (_, place) => fill(place));
    const rows = Array.from({ length: rowCount }, () =>
      constants.map((constant, place) => (columns.includes(place) ? fill(place) : constant)),
    );
    const named = (args: readonly string[]) =>
      args.map((arg, place) => {
        const name = patternAt(signature, place)?.name;
        return name === undefined ? arg : `${name} => ${arg}`;
      });
    const write = (args: readonly string[]) => writeCall(definition, named(args));
    const isOperator = definition.name.startsWith('$');
    const types = signature.args.map(({ type, element }) => element?.type ?? type).join(', ');
    return {
      label: `${definition.name}(${types}) of ${general}, columns ${columns}`,
      write,
      ...(isOperator ? {} : { writeSafe: (args) => `safe.${write(args)}` }),
      columns,
      rows,
    } satisfies VectorCall;
  });
}

interface Place {
  readonly signature: Signature;
  readonly place: number;
  readonly general: string;
}

function argumentOf(
  { name, parts }: FunctionDefinition,
  { signature, place, general }: Place,
  next: Next,
): string {
  const { type = 'STRING', element } = patternAt(signature, place) ?? {};
  if (type === 'PART') return parts[next(parts.length)] ?? '';
  const kind = element?.type ?? type;
  const own = kind === 'T' || kind === 'ANY' ? general : kind;
  const pool = listFor(name, place, own) ?? values.types[own] ?? [];
  return element === undefined ? literalOf(pool, own, next) : arrayOf(pool, own, next);
}

/** The values of an argument that needs values of a form. */
function listFor(name: string, place: number, type: string): readonly string[] | undefined {
  const key = name.endsWith(' FORMAT') ? 'cast_format' : (values.named[name] ?? name);
  const list = values.arguments[type === 'STRING' ? key : `${type.toLowerCase()}_${key}`]?.[place];
  return list === undefined || list.length === 0 ? undefined : list;
}

function literalOf(pool: readonly string[], type: string, next: Next): string {
  return next(10) === 0 ? `cast(null as ${type})` : (pool[next(pool.length)] ?? '');
}

function arrayOf(pool: readonly string[], type: string, next: Next): string {
  if (next(10) === 0) return `cast(null as array<${type}>)`;
  const count = next(4);
  if (count === 0) return `cast([] as array<${type}>)`;
  const elements = Array.from({ length: count }, () => pool[next(pool.length)] ?? '');
  return `[${elements.join(', ')}${next(6) === 0 ? ', null' : ''}]`;
}
