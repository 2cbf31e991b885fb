import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import { parseAccept } from 'hono/utils/accept';

/** A content coding for bodies. */
export type Coding = 'br' | 'gzip';

/** The codings in order of preference. */
const codings: readonly Coding[] = ['br', 'gzip'];

const brotli = promisify(brotliCompress);
const brotliOptions = { params: { [zlib.BROTLI_PARAM_QUALITY]: 4 } };

const compressors: Readonly<Record<Coding, (body: Uint8Array) => Promise<Buffer>>> = {
  // The default quality takes fifty times as long.
  br: (body) => brotli(body, brotliOptions),
  gzip: promisify<Uint8Array, Buffer>(gzip),
};

/** Returns the coding preferred by an `Accept-Encoding` header; undefined if it prefers the uncompressed body. */
export function acceptedCoding(header: string | null): Coding | undefined {
  if (header === null) return undefined;
  const given = parseAccept(header.toLowerCase());
  const codingWeight = (name: string) => given.find(({ type }) => type === name)?.q;
  const weights = codings.map((name) => codingWeight(name) ?? codingWeight('*') ?? 0);
  const best = Math.max(...weights);
  if (best === 0 || (codingWeight('identity') ?? 0) > best) return undefined;
  return codings[weights.indexOf(best)];
}

/** Smaller bodies fit into a packet anyway. */
const minBytes = 1024;

/** Compresses a body outside the event loop; undefined for a body under 1 KB, or if compression does not halve it. */
export async function compressBody(
  body: Uint8Array,
  coding: Coding,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (body.length <= minBytes) return undefined;
  const compressed = await compressors[coding](body);
  // A copy, because the result may be a view of a larger buffer.
  return 2 * compressed.length <= body.length ? new Uint8Array(compressed) : undefined;
}
