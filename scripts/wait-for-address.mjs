/**
 * Waits for a server to print its address and returns it.
 * @param {import('node:stream').Readable} output
 * @returns {Promise<string>} for example `http://127.0.0.1:8080`
 * @throws Error if the output ends first
 */
export function waitForAddress(output) {
  return new Promise((resolve, reject) => {
    let text = '';
    output.on('data', (chunk) => {
      text += chunk;
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
      if (address !== undefined) resolve(address);
    });
    output.on('end', () =>
      reject(new Error(`the server exited without printing its address: ${text}`)),
    );
  });
}
