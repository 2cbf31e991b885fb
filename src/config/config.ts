import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { SetupError } from '../errors/errors.js';
import { didYouMean } from '../errors/suggest.js';
import { bigQueryFaults } from './bigquery-faults.js';
import { didYouMeanPath, isPath, readPositionals } from './positionals.js';
import { configFile, type Preset, readPreset } from './preset.js';
import type { HelpTopic } from './print-help.js';
import { readSetting } from './setting-kinds.js';
import type { Setting, SettingName, Settings } from './settings.js';
import { settings, toFlag, toVariable, verbSetting } from './settings.js';
import type { TokenSettings } from './token-file.js';
import {
  type AccessToken,
  makeToken,
  readTokenEntries,
  readTokens,
  unboundToken,
} from './tokens.js';
import { configured, isVerb, loading, type Verb, verbs } from './verbs.js';

type Environment = NodeJS.ProcessEnv;

/** The variables that are not settings. */
const otherVariables = ['TOKENS', 'TOKENS_FILE', 'ID_KEY'].map((name) => `LOG_ENDPOINTS_${name}`);

/** The verb to run, and the settings from the command line and the environment. */
export type Command =
  /** The topic of the help; without it, the program. */
  | { readonly verb: 'help'; readonly of?: HelpTopic }
  | { readonly verb: 'version' }
  | {
      readonly verb: Verb;
      /** An endpoint's name, or the action of `cache` and `tokens`. */
      readonly argument: string;
      readonly settings: Settings;
    };

/** The tokens that the server accepts; `made` is the one it generated because none was configured. */
export interface Tokens {
  readonly known: readonly AccessToken[];
  readonly made?: string;
}

/**
 * Reads the command line and the environment. A flag overrides its variable, a variable overrides the preset, and the
 * preset overrides the default. Without a named preset, `log-endpoints.json` in the folder, by default the current
 * one, is used.
 * @throws SetupError naming each flag or variable that is unknown, missing or out of range
 */
export function readCommand(
  argv: readonly string[],
  environment: Readonly<Environment> = process.env,
  folder = '',
): Command {
  const [first = 'help'] = argv;
  if (first === '--version' || first === '-v') return { verb: 'version' };
  if (first === 'help' || argv.some((word) => word === '--help' || word === '-h')) {
    const of = argv.find((word) => isVerb(word) || word === 'flags');
    return { verb: 'help', ...(of && { of }) };
  }
  const { verb, words, isBare } = chooseVerb(first, argv);
  const { flags, positionals, faults } = withDataAsWords(verb, readFlags(verb, words));
  faults.push(...unknownVariables(environment));
  const config = configured.includes(verb) ? join(folder, configFile) : '';
  const preset = findPreset(flags, environment, config);
  faults.push(...unknownSettings(preset), ...refusedInConfig(preset));
  const read = readAll({ flags, positionals, faults, environment, verb, preset });
  const named = readPositionals(verb, positionals, read);
  // The word after an unknown flag may be its value: report only the flag.
  if (faults.length === 0) faults.push(...named.faults);
  if (read.shiftToNow && read.allowNowHeader) faults.push(shiftedTwice);
  const { argument, paths } = named;
  const settings = { ...read, ...pathSettings(paths, flags) };
  faults.push(...bigQueryFaults(settings, verb));
  if (faults.length > 0) throw new SetupError(faults);
  const cacheDir = read.cacheDir ?? defaultCacheDir(environment);
  const isPortSet = environment[toVariable('port')] || preset?.settings.get('port');
  const anyPort = isBare && !flags.has('port') && !isPortSet;
  return { verb, argument, settings: { ...settings, cacheDir, ...(anyPort && { anyPort }) } };
}

/** Without a verb, serves and watches the files and folders. @throws SetupError */
function chooseVerb(first: string, argv: readonly string[]) {
  if (isVerb(first)) return { verb: first, words: argv.slice(1), isBare: false } as const;
  if (!isPath(first)) throw new SetupError([neither(first)]);
  return { verb: 'serve', words: [...argv, '--watch'], isBare: true } as const;
}

/** Files on the command line take precedence over a folder in the environment. */
function pathSettings(paths: readonly string[], flags: Flags['flags']) {
  if (paths.length === 0) return {};
  return { paths, ...(!flags.has('data') && { data: undefined }) };
}

