import { hash, randomBytes } from 'node:crypto';
import { type CallerScope, createScope, unbound } from '../endpoint/scope.js';
import { SetupError, withSetupError } from '../errors/errors.js';
import { readTokenFile, type TokenEntry } from './token-file.js';

/** A token that the server accepts, and its scope. */
export interface AccessToken {
  /** Its SHA-256, 32 bytes; the token itself is not kept. */
  readonly digest: Buffer;
  /** Names its requests in the log. */
  readonly label?: string;
  readonly scope: CallerScope;
  /** Whether it has so few characters that it can be guessed. */
  readonly isShort?: boolean;
  /** Its configuration source, for messages. */
  readonly where: string;
}

/**
 * Reads the tokens of a comma-separated list and of a file.
 * @throws SetupError with every fault: an unreadable or empty file, a malformed line, a token that is repeated, has
 * fewer than 16 characters or is not ASCII; no message quotes a token
 */
export function readTokens({
  allowShort = false,
  ...configured
}: ConfiguredTokens & { readonly allowShort?: boolean }): readonly AccessToken[] {
  const entries = readTokenEntries(configured);
  const faults = entries.flatMap((entry, index) =>
    entryFaults(entry, entries.slice(0, index), allowShort),
  );
  if (faults.length > 0) throw new SetupError(faults);
  return entries.map(accessToken);
}

/** A comma-separated list of tokens, and the path of a file. */
export interface ConfiguredTokens {
  readonly list?: string | undefined;
  readonly file?: string | undefined;
  readonly read: (path: string) => string;
}

/**
 * Reads the tokens of a list and of a file as written, each with its errors.
 * @throws SetupError for a file that is unreadable, empty or not JSON although it begins with `[`
 */
export function readTokenEntries({
  list = '',
  file = '',
  read,
}: ConfiguredTokens): readonly Entry[] {
  const tokens = list.split(',').map((text) => text.trim());
  const listed = tokens
    .filter((token) => token !== '')
    .map((token, index) => {
      return { token, faults: [], where: `LOG_ENDPOINTS_TOKENS: token ${index + 1}` };
    });
  if (file === '') return listed;
  const from = `LOG_ENDPOINTS_TOKENS_FILE ${file}`;
  const entries = withSetupError(from, () => readTokenFile(read(file)));
  if (entries === undefined)
    throw new SetupError([`${from}: begins with [ but is not a JSON array`]);
  if (entries.length === 0) throw new SetupError([`${from}: it contains no token`]);
  return [
    ...listed,
    ...entries.map(({ line, ...entry }) => ({ ...entry, where: `${from}:${line}` })),
  ];
}

/** @throws SetupError for each endpoint in a token's scope that does not exist */
export function checkEndpoints(tokens: readonly AccessToken[], names: readonly string[]): void {
  const faults = tokens.flatMap(({ scope, where }) =>
    [...(scope.endpoints ?? [])]
      .filter((name) => !names.includes(name))
      .map((name) => `${where}: unknown endpoint ${name}; expected one of ${names.join(', ')}`),
  );
  if (faults.length > 0) throw new SetupError(faults);
}

/** Returns the SHA-256 of a token. */
export function digestToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** A token without a scope. */
export function unboundToken(token: string, where = ''): AccessToken {
  return { digest: digestToken(token), scope: unbound, where };
}

/** Generates a new token of 32 characters. */
export function makeToken(): string {
  return randomBytes(24).toString('base64url');
}

type Entry = Omit<TokenEntry, 'line'> & { readonly where: string };

function entryFaults(
  { token, faults, where }: Entry,
  before: readonly Entry[],
  allowShort: boolean,
): readonly string[] {
  const found = [...faults];
  if (/^(?:name|project|endpoints)=/.test(token)) {
    // Otherwise the setting would become a token, and an easily guessed one.
    found.push('a line must begin with its token');
  } else if (token !== '' && (!/^[!-~]+$/.test(token) || (isShort(token) && !allowShort))) {
    found.push('a token must have at least 16 characters: ASCII letters, digits and punctuation');
  }
  // Refused because it would be unclear which of the two scopes applies.
  const twin = before.find((other) => token !== '' && other.token === token);
  if (twin !== undefined) found.push(`the same token as ${twin.where}`);
  return found.map((fault) => `${where}: ${fault}`);
}

function isShort(token: string): boolean {
  return token.length < 16;
}

function accessToken({ token, name, project, endpoints, where }: Entry): AccessToken {
  const scope = createScope({
    ...(project === undefined ? {} : { project }),
    ...(endpoints === undefined ? {} : { endpoints: new Set(endpoints) }),
  });
  return {
    digest: digestToken(token),
    scope,
    where,
    ...(isShort(token) ? { isShort: true } : {}),
    ...(name === undefined ? {} : { label: name }),
  };
}
