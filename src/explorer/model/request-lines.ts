/** A request to show as code. */
export interface ShownRequest {
  readonly url: string;
  readonly body: Readonly<Record<string, string>>;
}

/** Prints the code that sends a request, by language. The token is a placeholder. */
export const requestPrinters: Readonly<Record<string, (request: ShownRequest) => string>> = {
  curl: ({ url, body }) => {
    const fields = Object.entries(body).map(
      ([name, value]) => ` \\\n  --data-urlencode ${shellQuote(`${name}=${value}`)}`,
    );
    return `curl -H "X-API-KEY: $TOKEN" -X POST ${shellQuote(url)}${fields.join('')}`;
  },
  fetch: ({ url, body }) =>
    [
      `const response = await fetch(${JSON.stringify(url)}, {`,
      `  method: 'POST',`,
      `  headers: { 'x-api-key': token, 'content-type': 'application/json' },`,
      `  body: JSON.stringify(${indent(JSON.stringify(body, null, 2))}),`,
      '});',
      'const { result } = await response.json();',
    ].join('\n'),
  Python: ({ url, body }) =>
    [
      'import os, requests',
      '',
      'response = requests.post(',
      `    ${JSON.stringify(url)},`,
      '    headers={"X-API-KEY": os.environ["TOKEN"]},',
      `    json=${indent(JSON.stringify(body, null, 4), 4)},`,
      ')',
      'response.raise_for_status()',
      'rows = response.json()["result"]',
    ].join('\n'),
};

function indent(text: string, by = 2): string {
  return text.replaceAll('\n', `\n${' '.repeat(by)}`);
}

/** Quotes a string for a POSIX shell. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
