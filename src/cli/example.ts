import type { Endpoint, Parameter } from '../endpoint/endpoint.js';

/** Values under which an endpoint answers: those that it requires. A `regexp` matches everything. */
export function exampleParameters({ parameters }: Endpoint): ReadonlyMap<string, string> {
  const required = parameters.filter((parameter) => parameter.required);
  return new Map(required.map((parameter) => [parameter.name, exampleValue(parameter)]));
}

/** A line for the shell that asks the endpoint whose example says the most; `token` is put in as it is. */
export function exampleCurl(endpoints: readonly Endpoint[], url: string, token: string): string {
  const [endpoint] = endpoints.toSorted((left, right) => unknowns(left) - unknowns(right));
  if (endpoint === undefined) return '';
  const query = new URLSearchParams([...exampleParameters(endpoint)]);
  return `curl -s -H "X-API-KEY: ${token}" '${url}/api/endpoints/query/${endpoint.name}?${query}'`;
}

/** How many of its required values nobody can guess. */
function unknowns({ parameters }: Endpoint): number {
  return parameters.filter(
    ({ required, type, oneOf }) => required && type === 'string' && oneOf === undefined,
  ).length;
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
