import { connect } from 'node:net';

// A load generator: repeats one request on keep-alive connections, each sending the next request when
// the response has arrived: node load-generator.mjs <origin> <path> <api key> <ms>.
// Prints {"perSecond","p50","p99"} as JSON, times in milliseconds.

const connections = 16;
const [origin = '', path = '', key = '', ms = ''] = process.argv.slice(2);
const { hostname, port } = new URL(origin);
const request = `GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nx-api-key: ${key}\r\n\r\n`;
/** @type {number[]} */
const times = [];
const start = performance.now();
const end = start + Number(ms);
await Promise.all(Array.from({ length: connections }, runConnection));
const seconds = (performance.now() - start) / 1000;
times.sort((left, right) => left - right);
const at = (/** @type {number} */ fraction) => times[Math.floor(times.length * fraction)] ?? 0;
console.log(JSON.stringify({ perSecond: times.length / seconds, p50: at(0.5), p99: at(0.99) }));

/** @returns {Promise<void>} */
function runConnection() {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let sentAt = performance.now();
  const isComplete = createResponseReader();
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('connect', () => socket.write(request));
    socket.on('close', () => resolve());
    socket.on('data', (chunk) => {
      if (!isComplete(chunk)) return;
      const now = performance.now();
      times.push(now - sentAt);
      sentAt = now;
      if (now < end) socket.write(request);
      else socket.destroy();
    });
  });
}

/** Whether a chunk completes a response; called with each chunk in turn. @returns {(chunk: Buffer) => boolean} */
function createResponseReader() {
  let left = 0;
  /** @type {Buffer} */
  let head = Buffer.alloc(0);
  return (chunk) => {
    if (left > 0) {
      left -= chunk.length;
      return left <= 0;
    }
    head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
    const size = responseBytes(head);
    if (size === 0) return false;
    left = size - head.length;
    head = Buffer.alloc(0);
    return left <= 0;
  };
}

/** Bytes of the whole response, or 0 while its head is incomplete. @param {Buffer} bytes */
function responseBytes(bytes) {
  const head = bytes.indexOf('\r\n\r\n');
  if (head < 0) return 0;
  const text = bytes.toString('latin1', 0, head);
  const length = /^content-length: (\d+)/im.exec(text)?.[1];
  if (!text.startsWith('HTTP/1.1 200') || length === undefined) throw new Error(text);
  return head + 4 + Number(length);
}
