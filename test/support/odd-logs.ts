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

const blockBytes = 100_000;

/**
 * Packs bytes as a zstd file whose blocks are as they are, because Node 20 cannot compress by zstd.
 * @see https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1
 */
export function zstd(bytes: Buffer): Buffer {
  const blocks: Buffer[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += blockBytes) {
    const block = bytes.subarray(at, at + blockBytes);
    const isLast = at + blockBytes >= bytes.length;
    const header = Buffer.alloc(3);
    header.writeUIntLE((block.length << 3) | Number(isLast), 0, 3);
    blocks.push(header, block);
  }
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x58]), ...blocks]);
}
