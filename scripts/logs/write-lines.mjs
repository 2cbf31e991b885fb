import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** @typedef {import('./fill.mjs').Fill} Fill */
/** @typedef {import('./write-source.mjs').Target} Target */

/** More bytes than the longest record has. */
const maxRecordBytes = 64 * 1024;
const chunkBytes = 512 * 1024;

/**
 * Opens a file that is written in chunks; flushing waits until the chunk is written.
 * @param {string} file
 * @param {{ readonly gzip: boolean, readonly fill: Fill }} options
 * @returns {Target}
 */
export function openLines(file, { gzip, fill }) {
  const buffer = Buffer.allocUnsafeSlow(chunkBytes + maxRecordBytes);
  let end = 0;
  const { stream, done } = openStream(file, gzip);
  const flush = async () => {
    const chunk = buffer.subarray(0, end);
    end = 0;
    if (chunk.length > 0) await Promise.race([write(stream, chunk), done]);
  };
  return {
    add(record) {
      end = fill(buffer, end, record);
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
  if (!gzip) return { stream: target, done: handled(closed(target)) };
  const zip = createGzip({ level: 4 });
  return { stream: zip, done: handled(pipeline(zip, target)) };
}

/** Prevents an unhandled rejection: the error is thrown by the next flush or close. @param {Promise<void>} done */
function handled(done) {
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

/** Writes a chunk; settles when its buffer can be reused. @param {import('node:stream').Writable} stream @param {Uint8Array} chunk @returns {Promise<void>} */
function write(stream, chunk) {
  return new Promise((resolve, reject) => {
    stream.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}
