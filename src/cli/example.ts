import type { Endpoint, Parameter } from '../endpoint/endpoint.js';
import type { OpenedServices } from '../service/start-up.js';

/** Values under which an endpoint answers: those that it requires. A `regexp` matches everything. */
export function exampleParameters({ parameters }: Endpoint): ReadonlyMap<string, string> {
  const required = parameters.filter((parameter) => parameter.required);
  return new Map(required.map((parameter) => [parameter.name, exampleValue(parameter)]));
}

/**
 * A line for the shell that asks the first endpoint; `token` is put in as it is. A value that has the
 * name of a column of the logs is one of that column's own, so that there is a row to see.
 */
export async function exampleCurl(
  opened: OpenedServices,
  url: string,
  token: string,
): Promise<string> {
  const [endpoint] = opened.catalog.endpoints;
  if (endpoint === undefined) return '';
  const values = new Map(exampleParameters(endpoint));
  for (const { name } of endpoint.parameters.filter(isFree)) {
    const found = values.has(name) ? await newestValue(opened, name) : undefined;
    if (found !== undefined) values.set(name, found);
  }
  const query = new URLSearchParams([...values]);
  return `curl -s -H "X-API-KEY: ${token}" '${url}/api/endpoints/query/${endpoint.name}?${query}'`;
}

function isFree({ type, oneOf }: Parameter): boolean {
  return type === 'string' && oneOf === undefined;
}

/** The value of a column in the newest record of the first source that has one. */
async function newestValue(
  { compiler, engine, logs }: OpenedServices,
  column: string,
): Promise<string | undefined> {
  for (const source of logs.sources) {
    if (!source.columns.some(({ name, type }) => name === column && type.kind === 'STRING'))
      continue;
    const sql = `select ${column} as v from \`logs.${source.name}\` where ${column} is not null order by timestamp desc limit 1`;
    const query = compiler.compile({ name: 'example', sql, maxRows: 1, parameters: [] });
    const { signal } = new AbortController();
    const { json } = await engine.run({ ...query, steps: [], values: {}, maxRows: 1 }, { signal });
    const [row] = JSON.parse(Buffer.from(json).toString()) as readonly { readonly v: string }[];
    if (row !== undefined) return row.v;
  }
  return undefined;
}

function exampleValue({ type, oneOf }: Parameter): string {
  return oneOf?.at(-1) ?? examples[type];
}

const examples: Readonly<Record<Parameter['type'], string>> = {
  string: 'example',
  regexp: '.',
  timestamp: '2026-01-01T00:00:00Z',
  integer: '1',
  number: '1',
  boolean: 'true',
};
