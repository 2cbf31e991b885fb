import { createServer } from 'node:http';

// A server that does nothing but answer: the baseline that separates delays of the machine from delays of
// the service.

const server = createServer((_request, response) => response.end('{"status":"ok"}'));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') console.log(`http://127.0.0.1:${address?.port}`);
});
