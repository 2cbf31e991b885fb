import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { packagePath } from '../common/package-paths.js';
import { didYouMean } from '../errors/suggest.js';
import type { Settings } from './settings.js';
import { loading, type Verb } from './verbs.js';

/** What the words of a command line are that belong to no flag. */
export interface Positionals {
  /** The name of an endpoint, or the action of `cache` and `tokens`. */
  readonly argument: string;
  /** Files and folders, each once; `-` is standard input. */
  readonly paths: readonly string[];
  readonly faults: readonly string[];
}

const argumentOf: { readonly [V in Verb]?: string } = {
  query: 'the name of an endpoint, such as logs.all',
  explain: 'the name of an endpoint, such as logs.all',
  cache: 'an action: list or clear',
  new: 'a name for the endpoint',
  tokens: 'an action: new',
  bigquery: 'an action: ddl',
};

/** Whether a word is standard input, or a file or folder that exists. */
export function isPath(word: string): boolean {
  return word === '-' || existsSync(word);
}

/** `; did you mean x?` with the most similar path that exists, or an empty text. */
export function didYouMeanPath(word: string): string {
  const folder = word.slice(0, word.length - basename(word).length);
  const names = namesIn(dirname(word)).map((name) => `${folder}${name}`);
  return didYouMean(word, names);
}

/** The settings that decide how words are read. */
export type WordsContext = Pick<Settings, 'endpoints' | 'sql' | 'lql' | 'data' | 'engine'>;

/** Reads the words of a verb. */
export function readPositionals(
  verb: Verb,
  words: readonly string[],
  context: WordsContext,
): Positionals {
  const wanted = argumentOf[verb];
  if (!loading.some((each) => each === verb)) return readAction(verb, words, wanted);
  if (wanted === undefined) {
    const faults = words.filter((word) => !isPath(word)).map(noPath);
    if (verb === 'mcp' && words.includes('-')) faults.push(noPipe);
    return { argument: '', paths: [...new Set(words)], faults };
  }
  return readQueried(verb, words, { ...context, wanted });
}

/** Of the words, one may be an endpoint; with a query, that has a default. */
function readQueried(
  verb: Verb,
  words: readonly string[],
  context: WordsContext & { readonly wanted: string },
): Positionals {
  const { endpoints, sql, lql, data, engine, wanted } = context;
  const known = new Set([packagePath(join('sql', 'endpoints')), endpoints].flatMap(namesIn));
  const argument = words.find((word) => known.has(`${word}.sql`) || !isPath(word));
  const paths = [...new Set(words.filter((word) => word !== argument))];
  const neither = (word: string) => {
    const names = [...known].map((name) => name.replace(/\.sql$/, ''));
    return `there is no endpoint ${word}${didYouMean(word, names)}; ${noPath(word)}`;
  };
  const faults = paths.filter((path) => !isPath(path)).map(neither);
  if (argument === undefined && (sql ?? lql) === undefined) faults.push(`${verb} needs ${wanted}`);
  // An endpoint may have another name than its file.
  const isFile = paths.length === 0 && data === undefined && engine === 'duckdb';
  if (argument && isFile && !known.has(`${argument}.sql`) && didYouMeanPath(argument) !== '')
    faults.push(neither(argument));
  return { argument: argument ?? 'logs.all', paths, faults };
}

function namesIn(folder: string | undefined): readonly string[] {
  try {
    return folder === undefined ? [] : readdirSync(folder);
  } catch {
    return [];
  }
}

const noPipe = 'mcp reads questions from standard input, so - cannot be a log';

function noPath(path: string): string {
  return `there is no file or folder ${path}${didYouMeanPath(path)}`;
}

function readAction(verb: Verb, words: readonly string[], wanted: string | undefined): Positionals {
  const [argument = '', ...others] = wanted === undefined ? ['', ...words] : words;
  const faults = others.map((word) => `Unknown argument for ${verb}: ${word}`);
  if (wanted !== undefined && words.length === 0) faults.unshift(`${verb} needs ${wanted}`);
  return { argument, paths: [], faults };
}
