import type { IncomingMessage, ServerResponse } from 'node:http';
import { endGently } from './refuse-client.js';

/**
 * Sends `100 Continue` when the app first reads the request's body. A client that is refused before may omit the
 * body, so the refusal closes the connection: the next bytes could be the body or another request.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1
 */
export function continueOnRead(request: IncomingMessage, response: ServerResponse): void {
  const { socket, _read: read } = request;
  const { destroySoon } = socket;
  const { shouldKeepAlive } = response;
  response.shouldKeepAlive = false;
  // Node calls this after a response that closes the connection. The client may send its body without waiting.
  socket.destroySoon = () => endGently(socket);
  request._read = (size) => {
    request._read = read;
    if (!response.headersSent) {
      response.shouldKeepAlive = shouldKeepAlive;
      socket.destroySoon = destroySoon;
      response.writeContinue();
    }
    request._read(size);
  };
}
