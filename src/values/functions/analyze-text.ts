import { ignoreErrors } from '../../process/ignore-errors.js';
import { ValueFault } from '../value-fault.js';
import { normalizedFold } from './normalize.js';
import { remember } from './script-function.js';

/** The rules for splitting text into tokens. */
export interface Analyzer {
  readonly kind: 'LOG_ANALYZER' | 'NO_OP_ANALYZER' | 'PATTERN_ANALYZER';
  /** Patterns for text that ends with a delimiter, and text that begins with one; only for a LOG_ANALYZER. */
  readonly delimited?: { readonly before: RegExp; readonly after: RegExp };
  /** Whether the tokens are in lower case, as by default. */
  readonly isPlain: boolean;
  readonly splitText: (text: string) => readonly string[];
}

const punctuation = '[]<>(){}|!;,\'"*&?+/:=@.-$%\\_\n\r \t';
const escapes = `%21 %26 %2526 %3B %3b %7C %7c %20 %2B %2b %3D %3d %2520 %5D %5d %5B %5b %3A %3a
  %0A %0a %2C %2c %28 %29`;
const defaultDelimiters = [...punctuation, ...escapes.split(/\s+/)];

type Filter = (tokens: readonly string[]) => readonly string[];

/**
 * Returns the analyzer for `["NAME", options]`, a JSON array; `options` is itself a JSON text or null. Remembers recent
 * analyzers.
 * @throws ValueFault
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/text-analysis
 */
export const rememberedAnalyzer = remember((text) => {
  const [name, options] = JSON.parse(text) as [string, string | null];
  const read: unknown = options === null ? {} : ignoreErrors(() => JSON.parse(options));
  if (!isObject(read)) throw new ValueFault('analyzer_options is not a JSON object');
  const analyzer = analyzers.get(name)?.(read);
  if (analyzer !== undefined) return analyzer;
  const names = 'LOG_ANALYZER, NO_OP_ANALYZER or PATTERN_ANALYZER';
  throw new ValueFault(`The analyzer is ${names}, not: ${name}`);
});

const analyzers: ReadonlyMap<string, (options: Options) => Analyzer> = new Map([
  ['LOG_ANALYZER', logAnalyzer],
  ['NO_OP_ANALYZER', noOpAnalyzer],
  ['PATTERN_ANALYZER', patternAnalyzer],
]);

/** The members of `analyzer_options` and of its filters. */
interface Options {
  readonly delimiters?: unknown;
  readonly icu_case_folding?: unknown;
  readonly icu_normalize_mode?: unknown;
  readonly mode?: unknown;
  readonly normalizer?: unknown;
  readonly stop_words?: unknown;
  readonly token_filters?: unknown;
}

function isObject(value: unknown): value is Options {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refuseOptions(options: Options, known: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new ValueFault(`This analyzer has no option in analyzer_options: ${unknown}`);
  }
}

function noOpAnalyzer(options: Options): Analyzer {
  refuseOptions(options, []);
  return { kind: 'NO_OP_ANALYZER', isPlain: false, splitText: (text) => [text] };
}

function logAnalyzer(options: Options): Analyzer {
  refuseOptions(options, ['delimiters', 'token_filters']);
  const delimiters = optionTexts(options.delimiters, 'delimiters') ?? defaultDelimiters;
  const wrong = delimiters.find((one) => !/^[\0-\x7f]{1,16}$/.test(one));
  if (wrong !== undefined) {
    throw new ValueFault(`A delimiter has 1 to 16 ASCII characters, not: ${wrong}`);
  }
  // The longest delimiter comes first.
  const sorted = [...delimiters].sort((a, b) => b.length - a.length).map(escapePattern);
  const pattern = sorted.length === 0 ? '(?!)' : sorted.join('|');
  const split = new RegExp(pattern);
  const filter = tokenFilter(options);
  return {
    kind: 'LOG_ANALYZER',
    delimited: { before: new RegExp(`(?:${pattern})$`), after: new RegExp(`^(?:${pattern})`) },
    isPlain: options.token_filters === undefined,
    splitText: (text) => filter(text.split(split).filter((token) => token !== '')),
  };
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function patternAnalyzer(options: Options): Analyzer {
  if ('patterns' in options) {
    throw new ValueFault(
      'PATTERN_ANALYZER is supported with its default pattern only; REGEXP_EXTRACT_ALL takes any',
    );
  }
  refuseOptions(options, ['token_filters']);
  const filter = tokenFilter(options);
  return {
    kind: 'PATTERN_ANALYZER',
    isPlain: options.token_filters === undefined,
    splitText: (text) => filter(text.match(/\b\w{2,}\b/g) ?? []),
  };
}

function optionTexts(value: unknown, name: string): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  throw new ValueFault(`The option is an array of strings in analyzer_options: ${name}`);
}

/** Converts the letters A to Z to lower case. */
export function asciiLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function tokenFilter({ token_filters: filters }: Options): Filter {
  if (filters === undefined) return (tokens) => tokens.map(asciiLower);
  if (!Array.isArray(filters)) throw badFilter();
  const steps = filters.map(readFilter);
  return (tokens) => steps.reduce((rest, step) => step(rest), tokens);
}

function badFilter(): ValueFault {
  return new ValueFault(
    'token_filters is an array of {"normalizer": {"mode": …}} and {"stop_words": […]}',
  );
}

function readFilter(filter: unknown): Filter {
  if (!isObject(filter)) throw badFilter();
  const { normalizer, stop_words } = filter;
  const stopped = optionTexts(stop_words, 'stop_words');
  if (stopped !== undefined) {
    const words = new Set(stopped);
    return (tokens) => tokens.filter((one) => !words.has(one));
  }
  if (!isObject(normalizer)) throw badFilter();
  const normalize = readNormalizer(normalizer);
  return (tokens) => tokens.map(normalize);
}

const forms = ['NFC', 'NFKC', 'NFD', 'NFKD'];

const plainModes: ReadonlyMap<unknown, (token: string) => string> = new Map([
  ['NONE', (token: string) => token],
  ['LOWER', asciiLower],
  ['UNICODE_LOWER', (token: string) => token.toLowerCase()],
]);

function readNormalizer(options: Options): (token: string) => string {
  const { mode, icu_normalize_mode = 'NFKC', icu_case_folding: folds = true } = options;
  const plain = plainModes.get(mode);
  if (plain !== undefined) return plain;
  const form = forms.find((each) => each === icu_normalize_mode);
  if (mode !== 'ICU_NORMALIZE' || form === undefined || typeof folds !== 'boolean') {
    throw new ValueFault(
      'The mode of a normalizer is NONE, LOWER, UNICODE_LOWER or ICU_NORMALIZE, and icu_normalize_mode is NFC, NFKC, NFD or NFKD',
    );
  }
  return (token) => (folds ? normalizedFold(token, form) : token.normalize(form));
}
