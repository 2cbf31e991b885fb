import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { withoutFunctions } from '../../test/support/inline-functions.js';
import { environmentOf, tokenFor } from '../../test/support/stand-in-credentials.js';

/** An emulator's answer. */
export interface Answered {
  readonly status: number;
  readonly received: string;
}

/** A request of Google's client, and its answer. */
export interface Exchange extends Answered {
  readonly path: string;
  readonly sent: string;
  /** Whether the emulator took the statement only with its functions put in where it calls them. */
  readonly isInlined: boolean;
}

/** A server between Google's client and an emulator. */
export interface Gateway {
  /** The variables with which Google's client finds it, and gets a token from it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Returns the exchanges since the last call. */
  readonly take: () => readonly Exchange[];
  /**
   * Waits until the emulator has answered all requests, even those that nobody waits for any more. Returns false if it
   * needs longer than half a minute, or has ended since the last call.
   */
  readonly idle: () => Promise<boolean>;
  close(): void;
}

/**
 * Passes requests on, gives tokens, and remembers what went through. It sends a statement that an emulator refuses again with
 * its functions put in where it calls them, if it has some, and the second answer counts.
 */
export async function openGateway(emulator: () => string): Promise<Gateway> {
  let exchanges: Exchange[] = [];
  const open = new Set<Promise<void>>();
  let hasEnded = false;
  const passOn = async (request: IncomingMessage, response: ServerResponse, sent: string) => {
    const path = request.url ?? '/';
    const url = emulator();
    const { status, received, isInlined } = await ask(url, request, sent);
    exchanges.push({ path, sent, status, received, isInlined });
    if (status !== 0) return answer(response, status, received);
    // One that was replaced meanwhile has ended, too.
    hasEnded ||= url === emulator();
    response.destroy();
  };
  const server = createServer(async (request, response) => {
    const sent = await text(request);
    if (request.url === '/token') return answer(response, 200, JSON.stringify(tokenFor(3600)));
    const passed = passOn(request, response, sent);
    open.add(passed);
    await passed;
    open.delete(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    environment: environmentOf(`http://127.0.0.1:${port}`),
    take() {
      const all = exchanges;
      exchanges = [];
      return all;
    },
    async idle() {
      const late = sleep(patienceMs, false, { ref: false });
      const isIdle = !hasEnded && (await Promise.race([Promise.all(open).then(() => true), late]));
      hasEnded = false;
      return isIdle;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The time that an emulator may take for requests that nobody waits for, in milliseconds. */
const patienceMs = 30_000;

async function ask(emulator: string, request: IncomingMessage, sent: string) {
  const first = await pass(emulator, request, sent);
  if (first.status === 200 || first.status === 0 || !sent.includes('CREATE TEMP FUNCTION')) {
    return { ...first, isInlined: false };
  }
  const body = JSON.parse(sent) as { readonly query: string };
  const inlined = JSON.stringify({ ...body, query: withoutFunctions(body.query) });
  const second = await pass(emulator, request, inlined);
  return { ...second, isInlined: second.status === 200 };
}

/** Sends a request; the status is 0 if the emulator ends before it answers. */
async function pass(emulator: string, { url, method = 'GET' }: IncomingMessage, sent: string) {
  try {
    const response = await fetch(`${emulator}/bigquery/v2${url}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(sent !== '' && { body: sent }),
    });
    return asBigQuery({ status: response.status, received: await response.text() });
  } catch (error) {
    return { status: 0, received: String(error) };
  }
}

/**
 * Brings an emulator's answer into the form of BigQuery's. For an invalid statement that is a status of 400 with
 * `invalidQuery`. bigquery-emulator has one reason for all failures, which the client would try again: here `invalidQuery`
 * for what its parser refuses, and `invalid` for what fails when it runs. Its answers have no bill.
 */
export function asBigQuery(answer: Answered): Answered {
  const { received } = answer;
  const failure = '"reason":"jobInternalError"';
  if (received.includes(failure)) {
    const reason = received.includes('INVALID_ARGUMENT: ') ? 'invalidQuery' : 'invalid';
    return { status: 400, received: received.replace(failure, `"reason":"${reason}"`) };
  }
  if (!received.includes('"totalBytesBilled"')) {
    const billed = '"totalBytesBilled":"0","jobComplete":true';
    return asReported({ ...answer, received: received.replace('"jobComplete":true', billed) });
  }
  return asReported(answer);
}

/** bqemulator answers with no rows, and the error beside them. */
function asReported(answer: Answered): Answered {
  if (answer.status !== 200 || !answer.received.includes('"errors":[{')) return answer;
  const { errors, schema } = JSON.parse(answer.received) as {
    readonly errors?: readonly { readonly message: string }[];
    readonly schema?: { readonly fields: readonly unknown[] };
  };
  if (errors?.[0] === undefined || schema?.fields.length !== 0) return answer;
  const error = { code: 400, message: errors[0].message, errors };
  return { status: 400, received: JSON.stringify({ error }) };
}

function answer(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}
