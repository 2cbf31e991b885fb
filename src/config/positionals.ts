import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { didYouMean } from '../errors/suggest.js';
import { ignoreErrors } from '../process/ignore-errors.js';
import { packagePath } from '../process/package-paths.js';
import type { Settings } from './settings.js';
import { loading, type Verb } from './verbs.js';

const verbArguments: { readonly [V in Verb]?: string } = {
  query: 'the name of an endpoint, such as logs.all, or a query in --sql or --lql',
  explain: 'the name of an endpoint, such as logs.all, or a query in --sql or --lql',
  cache: 'an action: list or clear',
  new: 'a name for the endpoint',
  tokens: 'an action: new',
  bigquery: 'an action: ddl',
};

/** Whether a word is standard input, or a file or folder that exists. */
export function isPath(word: string): boolean {
  return word === '-' || existsSync(word);
}

/** Returns `; did you mean x?` with the most similar path that exists, or an empty string. */
export function didYouMeanPath(word: string): string {
  const folder = word.slice(0, word.length - basename(word).length);
  const names = namesIn(dirname(word)).map((name) => `${folder}${name}`);
  // Exclude a broken link, whose name is the misspelled word itself.
  const others = names.filter((name) => name !== word);
  return didYouMean(word, others);
}

function namesIn(folder = ''): readonly string[] {
  return ignoreErrors(() => readdirSync(folder)) ?? [];
}

/** The settings that determine how words are read. */
type WordsContext = Pick<Settings, 'endpoints' | 'sql' | 'lql' | 'data' | 'engine'>;

/**
 * Reads the words of a command line that belong to no flag: the name of an endpoint or an action, files and folders,
 * and errors in them.
 */
export function readPositionals(
  verb: Verb,
  words: readonly string[],
  { endpoints, sql, lql, data, engine }: WordsContext,
) {
  const wanted = verbArguments[verb];
  const readsFiles = verb === 'test' || loading.some((each) => each === verb);
  const known = [packagePath(join('sql', 'endpoints')), endpoints]
    .flatMap(namesIn)
    .map((name) => name.replace(/\.sql$/, ''));
  const isArgument = (word: string) => !readsFiles || known.includes(word) || !isPath(word);
  const index = wanted === undefined ? -1 : words.findIndex(isArgument);
  const argument = words[index];
  const others = words.filter((_, place) => place !== index);
  const whyNot = (word: string) => {
    if (!readsFiles) return `Unknown argument for ${verb}: ${word}`;
    const endpoint = wanted && `there is no endpoint ${word}${didYouMean(word, known)}; `;
    return `${endpoint ?? ''}there is no file or folder ${word}${didYouMeanPath(word)}`;
  };
  const faults = others.filter((word) => !readsFiles || !isPath(word)).map(whyNot);
  const hasDefault = readsFiles && (sql ?? lql) !== undefined;
  if (wanted && argument === undefined && !hasDefault) faults.push(`${verb} needs ${wanted}`);
  if (verb === 'mcp' && words.includes('-')) faults.push(noPipe);
  // An endpoint may have a different name from its file, but a query needs files.
  const isQuery = verb === 'query' && others.length === 0 && !data && engine === 'duckdb';
  if (isQuery && argument && !known.includes(argument)) faults.push(whyNot(argument));
  const paths = readsFiles ? [...new Set(others)] : [];
  return { argument: argument ?? (hasDefault ? 'logs.all' : ''), paths, faults };
}

const noPipe = 'mcp reads questions from standard input, so - cannot be a log';
