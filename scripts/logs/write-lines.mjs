import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** @typedef {import('./fill.mjs').Fill} Fill */
/** @typedef {import('./write-source.mjs').Target} Target */

/** More than the longest record. */
const room = 64 * 1024;
const chunkBytes = 512 * 1024;

/**
 * A file that is written in chunks: a full one waits until the disk has taken it.
 * @param {string} file
 * @param {{ readonly gzip: boolean, readonly fill: Fill }} options
 * @returns {Target}
 */
export function openLines(file, { gzip, fill }) {
  const buffer = Buffer.allocUnsafeSlow(chunkBytes + room);
  let end = 0;
  const { stream, done } = openStream(file, gzip);
  const flush = async () => {
    const chunk = buffer.subarray(0, end);
    end = 0;
    if (chunk.length > 0) await Promise.race([taken(stream, chunk), done]);
  };
  return {
    add(one) {
      end = fill(buffer, end, one);
      return end > chunkBytes;
    },
    flush,
    close: async () => {
      await flush();
      stream.end();
      await done;
    },
  };
}

/** @param {string} file @param {boolean} gzip @returns {{ readonly stream: import('node:stream').Writable, readonly done: Promise<void> }} */
function openStream(file, gzip) {
  const target = createWriteStream(file);
  if (!gzip) return { stream: target, done: heard(closed(target)) };
  const zip = createGzip({ level: 4 });
  return { stream: zip, done: heard(pipeline(zip, target)) };
}

/** Its failure is no unhandled one: whoever flushes or closes hears of it. @param {Promise<void>} done */
function heard(done) {
  done.catch(() => {});
  return done;
}

/** @param {import('node:stream').Writable} stream @returns {Promise<void>} */
function closed(stream) {
  return new Promise((resolve, reject) => {
    stream.once('close', resolve);
    stream.once('error', reject);
  });
}

/** Settles when the chunk can be used again. @param {import('node:stream').Writable} stream @param {Uint8Array} chunk @returns {Promise<void>} */
function taken(stream, chunk) {
  return new Promise((resolve, reject) => {
    stream.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}
