/**
 * The address that a server prints first.
 * @param {import('node:stream').Readable} output
 * @returns {Promise<string>}
 */
export function addressOf(output) {
  return new Promise((resolve, reject) => {
    let text = '';
    output.on('data', (chunk) => {
      text += chunk;
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
      if (address !== undefined) resolve(address);
    });
    output.on('end', () => reject(new Error(`the service ended: ${text}`)));
  });
}