function neither(word: string): string {
  const verb = `Unknown verb: ${word}; expected one of ${verbs.join(', ')}${didYouMean(word, verbs)}`;
  const path = didYouMeanPath(word);
  return path === '' ? verb : `${verb}; there is no file or folder ${word} either${path}`;
}

const shiftedTwice =
  '--shift-to-now and --allow-now-header exclude each other: the logs would move along with the clock of each request';

/** The minimum length of a key that nobody can guess. */
const minKeyLength = 16;

/** An empty variable counts as absent, as for all settings. */
function readIdKey({ LOG_ENDPOINTS_ID_KEY: key }: Environment, faults: string[]) {
  if (key && key.length < minKeyLength)
    faults.push(`LOG_ENDPOINTS_ID_KEY must have at least ${minKeyLength} characters`);
  return key || undefined;
}

/** Returns the system's cache folder for this user; undefined if no variable names one. */
function defaultCacheDir({ XDG_CACHE_HOME, LOCALAPPDATA, HOME }: Environment): string | undefined {
  const home = HOME && join(HOME, process.platform === 'darwin' ? 'Library/Caches' : '.cache');
  const folder = XDG_CACHE_HOME || LOCALAPPDATA || home;
  return folder ? join(folder, 'log-endpoints') : undefined;
}

/**
 * Returns the server's tokens from `LOG_ENDPOINTS_TOKENS` and from the file named by `LOG_ENDPOINTS_TOKENS_FILE`; if
 * there are none, generates one. Removes the tokens from the environment, so that no child process inherits them.
 * @throws SetupError for a file that cannot be read, and for every error of a token or its line
 */
export function takeTokens(environment: Environment = process.env, allowShort = false): Tokens {
  const known = readTokens({ ...takeConfigured(environment), allowShort });
  if (known.length > 0) return { known };
  const made = makeToken();
  return { known: [unboundToken(made)], made };
}

/**
 * Returns the same tokens as written, for a test server, which prints one; generates none.
 * @throws SetupError as {@link takeTokens}
 */
export function takeTokenEntries(
  environment: Environment = process.env,
  allowShort = false,
): readonly (TokenSettings & { readonly token: string })[] {
  const configured = takeConfigured(environment);
  readTokens({ ...configured, allowShort });
  return readTokenEntries(configured);
}

/** Removes the tokens from the environment, for a program that needs none. */
export function removeTokens(environment: Environment = process.env): void {
  delete environment['LOG_ENDPOINTS_TOKENS'];
}

function takeConfigured(environment: Environment) {
  const { LOG_ENDPOINTS_TOKENS: list, LOG_ENDPOINTS_TOKENS_FILE: file } = environment;
  removeTokens(environment);
  return { list, file, read: (path: string) => readFileSync(path, 'utf8') };
}

const entries = Object.entries<Setting>(settings);
const settingNames = Object.keys(settings);

