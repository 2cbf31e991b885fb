import { connect } from 'node:net';

// Asks one thing over and over, in a process of its own: node press.mjs <origin> <path> <api key> <ms>.
// Prints {"perSecond","p50","p99"}; connections are kept, each asks again when it has its answer.

const connections = 16;
const [origin = '', path = '', key = '', ms = ''] = process.argv.slice(2);
const { hostname, port } = new URL(origin);
const question = `GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nx-api-key: ${key}\r\n\r\n`;
/** @type {number[]} */
const times = [];
const start = performance.now();
const end = start + Number(ms);
await Promise.all(Array.from({ length: connections }, press));
const seconds = (performance.now() - start) / 1000;
times.sort((left, right) => left - right);
const at = (/** @type {number} */ part) => times[Math.floor(times.length * part)] ?? 0;
console.log(JSON.stringify({ perSecond: times.length / seconds, p50: at(0.5), p99: at(0.99) }));

/** @returns {Promise<void>} */
function press() {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let asked = performance.now();
  const isWhole = createReader();
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('connect', () => socket.write(question));
    socket.on('close', () => resolve());
    socket.on('data', (chunk) => {
      if (!isWhole(chunk)) return;
      const now = performance.now();
      times.push(now - asked);
      asked = now;
      if (now < end) socket.write(question);
      else socket.destroy();
    });
  });
}

/** Tells of each chunk whether an answer is whole with it. @returns {(chunk: Buffer) => boolean} */
function createReader() {
  let left = 0;
  /** @type {Buffer} */
  let head = Buffer.alloc(0);
  return (chunk) => {
    if (left > 0) {
      left -= chunk.length;
      return left <= 0;
    }
    head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
    const size = sizeOf(head);
    if (size === 0) return false;
    left = size - head.length;
    head = Buffer.alloc(0);
    return left <= 0;
  };
}

/** The whole answer's, once its head is there. @param {Buffer} bytes */
function sizeOf(bytes) {
  const head = bytes.indexOf('\r\n\r\n');
  if (head < 0) return 0;
  const text = bytes.toString('latin1', 0, head);
  const length = /^content-length: (\d+)/im.exec(text)?.[1];
  if (!text.startsWith('HTTP/1.1 200') || length === undefined) throw new Error(text);
  return head + 4 + Number(length);
}
