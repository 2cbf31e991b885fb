import { execFileSync } from 'node:child_process';
import { type DeclaredSource, parseDeclaration } from '../../src/logs/columns/declaration.js';

/** A source whose lines have another shape. */
export const pino: DeclaredSource = parseDeclaration(
  'app',
  '{"timestamp":"time","event_message":"msg","project":{"constant":"p"}}',
);

/** A source whose lines have its columns. */
export const plain: DeclaredSource = parseDeclaration('app', '{"project":"record column"}');

/** Bytes, of which each is a character. */
export const latin = (text: string) => Buffer.from(text, 'latin1');

/** Packs bytes by zstd. */
export const zstd = (bytes: Buffer) =>
  execFileSync('zstd', ['-c'], { input: bytes, maxBuffer: 1e9 });
