import type {
  ArgumentPattern,
  FunctionDefinition,
  Signature,
} from '../../src/compiler/functions/definition.js';
import type { ScalarName } from '../../src/types/types.js';

/** Values of a type in every form that an argument can have; the columns are those of `typed-source.ts`. */
interface Sample {
  readonly constant: string;
  readonly column: string;
  readonly parameter?: string;
  /** The same for an array of the type, if the type can be an element. */
  readonly array?: { readonly constant: string; readonly column: string };
}

type Form = 'constant' | 'column' | 'mixed' | 'parameter';

const constants: Readonly<Record<ScalarName, string>> = {
  BIGNUMERIC: "bignumeric '1.5'",
  BOOL: 'true',
  BYTES: "b'a'",
  DATE: "date '2026-03-01'",
  DATETIME: "datetime '2026-03-01 01:02:03'",
  FLOAT64: '1.5',
  INT64: '1',
  INTERVAL: 'interval 1 day',
  JSON: `json '{"a":[1]}'`,
  NUMERIC: "numeric '1.5'",
  'RANGE<DATE>': "range<date> '[2026-03-01, 2026-04-01)'",
  'RANGE<DATETIME>': "range<datetime> '[2026-03-01 01:02:03, UNBOUNDED)'",
  'RANGE<TIMESTAMP>': "range<timestamp> '[UNBOUNDED, 2026-03-01 01:02:03+00)'",
  STRING: "'a'",
  TIME: "time '01:02:03'",
  TIMESTAMP: "timestamp '2026-03-01 01:02:03+00'",
};

const parameters: { readonly [K in ScalarName]?: string } = {
  STRING: '@text',
  INT64: '@integer',
  FLOAT64: '@number',
  BOOL: '@flag',
  TIMESTAMP: '@instant',
};

/** The names of the scalar types. */
export const scalarNames = Object.keys(constants) as readonly ScalarName[];

/** The name of the column with values of a type, or with arrays of them: `one_BOOL`, `array_RANGEDATE`. */
export function columnName(form: 'one' | 'array', kind: ScalarName): string {
  return `${form}_${kind.replaceAll(/\W/g, '')}`;
}

const record = "struct('a' as a, 1 as b)";

const samples: ReadonlyMap<string, Sample> = new Map<string, Sample>([
  ...scalarNames.map((name): [string, Sample] => {
    const [constant, parameter] = [constants[name], parameters[name]];
    const array = { constant: `[${constant}]`, column: columnName('array', name) };
    const given = parameter === undefined ? {} : { parameter };
    return [name, { constant, column: columnName('one', name), array, ...given }];
  }),
  ...['records', 'folded'].map((column): [string, Sample] => {
    const array = { constant: `[${record}]`, column };
    return [column, { constant: record, column: `${column}[safe_offset(0)]`, array }];
  }),
  ['ARRAY', { constant: "['a', null]", column: 'array_STRING' }],
]);

/** A literal or a column of a type. */
export function sampleOf(name: ScalarName, form: 'constant' | 'column'): string {
  return form === 'constant' ? constants[name] : columnName('one', name);
}

/** Values for STRING arguments after the first: formats, paths, zones, patterns, encodings, modes. */
const texts = [
  ...["'a'", "'%Y-%m-%d %H:%M:%E*S'", "'YYYY-MM-DD'", "'HH24:MI:SS'", "'999.99'", "'HEX'"],
  ...["'$.a'", "'Europe/Rome'", "'(a)b'", "'a%_'", "'%s %t'", "'lax'", "'round'", "'JSON_KEYS'"],
  ...["'\\\\'", "''"],
];

interface Filling {
  readonly form: Form;
  /** The type of T and ANY. */
  readonly general: string;
  readonly text: string;
  readonly part: string;
}

/** Calls of a function with every signature and number of arguments, each type for T, each date part. */
export function callsOf(definition: FunctionDefinition): readonly string[] {
  const calls = definition.signatures.flatMap((signature) =>
    fillingsOf(definition, signature).flatMap((filling) =>
      countsOf(signature).map((count) =>
        writeCall(definition, argumentsOf(signature, count, filling)),
      ),
    ),
  );
  return [...new Set(calls)];
}

function fillingsOf({ parts }: FunctionDefinition, { args }: Signature): readonly Filling[] {
  const uses = (types: readonly string[]) =>
    args.some(({ type, element }) => types.includes(element?.type ?? type));
  const generals = uses(['T', 'ANY']) ? [...samples.keys()] : ['STRING'];
  const given = uses(['STRING']) ? texts : texts.slice(0, 1);
  const words = parts.length > 0 ? parts : [''];
  const forms: readonly (readonly [Form, readonly string[]])[] = [
    ['constant', given],
    ['column', texts.slice(0, 1)],
    ['mixed', given],
    ['parameter', texts.slice(0, 1)],
  ];
  return forms.flatMap(([form, list]) =>
    list.flatMap((text) =>
      words.flatMap((part) => generals.map((general) => ({ form, general, text, part }))),
    ),
  );
}

function countsOf({ args, required, repeats }: Signature): readonly number[] {
  const most = args.length + (repeats ? 2 : 0);
  return Array.from({ length: most - required + 1 }, (_, i) => required + i);
}

