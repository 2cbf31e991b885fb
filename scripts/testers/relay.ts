import { createServer, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An address of a service that needs no token. */
export interface Relay {
  readonly url: string;
  close(): void;
}

/** Passes requests on to a service with a token, which the program that sends them cannot add. */
export async function openRelay(service: string, token: string): Promise<Relay> {
  const target = new URL(service);
  const server = createServer((request, response) => {
    const headers = { ...asSentTo(target, request), 'x-api-key': token };
    const { method, url: path } = request;
    const { hostname: host, port } = target;
    const passed = send({ host, port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.once('error', () => response.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The origin that the relay's own pages have for the service. */
export const relayOrigin = 'http://relay.localhost';

/** Replaces the relay's name in the headers; another name stays, since a test may be about it. */
function asSentTo({ host }: URL, { headers, socket }: IncomingMessage) {
  const relay = `127.0.0.1:${socket.localPort}`;
  return {
    ...headers,
    ...(headers.host === relay && { host }),
    ...(headers.origin === `http://${relay}` && { origin: relayOrigin }),
  };
}
