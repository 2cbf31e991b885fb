import { createHash, randomBytes } from 'node:crypto';
import { type Scope, scopeOf, unbound } from '../endpoint/scope.js';
import { SetupError } from '../errors/errors.js';
import { readTokenFile, type TokenEntry } from './token-file.js';

/** A token that the server takes, and what it may ask for. */
export interface Token {
  /** 32 bytes of SHA-256: the token itself is not kept. */
  readonly digest: Buffer;
  /** What the log calls its requests. */
  readonly label?: string;
  readonly scope: Scope;
  /** Where it is written, for messages. */
  readonly where: string;
}

/**
 * The tokens of a comma-separated list and of a file.
 * @throws SetupError with every fault: a file that cannot be read or has none, a line that is wrong, a token of
 * fewer than 16 characters or beyond ASCII, or one that is there twice; no message shows a token
 */
export function readTokens({
  list = '',
  file = '',
  read,
}: {
  readonly list?: string | undefined;
  readonly file?: string | undefined;
  readonly read: (path: string) => string;
}): readonly Token[] {
  const from = `LOG_ENDPOINTS_TOKENS_FILE ${file}`;
  const ofFile = file === '' ? [] : readEntries(from, () => readTokenFile(read(file)));
  const entries = [
    ...readList(list),
    ...ofFile.map(({ line, ...entry }) => ({ ...entry, where: `${from}:${line}` })),
  ];
  const faults = entries.flatMap((entry, place) => faultsOf(entry, entries.slice(0, place)));
  if (faults.length > 0) throw new SetupError(faults);
  return entries.map(tokenOf);
}

/** @throws SetupError for each endpoint in a token's scope that is not one of these */
export function checkEndpoints(tokens: readonly Token[], names: readonly string[]): void {
  const faults = tokens.flatMap(({ scope, where }) =>
    [...(scope.endpoints ?? [])]
      .filter((name) => !names.includes(name))
      .map((name) => `${where}: unknown endpoint ${name}; there are ${names.join(', ')}`),
  );
  if (faults.length > 0) throw new SetupError(faults);
}

/** A token as the server keeps it: 32 bytes of SHA-256. */
export function digestToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** A token without a scope. */
export function unboundToken(token: string, where = ''): Token {
  return { digest: digestToken(token), scope: unbound, where };
}

/** A new token of 32 characters. */
export function makeToken(): string {
  return randomBytes(24).toString('base64url');
}

type Entry = Omit<TokenEntry, 'line'> & { readonly where: string };

function readEntries(
  from: string,
  read: () => readonly TokenEntry[] | undefined,
): readonly TokenEntry[] {
  let entries: readonly TokenEntry[] | undefined;
  try {
    entries = read();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SetupError([`${from}: ${reason}`]);
  }
  if (entries === undefined) throw new SetupError([`${from}: begins with [ but is no JSON array`]);
  if (entries.length === 0) throw new SetupError([`${from}: no token in it`]);
  return entries;
}

function readList(list: string): readonly Entry[] {
  const tokens = list.split(',').map((text) => text.trim());
  return tokens
    .filter((token) => token !== '')
    .map((token, place) => ({
      token,
      faults: [],
      where: `LOG_ENDPOINTS_TOKENS: token ${place + 1}`,
    }));
}

function faultsOf({ token, faults, where }: Entry, before: readonly Entry[]): readonly string[] {
  const found = [...faults];
  if (/^(?:name|project|endpoints)=/.test(token)) {
    // Without its token the text that remains could be guessed, and would be bound to less.
    found.push('a line must begin with its token');
  } else if (token !== '' && !/^[!-~]{16,}$/.test(token)) {
    found.push('a token must have at least 16 characters, letters, digits and signs of ASCII only');
  }
  // Which of the two scopes counts would be anybody's guess.
  const twin = before.find((other) => token !== '' && other.token === token);
  if (twin !== undefined) found.push(`the same token as ${twin.where}`);
  return found.map((fault) => `${where}: ${fault}`);
}

function tokenOf({ token, name, project, endpoints, where }: Entry): Token {
  const scope = scopeOf({
    ...(project === undefined ? {} : { project }),
    ...(endpoints === undefined ? {} : { endpoints: new Set(endpoints) }),
  });
  return {
    ...{ digest: digestToken(token), scope, where },
    ...(name === undefined ? {} : { label: name }),
  };
}