function argumentsOf({ args }: Signature, count: number, filling: Filling): readonly string[] {
  return Array.from({ length: count }, (_, place) => {
    const pattern = args[place] ?? args.at(-1);
    if (pattern === undefined) return '';
    const value = fill(pattern, place, filling);
    return pattern.name === undefined ? value : `${pattern.name} => ${value}`;
  }).sort((a, b) => Number(isNamed(a)) - Number(isNamed(b)));
}

/** Named arguments come last in a call. */
function isNamed(argument: string): boolean {
  return /^\w+ => /.test(argument);
}

function fill(pattern: ArgumentPattern, place: number, filling: Filling): string {
  const { general, text, part } = filling;
  const { type, element } = pattern;
  if (type === 'PART') return part;
  const form = filling.form === 'mixed' ? (place === 0 ? 'column' : 'constant') : filling.form;
  const kind = element?.type ?? type;
  const sample = samples.get(kind === 'T' || kind === 'ANY' ? general : kind);
  if (element !== undefined) return sample?.array?.[form === 'column' ? form : 'constant'] ?? '';
  if (kind === 'STRING' && form === 'constant' && place > 0) return text;
  return sample?.[form] ?? sample?.constant ?? '';
}

type Write = (args: readonly string[]) => string;

const infix =
  (word: string): Write =>
  (args) =>
    `(${args.join(` ${word} `)})`;
const prefix =
  (word: string): Write =>
  ([a]) =>
    `(${word} ${a})`;
const place =
  (word: string): Write =>
  ([a, b]) =>
    `${a}[${word}(${b})]`;
const some =
  (word: string): Write =>
  ([a]) =>
    `(${a} ${word} ('a%', one_STRING, @text))`;
const extract =
  (part: string): Write =>
  ([from, zone]) =>
    `extract(${part} from ${from}${zone === undefined ? '' : ` at time zone ${zone}`})`;

/** The functions that write the operators that are not infix. */
const written: Readonly<Record<string, Write>> = {
  $NOT: prefix('not'),
  $negate: prefix('-'),
  $plus: prefix('+'),
  $invert: prefix('~'),
  '$IS TRUE': ([a]) => `(${a} is not true)`,
  '$IS FALSE': ([a]) => `(${a} is false)`,
  $BETWEEN: ([a, b, c]) => `(${a} between ${b} and ${c})`,
  $IN: ([a, ...rest]) => `(${a} in (${rest.join(', ')}))`,
  '$IN UNNEST': ([a, b]) => `(${a} not in unnest(${b}))`,
  ...Object.fromEntries(
    ['LIKE ANY', 'LIKE ALL', 'ILIKE ANY', 'ILIKE ALL'].map((word) => [`$${word}`, some(word)]),
  ),
  ...Object.fromEntries(
    ['offset', 'ordinal', 'safe_offset', 'safe_ordinal'].map((word) => [`$${word}`, place(word)]),
  ),
  $json_at: ([a, b]) => `${a}[${b}]`,
  // Only an undeclared field of a log is read as what it holds.
  $text_part: () => '(open[0] || open.a)',
  $text_elements: () => 'array_length(open)',
  $interval: ([amount, part]) => `(one_DATETIME + interval ${amount} ${part})`,
  $extract: ([part = '', ...rest]) => extract(part)(rest),
  $extract_date: extract('date'),
  $extract_datetime: extract('datetime'),
  $extract_time: extract('time'),
  $count_star: () => 'count(*)',
};

/** A call or an operation with these arguments. */
export function writeCall({ name }: FunctionDefinition, args: readonly string[]): string {
  if (!name.startsWith('$')) return `${name}(${args.join(', ')})`;
  const type = / AS (\w+) FORMAT$/.exec(name)?.[1];
  if (type === undefined) return (written[name] ?? infix(name.slice(1)))(args);
  const [value, format, zone] = args;
  return `cast(${value} as ${type} format ${format}${zone === undefined ? '' : ` at time zone ${zone}`})`;
}

const insides = [
  ...['', ' order by one_INT64', ' order by one_STRING desc limit 2', ' limit @integer'],
  ...[' ignore nulls', ' respect nulls', ' ignore nulls order by one_INT64 limit 1'],
  ...[' having max one_INT64', ' having min one_STRING'],
];

const frames = [
  ...['', 'order by one_INT64', 'partition by one_STRING, one_BOOL'],
  'partition by one_STRING order by one_TIMESTAMP desc nulls last, one_INT64',
  'order by one_INT64 rows unbounded preceding',
  'order by one_INT64 rows between 2 preceding and 1 following',
  'order by one_INT64 rows between unbounded preceding and unbounded following',
  'order by one_INT64 rows between 1 following and 2 following',
  'order by one_INT64 rows between current row and current row',
  'order by one_INT64 range between 5 preceding and 5 following',
  'order by one_FLOAT64 desc range between 1.5 preceding and current row',
  'order by one_INT64 range between current row and unbounded following',
];

/** A call of an aggregate or a window function with each clause that it can have. */
export function clausesOf(call: string, kind: 'aggregate' | 'window'): readonly string[] {
  const body = call.slice(0, -1);
  const distinct = body.replace('(', '(distinct ');
  const given = [...insides.map((inside) => `${body}${inside})`), `${distinct})`];
  const over = frames.map((frame) => `${call} over (${frame})`);
  if (kind === 'window')
    return [...over, ...given.map((one) => `${one} over (order by one_INT64)`)];
  return [...given, `${distinct} order by one_INT64 limit 2)`, ...over, `${distinct}) over ()`];
}
