import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import { parseAccept } from 'hono/utils/accept';

/** A content coding in which bodies are sent. */
export type Coding = 'br' | 'gzip';

/** The codings, the preferred one first. */
const codings: readonly Coding[] = ['br', 'gzip'];

const brotli = promisify(brotliCompress);
const brotliOptions = { params: { [zlib.BROTLI_PARAM_QUALITY]: 4 } };

const compressors: Readonly<Record<Coding, (body: Uint8Array) => Promise<Buffer>>> = {
  // The default quality takes fifty times as long.
  br: (body) => brotli(body, brotliOptions),
  gzip: promisify<Uint8Array, Buffer>(gzip),
};

/** The coding that an `Accept-Encoding` header likes best; undefined if it prefers the body as it is. */
export function acceptedCoding(header: string | null): Coding | undefined {
  if (header === null) return undefined;
  const given = parseAccept(header.toLowerCase());
  const weightOf = (name: string) => given.find(({ type }) => type === name)?.q;
  const weights = codings.map((name) => weightOf(name) ?? weightOf('*') ?? 0);
  const best = Math.max(...weights);
  if (best === 0 || (weightOf('identity') ?? 0) > best) return undefined;
  return codings[weights.indexOf(best)];
}

/** Smaller bodies fit into a packet anyway. */
const minBytes = 1024;

/** The body in a coding, compressed outside of the event loop; undefined if that does not halve a body over 1 KB. */
export async function compressBody(
  body: Uint8Array,
  coding: Coding,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (body.length <= minBytes) return undefined;
  const compressed = await compressors[coding](body);
  // A copy, because the result may be a view of a larger buffer.
  return 2 * compressed.length <= body.length ? new Uint8Array(compressed) : undefined;
}