interface Flags {
  /** The values of each flag, in order. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
  readonly positionals: readonly string[];
  readonly faults: string[];
}

function readFlags(verb: Verb, args: readonly string[]): Flags {
  const own = entries.filter(([, setting]) => setting.verbs.includes(verb));
  const known = new Map(own.map((entry) => [toFlag(entry[0]), entry]));
  const options = Object.fromEntries(
    [...known].map(([flag, [, { kind }]]) => {
      return [flag, { type: kind === 'switch' ? 'boolean' : 'string' }] as const;
    }),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const flags = new Map<string, readonly string[]>();
  const faults: string[] = [];
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const [name, setting] = known.get(token.name) ?? [];
    const text = token.value ?? (setting?.kind === 'switch' ? 'true' : undefined);
    if (name === undefined) faults.push(unknownFlag(verb, token.rawName, [...known.keys()]));
    else if (text === undefined) faults.push(`Flag ${token.rawName} needs a value`);
    else flags.set(name, [...(flags.get(name) ?? []), text]);
  }
  const positionals = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []));
  return { flags, positionals, faults };
}

/** Treats several `--data` flags, or one that names no folder, as words. */
function withDataAsWords(verb: Verb, read: Flags): Flags {
  const data = read.flags.get('data') ?? [];
  const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory();
  const isOne = data.length === 1 && (!isPath(data[0] ?? '') || isFolder(data[0] ?? ''));
  if (data.length === 0 || isOne || !loading.some((each) => each === verb)) return read;
  const others = [...read.flags].filter(([name]) => name !== 'data');
  const missing = data.filter((path) => !isPath(path));
  const faults = missing.map((path) => `there is no file or folder ${path}${didYouMeanPath(path)}`);
  return {
    flags: new Map(others),
    positionals: [...read.positionals, ...data.filter(isPath)],
    faults: [...read.faults, ...faults],
  };
}

function unknownFlag(verb: Verb, given: string, flags: readonly string[]): string {
  const dashed = flags.map((flag) => `--${flag}`);
  const others = entries.filter(([name]) => `--${toFlag(name)}` === given);
  const takers = others.flatMap(([, setting]) => setting.verbs).join(', ');
  return `Unknown flag for ${verb}: ${given}${takers === '' ? didYouMean(given, dashed) : ` (a flag of ${takers})`}`;
}

function unknownVariables(environment: Environment): readonly string[] {
  const known = new Set([...settingNames.map(toVariable), ...otherVariables]);
  return Object.keys(environment)
    .filter((name) => name.startsWith('LOG_ENDPOINTS_') && !known.has(name))
    .map((name) => `Unknown variable: ${name}${didYouMean(name, known)}`);
}

interface Reading extends Flags {
  readonly environment: Environment;
  readonly verb: Verb;
  readonly preset: Preset | undefined;
}

/** Returns the preset named by the flag or its variable, otherwise the file of the current folder. */
function findPreset(flags: Flags['flags'], environment: Environment, config: string) {
  const named = flags.get('preset')?.at(-1) ?? environment[toVariable('preset')];
  const name = named || (existsSync(config) ? config : undefined);
  return name ? readPreset(name) : undefined;
}

function unknownSettings(preset: Preset | undefined): readonly string[] {
  const known = settingNames.filter((name) => name !== 'preset').map(toFlag);
  return [...(preset?.settings.keys() ?? [])]
    .filter((name) => !known.includes(name))
    .map((name) => `${preset?.where}: unknown setting ${name}${didYouMean(name, known)}`);
}

/** A folder filled by somebody else must not open the server to others. */
const neverInConfig = ['host', 'allowShortTokens'] as const satisfies readonly SettingName[];

function refusedInConfig(preset: Preset | undefined): readonly string[] {
  if (preset === undefined || basename(preset.name) !== configFile) return [];
  return neverInConfig
    .filter((name) => preset.settings.has(toFlag(name)))
    .map((name) => `${configFile} may not set ${toFlag(name)}; use --${toFlag(name)} instead`);
}

function readAll(reading: Reading): Settings {
  const { environment, faults, verb } = reading;
  const values = entries.map(([name, ofAll]) => {
    const setting = verbSetting(ofAll, verb);
    const { texts, source } = findTexts(name, ofAll, reading);
    const read = texts.length > 0 && readSetting(setting.kind, texts, setting);
    if (read && 'must' in read) faults.push(`${source} must ${read.must}`);
    return [name, read && 'value' in read ? read.value : undefined];
  });
  const others = { preset: reading.preset?.name, idKey: readIdKey(environment, faults) };
  // The table's names and values get their types here, and only here.
  return { ...Object.fromEntries(values), ...others } as Settings;
}

/** Returns the values of a setting, and their source: a flag, a variable, the preset, or the default. */
function findTexts(name: string, ofAll: Setting, { flags, environment, verb, preset }: Reading) {
  const setting = verbSetting(ofAll, verb);
  const flag = `--${toFlag(name)}`;
  const given = flags.get(name);
  if (given !== undefined) return { texts: given, source: flag };
  const variable = environment[toVariable(name)];
  // An empty variable counts as absent: compose files and shells pass unset ones in this way.
  if (variable) return { texts: [variable], source: toVariable(name) };
  const general = preset?.settings.get(toFlag(name));
  // A preset has one value for all verbs, but some verbs allow different values.
  const isOfOthers = setting.oneOf !== ofAll.oneOf && !setting.oneOf?.includes(general ?? '');
  if (general && !isOfOthers) return { texts: [general], source: `${preset?.where}: ${flag}` };
  const usual = setting.kind === 'switch' ? 'false' : setting.default;
  return { texts: usual === undefined ? [] : [usual], source: flag };
}
