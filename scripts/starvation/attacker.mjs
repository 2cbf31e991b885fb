import { Agent, request } from 'node:http';
import { setPriority } from 'node:os';
import { attacks, counting } from './attacks.mjs';

// Sends the requests of one attack on some connections until SIGTERM, and prints how many answers of each status came:
// node scripts/starvation/attacker.mjs <url> <token> <name of the attack> <connections>

const [url = '', token = '', name = '', connections = ''] = process.argv.slice(2);
const attack = [counting, ...attacks].find((one) => one.name === name);
if (attack === undefined) throw new Error(`no attack is called ${name}`);
const { makeRequest, withoutToken = false } = attack;
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) });
const identity = withoutToken ? {} : { 'x-api-key': token };
// It stands for another machine: what it costs the processor is no part of the attack.
setPriority(19);
/** @type {Record<string, number>} */
const statuses = {};
/** Differs between processes, so that no answer is left from an earlier one. */
let count = Date.now() % 1_000_000_000;

process.on('SIGTERM', () => {
  process.stdout.write(`${JSON.stringify(statuses)}\n`, () => process.exit(0));
});
for (let each = 0; each < Number(connections); each += 1) void repeat();

async function repeat() {
  for (;;) {
    const status = await send(makeRequest(count++));
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
}

/** Returns the status of the answer, or the code of an error. @param {import('./attacks.mjs').AttackRequest} wanted @returns {Promise<string>} */
function send({ method, path, headers = {}, body = '', isEndless = false }) {
  const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve) => {
    const all = { ...headers, ...length, ...identity };
    const sent = request(`${url}${path}`, { method, headers: all, agent }, (response) => {
      const status = String(response.statusCode);
      response.on('error', () => {});
      response.on('close', () => resolve(status));
      if (isEndless && status === '200') response.once('data', () => sent.destroy());
      else response.resume();
    });
    sent.on('error', (error) => resolve('code' in error ? String(error.code) : 'error'));
    sent.end(body);
  });
}
