import { createHash, randomBytes } from 'node:crypto';
import { SetupError } from './errors.js';

/**
 * The tokens of a comma-separated list and of a file with one on each line.
 * @throws SetupError for a file that cannot be read or has none, and for a token of fewer than 16 characters or beyond ASCII;
 * no message shows a token
 */
export function readTokens({
  list = '',
  file = '',
  read,
}: {
  readonly list?: string | undefined;
  readonly file?: string | undefined;
  readonly read: (path: string) => string;
}): readonly string[] {
  const tokens = [
    ...checkTokens('LOG_ENDPOINTS_TOKENS', list.split(',')),
    ...(file === '' ? [] : checkTokens(`LOG_ENDPOINTS_TOKENS_FILE ${file}`, readLines(file, read))),
  ];
  if (file !== '' && tokens.length === 0) {
    throw new SetupError([`LOG_ENDPOINTS_TOKENS_FILE ${file}: no token in it`]);
  }
  return tokens;
}

/** A token as the server keeps it: 32 bytes of SHA-256. */
export function digestToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** A new token of 32 characters. */
export function makeToken(): string {
  return randomBytes(24).toString('base64url');
}

function readLines(file: string, read: (path: string) => string): readonly string[] {
  try {
    return read(file).split(/\r?\n/);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SetupError([`LOG_ENDPOINTS_TOKENS_FILE ${file}: ${reason}`]);
  }
}

function checkTokens(from: string, texts: readonly string[]): readonly string[] {
  const tokens = texts.map((text) => text.trim()).filter((text) => text !== '');
  for (const [index, token] of tokens.entries()) {
    if (/^[!-~]{16,}$/.test(token)) continue;
    const must = 'must have at least 16 characters, letters, digits and signs of ASCII only';
    throw new SetupError([`${from}: token ${index + 1} ${must}`]);
  }
  return tokens;
}
